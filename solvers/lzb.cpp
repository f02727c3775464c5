#include "solvers/lzb.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "solvers/dormand_prince.hpp"

namespace talus {

namespace {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// x^η for the two exponents everybody uses without a logarithm.
double power(double x, double exponent) {
  if (exponent == 1) return x;
  if (exponent == 1.5) return x * std::sqrt(x);
  return std::pow(x, exponent);
}

// The compliant contacts as y' = f(y) along s, with y = [P | x | W_c | W_e]: percussions (one
// component per contact without friction, else D), indentations, and the work that went into each
// contact and came out of it.
template <int D>
class CompliantContacts {
 public:
  CompliantContacts(const ImpactProblem<D>& impact, const LzbLaw& law)
      : law_(law),
        n_(static_cast<Eigen::Index>(impact.size())),
        coefficients_(impact.coefficients) {
    const bool frictionless = std::all_of(coefficients_.begin(), coefficients_.end(),
                                          [](const auto& c) { return c.friction == 0; });
    components_ = frictionless ? 1 : D;
    const std::vector<Vec<D>> u = contact_velocities<D>(impact, impact.v_minus);
    speed_ = closing_speed<D>(u);
    u_minus_.resize(n_ * components_);
    for (Eigen::Index i = 0; i < n_; ++i)
      u_minus_.segment(i * components_, components_) =
          u[static_cast<std::size_t>(i)].head(components_);
    assemble({impact.bodies, impact.contacts, {}});

    // What a blow at full speed would do to one contact alone: K x^(1+η)/(1+η) = u²/(2 W_NN).
    indentation_.resize(n_);
    mass_.resize(n_);
    unloading_.resize(n_);
    time_ = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < n_; ++i) {
      const ImpactCoefficients& c = coefficients_[static_cast<std::size_t>(i)];
      assert(c.stiffness > 0 && c.restitution >= 0 && "the reader checks them");
      const double W_N = W_.coeff(i * components_, i * components_);
      mass_[i] = 1 / W_N;
      indentation_[i] = std::pow((1 + law_.exponent) * speed_ * speed_ / (2 * W_N * c.stiffness),
                                 1 / (1 + law_.exponent));
      time_ = std::min(time_, indentation_[i] / speed_);
      const double e = c.restitution;
      unloading_[i] = law_.one_stiffness || e == 0 ? 1 : 1 / (e * e);
    }
    friction_rate_.setZero(n_ * components_);
  }

  Eigen::VectorXd start() const { return Eigen::VectorXd::Zero(n_ * (components_ + 3)); }
  double speed() const { return speed_; }
  double time() const { return time_; }            // of the shortest single blow, in units of s
  const Eigen::VectorXd& u() const { return u_; }  // at the y asked for last

  void operator()(const Eigen::VectorXd& y, Eigen::VectorXd& slope) {
    u_ = u_minus_;
    u_.noalias() += W_ * y.head(n_ * components_);
    bool rubs = false;
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double u_N = u_[i * components_], x = y[indentation_at(i)];
      const double F = x > 0 ? stiffness(i) * power(x, law_.exponent) : 0;
      slope[i * components_] = F;
      slope[indentation_at(i)] = x > 0 && u_N > 0 ? -unloading_[i] * u_N : -u_N;
      slope[work_in_at(i)] = std::max(0.0, -u_N) * F;
      slope[work_out_at(i)] = std::max(0.0, u_N) * F;
      for (Eigen::Index k = 1; k < components_; ++k) slope[i * components_ + k] = 0;
      rubs = rubs || (F > 0 && friction(i) > 0);
    }
    if (rubs && components_ > 1) add_friction(slope);
  }

  // How far the two orders of a step disagree, on velocities and on indentations, as a part of the
  // fastest approach and of the deepest indentation.
  double relative_error(const Eigen::VectorXd& error) const {
    double worst = 0;
    for (Eigen::Index i = 0; i < n_; ++i) {
      const auto p = error.segment(i * components_, components_);
      worst = std::max({worst, p.template lpNorm<Eigen::Infinity>() / (mass_[i] * speed_),
                        std::abs(error[indentation_at(i)]) / indentation_[i]});
    }
    return worst;
  }

  // How far past the end of a contact's push y is: that end is where its energy is spent before
  // its spring is slack. Positive beyond, relative.
  double overshoot(Eigen::Index i, const Eigen::VectorXd& y, const Eigen::VectorXd& u) const {
    const double e = coefficients_[static_cast<std::size_t>(i)].restitution;
    if (y[indentation_at(i)] <= 0) return -1;
    if (e == 0) return u[i * components_] / speed_;
    if (!law_.one_stiffness || e == 1) return -1;
    return (y[work_out_at(i)] - e * e * y[work_in_at(i)]) / (mass_[i] * speed_ * speed_);
  }
  double overshoot(const Eigen::VectorXd& y, const Eigen::VectorXd& u) const {
    double worst = -1;
    for (Eigen::Index i = 0; i < n_; ++i) worst = std::max(worst, overshoot(i, y, u));
    return worst;
  }

