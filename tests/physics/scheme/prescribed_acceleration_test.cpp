// SPDX-License-Identifier: Apache-2.0
// Forces of a configuration whose constraints depend on time or are curved [BBB16, §2.1, (8),
// (10)], against forces computed by hand.
#include <numbers>
#include <random>

#include "engine/outlook/active_constraints.hpp"
#include "solvers/analysis/well_posedness.hpp"
#include "tests/physics/joint_scenes.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double tau = 2 * pi;

template <int D>
struct Analysed {
  ActiveConstraints<D> active;
  WellPosedness report;

  const ModeSolution& only() const {
    REQUIRE(report.modes);
    REQUIRE(report.modes->complete);
    REQUIRE(report.modes->solutions.size() == 1);
    return report.modes->solutions.front();
  }
  // The only constraint of a kind: force and mode.
  double force(typename ActiveConstraint<D>::Kind kind) const {
    REQUIRE(active.unilateral.size() == 1);
    REQUIRE(active.unilateral[0].kind == kind);
    return only().normal_u[0];
  }
};

template <int D>
Analysed<D> analysed(const World<D>& world) {
  Analysed<D> result{active_constraints<D>(world.scene(), world.bodies(), world.time()), {}};
  result.report = well_posedness(result.active.system);
  return result;
}

template <int D>
Analysed<D> analysed(const Scene<D>& scene) {
  return analysed(World<D>(scene));
}

// A ball of 1 kg on a floor that a drive moves.
template <int D>
Scene<D> ball_on_floor(double mu, Drive<D> drive, const Vec<D>& velocity = Vec<D>::Zero()) {
  Scene<D> scene =
      scene_of<D>(1e-4, {.friction = mu}, {ground<D>(), ball<D>(0.1, at<D>(0, 0.1), velocity)});
  scene.bodies[0].fixed = false;
  scene.bodies[0].drives = {std::move(drive)};
  scene.bodies[1].mass = 1;
  return scene;
}

template <int D>
Scene<D> block_on_table(double mu, Signal velocity) {
  Scene<D> scene = scene_of<D>(1e-4, {.friction = mu},
                               {ground<D>(), block<D>(sides<D>(0.4, 0.1, 0.4), at<D>(0, 0.05))});
  scene.bodies[0].fixed = false;
  scene.bodies[0].drives = {
      drive_along<D>(Drive<D>::Kind::velocity, along<D>(), std::move(velocity))};
  return scene;
}

// A puck of 1 kg in a slot along an arm in the plane, without gravity; the arm turns at `spin`.
Scene<2> puck_on_arm(double spin, double r, double along_arm) {
  Scene<2> scene = scene_of<2>(
      1e-4, {}, {block<2>({0.2, 0.02}, {0, 0}), ball<2>(0.1, {r, 0}, {along_arm, spin * r})});
  scene.gravity.setZero();
  scene.bodies[0].drives = {{Drive<2>::Kind::spin, Vec<2>::Zero(), Spin<2>(1.0), Constant{spin}}};
  scene.bodies[1].mass = 1;
  scene.bodies[1].spin[0] = spin;
  Joint<2> guide;
  guide.kind = JointKind::slider;
  guide.a = 0;
  guide.b = 1;
  guide.anchor_a = {r, 0};
  guide.axis = {1, 0};
  scene.joints = {guide};
  return scene;
}

}  // namespace

