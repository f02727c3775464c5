// SPDX-License-Identifier: Apache-2.0
// The joints of a scene in a step: their rows in the contact problem, what they transmitted, and
// the manifold they keep the bodies on.
#pragma once

#include <span>
#include <vector>

#include "engine/detect/broadphase.hpp"
#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"
#include "engine/step/impact.hpp"
#include "engine/step/joint_geometry.hpp"
#include "solvers/problem/bilateral.hpp"
#include "solvers/problem/contact_problem.hpp"

namespace talus {

// What a joint did to body b in a step; a received the opposite.
template <int D>
struct JointReaction {
  Vec<D> point = Vec<D>::Zero();       // where it holds b [m]
  Vec<D> percussion = Vec<D>::Zero();  // at that point, world axes [N s]
  Spin<D> moment = Spin<D>::Zero();    // about it [N m s]
};

// What holding the joints did.
struct JointHold {
  double work = 0;         // of percussions that keep velocities on the manifold [J]
  double driven_work = 0;  // [J], of driven bodies in it
  double drift = 0;        // by how much a joint is still apart [m]
  bool moved = false;      // positions were corrected
};

template <int D>
class Joints {
 public:
  Joints(const Scene<D>& scene, const Bodies<D>& bodies);

  bool empty() const { return frames_.empty(); }

  // Appends the rows of the step, read at q_m, with guesses for their percussions. With θ the
  // parameter of the scheme they say
  //     bilateral    θ u⁺ + (1−θ) u⁻ = 0: what moves the bodies through the step keeps the joint,
  //     and
  //                  for θ = 1/2 its percussion does no work,
  //                      T⁺ − T⁻ = ½ pᵀ(u⁺ + u⁻) = 0
  //     unilateral   Signorini's condition on the rate of the gap at the end of the step, with
  //                  restitution (unless impacts have a law of their own), and looking ahead as
  //                  contacts do (activation.hpp)
  //     motor        u⁺ = prescribed, |p| ≤ h limit
  //     friction     u⁺ = 0, |p| ≤ μ ‖p of the rows that press‖
  // `t` is the time at the end of the step. Velocities are per body, the resting world last.
  void add_rows(const Bodies<D>& bodies, const Scene<D>& scene, double t, Readings readings,
                std::span<const Twist<D>> v_minus, std::span<const Twist<D>> v_free,
                std::vector<LinearRow<D>>& rows, std::vector<double>& guess);

  std::size_t first_row() const { return first_row_; }  // of the rows added

  // Ropes and stops among them.
  std::span<const ImpactStop> stops() const { return stops_; }

  // Takes down what the rows of the last add_rows transmitted, by the percussions of all rows.
  void record(const Bodies<D>& bodies, std::span<const LinearRow<D>> rows,
              std::span<const double> percussions);

  // Projects positions (if asked to) and then velocities at the end of a step on the manifold of
  // the joints, in the kinetic metric:
  //     q ← q ⊖ M⁻¹Jᵀ K⁻¹ g(q), until g is rounding;   v ← v − M⁻¹Jᵀ K⁻¹ J v,   K = J M⁻¹Jᵀ.
  // The percussion of the second is part of the reactions.
  JointHold hold(const Scene<D>& scene, bool positions, Bodies<D>& bodies);

  // Of the last step; nothing before the first one.
  std::span<const JointReaction<D>> reactions() const { return reactions_; }

 private:
  enum class Role { bilateral, unilateral, drive };
  struct RowInfo {
    int joint = -1;
    Role role = Role::bilateral;
    bool upper = false;    // the stop at the upper end
    bool bounced = false;  // with restitution
    bool pressed = false;  // p > 0 in the step
  };
  struct Gap {
    Constraint<D> constraint;  // row and gap; the row's velocity is the gap's rate
    double curvature = 0;      // by how much the rate falls within the rest of the step [m/s]
    double touching = 0;       // gap that counts as none
    double slow = 0;           // speed that counts as settling
    double fast = 0;           // and that of an impact
    double restitution = 0;
  };

  void add_unilateral(int joint, bool upper, const Gap& gap, const Scene<D>& scene,
                      std::span<const Twist<D>> v_minus, std::span<const Twist<D>> v_free,
                      std::vector<LinearRow<D>>& rows);
  Constraint<D> gap_of(int joint, bool upper, const Bodies<D>& bodies) const;
  double correct_positions(const Scene<D>& scene, Bodies<D>& bodies, bool& moved);
  void correct_velocities(Bodies<D>& bodies, JointHold& hold);
  void react(int joint, const LinearRow<D>& row, double p, const Bodies<D>& bodies);

  const std::vector<Joint<D>> joints_;
  std::vector<JointFrame<D>> frames_;

  std::size_t first_row_ = 0;
  std::vector<RowInfo> info_;  // per row of this class
  std::vector<ImpactStop> stops_;
  std::vector<JointReaction<D>> reactions_;

  BilateralSystem<D> system_;
  std::vector<MassBlock<D>> mass_;
  std::vector<Constraint<D>> constraints_;
  std::vector<double> sizes_;  // of their joints [m]
  std::vector<int> owner_;     // joint of each constraint
  std::vector<LinearRow<D>> rows_;
  std::vector<Twist<D>> twist_;
  bool factors_fit_ = false;  // those of system_ are of the bilateral rows where the bodies are
};

}  // namespace talus
