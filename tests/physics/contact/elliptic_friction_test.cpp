// SPDX-License-Identifier: Apache-2.0
// Friction whose coefficient depends on the direction, with an axis in a body. The oracle is the
// friction of largest dissipation in its own words: f_T = −N A² v/‖A v‖ with A = diag(μ₁, μ₂).
#include "io/scene/scene_reader.hpp"
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double mu_1 = 0.2, mu_2 = 0.6;

// A ball that does not turn, with its weight at an angle to the normal of a plane, tilted towards
// the direction φ of the plane. The axis of friction is x of the plane.
struct Slope {
  double tilt = 0, direction = 0;
  FrictionEllipsoid friction = {mu_1, mu_2, Vec<3>::UnitX(), 0};
  Vec<3> velocity = Vec<3>::Zero();
};

Scene<3> scene_of(const Slope& slope) {
  BodyDescription<3> slider = ball<3>(0.1, {0, 0, 0.1}, slope.velocity);
  slider.rotation_locked = true;
  ContactLaw law{.friction = std::max(slope.friction.along, slope.friction.across)};
  law.ellipsoid = 0;
  Scene<3> scene = physics::scene_of<3>(1e-3, law, {ground<3>(), slider});
  scene.friction_ellipsoids = {slope.friction};
  scene.solver.tolerance = 1e-12;
  scene.gravity =
      g * Vec<3>(std::sin(slope.tilt) * std::cos(slope.direction),
                 std::sin(slope.tilt) * std::sin(slope.direction), -std::cos(slope.tilt));
  return scene;
}

Vec<2> tangential(const Vec<3>& v) { return v.head<2>(); }

// Friction per normal force.
Vec<2> friction_on(const Vec<2>& v) {
  const Vec<2> A(mu_1, mu_2);
  return -(A.cwiseProduct(A).cwiseProduct(v)) / A.cwiseProduct(v).norm();
}

}  // namespace

TEST_CASE("a body stays below tan(tilt) = (cos²φ/μ₁² + sin²φ/μ₂²)^(−1/2), and slides above") {
  for (const double direction : {0.0, 20.0, 45.0, 70.0, 90.0, 160.0, 240.0}) {
    const double phi = direction * degree;
    const double threshold = 1 / std::hypot(std::cos(phi) / mu_1, std::sin(phi) / mu_2);
    for (const double factor : {0.999, 1.001}) {
      World<3> world(scene_of({std::atan(factor * threshold), phi}));
      for (int k = 0; k < 200; ++k) REQUIRE(world.step().converged);
      INFO("direction ", direction, " factor ", factor);
      const double speed = world.bodies().velocity[1].norm();
      CHECK((factor < 1 ? speed < 1e-12 : speed > 1e-5));
      CHECK(world.contacts()[0].slides() == (factor > 1));
    }
  }
}

TEST_CASE("a body released on a slope slides along the line on which friction dissipates most") {
  for (const double direction : {15.0, 40.0, 65.0, 200.0}) {
    const double phi = direction * degree, tilt = 40 * degree;
    // v = a t d solves dv/dt = G + N f(v): a d = G + N f(d), found by halving the angle of d.
    const Vec<2> G = g * std::sin(tilt) * Vec<2>(std::cos(phi), std::sin(phi));
    const double N = g * std::cos(tilt);
    const auto push = [&](double angle) -> Vec<2> {
      const Vec<2> d(std::cos(angle), std::sin(angle));
      return G + N * friction_on(d);
    };
    const auto aside = [&](double angle) {
      const Vec<2> a = push(angle);
      return std::cos(angle) * a[1] - std::sin(angle) * a[0];
    };
    double low = std::floor(2 * phi / pi) * pi / 2 + 1e-9, high = low + pi / 2 - 2e-9;
    REQUIRE(aside(low) * aside(high) < 0);
    for (int k = 0; k < 100; ++k) {
      const double middle = (low + high) / 2;
      (aside(low) * aside(middle) > 0 ? low : high) = middle;
    }
    World<3> world(scene_of({tilt, phi}));
    run(world, 500);
    const Vec<2> v = tangential(world.bodies().velocity[1]);
    compare("elliptic friction, direction of sliding [rad]",
            std::remainder(std::atan2(v[1], v[0]) - low, 2 * pi), 0, 1e-9);
    compare("elliptic friction, speed after 0.5 s [m/s]", v.norm(), 0.5 * push(low).norm(), 1e-9);
    CHECK(std::abs(std::remainder(low - phi, 2 * pi)) > 5 * degree);
  }
}