TEST_CASE_TEMPLATE("a floor that accelerates carries m (g + a), or lets go", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  using Kind = typename ActiveConstraint<D>::Kind;
  // Height a (1 + sin(2πft − π/2)): acceleration a (2πf)² at the start.
  for (const auto& [amplitude, frequency] : {std::pair{0.1, 1.0}, {0.02, 3.0}, {0.3, 0.5}}) {
    const Sinusoid height{amplitude, frequency, -pi / 2, amplitude};
    const Analysed<D> lifted =
        analysed(ball_on_floor<D>(0.3, drive_along<D>(Drive<D>::Kind::position, up<D>(), height)));
    const double a = amplitude * (tau * frequency) * (tau * frequency);
    CHECK(lifted.force(Kind::contact) == doctest::Approx(g + a).epsilon(1e-9));
    // The same by a drive of its velocity, a (2πf) sin(2πft).
    const Sinusoid speed{amplitude * tau * frequency, frequency, 0, 0};
    const Analysed<D> driven =
        analysed(ball_on_floor<D>(0.3, drive_along<D>(Drive<D>::Kind::velocity, up<D>(), speed)));
    CHECK(driven.force(Kind::contact) == doctest::Approx(g + a).epsilon(1e-9));
  }
  // The numbers of an independent hand computation.
  const Sinusoid rising{0.1, 1, -pi / 2, 0.1}, falling{0.5, 1, pi / 2, -0.5};
  const auto at_start = [](Signal signal) {
    return analysed(ball_on_floor<D>(
        0.3, drive_along<D>(Drive<D>::Kind::position, up<D>(), std::move(signal))));
  };
  CHECK(at_start(rising).force(Kind::contact) == doctest::Approx(13.757842).epsilon(1e-7));
  CHECK(at_start(falling).only().unilateral[0] == ContactMode::detach);
}

TEST_CASE_TEMPLATE("along a run, the force on a lift is the one that the run finds", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const Sinusoid height{0.05, 1, -pi / 2, 0.05};
  World<D> world(ball_on_floor<D>(0, drive_along<D>(Drive<D>::Kind::position, up<D>(), height)));
  for (int k = 1; k <= 4; ++k) {
    for (int step = 0; step < 1000; ++step) world.step();
    const double force = percussion_between<D>(world, 0, 1).dot(up<D>()) / world.scene().h;
    const double a = 0.05 * tau * tau * std::cos(tau * world.time());
    const Analysed<D> now = analysed(world);
    CHECK(now.force(ActiveConstraint<D>::Kind::contact) == doctest::Approx(g + a).epsilon(1e-6));
    CHECK(force == doctest::Approx(g + a).epsilon(1e-3));  // of a step, to first order
  }
}

TEST_CASE_TEMPLATE("a block on a driven table sticks exactly while |a| < mu g", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const double mu = 0.4;
  for (const double part : {0.0, 0.5, 0.999999, 1.000001, 1.5, -0.999999, -1.000001, -3.0}) {
    const double a = part * mu * g, frequency = 2;
    const Analysed<D> table =
        analysed(block_on_table<D>(mu, Sinusoid{a / (tau * frequency), frequency, 0, 0}));
    REQUIRE(table.report.modes);
    REQUIRE(!table.report.modes->solutions.empty());
    for (const ModeSolution& solution : table.report.modes->solutions) {
      const bool sticks = std::all_of(solution.unilateral.begin(), solution.unilateral.end(),
                                      [](ContactMode mode) { return mode == ContactMode::stick; });
      CHECK(sticks == (std::abs(part) < 1));
    }
    CHECK(one_acceleration(*table.report.modes));
    // A table, too, whose slope is the acceleration.
    const Analysed<D> ramp = analysed(block_on_table<D>(mu, Table{{0, 1}, {0, a}}));
    const bool sticks = ramp.report.modes->solutions.front().unilateral[0] == ContactMode::stick;
    CHECK(sticks == (std::abs(part) < 1));
  }
}

TEST_CASE("a stop on a turning arm pushes m r omega^2 inwards") {
  using Kind = ActiveConstraint<2>::Kind;
  for (const double spin : {3.0, -3.0, 7.0})
    for (const double r : {0.9, 0.4}) {
      Scene<2> scene = puck_on_arm(spin, r, 0);
      scene.joints[0].limits = JointLimits{-1, 0};
      CHECK(analysed(scene).force(Kind::stop) == doctest::Approx(r * spin * spin).epsilon(1e-7));
    }
  Scene<2> numbers = puck_on_arm(3, 0.9, 0);
  numbers.joints[0].limits = JointLimits{-1, 0};
  CHECK(analysed(numbers).force(Kind::stop) == doctest::Approx(8.1).epsilon(1e-7));
  // The lower stop pulls nothing: the puck leaves it.
  Scene<2> lower = puck_on_arm(3, 0.9, 0);
  lower.joints[0].limits = JointLimits{0, 1};
  CHECK(analysed(lower).only().unilateral[0] == ContactMode::detach);
}

