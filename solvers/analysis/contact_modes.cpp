// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/contact_modes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solvers/climb/rung.hpp"
#include "solvers/complementarity/cell.hpp"
#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int sectors = 8;            // of slip directions in space
constexpr double least_width = 0.01;  // [rad] of a sector that is halved no more
constexpr double first_width = 0.2;   // [rad] of the sector about a slip that is known already
constexpr int most_rounds = 30;       // of Newton's method for the directions of slip

// Inequalities may fail by the first, in units of the forces and accelerations there are; what has
// to be more than zero is more than the second.
constexpr double sharp = 1e-11, tolerated = 1e-9, least_rate = 1e-7;

// Branches with fewer leaves than this are not worth a look at their root.
constexpr double least_leaves = 8;

struct Choice {
  ContactMode mode = ContactMode::hold;
  double sign = 1;  // of a bilateral normal force: with friction it slides or sticks either way
  double from = 0, to = 0;  // angles between which a contact in space starts to slip
};

bool slips(const ConstraintSet& set, Index i) { return set.slip.col(i).squaredNorm() > 0; }

void add_slips(double sign, int tangents, std::vector<Choice>& choices) {
  if (tangents == 1) {
    choices.push_back({ContactMode::slip_plus, sign});
    choices.push_back({ContactMode::slip_minus, sign});
    return;
  }
  constexpr double width = 2 * std::numbers::pi / sectors;
  for (int k = 0; k < sectors; ++k)
    choices.push_back({ContactMode::slip, sign, k * width, (k + 1) * width});
}

std::vector<Choice> bilateral_choices(const ConstraintSet& set, Index i, int tangents) {
  if (!(set.friction[i] > 0)) return {{ContactMode::hold}};
  if (slips(set, i)) return {{ContactMode::slide, 1}, {ContactMode::slide, -1}};
  std::vector<Choice> choices;
  for (const double sign : {1.0, -1.0}) {
    choices.push_back({ContactMode::stick, sign});
    add_slips(sign, tangents, choices);
  }
  return choices;
}

std::vector<Choice> unilateral_choices(const ConstraintSet& set, Index i, int tangents) {
  if (slips(set, i) || !(set.friction[i] > 0)) return {{ContactMode::detach}, {ContactMode::slide}};
  std::vector<Choice> choices = {{ContactMode::detach}, {ContactMode::stick}};
  add_slips(1, tangents, choices);
  return choices;
}

// Rows of a cell, gathered: A x + b = 0, C x + d ≥ 0, and its cones.
struct Rows {
  std::vector<VectorXd> row;
  std::vector<double> constant;
  std::vector<RoundCone> cones;
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

// Unknowns x are the forces of all constraints, in the order normal_b, normal_u, tangent_b,
// tangent_u and in units of a force there is, then the accelerations of massless freedoms, in units
// of an acceleration there is. Accelerations of constraints are W x + w, row by row in the same
// order.
class Modes {
 public:
  Modes(const ContactSystem& system, const ModeSearch& search)
      : system_(system),
        m_b_(system.bilateral.size()),
        m_u_(system.unilateral.size()),
        most_visits_(search.most_visits),
        deadline_(search.seconds) {
    const int t = system.tangents;
    const Index n = (m_b_ + m_u_) * (1 + t);
    gradients_.resize(n, system.unilateral.normal.cols());
    gradients_.topRows(m_b_) = MatrixXd(system.bilateral.normal);
    gradients_.middleRows(m_b_, m_u_) = MatrixXd(system.unilateral.normal);
    gradients_.middleRows(m_b_ + m_u_, t * m_b_) = MatrixXd(system.bilateral.tangent);
    gradients_.bottomRows(t * m_u_) = MatrixXd(system.unilateral.tangent);
    const Index massive = gradients_.cols() - system.massless;
    unknowns_ = n + system.massless;
    W_.resize(n, unknowns_);
    W_.leftCols(n) = gradients_.leftCols(massive) * gradients_.leftCols(massive).transpose();
    W_.rightCols(system.massless) = gradients_.rightCols(system.massless);
    w_.resize(n);
    w_ << system.bilateral.w_normal, system.unilateral.w_normal, system.bilateral.w_tangent,
        system.unilateral.w_tangent;
    const double heaviest = n > 0 ? W_.leftCols(n).diagonal().maxCoeff() : 0;
    const double pushed = system.massless > 0 ? heaviest * system.load.cwiseAbs().maxCoeff() : 0;
    const double fastest = n > 0 ? std::max(w_.cwiseAbs().maxCoeff(), pushed) : 0;
    if (heaviest > 0 && fastest > 0) {
      force_ = fastest / heaviest;
      rate_ = fastest;
      W_.leftCols(n) /= heaviest;
      w_ /= fastest;
    }
    for (Index i = 0; i < m_b_; ++i) choices_.push_back(bilateral_choices(system.bilateral, i, t));
    for (Index i = 0; i < m_u_; ++i)
      choices_.push_back(unilateral_choices(system.unilateral, i, t));
    leaves_below_.assign(choices_.size() + 1, 1);
    for (std::size_t k = choices_.size(); k-- > 0;)
      leaves_below_[k] = leaves_below_[k + 1] * static_cast<double>(choices_[k].size());
  }