  // The part of a step from (y, u) to (y_end, u_end) after which the first kink of a slope comes,
  // by linear interpolation; 1 if there is none. Slopes have kinks where a contact begins or ends
  // to push (a Hertzian one gently enough), where it ceases to slide and, if it loses energy, where
  // it turns from closing to opening.
  double first_kink(const Eigen::VectorXd& y, const Eigen::VectorXd& u,
                    const Eigen::VectorXd& y_end, const Eigen::VectorXd& u_end) const {
    double first = 1;
    const auto look = [&](double from, double to, double negligible) {
      if (from * to < 0 && std::abs(from) > negligible && std::abs(to) > negligible)
        first = std::min(first, std::clamp(from / (from - to), 0.02, 0.98));
    };
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double x = y[indentation_at(i)], x_end = y_end[indentation_at(i)];
      if (law_.exponent < 1.5) look(x, x_end, 10 * law_.tolerance * indentation_[i]);
      if (unloading_[i] != 1 && x > 0 && x_end > 0)
        look(u[i * components_], u_end[i * components_], 10 * law_.tolerance * speed_);
      if (components_ > 1 && friction(i) > 0 && x > 0) {
        const auto slip = u.segment(i * components_ + 1, components_ - 1),
                   slip_end = u_end.segment(i * components_ + 1, components_ - 1);
        if (slip.dot(slip_end) < 0) look(slip.norm(), -slip_end.norm(), rest());
      }
    }
    return first;
  }

  // Lets go the contacts whose energy is spent; true if there were any.
  bool let_go(Eigen::VectorXd& y, const Eigen::VectorXd& u, std::vector<double>& work_in) const {
    bool any = false;
    for (Eigen::Index i = 0; i < n_; ++i) {
      if (overshoot(i, y, u) < 0) continue;
      work_in[static_cast<std::size_t>(i)] += y[work_in_at(i)];
      y[indentation_at(i)] = y[work_in_at(i)] = y[work_out_at(i)] = 0;
      any = true;
    }
    return any;
  }

  // No contact pushes, and none will.
  bool over(const Eigen::VectorXd& y, const Eigen::VectorXd& u) const {
    for (Eigen::Index i = 0; i < n_; ++i)
      if (y[indentation_at(i)] > 0) return false;
    for (Eigen::Index i = 0; i < n_; ++i)
      if (u[i * components_] < -law_.tolerance * speed_) return false;
    return true;
  }

  std::vector<Vec<D>> percussions(const Eigen::VectorXd& y) const {
    std::vector<Vec<D>> p(static_cast<std::size_t>(n_), Vec<D>::Zero());
    for (Eigen::Index i = 0; i < n_; ++i)
      p[static_cast<std::size_t>(i)].head(components_) = y.segment(i * components_, components_);
    return p;
  }

  double work_in(Eigen::Index i, const Eigen::VectorXd& y) const { return y[work_in_at(i)]; }

 private:
  Eigen::Index indentation_at(Eigen::Index i) const { return n_ * components_ + i; }
  Eigen::Index work_in_at(Eigen::Index i) const { return n_ * (components_ + 1) + i; }
  Eigen::Index work_out_at(Eigen::Index i) const { return n_ * (components_ + 2) + i; }
  double stiffness(Eigen::Index i) const {
    return coefficients_[static_cast<std::size_t>(i)].stiffness;
  }
  double friction(Eigen::Index i) const {
    return coefficients_[static_cast<std::size_t>(i)].friction;
  }
  // Sliding slower than this is not told from sticking [m/s].
  double rest() const { return 10 * law_.tolerance * speed_; }

  void assemble(const RigidOperator<D>& bodies) {
    const DelassusOperator<D> W = assemble_delassus<D>(bodies);
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < n_; ++i) {
      for (std::size_t k = W.row_start[at(i)]; k < W.row_start[at(i) + 1]; ++k) {
        for (int r = 0; r < components_; ++r)
          for (int c = 0; c < components_; ++c)
            entries.emplace_back(i * components_ + r, W.column[k] * components_ + c,
                                 W.block[k](r, c));
      }
    }
    W_.resize(n_ * components_, n_ * components_);
    W_.setFromTriplets(entries.begin(), entries.end());
  }

  // Rates of friction for the normal rates in `slope`. Where a contact slides faster than the
  // integration can tell from rest, its direction is known; for all others together the rate is
  // that of greatest dissipation, −u_T' ∈ N(rate) on the disk of radius μF, by projections in turn.
  void add_friction(Eigen::VectorXd& slope) {
    still_.clear();
    double scale = 0;
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double bound = friction(i) * slope[i * components_];
      if (bound == 0) continue;
      const auto u_T = u_.segment(i * components_ + 1, components_ - 1);
      const double slip = u_T.norm();
      auto rate = slope.segment(i * components_ + 1, components_ - 1);
      if (slip > rest()) {
        rate = -bound / slip * u_T;
      } else {
        still_.push_back(i);
        rate = friction_rate_.segment(i * components_ + 1, components_ - 1);
        if (rate.norm() > bound) rate *= bound / rate.norm();
        scale = std::max(scale, bound);
      }
    }
    for (int sweep = 0; sweep < 1000; ++sweep) {
      double change = 0;
      for (const Eigen::Index i : still_) {
        const double bound = friction(i) * slope[i * components_];
        const Eigen::Index first = i * components_ + 1;
        Eigen::Matrix<double, D - 1, 1> next = slope.segment(first, D - 1);
        double diagonal = 0;
        for (int k = 0; k < D - 1; ++k)
          diagonal = std::max(diagonal, W_.coeff(first + k, first + k));
        for (int k = 0; k < D - 1; ++k)
          next[k] -= W_.row(first + k).dot(slope.head(n_ * components_)) / diagonal;
        if (next.norm() > bound) next *= bound / next.norm();
        change = std::max(change, (next - slope.segment(first, D - 1)).norm());
        slope.segment(first, D - 1) = next;
      }
      if (change <= 1e-13 * scale) break;
    }
    friction_rate_ = slope.head(n_ * components_);
  }

  LzbLaw law_;
  Eigen::Index n_;
  Eigen::Index components_ = 1;
  std::vector<ImpactCoefficients> coefficients_;
  SparseRows W_;
  Eigen::VectorXd u_minus_, u_;
  double speed_ = 0, time_ = 0;
  Eigen::VectorXd indentation_, mass_;  // of a blow at full speed [m], 1/W_NN [kg]
  Eigen::VectorXd unloading_;           // 1/e*²
  Eigen::VectorXd friction_rate_;       // where the next search begins
  std::vector<Eigen::Index> still_;
};

