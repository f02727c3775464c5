// SPDX-License-Identifier: Apache-2.0
// Impacts of bodies that joints hold, under every law: the joints take part with their percussions.
#include "tests/physics/joint_scenes.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double h = 1e-7;  // [s]: what moves before the impact is negligible

struct NamedLaw {
  const char* name;
  ImpactLaw law;
};
const std::vector<NamedLaw> laws = {{"moreau", MoreauLaw{}},
                                    {"matrix", MatrixLaw{}},
                                    {"poisson", PoissonLaw{}},
                                    {"lzb", LzbLaw{.tolerance = 1e-10}},
                                    {"projection", ProjectionLaw{}}};

template <int D>
Joint<D> rod(int a, int b, const Vec<D>& anchor_a, double length) {
  Joint<D> joint;
  joint.kind = JointKind::distance;
  joint.a = a;
  joint.b = b;
  joint.anchor_a = anchor_a;
  joint.length = length;
  return joint;
}

// Balls in a row that touch, the first one incoming.
template <int D>
Scene<D> row_of_balls(int count, double e, const ImpactLaw& law) {
  constexpr double r = 0.05;
  std::vector<BodyDescription<D>> balls;
  for (int i = 0; i < count; ++i)
    balls.push_back(ball<D>(r, at<D>(2 * r * i, 0), at<D>(i == 0 ? 1 : 0, 0)));
  Scene<D> scene = scene_of<D>(h, {.restitution = e}, balls);
  scene.gravity.setZero();
  scene.solver.tolerance = 1e-9;
  scene.impact_law = law;
  return scene;
}

template <int D>
std::vector<double> speeds_after_a_step(const Scene<D>& scene) {
  World<D> world(scene);
  Certificate certificate;
  run(
      world, 1, [&](const Certificate& c) { certificate = c; }, 1e-7);
  CHECK(certificate.converged);
  CHECK(certificate.impacts == 1);
  std::vector<double> speeds;
  for (const Vec<D>& v : world.bodies().velocity) speeds.push_back(v[0]);
  return speeds;
}

}  // namespace

TEST_CASE_TEMPLATE("Newton's cradle on rods does what its balls do without them", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const NamedLaw& named : laws) {
    for (const double e : {1.0, 0.8}) {
      const Scene<D> loose = row_of_balls<D>(5, e, named.law);
      Scene<D> cradle = loose;
      for (int i = 0; i < 5; ++i)
        cradle.joints.push_back(
            rod<D>(-1, i, loose.bodies[static_cast<std::size_t>(i)].position + at<D>(0, 0.5), 0.5));
      const std::vector<double> free = speeds_after_a_step<D>(loose),
                                hung = speeds_after_a_step<D>(cradle);
      CAPTURE(named.name);
      for (std::size_t i = 0; i < 5; ++i)
        compare("ball of a cradle on rods [m/s]", hung[i], free[i], 1e-8);
    }
  }
}

// Two balls on a rod are one body of twice the mass to a third one that strikes along it.
TEST_CASE_TEMPLATE("a ball strikes a dumbbell as a ball of twice the mass", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const NamedLaw& named : laws) {
    for (const double e : {1.0, 0.6, 0.0}) {
      Scene<D> scene = row_of_balls<D>(3, e, named.law);
      scene.joints = {rod<D>(1, 2, Vec<D>::Zero(), 0.1)};
      const std::vector<double> v = speeds_after_a_step<D>(scene);
      CAPTURE(named.name);
      compare("ball that struck a dumbbell [m/s]", v[0], (1 - 2 * e) / 3, 1e-8);
      for (const std::size_t i : {1, 2})
        compare("dumbbell that was struck [m/s]", v[i], (1 + e) / 3, 1e-8);
    }
  }
}