  ModeList enumerate(const FoundMotion* first) {
    if (first != nullptr) look_first_at(*first);
    std::vector<Choice> chosen;
    descend(chosen);
    return std::move(list_);
  }

 private:
  bool visit() {
    if (++visits_ > most_visits_ || deadline_.passed()) stopped_ = true;
    if (stopped_) list_.complete = false;
    return !stopped_;
  }

  // The leaf of a motion that is known.
  void look_first_at(const FoundMotion& first) {
    std::vector<Choice> chosen;
    for (Index i = 0; i < m_b_; ++i) {
      if (system_.bilateral.friction[i] > 0) return;  // its mode is not known
      chosen.push_back({ContactMode::hold});
    }
    bool open = false;
    for (Index i = 0; i < m_u_; ++i) {
      Choice choice{first.unilateral[static_cast<std::size_t>(i)]};
      if (choice.mode == ContactMode::slip) {
        const Index t = tangent_of(m_b_ + i);
        const VectorXd a = gradients_.middleRows(t, 2) * first.acceleration;
        const double angle = std::atan2(a[1] + system_.unilateral.w_tangent[2 * i + 1],
                                        a[0] + system_.unilateral.w_tangent[2 * i]);
        choice.from = angle - 0.5 * first_width;
        choice.to = angle + 0.5 * first_width;
        open = true;
      }
      chosen.push_back(choice);
    }
    if (open) {
      slips_exactly(chosen);
    } else if (const std::optional<CellPoints> points = points_of(chosen)) {
      add(chosen, *points);
    }
  }

  void descend(std::vector<Choice>& chosen) {
    const std::size_t k = chosen.size();
    if (k == choices_.size()) return look_at_leaf(chosen);
    for (const Choice& choice : choices_[k]) {
      if (!visit()) return;
      chosen.push_back(choice);
      if (leaves_below_[k + 1] < least_leaves || find_point(cell_of(chosen), true)) descend(chosen);
      chosen.pop_back();
    }
  }

  static bool is_open(const Choice& choice) { return choice.mode == ContactMode::slip; }

  void look_at_leaf(const std::vector<Choice>& chosen) {
    if (std::none_of(chosen.begin(), chosen.end(), is_open)) {
      if (const std::optional<CellPoints> points = points_of(chosen)) add(chosen, *points);
      return;
    }
    if (!visit()) return;
    if (!find_point(cell_of(chosen), true) || slips_exactly(chosen)) return;
    std::vector<Choice> half = chosen;
    Choice& widest = *std::max_element(
        half.begin(), half.end(),
        [](const Choice& a, const Choice& b) { return a.to - a.from < b.to - b.from; });
    const double from = widest.from, to = widest.to, middle = 0.5 * (from + to);
    if (to - from < least_width) {
      list_.complete = false;
      return;
    }
    widest.to = middle;
    look_at_leaf(half);
    widest.from = middle;
    widest.to = to;
    look_at_leaf(half);
  }