TEST_CASE("a motor gives the torque of its change of speed") {
  Scene<2> scene = scene_of<2>(1e-4, {}, {ball<2>(0.1, {0, 0})});
  scene.bodies[0].mass = 1;
  scene.bodies[0].inertia = SpinMat<2>(0.5);
  scene.joints = {pivot<2>(-1, 0, Vec<2>::Zero(), Vec<2>::Zero())};
  scene.joints[0].motor = JointMotor{Table{{0, 1}, {0, 10}}, 100};
  const Analysed<2> wheel = analysed(scene);
  REQUIRE(wheel.active.bilateral.size() == 3);  // pin and motor
  CHECK(wheel.only().normal_b[2] == doctest::Approx(5).epsilon(1e-12));

  // Along a turning arm: the guide m (r̈ − r ω²) and the side force 2 m ω ṙ of Coriolis.
  const double spin = 2, r = 0.7, speed = 0.3, acceleration = 5;
  Scene<2> arm = puck_on_arm(spin, r, speed);
  arm.joints[0].motor = JointMotor{Table{{-1, 1}, {speed - acceleration, speed + acceleration}}};
  const Analysed<2> puck = analysed(arm);
  REQUIRE(puck.active.bilateral.size() == 3);  // side, rotation, motor
  CHECK(puck.only().normal_b[0] == doctest::Approx(2 * spin * speed).epsilon(1e-6));
  CHECK(puck.only().normal_b[2] == doctest::Approx(acceleration - r * spin * spin).epsilon(1e-6));
}

TEST_CASE("a hinge whose motor turns a flywheel on a turning arm needs the gyroscopic torque too") {
  // The arm turns about z at Ω, the wheel about its axle x' at s: the bearing has I s Ω across,
  // the motor nothing while its rate is constant.
  Scene<3> scene =
      scene_of<3>(1e-4, {}, {block<3>({0.2, 0.02, 0.02}, {0, 0, 0}), ball<3>(0.1, {0.5, 0, 0})});
  scene.gravity.setZero();
  const double turn = 2, s = 30, I = 0.02;
  scene.bodies[0].drives = {
      {Drive<3>::Kind::spin, Vec<3>::Zero(), Spin<3>(0, 0, 1), Constant{turn}}};
  scene.bodies[1].mass = 1;
  scene.bodies[1].inertia = SpinMat<3>(SpinMat<3>::Identity() * I);
  scene.bodies[1].velocity = {0, 0.5 * turn, 0};
  scene.bodies[1].spin = {s, 0, turn};
  Joint<3> axle;
  axle.kind = JointKind::hinge;
  axle.a = 0;
  axle.b = 1;
  axle.anchor_a = {0.5, 0, 0};
  axle.axis = {1, 0, 0};
  axle.motor = JointMotor{Table{{-1, 1}, {s - 8, s + 8}}};
  scene.joints = {axle};
  const Analysed<3> wheel = analysed(scene);
  REQUIRE(wheel.active.bilateral.size() == 6);
  const Eigen::VectorXd& force = wheel.only().normal_b;
  CHECK(force[0] == doctest::Approx(-0.5 * turn * turn).epsilon(1e-6));  // holds it on its circle
  CHECK(force[5] == doctest::Approx(I * 8).epsilon(1e-6));               // the motor
  // ω̇ = s ω × x' = s Ω y', so that the bearing gives I s Ω, at the arm of the joint's size.
  const double bearing = std::hypot(force[3], force[4]) * 0.1;
  CHECK(bearing == doctest::Approx(I * s * turn).epsilon(1e-6));
}

