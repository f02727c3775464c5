#include "solvers/contact_modes.hpp"

#include <cmath>
#include <numbers>

#include "solvers/lcp.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int cone_facets = 8;  // of the pyramid within Coulomb's cone that stands for it in space

// A bilateral constraint with friction slides or sticks with a positive or a negative force.
struct Choice {
  ContactMode mode = ContactMode::hold;
  double sign = 1;  // of a bilateral normal force
};

bool slips(const ConstraintSet& set, Index i) { return set.slip.col(i).squaredNorm() > 0; }

std::vector<Choice> bilateral_choices(const ConstraintSet& set, Index i) {
  if (!(set.friction[i] > 0)) return {{ContactMode::hold, 1}};
  if (slips(set, i)) return {{ContactMode::slide, 1}, {ContactMode::slide, -1}};
  std::vector<Choice> choices;
  for (const double sign : {1.0, -1.0})
    for (const ContactMode mode :
         {ContactMode::stick, ContactMode::slip_plus, ContactMode::slip_minus})
      choices.push_back({mode, sign});
  return choices;
}

std::vector<Choice> unilateral_choices(const ConstraintSet& set, Index i, int tangents) {
  if (slips(set, i) || !(set.friction[i] > 0))
    return {{ContactMode::detach, 1}, {ContactMode::slide, 1}};
  std::vector<Choice> choices = {{ContactMode::detach, 1}, {ContactMode::stick, 1}};
  if (tangents == 1) {
    choices.push_back({ContactMode::slip_plus, 1});
    choices.push_back({ContactMode::slip_minus, 1});
  }
  return choices;
}

// Forces of all constraints as unknowns x: normal_b, normal_u, tangent_b, tangent_u. Accelerations
// are W x + w, row by row in the same order.
class Modes {
 public:
  explicit Modes(const ContactSystem& system)
      : system_(system), m_b_(system.bilateral.size()), m_u_(system.unilateral.size()) {
    const int t = system.tangents;
    const Index n = (m_b_ + m_u_) * (1 + t);
    gradients_.resize(n, system.unilateral.normal.cols());
    gradients_.topRows(m_b_) = MatrixXd(system.bilateral.normal);
    gradients_.middleRows(m_b_, m_u_) = MatrixXd(system.unilateral.normal);
    gradients_.middleRows(m_b_ + m_u_, t * m_b_) = MatrixXd(system.bilateral.tangent);
    gradients_.bottomRows(t * m_u_) = MatrixXd(system.unilateral.tangent);
    W_ = gradients_ * gradients_.transpose();
    w_.resize(n);
    w_ << system.bilateral.w_normal, system.unilateral.w_normal, system.bilateral.w_tangent,
        system.unilateral.w_tangent;
    for (Index i = 0; i < m_b_; ++i) choices_.push_back(bilateral_choices(system.bilateral, i));
    for (Index i = 0; i < m_u_; ++i)
      choices_.push_back(unilateral_choices(system.unilateral, i, t));
    force_ =
        w_.size() > 0 ? w_.cwiseAbs().maxCoeff() / std::max(W_.diagonal().maxCoeff(), 1e-300) : 1;
    if (!(force_ > 0)) force_ = 1;
  }

  ModeList enumerate() const {
    ModeList list;
    std::vector<std::size_t> at(choices_.size(), 0);
    for (;;) {
      if (std::optional<ModeSolution> found = try_choice(at)) add(std::move(*found), list);
      std::size_t k = 0;
      while (k < at.size() && ++at[k] == choices_[k].size()) at[k++] = 0;
      if (k == at.size()) break;
    }
    if (system_.tangents > 1)
      for (Index i = 0; i < m_u_; ++i)
        if (system_.unilateral.friction[i] > 0 && !slips(system_.unilateral, i))
          list.complete = false;
    return list;
  }

 private:
  Index tangent_of(bool bilateral, Index i) const {
    return m_b_ + m_u_ + (bilateral ? i : m_b_ + i) * system_.tangents;
  }

  // Rows of a cell, gathered: A x + b = 0, C x + d ≥ 0. Lengths are forces over force_, so that
  // tolerances have something to be relative to.
  struct Rows {
    std::vector<VectorXd> row;
    std::vector<double> constant;
    void add(VectorXd r, double c) {
      row.push_back(std::move(r));
      constant.push_back(c);
    }
    void fill(MatrixXd& M, VectorXd& c, Index n) const {
      M.resize(static_cast<Index>(row.size()), n);
      c.resize(static_cast<Index>(row.size()));
      for (Index i = 0; i < M.rows(); ++i) {
        M.row(i) = row[static_cast<std::size_t>(i)];
        c[i] = constant[static_cast<std::size_t>(i)];
      }
    }
  };

  VectorXd unit(Index i) const { return VectorXd::Unit(w_.size(), i); }
  VectorXd rate(Index i) const { return force_ * W_.row(i).transpose(); }

