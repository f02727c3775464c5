// SPDX-License-Identifier: Apache-2.0
#include "engine/step/joints.hpp"

#include <algorithm>
#include <cmath>

#include "engine/step/activation.hpp"
#include "engine/step/assembly.hpp"
#include "engine/step/ledger.hpp"

namespace talus {

namespace {

// Of the smaller body of a joint: where its positions count as right.
constexpr double position_tolerance = 1e-11;
constexpr int most_corrections = 8;

template <int D>
double velocity_of(const LinearRow<D>& row, std::span<const Twist<D>> v) {
  return relative_velocity<D>(row, v[at(row.a)], v[at(row.b)]);
}

// The lever arm that turns the angles and torques of a joint's coordinate into lengths and forces,
// as for its constraints: rows of one problem are measured against each other, so units must agree.
template <int D>
double lever_of(const JointFrame<D>& frame) {
  return turns(frame.kind) ? frame.size : 1;
}

template <int D>
Constraint<D> coordinate_as_length(const JointFrame<D>& frame, const Bodies<D>& bodies) {
  Constraint<D> q = coordinate<D>(frame, bodies);
  const double lever = lever_of<D>(frame);
  q.row.direction = lever * q.row.direction;
  q.row.moment_a = lever * q.row.moment_a;
  q.row.moment_b = lever * q.row.moment_b;
  q.value *= lever;
  return q;
}

}  // namespace

template <int D>
Joints<D>::Joints(const Scene<D>& scene, const Bodies<D>& bodies)
    : joints_(scene.joints), frames_(joint_frames<D>(joints_, bodies)), reactions_(joints_.size()) {
  for (std::size_t i = 0; i < frames_.size(); ++i)
    reactions_[i].point = joint_point<D>(frames_[i], bodies);
}

// The gap of a rope, or of a coordinate to one of its stops.
template <int D>
Constraint<D> Joints<D>::gap_of(int joint, bool upper, const Bodies<D>& bodies) const {
  const JointFrame<D>& frame = frames_[at(joint)];
  if (frame.kind == JointKind::rope) {
    const Constraint<D> span = distance<D>(frame, bodies);
    return {opposite<D>(span.row), frame.length - span.value};
  }
  const Constraint<D> q = coordinate_as_length<D>(frame, bodies);
  const JointLimits& limits = *joints_[at(joint)].limits;
  const double lever = lever_of<D>(frame);
  if (upper) return {opposite<D>(q.row), lever * limits.upper - q.value};
  return {q.row, q.value - lever * limits.lower};
}

// Rates at q_m belong to positions half a step from where they are wanted: with c the change of the
// rate over that half step by the motion itself (a string that turns), the rate is u⁻ + c at the
// start of the step and u⁺ − c at its end. Without c a string in circular motion would lose energy.
template <int D>
void Joints<D>::add_unilateral(int joint, bool upper, const Gap& gap, const Scene<D>& scene,
                               std::span<const Twist<D>> v_minus, std::span<const Twist<D>> v_free,
                               std::vector<LinearRow<D>>& rows) {
  LinearRow<D> row = gap.constraint.row;
  const double g = gap.constraint.value;
  const double before = velocity_of<D>(row, v_minus) + gap.curvature;
  const double free = velocity_of<D>(row, v_free) - gap.curvature;
  const bool touches = g <= gap.touching;
  const bool bounces = gap.restitution > 0 && -free > gap.slow;
  const bool by_impact_law = acts_before_contact(scene.impact_law);
  const bool comes = before < -gap.fast && (touches || g <= -before * scene.h);
  bool bounced = by_impact_law && comes;
  row.bias = free;
  if (touches || bounces) {
    if (!touches &&
        (scene.contact_rule == ContactRule::moreau || g > -free * scene.theta * scene.h))
      return;
    if (!by_impact_law) {
      row.bias += gap.restitution * before;
      bounced = gap.restitution > 0 && before < 0;
    }
    // A string that is taut already and turns is a rod that cannot push: its row is that of one.
    if (gap.curvature != 0 && std::abs(before) <= gap.slow) {
      row.bias = velocity_of<D>(row, v_free) +
                 (1 - scene.theta) / scene.theta * velocity_of<D>(row, v_minus);
      bounced = false;
    }
  } else {
    if (scene.contact_rule == ContactRule::moreau) return;
    if (gap.restitution > 0 && g > scene.h * std::max(gap.slow - free, 0.0)) return;
    // As contacts do, it stays out while it cannot close, whether both bodies go on or either is
    // stopped: a slack rope is no part of the problem.
    const Twist<D> stopped{};
    const double closing =
        std::max({-free, -before, -relative_velocity<D>(row, v_free[at(row.a)], stopped),
                  -relative_velocity<D>(row, stopped, v_free[at(row.b)])});
    if (g > scene.h * (gap.slow + closing)) return;
    row.bias += g / scene.h;
  }
  row.bounds = {0, std::numeric_limits<double>::infinity()};
  stops_.push_back({static_cast<int>(rows.size()), gap.restitution, touches, comes});
  rows.push_back(row);
  info_.push_back({joint, Role::unilateral, upper, bounced, false});
}

template <int D>
void Joints<D>::add_rows(const Bodies<D>& bodies, const Scene<D>& scene, double t,
                         Readings readings, std::span<const Twist<D>> v_minus,
                         std::span<const Twist<D>> v_free, std::vector<LinearRow<D>>& rows,
                         std::vector<double>& guess) {
  const double h = scene.h, theta = scene.theta;
  first_row_ = rows.size();
  info_.clear();
  stops_.clear();
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const int number = static_cast<int>(i);
    const Joint<D>& joint = joints_[i];
    const JointFrame<D>& frame = frames_[i];
    const int first = static_cast<int>(rows.size());
    constraints_.clear();
    add_constraints<D>(frame, bodies, constraints_);
    for (Constraint<D>& constraint : constraints_) {
      LinearRow<D>& row = constraint.row;
      row.bias = velocity_of<D>(row, v_free) + (1 - theta) / theta * velocity_of<D>(row, v_minus);
      rows.push_back(row);
      info_.push_back({number, Role::bilateral, false, false, false});
    }
    Gap gap;
    gap.slow = settling_speed<D>(scene);
    gap.fast = impact_speed<D>(scene);
    if (frame.kind == JointKind::rope) {
      gap.constraint = gap_of(number, false, bodies);
      gap.curvature = theta * h * distance_acceleration<D>(frame, bodies, v_minus);
      gap.touching = touching_fraction * std::max(frame.length, frame.size);
      gap.restitution = joint.restitution;
      add_unilateral(number, false, gap, scene, v_minus, v_free, rows);
    }
    if (joint.limits) {
      gap.touching = touching_fraction * frame.size;
      gap.restitution = joint.limits->restitution;
      for (const bool upper : {false, true}) {
        if (!std::isfinite(upper ? joint.limits->upper : joint.limits->lower)) continue;
        gap.constraint = gap_of(number, upper, bodies);
        add_unilateral(number, upper, gap, scene, v_minus, v_free, rows);
      }
    }
    if (joint.motor) {
      LinearRow<D> row = coordinate_as_length<D>(frame, bodies).row;
      row.bias = velocity_of<D>(row, v_free) -
                 lever_of<D>(frame) * value(joint.motor->velocity, t, readings);
      const double limit = h * joint.motor->limit / lever_of<D>(frame);
      row.bounds = {-limit, limit};
      rows.push_back(row);
      info_.push_back({number, Role::drive, false, false, false});
    }
    if (joint.friction > 0) {
      LinearRow<D> row = coordinate_as_length<D>(frame, bodies).row;
      row.bias = velocity_of<D>(row, v_free);
      row.friction = joint.friction * (turns(frame.kind) ? joint.radius / frame.size : 1);
      row.normal = first;
      row.normals = force_constraints<D>(frame.kind);
      rows.push_back(row);
      info_.push_back({number, Role::drive, false, false, false});
    }
  }
  guess.resize(rows.size(), 0.0);
}

