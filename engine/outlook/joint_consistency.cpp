// SPDX-License-Identifier: Apache-2.0
#include "engine/outlook/joint_consistency.hpp"

#include <cmath>

#include "engine/step/assembly.hpp"
#include "engine/step/drive.hpp"
#include "engine/step/joint_geometry.hpp"
#include "solvers/problem/bilateral.hpp"

namespace talus {

namespace {

// Tolerance for consistent rows of joints, relative to the prescribed speeds.
constexpr double agreement = 1e-6;

// A row and the rate it must have [m/s].
template <int D>
struct PrescribedRow {
  LinearRow<D> row;
  double rate = 0;
  int joint = -1;
};

template <int D>
std::vector<PrescribedRow<D>> prescribed_rows(const Scene<D>& scene, const Bodies<D>& bodies,
                                              double t) {
  std::vector<PrescribedRow<D>> rows;
  const std::vector<JointFrame<D>> frames = joint_frames<D>(scene.joints, bodies);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    std::vector<Constraint<D>> constraints;
    add_constraints<D>(frames[i], bodies, constraints);
    for (const Constraint<D>& constraint : constraints)
      rows.push_back({constraint.row, 0, static_cast<int>(i)});
    const std::optional<JointMotor>& motor = scene.joints[i].motor;
    if (!motor || !std::isinf(motor->limit)) continue;
    // Angles are scaled by the radius that the other rows use.
    const double unit = turns(frames[i].kind) ? frames[i].size : 1;
    LinearRow<D> row = coordinate<D>(frames[i], bodies).row;
    row.direction *= unit;
    row.moment_a *= unit;
    row.moment_b *= unit;
    rows.push_back({row, unit * value(motor->velocity, t), static_cast<int>(i)});
  }
  return rows;
}

}  // namespace

template <int D>
int contradicting_joint(const Scene<D>& scene, const Bodies<D>& bodies) {
  const std::vector<PrescribedRow<D>> prescribed = prescribed_rows<D>(scene, bodies, scene.h);
  if (prescribed.empty()) return -1;
  std::vector<Twist<D>> v(bodies.size() + 1);
  for (const DrivenBody<D>& driven : driven_bodies<D>(scene, bodies))
    v[at(driven.body)] = prescribed_velocity<D>(driven, scene.h);
  const auto missing = [&](const PrescribedRow<D>& p) {
    return p.rate - relative_velocity<D>(p.row, v[at(p.row.a)], v[at(p.row.b)]);
  };

  std::vector<LinearRow<D>> rows;
  Eigen::VectorXd r(prescribed.size());
  for (std::size_t i = 0; i < prescribed.size(); ++i) {
    rows.push_back(prescribed[i].row);
    r[static_cast<Eigen::Index>(i)] = missing(prescribed[i]);
  }
  std::vector<MassBlock<D>> mass;
  mass_blocks<D>(bodies, scene, mass);
  BilateralSystem<D> system;
  system.factorise(rows, mass);
  const Eigen::VectorXd lambda = system.solve(r);
  for (std::size_t i = 0; i < rows.size(); ++i)
    apply_percussion<D>(rows[i], lambda[static_cast<Eigen::Index>(i)], mass, v);

  double worst = agreement * r.cwiseAbs().maxCoeff();
  int joint = -1;
  for (const PrescribedRow<D>& p : prescribed) {
    if (!(std::abs(missing(p)) > worst)) continue;
    worst = std::abs(missing(p));
    joint = p.joint;
  }
  return joint;
}

template int contradicting_joint<2>(const Scene<2>&, const Bodies<2>&);
template int contradicting_joint<3>(const Scene<3>&, const Bodies<3>&);

}  // namespace talus
