// SPDX-License-Identifier: Apache-2.0
// Massless bodies in the analysis of a configuration, against statics and the limit of small
// masses.
#include "engine/outlook/configuration_motion.hpp"
#include "solvers/analysis/well_posedness.hpp"
#include "tests/physics/joint_scenes.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// A node between two sliders: one of mass a on a vertical guide at x = 0, one of mass b on a level
// guide at y = 0, rods from both to the node; a force on the node.
Scene<2> two_sliders(const Vec<2>& node, const Vec<2>& force, double mass) {
  Scene<2> scene = scene_of<2>(
      1e-4, {}, {ball<2>(0.01, {0, 0.8}), ball<2>(0.01, {1.1, 0}), ball<2>(0.01, node)});
  scene.bodies[0].mass = 2;
  scene.bodies[1].mass = 3;
  scene.bodies[2].mass = mass;
  for (BodyDescription<2>& body : scene.bodies) body.rotation_locked = true;
  for (const int i : {0, 1}) {
    Joint<2> guide;
    guide.kind = JointKind::slider;
    guide.b = i;
    guide.anchor_a = scene.bodies[talus::at(i)].position;
    guide.axis = i == 0 ? Vec<2>(0, 1) : Vec<2>(1, 0);
    scene.joints.push_back(guide);
    scene.joints.push_back(span_joint<2>(JointKind::distance, i, 2, Vec<2>::Zero(),
                                         (node - scene.bodies[talus::at(i)].position).norm()));
  }
  AppliedForce<2>& applied = scene.forces.emplace_back();
  applied.body = 2;
  applied.direction = force.normalized();
  applied.signal = Constant{force.norm()};
  return scene;
}

struct Motion {
  std::vector<Twist<2>> a;
  Eigen::VectorXd joints;
  WellPosedness report;
};

Motion motion_of(const Scene<2>& scene, const MasslessBodies& massless) {
  const World<2> world(scene);
  const auto active = active_constraints<2>(world.scene(), world.bodies(), 0, {}, massless);
  Motion motion;
  motion.report = well_posedness(active.system);
  REQUIRE(motion.report.modes);
  REQUIRE(motion.report.modes->solutions.size() == 1);
  motion.a = accelerations<2>(active, motion.report.modes->solutions[0]);
  motion.joints = motion.report.modes->solutions[0].normal_b;
  return motion;
}

}  // namespace

TEST_CASE("rods hold a massless node by statics, and its acceleration is that of its rods") {
  for (const Vec<2>& node : {Vec<2>(0.5, 0.6), Vec<2>(0.4, 0.2), Vec<2>(0.9, 1.3)}) {
    const Vec<2> force(1.7, -2.9);
    const Scene<2> scene = two_sliders(node, force, 1);
    const Motion motion = motion_of(scene, {{2}, {}});
    CHECK(motion.report.massless == 2);
    CHECK(motion.report.massless_determined);
    // R₁ e₁ + R₂ e₂ + F = 0, e from the slider to the node.
    const Vec<2> e_1 = (node - Vec<2>(0, 0.8)).normalized(),
                 e_2 = (node - Vec<2>(1.1, 0)).normalized();
    Mat<2> E;
    E << e_1, e_2;
    const Vec<2> R = -(E.inverse() * force);
    // The sliders: 2 ÿ = −2 g − R₁ e₁y, 3 ẍ = −R₂ e₂x.
    CHECK(motion.a[0].v[1] == doctest::Approx(-g - R[0] * e_1[1] / 2).epsilon(1e-9));
    CHECK(motion.a[1].v[0] == doctest::Approx(-R[1] * e_2[0] / 3).epsilon(1e-9));
    // The node keeps its distances: e·(a_node − a_slider) = 0 from rest.
    const Vec<2> a = motion.a[2].v;
    CHECK(e_1.dot(a - motion.a[0].v) == doctest::Approx(0).scale(g));
    CHECK(e_2.dot(a - motion.a[1].v) == doctest::Approx(0).scale(g));
    // The limit of small masses.
    const Motion light = motion_of(two_sliders(node, force, 1e-7), {});
    for (const std::size_t i : {0, 1, 2}) CHECK((light.a[i].v - motion.a[i].v).norm() < 1e-5 * g);
  }
}

TEST_CASE("one rod does not hold a massless node, and the report says so") {
  Scene<2> scene = two_sliders({0.5, 0.6}, {0, -1}, 1);
  scene.joints.pop_back();
  const World<2> world(scene);
  const auto active = active_constraints<2>(world.scene(), world.bodies(), 0, {}, {{2}, {}});
  const WellPosedness report = well_posedness(active.system);
  CHECK(!report.massless_determined);
}