template <int D>
void Joints<D>::react(int joint, const LinearRow<D>& row, double p, const Bodies<D>& bodies) {
  JointReaction<D>& reaction = reactions_[at(joint)];
  reaction.percussion += p * row.direction;
  const Vec<D> arm = at(row.b) == bodies.size()
                         ? reaction.point
                         : Vec<D>(reaction.point - bodies.position[at(row.b)]);
  reaction.moment += p * (row.moment_b - moment<D>(arm, row.direction));
}

template <int D>
void Joints<D>::record(const Bodies<D>& bodies, std::span<const LinearRow<D>> rows,
                       std::span<const double> percussions) {
  for (std::size_t i = 0; i < frames_.size(); ++i)
    reactions_[i] = {joint_point<D>(frames_[i], bodies), Vec<D>::Zero(), Spin<D>::Zero()};
  for (std::size_t k = 0; k < info_.size(); ++k) {
    const double p = percussions[first_row_ + k];
    info_[k].pressed = info_[k].role == Role::unilateral && p > 0;
    react(info_[k].joint, rows[first_row_ + k], p, bodies);
  }
}

template <int D>
double Joints<D>::correct_positions(const Scene<D>& scene, Bodies<D>& bodies, bool& moved) {
  factors_fit_ = false;
  double worst = 0;
  for (int pass = 0;; ++pass) {
    constraints_.clear();
    sizes_.clear();
    for (const JointFrame<D>& frame : frames_) {
      add_constraints<D>(frame, bodies, constraints_);
      sizes_.resize(constraints_.size(), frame.size);
    }
    const std::size_t bilateral = constraints_.size();
    for (const RowInfo& info : info_) {
      if (info.role != Role::unilateral) continue;
      const Constraint<D> gap = gap_of(info.joint, info.upper, bodies);
      // What pressed in the step is closed at its end, and as much a constraint as a rod.
      if (gap.value >= 0 && (!info.pressed || info.bounced)) continue;
      constraints_.push_back(gap);
      sizes_.push_back(frames_[at(info.joint)].size);
    }
    worst = 0;
    double relative = 0;  // each against its own joint: a joint elsewhere must not change this one
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      worst = std::max(worst, std::abs(constraints_[i].value));
      relative = std::max(relative, std::abs(constraints_[i].value) / sizes_[i]);
    }
    if (relative <= position_tolerance || pass == most_corrections) break;

    mass_blocks<D>(bodies, scene, mass_);
    rows_.clear();
    Eigen::VectorXd g(constraints_.size());
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      rows_.push_back(constraints_[i].row);
      g[static_cast<Eigen::Index>(i)] = -constraints_[i].value;
    }
    system_.factorise(rows_, mass_);
    const Eigen::VectorXd lambda = system_.solve(g);
    twist_.assign(mass_.size(), {});
    for (std::size_t i = 0; i < rows_.size(); ++i)
      apply_percussion<D>(rows_[i], lambda[static_cast<Eigen::Index>(i)], mass_, twist_);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      displace<D>(twist_[i].v, twist_[i].omega, i, bodies);
    moved = true;
    // What is left is so much smaller than what was that the factors serve the velocities, too.
    factors_fit_ = rows_.size() == bilateral && relative < 1e-6;
  }
  return worst;
}