// Two bars of mass m and length l hang straight down from a pivot, one from the other, turning with
// ω₁ and ω₂; the lower right corner of the second meets a wall that leans away by α. In the angles,
// M ω̇ = ∇h P with
//     M = [I + 5/4 ml², ½ ml²; ½ ml², I + ¼ ml²],   ∇h = (−l cos α, −l cos α + ½ w sin α),
// and one contact without friction leaves with −e of its velocity: ω⁺ = ω⁻ − (1+e)
// (∇h·ω⁻)/(∇hᵀM⁻¹∇h) M⁻¹∇h.
TEST_CASE_TEMPLATE("the tip of a double pendulum strikes a wall as its two freedoms say", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double m = 2, l = 0.8, w = 0.1, alpha = 30 * degree;
  const Vec<2> before(1.0, 0.5);
  for (const NamedLaw& named : laws) {
    for (const double e : {0.7, 0.0}) {
      BodyDescription<D> wall;
      wall.name = "wall";
      const Vec<D> normal = at<D>(-std::cos(alpha), std::sin(alpha));
      wall.shapes = {HalfSpace<D>{normal, 0}};
      wall.position = at<D>(w / 2, -2 * l);
      wall.fixed = true;
      std::vector<BodyDescription<D>> bodies = {wall};
      for (const int i : {0, 1}) {
        bodies.push_back(block<D>(sides<D>(w, l, w), at<D>(0, -(0.5 + i) * l)));
        bodies.back().mass = m;
        bodies.back().spin = before[i] * turning<D>();
      }
      bodies[1].velocity = at<D>(before[0] * l / 2, 0);
      bodies[2].velocity = at<D>(before[0] * l + before[1] * l / 2, 0);
      Scene<D> scene = scene_of<D>(h, {.restitution = e}, bodies);
      scene.gravity.setZero();
      scene.solver.tolerance = 1e-9;
      scene.impact_law = named.law;
      scene.joints = {pivot<D>(-1, 1, Vec<D>::Zero(), at<D>(0, l / 2)),
                      pivot<D>(1, 2, at<D>(0, -l / 2), at<D>(0, l / 2))};
      World<D> world(scene);
      Certificate certificate;
      run(
          world, 1, [&](const Certificate& c) { certificate = c; }, 1e-7);

      const double I = m * (l * l + w * w) / 12;
      const Mat<2> M{{I + 1.25 * m * l * l, 0.5 * m * l * l},
                     {0.5 * m * l * l, I + 0.25 * m * l * l}};
      const Vec<2> gradient(-l * std::cos(alpha), -l * std::cos(alpha) + 0.5 * w * std::sin(alpha));
      const Vec<2> response = M.inverse() * gradient;
      const double P = -(1 + e) * gradient.dot(before) / gradient.dot(response);
      const Vec<2> jump = P * response;
      CAPTURE(named.name);
      CHECK(certificate.impacts == 1);
      for (const int i : {0, 1}) {
        const auto bar = static_cast<std::size_t>(1 + i);
        compare("spin of a double pendulum [rad/s]", world.bodies().spin[bar].dot(turning<D>()),
                before[i] + jump[i], 1e-6);
      }
      // The pivots give what momentum asks for beside the wall.
      const Vec<D> of_second = at<D>(m * l * (jump[0] + 0.5 * jump[1]), 0) - P * normal;
      const Vec<D> of_first = at<D>(0.5 * m * l * jump[0], 0) + of_second;
      bound("percussion of the wall [N s]",
            (percussion_between<D>(world, 0, 2) - P * normal).norm(), 1e-6);
      bound("percussion of the lower pivot [N s]",
            (world.joint_reactions()[1].percussion - of_second).norm(), 1e-5);
      bound("percussion of the upper pivot [N s]",
            (world.joint_reactions()[0].percussion - of_first).norm(), 1e-5);
    }
  }
}

namespace {

template <int D>
Joint<D> rope(int a, int b, double length, double restitution) {
  Joint<D> joint = rod<D>(a, b, Vec<D>::Zero(), length);
  joint.kind = JointKind::rope;
  joint.restitution = restitution;
  return joint;
}

}  // namespace

// A rope that becomes taut is a contact: momentum is kept, and the balls come back at e of the
// speed at which they went apart.
TEST_CASE_TEMPLATE("a rope between two balls becomes taut by its restitution", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const NamedLaw& named : laws) {
    for (const double e : {1.0, 0.4, 0.0}) {
      constexpr double r = 0.05, length = 0.5;
      Scene<D> scene = scene_of<D>(
          h, {}, {ball<D>(r, at<D>(0, 0)), ball<D>(2 * r, at<D>(length, 0), at<D>(1, 0))});
      scene.gravity.setZero();
      scene.solver.tolerance = 1e-9;
      scene.impact_law = named.law;
      scene.bodies[0].mass = 1;
      scene.bodies[1].mass = 3;
      scene.joints = {rope<D>(0, 1, length, e)};
      const std::vector<double> v = speeds_after_a_step<D>(scene);
      CAPTURE(named.name);
      CAPTURE(e);
      compare("ball pulled by a rope [m/s]", v[0], 0.75 * (1 + e), 1e-8);
      compare("ball that pulls it [m/s]", v[1], 1 - 0.25 * (1 + e), 1e-8);
    }
  }
}