  // Newton's method on the angles φ at which contacts start to slip, from the middle of their
  // sectors: friction acts against d(φ), and what is wanted is d(φ) × a_t = 0. False when it does
  // not end on a solution within the sectors.
  bool slips_exactly(const std::vector<Choice>& sector) {
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < sector.size(); ++k)
      if (is_open(sector[k])) open.push_back(k);
    const auto m = static_cast<Index>(open.size());
    std::vector<Choice> chosen = sector;
    VectorXd angle(m);
    const auto across = [&](const VectorXd& phi) -> std::optional<VectorXd> {
      for (Index k = 0; k < m; ++k) {
        Choice& choice = chosen[open[static_cast<std::size_t>(k)]];
        choice.from = choice.to = phi[k];
      }
      Cell equalities = cell_of(chosen);
      equalities.C.resize(0, unknowns_);
      equalities.d.resize(0);
      const std::optional<VectorXd> x = find_point(equalities);
      if (!x) return std::nullopt;
      VectorXd result(m);
      for (Index k = 0; k < m; ++k) {
        const Index t = tangent_of(static_cast<Index>(open[static_cast<std::size_t>(k)]));
        const double a_1 = W_.row(t).dot(*x) + w_[t], a_2 = W_.row(t + 1).dot(*x) + w_[t + 1];
        result[k] = std::cos(phi[k]) * a_2 - std::sin(phi[k]) * a_1;
      }
      return result;
    };
    for (Index k = 0; k < m; ++k) {
      const Choice& choice = sector[open[static_cast<std::size_t>(k)]];
      angle[k] = 0.5 * (choice.from + choice.to);
    }
    double change = 1;
    for (int round = 0; round < most_rounds && change > 1e-13; ++round) {
      const std::optional<VectorXd> here = across(angle);
      if (!here) return false;
      MatrixXd slope(m, m);
      for (Index k = 0; k < m; ++k) {
        const std::optional<VectorXd> there = across(angle + 1e-7 * VectorXd::Unit(m, k));
        if (!there) return false;
        slope.col(k) = (*there - *here) / 1e-7;
      }
      const VectorXd step = -LeastSquares(slope, 1e-12).solve(*here);
      const double length = step.cwiseAbs().maxCoeff();
      change = length;
      angle += length > 0.3 ? VectorXd(0.3 / length * step) : step;
    }
    if (!(change < 1e-9)) return false;
    for (Index k = 0; k < m; ++k) {
      const Choice& choice = sector[open[static_cast<std::size_t>(k)]];
      if (angle[k] < choice.from - 1e-9 || angle[k] > choice.to + 1e-9) return false;
    }
    across(angle);  // sets the angles
    const std::optional<CellPoints> points = points_of(chosen);
    if (points) add(chosen, *points);
    return points.has_value();
  }

  // Sharply if there are any, else within what rounding may leave of them.
  std::optional<CellPoints> points_of(const std::vector<Choice>& chosen) {
    slack_ = sharp;
    std::optional<CellPoints> points = find_points(cell_of(chosen));
    slack_ = tolerated;
    return points ? points : find_points(cell_of(chosen));
  }

  // Constraints are numbered bilateral first, as their normal forces are.
  Index tangent_of(Index i) const { return m_b_ + m_u_ + i * system_.tangents; }
  const ConstraintSet& set_of(Index i) const {
    return i < m_b_ ? system_.bilateral : system_.unilateral;
  }
  Index in_set(Index i) const { return i < m_b_ ? i : i - m_b_; }
  double mu_of(Index i) const { return set_of(i).friction[in_set(i)]; }

  VectorXd unit(Index i) const { return VectorXd::Unit(unknowns_, i); }
  VectorXd rate(Index i) const { return W_.row(i).transpose(); }

  // The choices made, and of constraints not chosen for yet what holds for all their choices.
  Cell cell_of(const std::vector<Choice>& chosen) const {
    Rows equal, positive;
    for (Index i = 0; i < m_b_ + m_u_; ++i) {
      if (static_cast<std::size_t>(i) < chosen.size()) {
        constrain(i, chosen[static_cast<std::size_t>(i)], equal, positive);
      } else {
        constrain_loosely(i, equal, positive);
      }
    }
    for (Index k = 0; k < system_.massless; ++k) {  // forces on massless freedoms balance
      VectorXd forces = VectorXd::Zero(unknowns_);
      forces.head(w_.size()) = W_.col(w_.size() + k);
      equal.add(std::move(forces), system_.load[k] / force_);
    }
    Cell cell;
    equal.fill(cell.A, cell.b, unknowns_);
    positive.fill(cell.C, cell.d, unknowns_);
    cell.cones = std::move(positive.cones);
    return cell;
  }

  void no_tangential_force(Index i, Rows& equal) const {
    for (int k = 0; k < system_.tangents; ++k) equal.add(unit(tangent_of(i) + k), 0);
  }

  void friction_against(Index i, double sign, const Eigen::VectorXd& direction, Rows& equal) const {
    for (int k = 0; k < system_.tangents; ++k)
      equal.add(unit(tangent_of(i) + k) + mu_of(i) * sign * direction[k] * unit(i), 0);
  }

