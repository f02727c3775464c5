// SPDX-License-Identifier: Apache-2.0
// Ropes: slack, taut, and whirled.
#include "tests/physics/joint_scenes.hpp"

using namespace talus;
using namespace talus::physics;

TEST_CASE_TEMPLATE("a rope stops a fall, or throws it back by its restitution", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-4, length = 1, drop = 0.4;
  for (const double rho : {0.0, 0.5}) {
    Scene<D> scene = scene_of<D>(h, {}, {ball<D>(0.05, at<D>(0, drop - length))});
    scene.joints = {span_joint<D>(JointKind::rope, -1, 0, Vec<D>::Zero(), length)};
    scene.joints[0].restitution = rho;
    World<D> world(scene);
    double lowest = 0, rebound = 0;
    bool taut = false;
    run(world, 6000, [&](const Certificate&) {
      lowest = std::min(lowest, world.bodies().position[0].dot(up<D>()));
      taut = taut || world.joint_reactions()[0].percussion.norm() > 0;
      if (taut) rebound = std::max(rebound, world.bodies().velocity[0].dot(up<D>()));
    });
    CHECK(taut);
    CHECK(lowest == doctest::Approx(-length).epsilon(1e-3));
    CHECK(rebound == doctest::Approx(rho * std::sqrt(2 * g * drop)).epsilon(2e-3));
  }
}

TEST_CASE_TEMPLATE("a ball on a taut string keeps its energy as one on a rod does", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const JointKind kind : {JointKind::rope, JointKind::distance}) {
    Scene<D> scene = scene_of<D>(1e-3, {}, {ball<D>(0.05, at<D>(0.8, -0.6))});
    scene.joints = {span_joint<D>(kind, -1, 0, Vec<D>::Zero(), 1)};
    World<D> world(scene);
    const double start = world.kinetic_energy() + world.potential_energy();
    double worst = 0, longest = 0, shortest = 1;
    run(
        world, 20000,
        [&](const Certificate& step) {
          worst = std::max(worst, std::abs(step.kinetic + step.potential - start));
          longest = std::max(longest, world.bodies().position[0].norm());
          shortest = std::min(shortest, world.bodies().position[0].norm());
        },
        1e-6);
    const double scale = world.bodies().mass[0] * g;
    bound("string, relative change of energy over 20 s", worst / scale, 1e-4);
    bound("string, length beyond its own [m]", longest - 1, 1e-8);
    bound("string, length short of its own [m]", 1 - shortest, 1e-8);
  }
}

// The end of a bar on a string: a double pendulum, whose string pulls where the bar turns.
TEST_CASE_TEMPLATE("a bar on a taut string keeps its energy and moves as on a rod", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  constexpr double tilt = 20 * degree, half = 0.3;
  Vec<D> end[2];
  for (const JointKind kind : {JointKind::rope, JointKind::distance}) {
    const Vec<D> down = at<D>(std::sin(tilt), -std::cos(tilt));
    Scene<D> scene = scene_of<D>(
        1e-3, {},
        {block<D>(sides<D>(2 * half, 0.05, 0.05), (1 + half) * down, tilt - 90 * degree)});
    scene.joints = {span_joint<D>(kind, -1, 0, Vec<D>::Zero(), 1)};
    scene.joints[0].anchor_b = at<D>(-half, 0);
    World<D> world(scene);
    const double start = world.potential_energy();
    double worst = 0, longest = 0, shortest = 1, fastest_spin = 0;
    run(
        world, 5000,
        [&](const Certificate& step) {
          const Bodies<D>& bodies = world.bodies();
          const double length =
              (bodies.position[0] - half * (rotation_matrix<D>(bodies.orientation[0]) * along<D>()))
                  .norm();
          worst = std::max(worst, std::abs(step.kinetic + step.potential - start));
          longest = std::max(longest, length);
          shortest = std::min(shortest, length);
          fastest_spin = std::max(fastest_spin, bodies.spin[0].norm());
        },
        1e-5);
    end[kind == JointKind::rope ? 0 : 1] = world.bodies().position[0];
    CHECK(fastest_spin > 1);
    bound("bar on a string, relative change of energy", worst / (world.bodies().mass[0] * g), 1e-5);
    bound("bar on a string, length beyond its own [m]", longest - 1, 1e-8);
    bound("bar on a string, length short of its own [m]", 1 - shortest, 1e-8);
  }
  bound("bar on a string, from where it is on a rod [m]", (end[0] - end[1]).norm(), 1e-6);
}

// Whirled about the far end of its string, a bar goes on for ever: the string is as straight as the
// bar, and its pull is m ω²(ℓ + half a bar). Without gravity to speak of nothing is too slow to be
// told from rest, and the string is taken as one that has just become taut in every step.
TEST_CASE_TEMPLATE("a bar whirled on a string goes on as it is", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double length = 0.2, half = 0.5, omega = 10;
  double slower[2] = {0, 0}, off = 0, other_pull = 0;
  for (const int halved : {0, 1}) {
    const double h = 1e-3 / (1 + halved);
    Scene<D> scene =
        scene_of<D>(h, {}, {block<D>(sides<D>(2 * half, 0.05, 0.05), at<D>(length + half, 0))});
    scene.joints = {span_joint<D>(JointKind::rope, -1, 0, Vec<D>::Zero(), length)};
    scene.joints[0].anchor_b = at<D>(-half, 0);
    scene.gravity *= 1e-9;
    scene.bodies[0].spin = omega * turning<D>();
    scene.bodies[0].velocity = omega * (length + half) * up<D>();
    World<D> world(scene);
    const double pull = world.bodies().mass[0] * omega * omega * (length + half);
    for (int k = 0; k < 2000 * (1 + halved); ++k) {
      CHECK(world.step().converged);
      slower[halved] = std::max(slower[halved], std::abs(spin_of(world, 0) / omega - 1));
      off = std::max(off, std::abs(world.bodies().position[0].norm() - length - half));
      other_pull = std::max(other_pull,
                            std::abs(world.joint_reactions()[0].percussion.norm() / h / pull - 1));
    }
  }
  bound("bar whirled on a string, relative change of the spin", slower[0], 2e-5);
  CHECK(slower[0] >= 3.5 * slower[1]);  // of second order
  bound("bar whirled on a string, deviation from its circle [m]", off, 1e-10);
  bound("bar whirled on a string, relative deviation of the pull", other_pull, 2e-5);
}