// Ball A strikes B, which a taut rope ties to C, aslant behind it at the angle φ. Both are contacts
// of one impact: W = [2, −cos φ; −cos φ, 2]/m, and laws that share alike give P = (1+e) W⁻¹ (v, 0).
TEST_CASE_TEMPLATE("a taut rope takes part in the impact of the ball it holds", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double r = 0.05, length = 0.5, phi = 60 * degree;
  for (const NamedLaw& named : laws) {
    for (const double e : {1.0, 0.5}) {
      const Vec<D> behind = at<D>(-std::cos(phi), std::sin(phi)), B = at<D>(2 * r, 0);
      Scene<D> scene = scene_of<D>(
          h, {.restitution = e},
          {ball<D>(r, at<D>(0, 0), at<D>(1, 0)), ball<D>(r, B), ball<D>(r, B + length * behind)});
      for (BodyDescription<D>& body : scene.bodies) body.mass = 2;
      scene.gravity.setZero();
      scene.solver.tolerance = 1e-10;
      scene.impact_law = named.law;
      scene.joints = {rope<D>(1, 2, length, e)};
      World<D> world(scene);
      Certificate certificate;
      run(
          world, 1, [&](const Certificate& c) { certificate = c; }, 1e-7);
      CAPTURE(named.name);
      CAPTURE(e);
      CHECK(certificate.impacts == 1);
      CHECK(certificate.impact_contacts == 2);
      CHECK(certificate.impact_inadmissible == 0);
      const std::vector<Vec<D>>& v = world.bodies().velocity;
      CHECK((v[0] + v[1] + v[2] - at<D>(1, 0)).norm() <= 1e-13);
      double squares = 0;
      for (const Vec<D>& v_i : v) squares += v_i.squaredNorm();
      if (e == 1) compare("energy left by an elastic impact with a rope", squares, 1, 1e-8);
      if (std::string(named.name) == "lzb") {
        CHECK(v[2].dot(-behind) > 0.1);  // but springs share in their own way
        continue;
      }
      const double p = (1 + e) / (4 - std::cos(phi) * std::cos(phi));  // P over m
      CHECK((v[0] - (1 - 2 * p) * at<D>(1, 0)).norm() <= 1e-8);
      // The rope goes on to turn for the rest of the step, and its pull with it: h v²/L.
      CHECK((v[2] + std::cos(phi) * p * behind).norm() <= h / length);
    }
  }
}

TEST_CASE_TEMPLATE("a bar leaves the stop of its pivot with e of its spin", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double length = 0.8;
  for (const NamedLaw& named : laws) {
    for (const double e : {1.0, 0.3, 0.0}) {
      BodyDescription<D> bar = block<D>(sides<D>(0.1, length, 0.1), at<D>(0, -length / 2));
      bar.spin = 2 * turning<D>();
      bar.velocity = at<D>(2 * length / 2, 0);
      Scene<D> scene = scene_of<D>(h, {}, {bar});
      scene.gravity.setZero();
      scene.solver.tolerance = 1e-9;
      scene.impact_law = named.law;
      scene.joints = {pivot<D>(-1, 0, Vec<D>::Zero(), at<D>(0, length / 2))};
      scene.joints[0].limits = JointLimits{-1, 0, e};
      World<D> world(scene);
      Certificate certificate;
      run(
          world, 1, [&](const Certificate& c) { certificate = c; }, 1e-7);
      CAPTURE(named.name);
      CAPTURE(e);
      CHECK(certificate.impacts == 1);
      CHECK(certificate.impact_inadmissible == 0);
      compare("spin of a bar that met its stop [rad/s]", world.bodies().spin[0].dot(turning<D>()),
              -2 * e, 1e-6);
    }
  }
}