  void constrain_loosely(Index i, Rows& equal, Rows& positive) const {
    const ConstraintSet& set = set_of(i);
    const bool rough = mu_of(i) > 0;
    if (!rough) no_tangential_force(i, equal);
    if (i < m_b_) {
      equal.add(rate(i), w_[i]);
      return;
    }
    positive.add(unit(i), slack_);
    positive.add(rate(i), w_[i] + slack_);
    if (!rough) return;
    if (slips(set, in_set(i))) {
      friction_against(i, 1, set.slip.col(in_set(i)), equal);
    } else {
      add_cone(i, 1, positive);
    }
  }

  void constrain(Index i, const Choice& choice, Rows& equal, Rows& positive) const {
    if (choice.mode == ContactMode::detach) {
      equal.add(unit(i), 0);
      no_tangential_force(i, equal);
      positive.add(rate(i), w_[i] - least_rate);
      return;
    }
    equal.add(rate(i), w_[i]);
    if (choice.mode == ContactMode::hold) return no_tangential_force(i, equal);
    positive.add(choice.sign * unit(i), slack_);
    const Index t = tangent_of(i);
    switch (choice.mode) {
      case ContactMode::slide:
        friction_against(i, choice.sign, set_of(i).slip.col(in_set(i)), equal);
        break;
      case ContactMode::slip_plus:
      case ContactMode::slip_minus: {
        const double way = choice.mode == ContactMode::slip_plus ? 1 : -1;
        friction_against(i, choice.sign, VectorXd::Constant(1, way), equal);
        positive.add(way * rate(t), way * w_[t] - least_rate);
        break;
      }
      case ContactMode::slip:
        constrain_to_sector(i, choice, equal, positive);
        break;
      default:  // stick
        for (int k = 0; k < system_.tangents; ++k) equal.add(rate(t + k), w_[t + k]);
        add_cone(i, choice.sign, positive);
        break;
    }
  }

  // Acceleration a and friction −f between two directions e₁ and e₂; with f on the arc μ p_N
  // between them, f = α e₁ + β e₂ has α, β ≥ 0 and μ p_N ≤ α + β ≤ μ p_N / cos(half the angle).
  void constrain_to_sector(Index i, const Choice& choice, Rows& equal, Rows& positive) const {
    const Index t = tangent_of(i);
    const double width = choice.to - choice.from, middle = 0.5 * (choice.from + choice.to);
    const Vec<2> e(std::cos(middle), std::sin(middle));
    const auto along = [&](const Vec<2>& d) -> VectorXd {
      return d[0] * rate(t) + d[1] * rate(t + 1);
    };
    positive.add(along(e), e[0] * w_[t] + e[1] * w_[t + 1] - least_rate);
    if (width == 0) return friction_against(i, choice.sign, e, equal);
    const double mu = mu_of(i) * choice.sign;
    const Vec<2> e_1(std::cos(choice.from), std::sin(choice.from)),
        e_2(std::cos(choice.to), std::sin(choice.to));
    const Vec<2> left(-e_1[1], e_1[0]), right(e_2[1], -e_2[0]);  // into the sector
    VectorXd sum = VectorXd::Zero(unknowns_);
    for (const Vec<2>& inwards : {left, right}) {
      positive.add(along(inwards), inwards[0] * w_[t] + inwards[1] * w_[t + 1] + slack_);
      const VectorXd share = -(inwards[0] * unit(t) + inwards[1] * unit(t + 1)) / std::sin(width);
      positive.add(share, slack_);
      sum += share;
    }
    positive.add(sum - mu * unit(i), slack_);
    positive.add(mu / std::cos(0.5 * width) * unit(i) - sum, slack_);
  }

  void add_cone(Index i, double sign, Rows& positive) const {
    const Index t = tangent_of(i);
    const double mu = mu_of(i) * sign;
    if (system_.tangents > 1) {
      positive.cones.push_back({i, t, mu, slack_});
      return;
    }
    for (const double side : {-1.0, 1.0}) positive.add(mu * unit(i) + side * unit(t), slack_);
  }