template <int D>
void Joints<D>::correct_velocities(Bodies<D>& bodies, JointHold& hold) {
  twist_.resize(bodies.size() + 1);
  twist_.back() = {};
  for (std::size_t i = 0; i < bodies.size(); ++i) twist_[i] = {bodies.velocity[i], bodies.spin[i]};

  rows_.clear();
  owner_.clear();
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    constraints_.clear();
    add_constraints<D>(frames_[i], bodies, constraints_);
    for (const Constraint<D>& constraint : constraints_) {
      rows_.push_back(constraint.row);
      owner_.push_back(static_cast<int>(i));
    }
  }
  for (const RowInfo& info : info_) {
    if (!info.pressed || info.bounced) continue;
    const Constraint<D> gap = gap_of(info.joint, info.upper, bodies);
    if (gap.value > touching_fraction * frames_[at(info.joint)].size) continue;
    if (velocity_of<D>(gap.row, twist_) >= 0) continue;
    rows_.push_back(gap.row);
    owner_.push_back(info.joint);
    factors_fit_ = false;
  }
  if (!factors_fit_ || static_cast<std::size_t>(system_.size()) != rows_.size())
    system_.factorise(rows_, mass_);

  Eigen::VectorXd u(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    u[static_cast<Eigen::Index>(i)] = -velocity_of<D>(rows_[i], twist_);
  const Eigen::VectorXd lambda = system_.solve(u);
  const std::vector<Twist<D>> before = twist_;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double p = lambda[static_cast<Eigen::Index>(i)];
    apply_percussion<D>(rows_[i], p, mass_, twist_);
    react(owner_[i], rows_[i], p, bodies);
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const RowWork work =
        row_work<D>(rows_[i], lambda[static_cast<Eigen::Index>(i)], mass_, before, twist_);
    hold.work += work.on_row;
    hold.driven_work += work.driven;
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.velocity[i] = twist_[i].v;
    bodies.spin[i] = twist_[i].omega;
  }
}

template <int D>
JointHold Joints<D>::hold(const Scene<D>& scene, bool positions, Bodies<D>& bodies) {
  JointHold hold;
  if (empty()) return hold;
  factors_fit_ = false;
  if (positions) hold.drift = correct_positions(scene, bodies, hold.moved);
  mass_blocks<D>(bodies, scene, mass_);
  correct_velocities(bodies, hold);
  return hold;
}

template class Joints<2>;
template class Joints<3>;

}  // namespace talus