// A ball that rolls on a turntable: u = v − ω × R n − Ω × x = 0 holds at a point that moves with
// the ball, which makes the ball accelerate by 2/7 Ω × v, whatever it spins about the vertical.
TEST_CASE("a ball rolling on a turntable accelerates by 2/7 of the turn of its velocity") {
  const double turn = 1.5, R = 0.1;
  for (const double drill : {0.0, 4.0}) {
    const Vec<3> x(0.6, 0.2, R), v(0.5, -0.3, 0), Omega(0, 0, turn);
    // ω × (−R z) = Ω × x − v, so that ω = z × (…)(−1/R) and any part along z.
    const Vec<3> slip = Omega.cross(Vec<3>(x[0], x[1], 0)) - v;
    const Vec<3> omega = Vec<3>(slip[1], -slip[0], 0) / R + drill * Vec<3>::UnitZ();
    REQUIRE((omega.cross(Vec<3>(-R * Vec<3>::UnitZ())) - slip).norm() < 1e-14);
    Scene<3> scene = scene_of<3>(1e-4, {.friction = 0.5}, {ground<3>(), ball<3>(R, x, v)});
    scene.bodies[0].fixed = false;
    scene.bodies[0].drives = {
        {Drive<3>::Kind::spin, Vec<3>::Zero(), Spin<3>(0, 0, 1), Constant{turn}}};
    scene.bodies[1].spin = omega;
    scene.bodies[1].mass = 1;
    const Analysed<3> table = analysed(scene);
    REQUIRE(table.active.unilateral.size() == 1);
    const ModeSolution& roll = table.only();
    CHECK(roll.unilateral[0] == ContactMode::stick);
    CHECK(roll.normal_u[0] == doctest::Approx(g).epsilon(1e-7));
    // Friction is all that accelerates it: m 2/7 ‖Ω × v‖.
    CHECK(roll.tangent_u.norm() == doctest::Approx(2.0 / 7 * turn * v.norm()).epsilon(1e-6));
  }
}