  // Solutions on the border of two modes are found under both.
  void add(const std::vector<Choice>& chosen, const CellPoints& points) {
    ModeSolution found;
    for (std::size_t k = 0; k < chosen.size(); ++k)
      (k < static_cast<std::size_t>(m_b_) ? found.bilateral : found.unilateral)
          .push_back(chosen[k].mode);
    const VectorXd x = force_ * points.x.head(w_.size());
    const int t = system_.tangents;
    found.normal_b = x.head(m_b_);
    found.normal_u = x.segment(m_b_, m_u_);
    found.tangent_b = x.segment(m_b_ + m_u_, t * m_b_);
    found.tangent_u = x.tail(t * m_u_);
    found.acceleration = gradients_.transpose() * x;
    found.acceleration.tail(system_.massless) = rate_ * points.x.tail(system_.massless);
    found.freedom = points.freedom;
    const double scale = 1e-7 * (force_ + x.cwiseAbs().maxCoeff());
    for (std::size_t k = 0; k < forces_.size(); ++k) {
      const ModeSolution& known = list_.solutions[k];
      const bool one_family =
          known.freedom > 0 && found.freedom > 0 && known.unilateral == found.unilateral &&
          known.bilateral == found.bilateral &&
          (known.acceleration - found.acceleration).norm() <= 1e-7 * found.acceleration.norm();
      if (!one_family && (forces_[k] - x).cwiseAbs().maxCoeff() > scale) continue;
      list_.solutions[k].freedom = std::max(list_.solutions[k].freedom, found.freedom);
      return;
    }
    forces_.push_back(x);
    list_.solutions.push_back(std::move(found));
  }

  const ContactSystem& system_;
  Index m_b_, m_u_;
  MatrixXd gradients_, W_;
  VectorXd w_;
  Index unknowns_ = 0;
  double force_ = 1;          // the size of a force here [N]
  double rate_ = 1;           // and of an acceleration
  double slack_ = tolerated;  // of inequalities, in units of force and acceleration
  std::vector<std::vector<Choice>> choices_;
  std::vector<double> leaves_below_;  // a node at each level
  int most_visits_, visits_ = 0;
  Deadline deadline_;
  bool stopped_ = false;
  ModeList list_;
  std::vector<VectorXd> forces_;  // of the solutions
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
    case ContactMode::slip:
      return "start to slide";
    case ContactMode::hold:
      break;
  }
  return "hold";
}

double mode_count(const ContactSystem& system) {
  double count = 1;
  for (Index i = 0; i < system.bilateral.size(); ++i)
    count *= static_cast<double>(bilateral_choices(system.bilateral, i, system.tangents).size());
  for (Index i = 0; i < system.unilateral.size(); ++i)
    count *= static_cast<double>(unilateral_choices(system.unilateral, i, system.tangents).size());
  return count;
}

ModeSolution with_bilateral(const ContactSystem& system, const FoundMotion& found) {
  const ConstraintSet &b = system.bilateral, &u = system.unilateral;
  ModeSolution motion;
  motion.unilateral = found.unilateral;
  motion.bilateral.assign(static_cast<std::size_t>(b.size()), ContactMode::hold);
  motion.normal_u = found.normal_u;
  motion.tangent_u = found.tangent_u;
  motion.tangent_b = VectorXd::Zero(b.size() * system.tangents);
  motion.normal_b = VectorXd::Zero(b.size());
  motion.acceleration = VectorXd::Zero(u.normal.cols());
  if (u.size() > 0)
    motion.acceleration +=
        u.normal.transpose() * found.normal_u + u.tangent.transpose() * found.tangent_u;
  if (b.size() == 0) return motion;
  const LeastSquares A_nb(MatrixXd(b.normal * SparseRows(b.normal.transpose())), 1e-11);
  motion.normal_b = -A_nb.solve(b.w_normal + b.normal * motion.acceleration);
  motion.freedom = static_cast<int>(b.size() - A_nb.rank());
  motion.acceleration += b.normal.transpose() * motion.normal_b;
  return motion;
}

ModeList enumerate_modes(const ContactSystem& system, const ModeSearch& search) {
  return Modes(system, search).enumerate(search.first);
}

ModeList enumerate_modes(const ContactSystem& system, int most_visits) {
  return enumerate_modes(system, ModeSearch{.most_visits = most_visits});
}

bool one_acceleration(const ModeList& list) {
  if (list.solutions.empty()) return false;
  const VectorXd& first = list.solutions.front().acceleration;
  for (const ModeSolution& other : list.solutions)
    if ((other.acceleration - first).norm() > 1e-6 * (first.norm() + other.acceleration.norm()))
      return false;
  return true;
}

}  // namespace talus
