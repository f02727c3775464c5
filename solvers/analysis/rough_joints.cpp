// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/rough_joints.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double sign_rounding = 1e-9;    // relative error of inequalities
constexpr double joint_accuracy = 1e-11;  // of s = ‖λ(s)‖
constexpr int joint_iterations = 60;      // of Newton's method

// The system with a choice of modes for its rough joints, as one without them.
class ChosenJoints {
 public:
  ChosenJoints(const ContactSystem& system, std::vector<ContactMode> modes)
      : whole_(system), plain_(system), modes_(std::move(modes)) {
    plain_.rough_joints.clear();
    ConstraintSet& b = plain_.bilateral;
    const int t = system.tangents;
    std::vector<VectorXd> stuck;
    std::vector<double> w;
    for (std::size_t j = 0; j < modes_.size(); ++j) {
      if (modes_[j] != ContactMode::stick) {
        sliding_.push_back(j);
        continue;
      }
      stuck.push_back(row(j));
      w.push_back(rate_of(j));
    }
    const Index m = b.size(), more = static_cast<Index>(stuck.size()), dof = b.normal.cols();
    MatrixXd normal = MatrixXd::Zero(m + more, dof);
    normal.topRows(m) = MatrixXd(b.normal);
    for (Index k = 0; k < more; ++k) {
      normal.row(m + k) = stuck[static_cast<std::size_t>(k)];
    }
    MatrixXd tangent = MatrixXd::Zero((m + more) * t, dof);
    tangent.topRows(m * t) = MatrixXd(b.tangent);
    for (const RoughJoint& joint : system.rough_joints) tangent.row(joint.first * t).setZero();
    const auto grown = [](const VectorXd& x, Index size) {
      VectorXd y = VectorXd::Zero(size);
      y.head(x.size()) = x;
      return y;
    };
    b.w_normal = grown(b.w_normal, m + more);
    for (Index k = 0; k < more; ++k) b.w_normal[m + k] = w[static_cast<std::size_t>(k)];
    b.w_tangent = grown(b.w_tangent, (m + more) * t);
    b.friction = grown(b.friction, m + more);
    const MatrixXd slip = b.slip;
    b.slip = MatrixXd::Zero(t, m + more);
    b.slip.leftCols(m) = slip;
    b.normal = normal.sparseView(1, 0);
    b.tangent = tangent.sparseView(1, 0);
  }

  Index sliding() const { return static_cast<Index>(sliding_.size()); }

  // ‖λ‖ of the joints that slide.
  VectorXd lengths(const ModeSolution& motion) const {
    VectorXd s(sliding());
    for (Index k = 0; k < sliding(); ++k) s[k] = length(motion, sliding_[at(k)]);
    return s;
  }

  VectorXd joint_force(const ModeSolution& motion, Index k) const {
    const RoughJoint& joint = whole_.rough_joints[sliding_[at(k)]];
    return motion.normal_b.segment(joint.first, joint.count);
  }

  ModeList motions(const VectorXd& s, const ModeSearch& search) const {
    ContactSystem loaded = plain_;
    const VectorXd a = push(s);
    for (ConstraintSet* const set : {&loaded.bilateral, &loaded.unilateral}) {
      set->w_normal += set->normal * a;
      set->w_tangent += set->tangent * a;
    }
    return enumerate_modes(loaded, search);
  }

