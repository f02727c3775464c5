// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/lzb.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "solvers/impact/lzb_series.hpp"
#include "solvers/math/dormand_prince.hpp"

namespace talus {

namespace {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// x^η for the two exponents everybody uses without a logarithm.
double power(double x, double exponent) {
  if (exponent == 1) return x;
  if (exponent == 1.5) return x * std::sqrt(x);
  return std::pow(x, exponent);
}

// First root in (0, 1) of the cubic with these values and slopes at both ends; 1 if there is none.
double first_root(double from, double slope_from, double to, double slope_to) {
  const auto value = [&](double t) {
    const double r = 1 - t;
    return r * r * ((1 + 2 * t) * from + t * slope_from) +
           t * t * ((3 - 2 * t) * to - r * slope_to);
  };
  const auto slope = [&](double t) {
    const double r = 1 - t;
    return 6 * t * r * (to - from) + r * (1 - 3 * t) * slope_from + t * (3 * t - 2) * slope_to;
  };
  // Where f changes its sign between 0 and `high`.
  const auto bisect = [](auto&& f, double sign, double high) {
    double low = 0;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (low + high);
      (f(middle) * sign > 0 ? low : high) = middle;
    }
    return high;
  };
  double beyond = 1;
  if (from * to > 0) {  // there and back?
    if (from * slope_from >= 0 || to * slope_to <= 0) return 1;
    beyond = bisect(slope, slope_from, 1);
    if (value(beyond) * from >= 0) return 1;
  }
  return bisect(value, from, beyond);
}

template <int D>
bool is_frictionless(const ImpactProblem<D>& impact) {
  return std::all_of(impact.coefficients.begin(), impact.coefficients.end(),
                     [](const ImpactCoefficients& c) { return c.friction == 0; });
}

// The compliant contacts as y' = f(y) along s, with y = [P | x | W_c]: percussions (one component
// per contact without friction, else D), indentations, and the work that went into each contact.
// What came out of it follows from the energy stored, E = W_c − W_e/e*² (of one stiffness: W_c −
// W_e).
template <int D>
class CompliantContacts {
 public:
  CompliantContacts(const ImpactProblem<D>& impact, const LzbLaw& law)
      : law_(law),
        n_(static_cast<Eigen::Index>(impact.size())),
        coefficients_(impact.coefficients) {
    components_ = is_frictionless<D>(impact) ? 1 : D;
    const std::vector<Vec<D>> u = contact_velocities<D>(impact, impact.v_minus);
    speed_ = closing_speed<D>(u);
    u_minus_.resize(n_ * components_);
    u_.resize(n_ * components_);
    for (Eigen::Index i = 0; i < n_; ++i)
      u_minus_.segment(i * components_, components_) =
          u[static_cast<std::size_t>(i)].head(components_);
    assemble(impact_delassus<D>(impact));

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
      lets_go_ = lets_go_ || e == 0 || (law_.one_stiffness && e < 1);
    }
    friction_rate_.setZero(n_ * components_);
    phase_.resize(impact.size());
    rates_.resize(n_ * components_);
  }

  Eigen::VectorXd start() const { return Eigen::VectorXd::Zero(n_ * (components_ + 2)); }
  double speed() const { return speed_; }
  double time() const { return time_; }            // of the shortest single blow, in units of s
  const Eigen::VectorXd& u() const { return u_; }  // at the y asked for last

