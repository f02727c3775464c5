// SPDX-License-Identifier: Apache-2.0
// What the certificate of a step records beside the energy: penetration relative to the bodies,
// what corrections of positions do to angular momentum, bodies that went through each other.
#include <random>

#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

Vec<3> angular_momentum(const Certificate& step) {
  return {step.angular_momentum_x, step.angular_momentum_y, step.angular_momentum_z};
}

Vec<3> added_by_correction(const Certificate& step) {
  return {step.correction_angular_momentum_x, step.correction_angular_momentum_y,
          step.correction_angular_momentum_z};
}

// Boxes and balls that fly towards a point in free space and collide there.
template <int D>
Scene<D> swarm(bool correct_drift) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  Scene<D> scene = scene_of<D>(1e-3, {0.3, 0, 0}, {});
  scene.gravity.setZero();
  scene.correct_drift = correct_drift;
  for (int i = 0; i < 8; ++i) {
    const Vec<D> centre = at<D>(0.3 * (i % 4) - 0.45, 0.3 * (i / 4) - 0.15);
    BodyDescription<D> body = i % 2 == 0
                                  ? ball<D>(0.1, centre)
                                  : block<D>(sides<D>(0.2, 0.15, 0.18), centre, 0.3 * unit(random));
    for (int k = 0; k < D; ++k) body.velocity[k] = -3 * centre[k] + 0.3 * unit(random);
    body.spin.setConstant(2 * unit(random));
    scene.bodies.push_back(body);
  }
  return scene;
}

// A plate of a thickness, fixed, and a ball of radius 5 mm that comes to it at a speed.
template <int D>
Scene<D> shot(double thickness, double speed, double distance, double restitution = 0) {
  Scene<D> scene = scene_of<D>(1e-3, {0.5, restitution, 0}, {});
  scene.gravity.setZero();
  BodyDescription<D> plate = block<D>(sides<D>(thickness, 1, 1), Vec<D>::Zero());
  plate.fixed = true;
  scene.bodies = {plate, ball<D>(0.005, at<D>(-distance, 0), at<D>(speed, 0))};
  return scene;
}

template <int D>
int passages(const Scene<D>& scene, int steps) {
  World<D> world(scene);
  int count = 0;
  for (int k = 0; k < steps; ++k) count += world.step().passed_through;
  return count;
}

}  // namespace

TEST_CASE_TEMPLATE("corrections add the angular momentum that they record, and nothing else does",
                   Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const bool corrected : {true, false}) {
    World<D> world(swarm<D>(corrected));
    double off = 0, added = 0, scale = 0;
    Vec<3> last = Vec<3>::Zero();
    int contacts = 0;
    for (int k = 0; k < 400; ++k) {
      const Certificate step = world.step();
      REQUIRE(step.converged);
      contacts += step.contacts;
      if (k > 0)
        off = std::max(off, (angular_momentum(step) - last - added_by_correction(step)).norm());
      added = std::max(added, added_by_correction(step).norm());
      scale = std::max(scale, angular_momentum(step).norm());
      last = angular_momentum(step);
    }
    CHECK(contacts > 100);
    CHECK(off <= 1e-13 * scale);
    if (corrected)
      CHECK(added > 1e-9 * scale);
    else
      CHECK(added == 0);
  }
}

TEST_CASE_TEMPLATE("penetration is relative to the thinner body's half width", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  // A plate 0.1 thick and 1 wide, on the ground, into which it reaches by 1e-3.
  World<D> plate(scene_of<D>(1e-4, {0.5, 0, 0},
                             {ground<D>(), block<D>(sides<D>(1, 0.1, 1), at<D>(0, 0.05 - 1e-3))}));
  const Certificate sunk = plate.step();
  CHECK(sunk.max_penetration == doctest::Approx(1e-3).epsilon(1e-3));
  CHECK(sunk.max_relative_penetration == doctest::Approx(0.02).epsilon(1e-3));

  // A large ball in a small one, and one that is fixed and thin.
  World<D> balls(scene_of<D>(1e-4, {0.5, 0, 0},
                             {ball<D>(1, at<D>(0, 0)), ball<D>(0.1, at<D>(1.1 - 2e-3, 0))}));
  CHECK(balls.step().max_relative_penetration == doctest::Approx(0.02).epsilon(1e-3));
  Scene<D> thin = shot<D>(0.002, 0, 0.006 - 1e-4);
  World<D> on_plate(thin);
  CHECK(on_plate.step().max_relative_penetration == doctest::Approx(0.1).epsilon(1e-3));
}

TEST_CASE_TEMPLATE("a bullet that goes through a plate between two looks is noticed", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  // Half a step ahead of the plate at the start: 0.5 m of way before contacts are looked for.
  CHECK(passages(shot<D>(0.001, 1000, 0.2), 5) == 1);
  CHECK(passages(shot<D>(0.001, 1e5, 0.2), 5) == 1);
  // Stopped where the step could look ahead; and shot past it, or away.
  CHECK(passages(shot<D>(0.001, 1000, 0.7), 5) == 0);
  CHECK(passages(shot<D>(0.001, -1000, 0.2), 5) == 0);
  Scene<D> past = shot<D>(0.001, 1000, 0.2);
  past.bodies[1].position += at<D>(0, 0.51);
  CHECK(passages(past, 5) == 0);
  // Only contacts that touch, by Moreau's rule: it is through before it was ever seen.
  Scene<D> moreau = shot<D>(0.001, 100, 0.73);
  moreau.contact_rule = ContactRule::moreau;
  CHECK(passages(moreau, 20) == 1);
}

TEST_CASE_TEMPLATE("what rests, rolls, slides or bounces does not pass through anything", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  // Thin bodies, which move by more than their width in a step.
  Scene<D> needle = scene_of<D>(1e-3, {0.5, 0, 0},
                                {ground<D>(), block<D>(sides<D>(1, 1e-7, 1e-7), at<D>(0, 5e-8))});
  CHECK(passages(needle, 200) == 0);
  Scene<D> sliding = scene_of<D>(1e-3, {0.1, 0, 0},
                                 {ground<D>(), block<D>(sides<D>(0.1, 1e-3, 0.1), at<D>(0, 5e-4))});
  sliding.bodies[1].velocity = at<D>(20, 0);
  CHECK(passages(sliding, 200) == 0);
  Scene<D> bounces = shot<D>(0.1, 40, 0.3, 0.9);
  CHECK(passages(bounces, 50) == 0);
  Scene<D> rolls = scene_of<D>(1e-3, {0.5, 0, 0}, {ground<D>(), ball<D>(0.01, at<D>(0, 0.01))});
  rolls.bodies[1].velocity = at<D>(30, 0);
  CHECK(passages(rolls, 200) == 0);
}