// A ball of 1 kg slides at v over a fixed ball, at the angle φ from its top: N = g cos φ − v²/(R +
// r), and it leaves where that is negative.
TEST_CASE_TEMPLATE("a ball that slides over a ball presses with m (g cos - v^2/(R + r)), or leaves",
                   Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double R = 1, r = 0.1;
  for (const double phi : {0.0, 0.3, pi / 6, 1.0, -0.7}) {
    for (const double v : {0.0, 0.5, 2.0, 3.0, 3.3, 5.0}) {
      const Vec<D> n = at<D>(std::sin(phi), std::cos(phi)),
                   t = at<D>(std::cos(phi), -std::sin(phi));
      Scene<D> scene =
          scene_of<D>(1e-4, {}, {ball<D>(R, Vec<D>::Zero()), ball<D>(r, (R + r) * n, v * t)});
      scene.bodies[0].fixed = true;
      scene.bodies[1].mass = 1;
      const double expected = g * std::cos(phi) - v * v / (R + r);
      const Analysed<D> bead = analysed(scene);
      const double force = bead.force(ActiveConstraint<D>::Kind::contact);
      CHECK(force == doctest::Approx(std::max(0.0, expected)).epsilon(1e-6).scale(g));
      CHECK((bead.only().unilateral[0] == ContactMode::detach) == (expected < 0));
    }
  }
  const Vec<D> n = at<D>(0.5, std::sqrt(0.75)), t = at<D>(std::sqrt(0.75), -0.5);
  Scene<D> numbers =
      scene_of<D>(1e-4, {}, {ball<D>(R, Vec<D>::Zero()), ball<D>(r, (R + r) * n, 2 * t)});
  numbers.bodies[0].fixed = true;
  numbers.bodies[1].mass = 1;
  CHECK(analysed(numbers).force(ActiveConstraint<D>::Kind::contact) ==
        doctest::Approx(4.85935).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("a rod below a point that is lifted bears m (g + a)", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  Scene<D> scene = scene_of<D>(1e-4, {}, {ball<D>(0.05, at<D>(0, 2)), ball<D>(0.1, at<D>(0, 1))});
  scene.bodies[0].drives = {
      drive_along<D>(Drive<D>::Kind::velocity, up<D>(), Table{{0, 1}, {0, 3.5}})};
  scene.bodies[1].mass = 2;
  scene.joints = {span_joint<D>(JointKind::distance, 0, 1, Vec<D>::Zero(), 1)};
  const Analysed<D> rod = analysed(scene);
  REQUIRE(rod.active.bilateral.size() == 1);
  CHECK(rod.only().normal_b[0] == doctest::Approx(-2 * (g + 3.5)).epsilon(1e-9));
}

// Curvature terms are differences in time. What is fast elsewhere, a velocity that all have, or a
// place far from the origin must not spoil them.
TEST_CASE_TEMPLATE("what moves far away, together, or far out leaves the force on a bead as it is",
                   Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double expected = 4.859345;  // g cos 30° − 2²/1.1
  const auto force = [&](const Vec<D>& place, const Vec<D>& common, double bullet) {
    const Vec<D> n = at<D>(0.5, std::sqrt(0.75)), t = at<D>(std::sqrt(0.75), -0.5);
    Scene<D> scene = scene_of<D>(1e-4, {},
                                 {ball<D>(1, place), ball<D>(0.1, place + 1.1 * n, common + 2 * t),
                                  ball<D>(0.01, at<D>(-50, 7), bullet * along<D>())});
    scene.bodies[0].drives = {
        drive_along<D>(Drive<D>::Kind::velocity, along<D>(), Constant{common.dot(along<D>())})};
    scene.bodies[0].velocity = common;
    scene.bodies[1].mass = 1;
    return analysed(scene).force(ActiveConstraint<D>::Kind::contact);
  };
  const Vec<D> none = Vec<D>::Zero();
  CHECK(force(none, none, 3000) == doctest::Approx(expected).epsilon(1e-6));
  CHECK(force(none, 500 * along<D>(), 0) == doctest::Approx(expected).epsilon(1e-6));
  CHECK(force(at<D>(300, -200), none, 0) == doctest::Approx(expected).epsilon(1e-5));

  Scene<2> stop = puck_on_arm(3, 0.9, 0);
  stop.joints[0].limits = JointLimits{-1, 0};
  stop.bodies.push_back(ball<2>(0.01, {-50, 7}, {3000, 0}));
  CHECK(analysed(stop).force(ActiveConstraint<2>::Kind::stop) ==
        doctest::Approx(8.1).epsilon(1e-7));
}

// Without gravity rounding of positions is the largest acceleration there is. A block that slides
// on a floor needs no force, and opens nowhere.
TEST_CASE_TEMPLATE("rounding is no curvature: what moves straight on a floor stays there", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double tilt : {0.0, 0.3, 1.1}) {
    const Vec<D> n = at<D>(-std::sin(tilt), std::cos(tilt)),
                 t = at<D>(std::cos(tilt), std::sin(tilt));
    Scene<D> scene =
        scene_of<D>(1e-4, {.friction = 0.3},
                    {ground<D>(), block<D>(sides<D>(0.3, 1, 0.2), 0.7 * t + 0.5 * n, tilt)});
    scene.gravity.setZero();
    scene.bodies[0].shapes = {HalfSpace<D>{n, 0}};
    scene.bodies[1].velocity = 1.7 * t;
    const Analysed<D> block = analysed(scene);
    REQUIRE(block.active.unilateral.size() == (D == 2 ? 2 : 4));
    CHECK(block.active.system.unilateral.w_normal.cwiseAbs().maxCoeff() == 0);
    REQUIRE(block.report.modes);
    REQUIRE(block.report.modes->solutions.size() == 1);
    const ModeSolution& motion = block.report.modes->solutions.front();
    CHECK(motion.normal_u.cwiseAbs().maxCoeff() == 0);
    for (const ContactMode mode : motion.unilateral) CHECK(mode == ContactMode::slide);
  }
}

// The normal of a floor that turns at Ω about the foot of a ball at rest comes round with −Ω² r: it
// carries m (g + Ω² r).
TEST_CASE_TEMPLATE("a floor that turns below a ball carries its weight and m r omega^2", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const double spin : {3.0, -3.0, 10.0}) {
    Drive<D> drive;
    drive.kind = Drive<D>::Kind::spin;
    drive.axis = turning<D>();
    drive.signal = Constant{spin};
    const Analysed<D> floor = analysed(ball_on_floor<D>(0, drive));
    CHECK(floor.force(ActiveConstraint<D>::Kind::contact) ==
          doctest::Approx(g + 0.1 * spin * spin).epsilon(1e-6));
  }
}