// The factor by which a step of order 5 may change, for an error relative to the one allowed.
double growth(double error) {
  return std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, 5.0);
}

}  // namespace

template <int D>
LzbAnswer<D> lzb_impact(const ImpactProblem<D>& impact, const LzbLaw& law) {
  LzbAnswer<D> answer;
  answer.percussions.assign(impact.size(), Vec<D>::Zero());
  answer.compression_work.assign(impact.size(), 0);
  CompliantContacts<D> contacts(impact, law);
  if (contacts.speed() == 0) return answer;

  const bool adapts = law.fixed_step == 0;
  double step = (adapts ? 1e-3 : law.fixed_step) * contacts.time();
  Eigen::VectorXd y = contacts.start();
  DormandPrince pair;
  pair.begin(y, contacts);
  Eigen::VectorXd u = contacts.u();
  while (!contacts.over(y, u)) {
    // A trial that crosses a kink is shortened to end there, or close enough to it.
    double error = 0, trial = step;
    bool shortened = false;
    for (bool again = true; again;) {
      if (answer.steps == law.max_steps) {
        answer.solved = false;
        break;
      }
      ++answer.steps;
      const Eigen::VectorXd& after = pair.step(y, trial, contacts);
      error = contacts.relative_error(pair.error()) / law.tolerance;
      const double kink = contacts.first_kink(y, u, after, contacts.u());
      const double spent = contacts.overshoot(y, u),
                   beyond = contacts.overshoot(after, contacts.u());
      again = true;
      if (adapts && kink < 1) {
        trial *= kink;
        shortened = true;
      } else if (beyond > law.tolerance) {
        trial *= std::clamp((0.5 * law.tolerance - spent) / (beyond - spent), 0.01, 0.99);
      } else if (adapts && error > 1) {
        trial *= growth(error);
        step = trial;
      } else {
        again = false;
      }
    }
    if (!answer.solved) break;
    y = pair.after();
    u = contacts.u();
    pair.go_on();
    if (contacts.let_go(y, u, answer.compression_work)) pair.begin(y, contacts);
    if (adapts) step = std::max(shortened ? step : 0, trial * growth(error));
  }
  answer.percussions = contacts.percussions(y);
  for (std::size_t i = 0; i < impact.size(); ++i)
    answer.compression_work[i] += contacts.work_in(static_cast<Eigen::Index>(i), y);
  return answer;
}

#define TALUS_INSTANTIATE(D) \
  template LzbAnswer<D> lzb_impact<D>(const ImpactProblem<D>&, const LzbLaw&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