TEST_CASE("a thrown body is slowed step by step by friction of the ellipse, until it rests") {
  World<3> world(scene_of({0, 0, {mu_1, mu_2, Vec<3>::UnitX(), 0}, {0.3, 0.4, 0}}));
  const double h = world.scene().h;
  Vec<2> v(0.3, 0.4);
  double lost = 0;
  const double kinetic = world.kinetic_energy();
  run(world, 400, [&](const Certificate& certificate) {
    const Vec<2> next = tangential(world.bodies().velocity[1]);
    if (next.norm() > 1e-6) {
      const Vec<2> expected = v + h * g * friction_on(next);
      CHECK((next - expected).norm() < 1e-10);
    }
    lost -= certificate.friction_work;
    v = next;
  });
  CHECK(v.norm() < 1e-12);
  compare("elliptic friction, energy lost over energy", lost / kinetic, 1, 1e-9);
}

TEST_CASE("the axis turns with the body that carries it") {
  // On a turntable, just where its centre is, the weight pulls along x; the axis comes round.
  const double rate = 0.5, tilt = std::atan(0.4);
  Slope slope{tilt, 0};
  slope.friction.axis = Vec<3>::UnitY();
  Scene<3> scene = scene_of(slope);
  scene.bodies[0].fixed = false;
  scene.bodies[0].drives = {{.kind = Drive<3>::Kind::spin,
                             .direction = Vec<3>::Zero(),
                             .axis = Vec<3>::UnitZ(),
                             .signal = Signal{Constant{rate}}}};
  World<3> world(scene);
  // It slips when the axis is at ψ from the pull: (cos²ψ/μ₁² + sin²ψ/μ₂²) tan² = 1.
  const double t = std::tan(tilt);
  const double cos2 = (1 / (t * t) - 1 / (mu_2 * mu_2)) / (1 / (mu_1 * mu_1) - 1 / (mu_2 * mu_2));
  const double due = (pi / 2 - std::acos(std::sqrt(cos2))) / rate;
  double first = 0;
  for (int k = 0; k < 3000 && first == 0; ++k) {
    world.step();
    if (world.contacts()[0].slides()) first = world.time();
  }
  compare("elliptic friction on a turntable, first slip [s]", first, due, 2e-3);

  // The same with the axis in the body that slides.
  Slope turned_body{40 * degree, 0.3};
  const double angle = 25 * degree;
  turned_body.friction.axis = Vec<3>(std::cos(angle), std::sin(angle), 0);
  World<3> in_floor(scene_of(turned_body));
  turned_body.friction.axis = Vec<3>::UnitX();
  turned_body.friction.material = 1;
  Scene<3> other = scene_of(turned_body);
  other.bodies[1].orientation = rotated<3>({}, angle * Vec<3>::UnitZ());
  World<3> in_body(other);
  run(in_floor, 300);
  run(in_body, 300);
  CHECK((in_floor.bodies().velocity[1] - in_body.bodies().velocity[1]).norm() < 1e-10);
}

TEST_CASE("one coefficient in all directions is Coulomb's law, also where the axis is normal") {
  Slope round{40 * degree, 0.7, {0.3, 0.3, Vec<3>(1, 2, 3).normalized(), 0}};
  Slope upright{40 * degree, 0.7, {0.9, 0.3, Vec<3>::UnitZ(), 0}};
  Scene<3> plain = scene_of(round);
  plain.friction_ellipsoids.clear();
  plain.laws.set(0, 1, {.friction = 0.3});
  World<3> a(scene_of(round)), b(scene_of(upright)), c(plain);
  for (World<3>* const world : {&a, &b, &c}) run(*world, 300);
  CHECK((a.bodies().velocity[1] - c.bodies().velocity[1]).norm() < 1e-11);
  CHECK((b.bodies().velocity[1] - c.bodies().velocity[1]).norm() < 1e-11);
}

TEST_CASE("an axis at an angle to the plane has the radius of the ellipsoid's section") {
  const double alpha = 35 * degree;
  const double radius = 1 / std::hypot(std::cos(alpha) / mu_1, std::sin(alpha) / mu_2);
  for (const double factor : {0.999, 1.001}) {
    Slope slope{std::atan(factor * radius), 0};
    slope.friction.axis = Vec<3>(std::cos(alpha), 0, std::sin(alpha));
    World<3> world(scene_of(slope));
    run(world, 100);
    CHECK(world.contacts()[0].slides() == (factor > 1));
  }
}