  void constrain(const ConstraintSet& set, bool bilateral, Index i, const Choice& choice,
                 Rows& equal, Rows& positive) const {
    const Index n = bilateral ? i : m_b_ + i, t = tangent_of(bilateral, i);
    const int tangents = system_.tangents;
    const double mu = set.friction[i];
    const auto no_tangential_force = [&] {
      for (int k = 0; k < tangents; ++k) equal.add(unit(t + k), 0);
    };
    if (choice.mode == ContactMode::detach) {
      equal.add(unit(n), 0);
      no_tangential_force();
      positive.add(rate(n), w_[n]);
      return;
    }
    equal.add(rate(n), w_[n]);
    if (choice.mode == ContactMode::hold) return no_tangential_force();
    positive.add(choice.sign * unit(n), 0);
    switch (choice.mode) {
      case ContactMode::slide:
        for (int k = 0; k < tangents; ++k)
          equal.add(unit(t + k) + mu * choice.sign * set.slip(k, i) * unit(n), 0);
        break;
      case ContactMode::slip_plus:
      case ContactMode::slip_minus: {
        const double way = choice.mode == ContactMode::slip_plus ? 1 : -1;
        equal.add(unit(t) + way * mu * choice.sign * unit(n), 0);
        positive.add(way * rate(t), way * w_[t]);
        for (int k = 1; k < tangents; ++k) equal.add(unit(t + k), 0);
        break;
      }
      default:  // stick
        for (int k = 0; k < tangents; ++k) equal.add(rate(t + k), w_[t + k]);
        add_cone(mu * choice.sign, n, t, positive);
        break;
    }
  }

  void add_cone(double mu, Index n, Index t, Rows& positive) const {
    if (system_.tangents == 1) {
      for (const double side : {-1.0, 1.0}) positive.add(mu * unit(n) + side * unit(t), 0);
      return;
    }
    const double within = std::cos(std::numbers::pi / cone_facets);
    for (int k = 0; k < cone_facets; ++k) {
      const double angle = 2 * std::numbers::pi * k / cone_facets;
      positive.add(
          within * mu * unit(n) - std::cos(angle) * unit(t) - std::sin(angle) * unit(t + 1), 0);
    }
  }

  std::optional<ModeSolution> try_choice(const std::vector<std::size_t>& at) const {
    Rows equal, positive;
    const auto choice = [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      return choices_[k][at[k]];
    };
    for (Index i = 0; i < m_b_; ++i)
      constrain(system_.bilateral, true, i, choice(i), equal, positive);
    for (Index i = 0; i < m_u_; ++i)
      constrain(system_.unilateral, false, i, choice(m_b_ + i), equal, positive);
    Cell cell;
    equal.fill(cell.A, cell.b, w_.size());
    positive.fill(cell.C, cell.d, w_.size());
    const std::optional<CellPoints> points = find_points(cell);
    if (!points) return std::nullopt;

    ModeSolution solution;
    for (Index i = 0; i < m_b_; ++i) solution.bilateral.push_back(choice(i).mode);
    for (Index i = 0; i < m_u_; ++i) solution.unilateral.push_back(choice(m_b_ + i).mode);
    const VectorXd x = force_ * points->x;
    const int t = system_.tangents;
    solution.normal_b = x.head(m_b_);
    solution.normal_u = x.segment(m_b_, m_u_);
    solution.tangent_b = x.segment(m_b_ + m_u_, t * m_b_);
    solution.tangent_u = x.tail(t * m_u_);
    solution.acceleration = gradients_.transpose() * x;
    solution.freedom = points->freedom;
    return solution;
  }

  // Solutions on the border of two modes are found under both.
  void add(ModeSolution found, ModeList& list) const {
    const auto forces = [](const ModeSolution& s) {
      VectorXd all(s.normal_b.size() + s.normal_u.size() + s.tangent_b.size() + s.tangent_u.size());
      all << s.normal_b, s.normal_u, s.tangent_b, s.tangent_u;
      return all;
    };
    const VectorXd x = forces(found);
    const double scale = force_ + x.cwiseAbs().maxCoeff();
    for (ModeSolution& other : list.solutions) {
      if ((forces(other) - x).cwiseAbs().maxCoeff() > 1e-7 * scale) continue;
      other.freedom = std::max(other.freedom, found.freedom);
      return;
    }
    list.solutions.push_back(std::move(found));
  }

  const ContactSystem& system_;
  Index m_b_, m_u_;
  MatrixXd gradients_, W_;
  VectorXd w_;
  double force_ = 1;  // the size of a force here [N]
  std::vector<std::vector<Choice>> choices_;
};

}  // namespace

std::string_view name_of(ContactMode mode) {
  switch (mode) {
    case ContactMode::detach:
      return "detach";
    case ContactMode::stick:
      return "stick";
    case ContactMode::slide:
      return "slide";
    case ContactMode::slip_plus:
      return "slide +";
    case ContactMode::slip_minus:
      return "slide -";
    case ContactMode::hold:
      break;
  }
  return "hold";
}

double mode_count(const ContactSystem& system) {
  double count = 1;
  for (Index i = 0; i < system.bilateral.size(); ++i)
    count *= static_cast<double>(bilateral_choices(system.bilateral, i).size());
  for (Index i = 0; i < system.unilateral.size(); ++i)
    count *= static_cast<double>(unilateral_choices(system.unilateral, i, system.tangents).size());
  return count;
}

ModeList enumerate_modes(const ContactSystem& system) { return Modes(system).enumerate(); }

bool one_acceleration(const ModeList& list) {
  if (list.solutions.empty()) return false;
  const VectorXd& first = list.solutions.front().acceleration;
  for (const ModeSolution& other : list.solutions)
    if ((other.acceleration - first).norm() > 1e-6 * (first.norm() + other.acceleration.norm()))
      return false;
  return true;
}

}  // namespace talus