  // Of the whole system; empty where it contradicts the modes of the joints.
  std::optional<ModeSolution> of_whole(const ModeSolution& motion, const VectorXd& s) const {
    const ConstraintSet& b = whole_.bilateral;
    ModeSolution found = motion;
    found.bilateral.resize(static_cast<std::size_t>(b.size()));
    found.normal_b = motion.normal_b.head(b.size());
    found.tangent_b = motion.tangent_b.head(b.size() * whole_.tangents);
    found.acceleration += push(s);
    Index next_stuck = b.size(), next_sliding = 0;
    for (std::size_t j = 0; j < modes_.size(); ++j) {
      const RoughJoint& joint = whole_.rough_joints[j];
      const double bound = joint.friction * length(motion, j);
      double force = 0;
      if (modes_[j] == ContactMode::stick) {
        force = motion.normal_b[next_stuck++];
        if (std::abs(force) > bound * (1 + sign_rounding)) return std::nullopt;
      } else {
        force = -way(j) * joint.friction * s[next_sliding++];
        const double rate = rate_of(j) + row(j).dot(found.acceleration);
        const double size = std::abs(rate_of(j)) + row(j).norm() * found.acceleration.norm();
        if (joint.slip == 0 && !(way(j) * rate > sign_rounding * size)) return std::nullopt;
      }
      found.tangent_b[joint.first * whole_.tangents] = force;
      found.bilateral[at(joint.first)] = modes_[j];
    }
    return found;
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  double length(const ModeSolution& motion, std::size_t j) const {
    const RoughJoint& joint = whole_.rough_joints[j];
    return motion.normal_b.segment(joint.first, joint.count).norm();
  }
  VectorXd row(std::size_t j) const {
    return whole_.bilateral.tangent.row(whole_.rough_joints[j].first * whole_.tangents).transpose();
  }
  double rate_of(std::size_t j) const {
    return whole_.bilateral.w_tangent[whole_.rough_joints[j].first * whole_.tangents];
  }
  double way(std::size_t j) const {
    const int slip = whole_.rough_joints[j].slip;
    return slip != 0 ? slip : modes_[j] == ContactMode::slip_plus ? 1 : -1;
  }

  // What friction −μ s gives the freedoms.
  VectorXd push(const VectorXd& s) const {
    VectorXd a = VectorXd::Zero(whole_.bilateral.normal.cols());
    for (Index k = 0; k < s.size(); ++k) {
      const std::size_t j = sliding_[at(k)];
      a -= way(j) * whole_.rough_joints[j].friction * s[k] * row(j);
    }
    return a;
  }

  const ContactSystem& whole_;
  ContactSystem plain_;
  std::vector<ContactMode> modes_;
  std::vector<std::size_t> sliding_;
};

class RoughJointModes {
 public:
  RoughJointModes(const ContactSystem& system, const ModeSearch& search)
      : system_(system), search_(search) {
    search_.first = nullptr;
    affine_ = system.unilateral.size() == 0 &&
              (system.bilateral.size() == 0 || system.bilateral.friction.maxCoeff() == 0);
    unique_ = affine_ && one_motion_for_all_loads(system);
  }

  ModeList enumerate() {
    if (system_.rough_joints.size() > most_rough_joints || system_.massless > 0) {
      list_.complete = false;
      return std::move(list_);
    }
    choose();
    if (unique_ && !list_.solutions.empty()) list_.complete = true;
    return std::move(list_);
  }

 private:
  void choose() {
    if (chosen_.size() == system_.rough_joints.size()) {
      solve(ChosenJoints(system_, chosen_));
      return;
    }
    const bool slips = system_.rough_joints[chosen_.size()].slip != 0;
    const std::vector<ContactMode> choices =
        slips ? std::vector{ContactMode::slide}
              : std::vector{ContactMode::stick, ContactMode::slip_plus, ContactMode::slip_minus};
    for (const ContactMode mode : choices) {
      chosen_.push_back(mode);
      choose();
      chosen_.pop_back();
    }
  }

  void solve(const ChosenJoints& joints) {
    const VectorXd none = VectorXd::Zero(joints.sliding());
    const ModeList free = joints.motions(none, search_);
    list_.complete = list_.complete && free.complete;
    if (joints.sliding() == 0) {
      for (const ModeSolution& motion : free.solutions) add(joints, motion, none);
      return;
    }
    if (affine_ && joints.sliding() == 1) {
      if (!free.solutions.empty()) solve_quadratic(joints, free.solutions.front());
      return;
    }
    list_.complete = false;
    double size = 0;
    for (const ModeSolution& motion : free.solutions)
      size = std::max(size, joints.lengths(motion).maxCoeff());
    for (const double start : {0.0, 1.0, 10.0, 0.1})
      solve_from(joints, VectorXd::Constant(joints.sliding(), start * size));
  }

  // λ = a + s b, and s ≥ 0 with s² = ‖a + s b‖².
  void solve_quadratic(const ChosenJoints& joints, const ModeSolution& at_zero) {
    const VectorXd a = joints.joint_force(at_zero, 0);
    const double unit = std::max(a.norm(), 1e-300);
    const ModeList there = joints.motions(VectorXd::Constant(1, unit), search_);
    if (there.solutions.empty()) return;
    const VectorXd b = (joints.joint_force(there.solutions.front(), 0) - a) / unit;
    const double A = b.squaredNorm() - 1, B = a.dot(b), C = a.squaredNorm();
    const double root = B * B - A * C;
    std::vector<double> roots;
    if (std::abs(A) <= 1e-14) {
      if (B < 0) roots.push_back(-C / (2 * B));
    } else if (root >= 0) {
      const double q = -(B + (B >= 0 ? 1 : -1) * std::sqrt(root));
      roots.push_back(q / A);
      if (q != 0) roots.push_back(C / q);
    }
    for (const double s : roots)
      if (s >= 0) finish(joints, VectorXd::Constant(1, s));
  }