TEST_CASE("a bounce has the tangential impulse of the ellipse, whatever law gives it") {
  const auto struck = [](ImpactLaw law) {
    Slope slope{0, 0};
    slope.velocity = {1, 2, -1};
    Scene<3> scene = scene_of(slope);
    ContactLaw bouncing = scene.laws(0, 1);
    bouncing.restitution = 0.5;
    scene.laws.set(0, 1, bouncing);
    scene.gravity.setZero();
    scene.impact_law = law;
    World<3> world(scene);
    const Certificate certificate = world.step();
    CHECK(certificate.impact_inadmissible == 0);
    CHECK(certificate.impacts == 1);
    CHECK(std::abs(certificate.defect) < 1e-12 * certificate.turnover);
    return world.bodies().velocity[1];
  };
  const Vec<3> v = struck({});
  const Vec<2> after = tangential(v), change = after - Vec<2>(1, 2);
  CHECK(v[2] == doctest::Approx(0.5));
  CHECK((change - 1.5 * friction_on(after)).norm() < 1e-11);
  CHECK((struck(MatrixLaw{.neighbours = {0.0}}) - v).norm() < 1e-10);
}

TEST_CASE("many boxes on elliptic floors slide by it, alike for all threads and after a restart") {
  std::vector<BodyDescription<3>> bodies = {ground<3>()};
  for (int i = 0; i < 12; ++i) {
    BodyDescription<3> brick =
        block<3>({0.3, 0.2, 0.1}, {0.5 * (i % 4), 0.4 * (i / 4), 0.05});  // NOLINT
    brick.velocity = {0.4, 0.1 * i - 0.5, 0};
    brick.orientation = rotated<3>({}, 0.3 * i * Vec<3>::UnitZ());
    bodies.push_back(brick);
  }
  ContactLaw law{.friction = mu_2};
  law.ellipsoid = 0;
  Scene<3> scene = physics::scene_of<3>(1e-3, law, bodies);
  scene.laws.set(1, 1, {.friction = 0.3});
  scene.friction_ellipsoids = {{mu_1, mu_2, Vec<3>(1, 1, 0).normalized(), 0}};
  scene.solver.tolerance = 1e-9;
  World<3> one(scene), three(scene);
  one.use_threads(1);
  three.use_threads(3);
  for (int k = 0; k < 150; ++k) {
    const Certificate certificate = one.step();
    three.step();
    REQUIRE(certificate.converged);
    CHECK(std::abs(certificate.defect) <= 1e-12 * certificate.turnover);
    for (const ActiveContact<3>& contact : one.contacts()) {
      if (contact.contact.key.a != 0 || !contact.presses()) continue;
      const Mat<2> turn = Eigen::Rotation2D<double>(-45 * degree).toRotationMatrix();
      const Vec<3> force = contact.frame * contact.percussion, u = contact.frame * contact.u_plus;
      const Vec<2> f = turn * tangential(force) / force[2], slip = turn * tangential(u);
      CHECK(f.cwiseQuotient(Vec<2>(mu_1, mu_2)).norm() < 1 + 1e-6);
      if (slip.norm() > 1e-3) CHECK((f - friction_on(slip)).norm() < 1e-4);
    }
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    CHECK(one.bodies().position[i] == three.bodies().position[i]);
    CHECK(one.bodies().velocity[i] == three.bodies().velocity[i]);
  }
}

TEST_CASE("skis: one board goes straight down, one aside, and one stays") {
  const std::string path = TALUS_SOURCE_DIR "/scenes/skis.toml";
  World<3> world(std::get<Scene<3>>(read_scene(path).scene));
  while (world.steps() < 300) REQUIRE(world.step().converged);
  const double weight = g * std::cos(20 * degree), pull = g * std::sin(20 * degree);
  const Vec<3> straight = world.bodies().velocity[1], aside = world.bodies().velocity[2];
  CHECK((straight - Vec<3>(0.3 * (pull - 0.1 * weight), 0, 0)).norm() < 1e-6);
  CHECK(world.bodies().velocity[3].norm() < 1e-6);
  // dv/dt = G + N f(v) along v, in the axes of the board.
  const Mat<2> turn = Eigen::Rotation2D<double>(-40 * degree).toRotationMatrix();
  const Vec<2> v = turn * tangential(aside), A(0.1, 0.6);
  const Vec<2> friction = -(A.cwiseProduct(A).cwiseProduct(v)) / A.cwiseProduct(v).norm();
  const Vec<2> a = turn * Vec<2>(pull, 0) + weight * friction;
  CHECK((v - 0.3 * a).norm() < 1e-5);
  CHECK(aside[1] > 0.2);
}