  void operator()(const Eigen::VectorXd& y, Eigen::VectorXd& slope) {
    const int* const start = W_.outerIndexPtr();
    const int* const column = W_.innerIndexPtr();
    const double* const value = W_.valuePtr();
    for (Eigen::Index row = 0; row < n_ * components_; ++row) {
      double sum = u_minus_[row];
      for (int k = start[row]; k < start[row + 1]; ++k) sum += value[k] * y[column[k]];
      u_[row] = sum;
    }
    bool rubs = false;
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double u_N = u_[i * components_], x = y[indentation_at(i)];
      const Phase& phase = phase_[static_cast<std::size_t>(i)];
      double F = x > 0 || phase.pushes ? stiffness(i) * power(std::abs(x), law_.exponent) : 0;
      if (x < 0) F = -F;  // goes on smoothly, in a trial that will be shortened
      slope[i * components_] = F;
      slope[indentation_at(i)] = phase.unloads ? -unloading_[i] * u_N : -u_N;
      slope[work_in_at(i)] = std::max(0.0, -u_N) * F;
      for (Eigen::Index k = 1; k < components_; ++k) slope[i * components_ + k] = 0;
      rubs = rubs || (F > 0 && friction(i) > 0);
    }
    if (rubs && components_ > 1) add_friction(slope);
  }

  // Sets the phases of all contacts where a step begins; true if one has changed. Within a step
  // they are kept, so that slopes are smooth, and the step ends where one changes (first_kink).
  bool set_phases(const Eigen::VectorXd& y, const Eigen::VectorXd& u) {
    bool changed = false;
    rates_.setZero();
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double x = y[indentation_at(i)];
      const bool pushes = x > slack(i);
      changed = changed || pushes != phase_[static_cast<std::size_t>(i)].pushes;
      phase_[static_cast<std::size_t>(i)].pushes = pushes;
      if (x > 0) rates_[i * components_] = stiffness(i) * power(x, law_.exponent);
    }
    for (Eigen::Index i = 0; i < n_; ++i) {
      Phase& phase = phase_[static_cast<std::size_t>(i)];
      const double u_N = u[i * components_];
      bool unloads = false;
      if (phase.pushes && unloading_[i] != 1)
        unloads = std::abs(u_N) > slow() ? u_N > 0 : W_.row(i * components_).dot(rates_) > 0;
      changed = changed || unloads != phase.unloads;
      phase.unloads = unloads;
    }
    return changed;
  }

  // How far the two orders of a step disagree, on velocities and on indentations, as a part of the
  // fastest approach and of the deepest indentation.
  double relative_error(const Eigen::VectorXd& error) const {
    double worst = 0;
    for (Eigen::Index i = 0; i < n_; ++i) {
      double p = 0;
      for (Eigen::Index k = 0; k < components_; ++k)
        p = std::max(p, std::abs(error[i * components_ + k]));
      worst = std::max(
          {worst, p / (mass_[i] * speed_), std::abs(error[indentation_at(i)]) / indentation_[i]});
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
    const double x = y[indentation_at(i)],
                 stored = stiffness(i) * x * power(x, law_.exponent) / (1 + law_.exponent);
    return ((1 - e * e) * y[work_in_at(i)] - stored) / (mass_[i] * speed_ * speed_);
  }
  double overshoot(const Eigen::VectorXd& y, const Eigen::VectorXd& u) const {
    double worst = -1;
    if (!lets_go_) return worst;
    for (Eigen::Index i = 0; i < n_; ++i) worst = std::max(worst, overshoot(i, y, u));
    return worst;
  }

  // The part of a step from (y, u) to (y_end, u_end) after which the first contact changes its
  // phase, by cubics through both ends; 1 if none does: where it begins or ends to push, where it
  // turns from closing to opening, if it loses energy (the work of compression, which decides where
  // it lets go, has a kink there), and where it ceases to slide.
  double first_kink(double step, const Eigen::VectorXd& y, const Eigen::VectorXd& u,
                    const Eigen::VectorXd& slope, const Eigen::VectorXd& y_end,
                    const Eigen::VectorXd& u_end, const Eigen::VectorXd& slope_end) const {
    double first = 1;
    const auto look = [&](double from, double slope_from, double to, double slope_to,
                          double negligible) {
      if (std::abs(from) <= negligible || std::abs(to) <= negligible) return;
      if (from * to > 0 && (from * slope_from >= 0 || to * slope_to <= 0)) return;
      first = std::min(first, first_root(from, step * slope_from, to, step * slope_to));
    };
    const auto acceleration = [&](Eigen::Index row, const Eigen::VectorXd& rates) {
      return W_.row(row).dot(rates.head(n_ * components_));
    };
    for (Eigen::Index i = 0; i < n_; ++i) {
      const Eigen::Index at_x = indentation_at(i), at_u = i * components_;
      const double x = y[at_x], x_end = y_end[at_x];
      look(x, slope[at_x], x_end, slope_end[at_x], slack(i));
      if ((unloading_[i] != 1 || lets_go_) && x >= -slack(i) && x_end > slack(i))
        look(u[at_u], acceleration(at_u, slope), u_end[at_u], acceleration(at_u, slope_end),
             slow());
      if (components_ > 1 && friction(i) > 0 && x > 0) {
        const auto slip = u.segment(at_u + 1, components_ - 1),
                   slip_end = u_end.segment(at_u + 1, components_ - 1);
        if (slip.dot(slip_end) < 0 && std::min(slip.norm(), slip_end.norm()) > rest())
          first = std::min(first, slip.norm() / (slip.norm() + slip_end.norm()));
      }
    }
    return first < 1 ? std::clamp(first, 0.01, 0.99) : 1;
  }

  // While nothing pushes, contacts fly: straight to where the first of them that closes touches.
  // False if something pushes, or nothing will.
  bool fly(Eigen::VectorXd& y, const Eigen::VectorXd& u) const {
    double until = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double x = y[indentation_at(i)], u_N = u[i * components_];
      if (x > slack(i)) return false;
      if (u_N < -law_.tolerance * speed_) until = std::min(until, x / u_N);
    }
    if (!(until > 0) || std::isinf(until)) return false;
    for (Eigen::Index i = 0; i < n_; ++i) {
      double& x = y[indentation_at(i)];
      const double arrived = x - until * u[i * components_];
      x = arrived < 0 && arrived > -1e-14 * indentation_[i] ? 0 : std::min(arrived, 0.0);
    }
    return true;
  }

  // Lets go the contacts whose energy is spent; true if there were any.
  bool let_go(Eigen::VectorXd& y, const Eigen::VectorXd& u, std::vector<double>& work_in) const {
    bool any = false;
    if (!lets_go_) return any;
    for (Eigen::Index i = 0; i < n_; ++i) {
      if (overshoot(i, y, u) < 0) continue;
      work_in[static_cast<std::size_t>(i)] += y[work_in_at(i)];
      y[indentation_at(i)] = y[work_in_at(i)] = 0;
      any = true;
    }
    return any;
  }

  // No contact pushes, and none will.
  bool over(const Eigen::VectorXd& y, const Eigen::VectorXd& u) const {
    for (Eigen::Index i = 0; i < n_; ++i)
      if (y[indentation_at(i)] > slack(i)) return false;
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
  double stiffness(Eigen::Index i) const {
    return coefficients_[static_cast<std::size_t>(i)].stiffness;
  }
  double friction(Eigen::Index i) const {
    return coefficients_[static_cast<std::size_t>(i)].friction;
  }
  // What indentations and velocities are not told from zero by.
  double slack(Eigen::Index i) const { return 10 * law_.tolerance * indentation_[i]; }
  double slow() const { return 10 * law_.tolerance * speed_; }
  // Sliding slower than this is not told from sticking [m/s].
  double rest() const { return 10 * law_.tolerance * speed_; }

  void assemble(const DelassusOperator<D>& W) {
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
      if (bound <= 0) continue;
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
        Vec<D - 1> next = slope.segment<D - 1>(first);
        double diagonal = 0;
        for (int k = 0; k < D - 1; ++k)
          diagonal = std::max(diagonal, W_.coeff(first + k, first + k));
        for (int k = 0; k < D - 1; ++k)
          next[k] -= W_.row(first + k).dot(slope.head(n_ * components_)) / diagonal;
        if (next.norm() > bound) next *= bound / next.norm();
        change = std::max(change, (next - slope.segment<D - 1>(first)).norm());
        slope.segment<D - 1>(first) = next;
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
  bool lets_go_ = false;                // a contact may, before its spring is slack
  Eigen::VectorXd friction_rate_;       // where the next search begins
  struct Phase {
    bool pushes = false;
    bool unloads = false;  // along the steeper curve
  };
  std::vector<Phase> phase_;  // of every contact, while a step lasts
  Eigen::VectorXd rates_;
  std::vector<Eigen::Index> still_;
};

// The factor by which a step of order 5 changes, for its error and the one before, relative to the
// error allowed: proportional and integral control (Gustafsson), which meets the many small kinks
// of a dissipative impact with fewer rejections than control by the last error alone.
double growth(double error, double before) {
  return std::clamp(
      0.9 * std::pow(std::max(error, 1e-10), -0.14) * std::pow(std::max(before, 1e-4), 0.08), 0.2,
      5.0);
}
double shrinkage(double error) { return std::clamp(0.9 * std::pow(error, -0.2), 0.2, 1.0); }

// The normal directions of an impact without friction.
template <int D>
CompliantNetwork normal_network(const ImpactProblem<D>& impact) {
  CompliantNetwork network;
  const DelassusOperator<D> W = impact_delassus<D>(impact);
  network.column = W.column;
  for (const Mat<D>& block : W.block) network.W.push_back(block(0, 0));
  for (std::size_t i = 0; i < impact.size(); ++i)
    network.row_start.push_back(static_cast<int>(W.row_start[i + 1]));
  for (const Vec<D>& u : contact_velocities<D>(impact, impact.v_minus)) network.u.push_back(u[0]);
  for (const ImpactCoefficients& c : impact.coefficients) {
    network.stiffness.push_back(c.stiffness);
    network.restitution.push_back(c.restitution);
  }
  return network;
}

}  // namespace