  // Newton's method, the nearest motion with the same modes at each s giving the slope.
  void solve_from(const ChosenJoints& joints, VectorXd s) {
    for (int round = 0; round < joint_iterations; ++round) {
      const ModeList here = joints.motions(s, search_);
      if (here.solutions.empty()) return;
      const ModeSolution& motion = here.solutions.front();
      const VectorXd miss = joints.lengths(motion) - s;
      const double size = std::max(s.maxCoeff(), joints.lengths(motion).maxCoeff());
      if (miss.cwiseAbs().maxCoeff() <= joint_accuracy * size) return finish(joints, s);
      MatrixXd slope = -MatrixXd::Identity(s.size(), s.size());
      for (Index k = 0; k < s.size(); ++k) {
        const double step = 1e-6 * size;
        const ModeList there = joints.motions(s + step * VectorXd::Unit(s.size(), k), search_);
        for (const ModeSolution& other : there.solutions)
          if (other.unilateral == motion.unilateral && other.bilateral == motion.bilateral) {
            slope.col(k) += (joints.lengths(other) - joints.lengths(motion)) / step;
            break;
          }
      }
      s = (s - LeastSquares(slope, 1e-12).solve(miss)).cwiseMax(0.0);
    }
  }

  void finish(const ChosenJoints& joints, const VectorXd& s) {
    const ModeList here = joints.motions(s, search_);
    for (const ModeSolution& motion : here.solutions) {
      const VectorXd miss = joints.lengths(motion) - s;
      if (miss.cwiseAbs().maxCoeff() <= 1e-8 * std::max(s.maxCoeff(), 1e-300))
        add(joints, motion, s);
    }
  }

  void add(const ChosenJoints& joints, const ModeSolution& motion, const VectorXd& s) {
    const std::optional<ModeSolution> found = joints.of_whole(motion, s);
    if (!found) return;
    const auto same = [&](const ModeSolution& known) {
      const double size = 1e-7 * (1 + known.normal_b.norm() + known.normal_u.norm());
      return (known.normal_b - found->normal_b).norm() <= size &&
             (known.normal_u - found->normal_u).norm() <= size &&
             (known.tangent_b - found->tangent_b).norm() <= size;
    };
    if (std::none_of(list_.solutions.begin(), list_.solutions.end(), same))
      list_.solutions.push_back(*found);
  }

  const ContactSystem& system_;
  ModeSearch search_;
  bool affine_ = false, unique_ = false;
  std::vector<ContactMode> chosen_;
  ModeList list_;
};

}  // namespace

ModeList enumerate_rough_joints(const ContactSystem& system, const ModeSearch& search) {
  return RoughJointModes(system, search).enumerate();
}

// dλ/ds_k = −G⁻¹N h_k (−way μ_k), N the normals and the rows that stick.
double joint_friction_ratio(const ContactSystem& system) {
  const ConstraintSet& b = system.bilateral;
  const std::size_t J = system.rough_joints.size();
  const bool others = system.unilateral.size() > 0 || (b.size() > 0 && b.friction.maxCoeff() > 0);
  if (others || J > most_rough_joints || system.massless > 0)
    return std::numeric_limits<double>::infinity();
  const MatrixXd normal(b.normal), tangent(b.tangent);
  const auto row = [&](std::size_t j) -> VectorXd {
    return tangent.row(system.rough_joints[j].first * system.tangents).transpose();
  };
  MatrixXd B = MatrixXd::Zero(static_cast<Index>(J), static_cast<Index>(J));
  for (unsigned long set = 0; set < (1UL << J); ++set) {
    std::vector<std::size_t> stuck;
    bool possible = true;
    for (std::size_t j = 0; j < J; ++j) {
      if ((set >> j & 1UL) == 0) continue;
      stuck.push_back(j);
      possible = possible && system.rough_joints[j].slip == 0;
    }
    if (!possible) continue;
    MatrixXd N(b.size() + static_cast<Index>(stuck.size()), normal.cols());
    N.topRows(b.size()) = normal;
    for (std::size_t k = 0; k < stuck.size(); ++k)
      N.row(b.size() + static_cast<Index>(k)) = row(stuck[k]);
    const LeastSquares inverse(N.transpose(), 1e-11);  // of least norm
    for (std::size_t k = 0; k < J; ++k) {
      if ((set >> k & 1UL) != 0) continue;
      const VectorXd lambda = inverse.solve(row(k)) * system.rough_joints[k].friction;
      for (std::size_t j = 0; j < J; ++j) {
        const RoughJoint& joint = system.rough_joints[j];
        double& entry = B(static_cast<Index>(j), static_cast<Index>(k));
        entry = std::max(entry, lambda.segment(joint.first, joint.count).norm());
      }
    }
  }
  return J == 0 ? 0 : B.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace talus