// A ball that rolls and slides on a half-space, a ball or a box which accelerates and turns ever
// faster: the forces of the analysis against those of the steps of a run.
TEST_CASE_TEMPLATE("forces of contacts between moving bodies are those that a run finds", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double r = 0.1, h = 1e-5;
  std::mt19937 random(60);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int pressing = 0, apart = 0, sticking = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const int kind = trial % 3;
    const double top = kind == 1 ? 1.0 : 0.4, x = kind == 1 ? 0.0 : 0.5 * uniform(random);
    BodyDescription<D> base;
    if (kind == 0) base.shapes = {HalfSpace<D>{up<D>(), top}};
    if (kind == 1) base.shapes = {Ball<D>{top}};
    if (kind == 2) base.shapes = {box<D>(sides<D>(3, 2 * top, 3))};
    const auto ramp = [](double now, double rate) -> Signal {
      return Table{{-1, 1}, {now - rate, now + rate}};
    };
    const double v = 2 * uniform(random), omega = 2 * uniform(random);
    Drive<D> turn;
    turn.kind = Drive<D>::Kind::spin;
    turn.axis = turning<D>();
    turn.signal = ramp(omega, 5 * uniform(random));
    base.drives = {
        drive_along<D>(Drive<D>::Kind::velocity, along<D>(), ramp(v, 5 * uniform(random))), turn};
    base.velocity = v * along<D>();
    base.spin = omega * turning<D>();
    const bool rolls = trial % 2 == 0;
    const double ball_spin = 5 * uniform(random);
    // The surface moves at v − Ω top, and rises at Ω x.
    const double speed = rolls ? v - omega * top - r * ball_spin : v + 5 * uniform(random);
    BodyDescription<D> rider = ball<D>(r, at<D>(x, top + r), at<D>(speed, omega * x));
    rider.mass = 1;
    rider.spin = ball_spin * turning<D>();
    World<D> world(scene_of<D>(h, {.friction = 0.3}, {base, rider}));
    // Steps round the gap by turns: their mean is the force.
    constexpr int half = 20;
    Vec<D> force = Vec<D>::Zero();
    const auto steps = [&](int count) {
      for (int step = 0; step < count; ++step) {
        REQUIRE(world.step().converged);
        force += percussion_between<D>(world, 0, 1) / (2 * half * h);
      }
    };
    steps(half);
    force.setZero();
    steps(half);
    const Analysed<D> now = analysed(world);
    REQUIRE(now.active.unilateral.size() <= 1);
    const Vec<D> n = now.active.unilateral.empty() ? up<D>() : now.active.unilateral[0].direction;
    const ModeSolution* const found = now.active.unilateral.empty() ? nullptr : &now.only();
    steps(half);
    // A slip or a contact that ends within these steps has two forces.
    const double slip = found == nullptr ? 0 : now.active.unilateral[0].slip;
    const double expected = found == nullptr ? 0 : found->normal_u[0];
    if ((slip > 1e-6 && slip < 0.05) || (expected > 0 && expected < 0.1)) continue;
    const double normal = force.dot(n), friction = (force - normal * n).norm();
    INFO("trial ", trial);
    CHECK(normal == doctest::Approx(expected).epsilon(2e-3).scale(g));
    if (expected > 0.1 && slip > 0.05) {
      ++pressing;
      CHECK(friction == doctest::Approx(0.3 * expected).epsilon(2e-3).scale(g));
    } else if (expected > 0.1) {
      ++sticking;
      CHECK(friction == doctest::Approx(found->tangent_u.norm()).epsilon(5e-3).scale(g));
    } else {
      ++apart;
    }
  }
  CHECK(pressing > 200);
  CHECK(sticking > 100);
  CHECK(apart > 5);
}