template <int D>
LzbAnswer<D> lzb_impact(const ImpactProblem<D>& impact, const LzbLaw& law) {
  LzbAnswer<D> answer;
  answer.percussions.assign(impact.size(), Vec<D>::Zero());
  answer.compression_work.assign(impact.size(), 0);
  if (law.fixed_step == 0 && has_series(law.exponent) && is_frictionless<D>(impact)) {
    NetworkAnswer normal = integrate_series(normal_network<D>(impact), law);
    for (std::size_t i = 0; i < impact.size(); ++i)
      answer.percussions[i][0] = normal.percussions[i];
    answer.compression_work = std::move(normal.compression_work);
    answer.steps = normal.steps;
    answer.solved = normal.solved;
    return answer;
  }
  CompliantContacts<D> contacts(impact, law);
  if (contacts.speed() == 0) return answer;

  const bool adapts = law.fixed_step == 0;
  double last_error = 1;
  double step = (adapts ? 1e-3 : law.fixed_step) * contacts.time();
  Eigen::VectorXd y = contacts.start();
  DormandPrince pair;
  pair.begin(y, contacts);
  Eigen::VectorXd u = contacts.u();
  while (!contacts.over(y, u)) {
    bool by_itself = false;
    while (adapts && answer.steps < law.max_steps && contacts.fly(y, u)) {
      ++answer.steps;
      by_itself = true;
    }
    if (by_itself) {
      pair.begin(y, contacts);
      u = contacts.u();
      if (contacts.over(y, u)) break;
    }
    if (contacts.set_phases(y, u)) pair.begin(y, contacts);
    // A trial in which a contact changes its phase is shortened to end there.
    double error = 0, trial = step;
    bool shortened = false, rejected = false;
    for (bool again = true; again;) {
      if (answer.steps == law.max_steps) {
        answer.solved = false;
        break;
      }
      ++answer.steps;
      const Eigen::VectorXd& after = pair.step(y, trial, contacts);
      error = contacts.relative_error(pair.error()) / law.tolerance;
      const double kink = contacts.first_kink(trial, y, u, pair.slope_before(), after, contacts.u(),
                                              pair.slope_after());
      const double spent = contacts.overshoot(y, u),
                   beyond = contacts.overshoot(after, contacts.u());
      again = true;
      if (kink < 1) {
        trial *= kink;
        shortened = true;
      } else if (beyond > law.tolerance) {
        trial *= std::clamp((0.5 * law.tolerance - spent) / (beyond - spent), 0.01, 0.99);
      } else if (adapts && error > 1) {
        trial *= shrinkage(error);
        step = trial;
        rejected = true;
      } else {
        again = false;
      }
    }
    if (!answer.solved) break;
    y = pair.after();
    u = contacts.u();
    pair.go_on();
    if (contacts.let_go(y, u, answer.compression_work)) pair.begin(y, contacts);
    if (adapts) {
      const double factor = growth(error, last_error);
      step = std::max(shortened ? step : 0, trial * (rejected ? std::min(factor, 1.0) : factor));
      last_error = error;
    }
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
