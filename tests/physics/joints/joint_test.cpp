// SPDX-License-Identifier: Apache-2.0
// Joints against closed forms of mechanics, and against each other.
#include "tests/physics/joint_scenes.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// 4 √(I/(m g d)) K(sin(θ₀/2)), the complete elliptic integral by the arithmetic-geometric mean.
double pendulum_period(double inertia, double m, double d, double amplitude) {
  double x = 1, y = std::cos(amplitude / 2);
  for (int i = 0; i < 10; ++i) {
    const double mean = (x + y) / 2;
    y = std::sqrt(x * y);
    x = mean;
  }
  return 2 * pi * std::sqrt(inertia / (m * g * d)) / x;
}

template <int D>
double measured_period(double h, double amplitude, double& energy_change, double& taken,
                       double& drift) {
  World<D> world(pendulum<D>(h, amplitude));
  const double start = world.kinetic_energy() + world.potential_energy();
  const double scale = 2 * g * L;
  double crossing = 0, period = 0, last = angle_of(world, 0);
  int crossings = 0;
  energy_change = taken = drift = 0;
  while (crossings < 4) {
    const Certificate step = world.step();
    taken -= step.joint_work;
    energy_change =
        std::max(energy_change, std::abs(step.kinetic + step.potential - start) / scale);
    drift = std::max(drift, step.joint_drift);
    const double now = angle_of(world, 0);
    if (last > 0 && now <= 0) {  // falling through the vertical, by linear interpolation
      const double t = step.time - h * now / (now - last);
      if (crossings > 0) period = (t - crossing) / crossings;
      if (crossings == 0) crossing = t;
      ++crossings;
    }
    last = now;
  }
  return period;
}

}  // namespace

TEST_CASE_TEMPLATE("a pendulum swings with the period of the elliptic integral", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const World<D> world(pendulum<D>(1e-3, 0));
  const double inertia = moment_of_inertia<D>(world, 0) + 2 * L * L / 4;
  for (const double amplitude : {0.2, 1.0, 2.5}) {
    const double exact = pendulum_period(inertia, 2, L / 2, amplitude);
    // The scheme is of second order, e = A h²; putting velocities back on the joint at the end of a
    // step takes ½ m u² of what they are off, u = O(h²), and thereby B h³ over all steps. Three
    // steps give A twice, by (8 e(h/2) − e(h))/h².
    double energy[3], e[3], taken[3], drift = 0;
    for (int k = 0; k < 3; ++k)
      e[k] = measured_period<D>(4e-3 / (1 << k), amplitude, energy[k], taken[k], drift) - exact;
    const double coarse = 8 * e[1] - e[0], fine = 4 * (8 * e[2] - e[1]);
    CHECK(coarse == doctest::Approx(fine).epsilon(0.02));
    for (const int k : {0, 1}) {
      CHECK(taken[k] > 0);
      CHECK(taken[k] / taken[k + 1] == doctest::Approx(8).epsilon(0.05));  // B h³
    }
    CHECK(std::abs(e[1]) < 2e-5 * exact);
    CHECK(energy[1] >= 3.5 * energy[2]);
    bound("pendulum, relative change of energy", energy[2], 2e-6);
    bound("pendulum, drift of the pin [m]", drift, 1e-10);
  }
}

// VALIDATION A22: a rod of 1 m pinned at one end.
TEST_CASE("a pinned rod has the periods of the books, and neither drifts nor gains in a minute") {
  const std::vector<std::pair<double, double>> table = {
      {10, 1.641070}, {90, 1.933335}, {150, 2.886396}};
  for (const auto& [amplitude, period] : table) {
    BodyDescription<2> rod = block<2>({0.001, 1}, Vec<2>::Zero(), amplitude * degree);
    rod.position = -(rotation_matrix<2>(rod.orientation) * Vec<2>(0, 0.5));
    rod.mass = 1;
    rod.inertia = SpinMat<2>(1.0 / 12);
    Scene<2> scene = scene_of<2>(1e-3, {}, {rod});
    scene.joints = {pivot<2>(-1, 0, Vec<2>::Zero(), {0, 0.5})};
    World<2> world(scene);
    const double start = world.potential_energy();
    double last = amplitude, first_crossing = 0, last_crossing = 0, energy = 0;
    int crossings = 0;
    for (int k = 0; k < 60000; ++k) {
      const Certificate step = world.step();
      energy = std::max(energy, std::abs(step.kinetic + step.potential - start));
      const double now = angle_of(world, 0);
      if (last > 0 && now <= 0) {
        last_crossing = step.time - 1e-3 * now / (now - last);
        if (crossings++ == 0) first_crossing = last_crossing;
      }
      last = now;
    }
    CHECK((last_crossing - first_crossing) / (crossings - 1) ==
          doctest::Approx(period).epsilon(1e-4));
    const Vec<2> pin = world.bodies().position[0] +
                       rotation_matrix<2>(world.bodies().orientation[0]) * Vec<2>(0, 0.5);
    bound("pinned rod, drift of the pin after 60 s [m]", pin.norm(), 1e-8);
    bound("pinned rod, change of energy over 60 s", energy / g, 1e-4);
  }
}

TEST_CASE_TEMPLATE("a pendulum at rest pulls its pin by its weight", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  World<D> world(pendulum<D>(1e-3, 0));
  run(world, 100);
  const JointReaction<D>& pin = world.joint_reactions()[0];
  CHECK((pin.percussion / 1e-3 - 2 * g * up<D>()).norm() < 1e-9);
  CHECK(pin.moment.norm() < 1e-12);
  CHECK(world.bodies().velocity[0].norm() < 1e-12);
}

// A cantilever: the weld carries the weight and its moment about the weld, m g d.
TEST_CASE_TEMPLATE("a fixed joint carries a cantilever", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-3, arm = 0.5;
  Scene<D> scene = scene_of<D>(h, {}, {block<D>(sides<D>(2 * arm, 0.1, 0.1), at<D>(arm, 0))});
  Joint<D> weld;
  weld.kind = JointKind::fixed;
  weld.b = 0;
  weld.anchor_b = at<D>(-arm, 0);
  scene.joints = {weld};
  World<D> world(scene);
  run(world, 100);
  const double weight = world.bodies().mass[0] * g;
  const JointReaction<D>& reaction = world.joint_reactions()[0];
  CHECK((reaction.percussion / h - weight * up<D>()).norm() < 1e-9 * weight);
  CHECK((reaction.moment / h - weight * arm * turning<D>()).norm() < 1e-9 * weight);
  CHECK(fastest(world.bodies()) < 1e-12);
}

// A weight G at an arm r from a joint that lets it move along or about an axis across G, if at all:
// the joint carries −G and −r × G, whichever way they point.
TEST_CASE_TEMPLATE("joints carry a weight out of their middle from every side", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-3;
  Vec<D> axis, across_1, across_2;
  if constexpr (D == 2) {
    axis = {0.6, 0.8};
    across_1 = across_2 = {-0.8, 0.6};
  } else {
    axis = Vec<3>(1, 2, 2) / 3;
    across_1 = Vec<3>(2, 1, -2) / 3;
    across_2 = Vec<3>(-2, 2, -1) / 3;
  }
  std::vector<JointKind> kinds = {JointKind::fixed, JointKind::slider};
  if (D == 3) kinds.insert(kinds.end(), {JointKind::hinge, JointKind::cylindrical});
  for (const JointKind kind : kinds) {
    for (const Vec<D>& down : {across_1, across_2}) {
      Vec<D> arm = 0.5 * axis;  // where the joint can turn, no moment turns it
      if (kind == JointKind::fixed || kind == JointKind::slider)
        arm += 0.3 * across_1 - 0.2 * across_2;
      Scene<D> scene = scene_of<D>(h, {}, {block<D>(sides<D>(0.2, 0.3, 0.1), arm)});
      scene.gravity = g * down;
      Joint<D> joint;
      joint.kind = kind;
      joint.b = 0;
      joint.anchor_b = -arm;
      if (kind != JointKind::fixed) joint.axis = axis;
      scene.joints = {joint};
      World<D> world(scene);
      run(world, 100);
      const Vec<D> weight = world.bodies().mass[0] * scene.gravity;
      const JointReaction<D>& reaction = world.joint_reactions()[0];
      INFO("kind ", static_cast<int>(kind));
      CHECK((reaction.percussion / h + weight).norm() < 1e-9 * weight.norm());
      CHECK((reaction.moment / h + moment<D>(arm, weight)).norm() < 1e-9 * weight.norm());
      CHECK((world.bodies().position[0] - arm).norm() < 1e-12);
      CHECK(fastest(world.bodies()) < 1e-11);
    }
  }
}

// A bead on a bar that turns freely about its middle: nothing but the bearing of the bar acts on
// both, so that the angular momentum about it stays, and with it the energy,
//     (I + m r²) ω = const.,   ½ m ṙ² + ½ (I + m r²) ω² = const.
// A step keeps the momentum, and what puts the bead back on the bar moves it by O(h³).
TEST_CASE_TEMPLATE("a bead flies out on a turning bar by its momentum and energy", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  constexpr double omega = 3, start = 0.1;
  std::vector<JointKind> kinds = {JointKind::slider, JointKind::slot};
  if (D == 3) kinds.push_back(JointKind::cylindrical);
  for (const JointKind kind : kinds) {
    INFO("kind ", static_cast<int>(kind));
    double momentum_change[2] = {0, 0}, energy_change[2] = {0, 0}, off = 0;
    for (const int halved : {0, 1}) {
      Scene<D> scene = scene_of<D>(1e-3 / (1 + halved), {},
                                   {block<D>(sides<D>(2, 0.05, 0.05), Vec<D>::Zero()),
                                    block<D>(sides<D>(0.2, 0.3, 0.2), at<D>(start, 0))});
      scene.gravity.setZero();
      Joint<D> guide;
      guide.kind = kind;
      guide.a = 0;
      guide.b = 1;
      guide.axis = along<D>();
      scene.joints = {pivot<D>(-1, 0, Vec<D>::Zero(), Vec<D>::Zero()), guide};
      for (BodyDescription<D>& body : scene.bodies) body.spin = omega * turning<D>();
      scene.bodies[1].velocity = omega * start * up<D>();
      World<D> world(scene);
      const Bodies<D>& bodies = world.bodies();
      const auto momentum = [&] {
        double sum = 0;
        for (const std::size_t i : {0, 1})
          sum +=
              moment_of_inertia<D>(world, static_cast<int>(i)) *
                  spin_of<D>(world, static_cast<int>(i)) +
              bodies.mass[i] * moment<D>(bodies.position[i], bodies.velocity[i]).dot(turning<D>());
        return sum;
      };
      const double momentum_at_start = momentum(), energy_at_start = world.kinetic_energy();
      for (int k = 0; k < 700 * (1 + halved); ++k) {
        const Certificate step = world.step();
        CHECK(step.converged);
        momentum_change[halved] =
            std::max(momentum_change[halved], std::abs(momentum() / momentum_at_start - 1));
        energy_change[halved] =
            std::max(energy_change[halved], std::abs(step.kinetic / energy_at_start - 1));
        const Vec<D> across = rotation_matrix<D>(bodies.orientation[0]) * up<D>();
        off = std::max(off, std::abs(bodies.position[1].dot(across)));
      }
      CHECK(bodies.position[1].norm() > 0.3);
    }
    bound("bead on a bar, relative change of the momentum", momentum_change[0], 1e-7);
    bound("bead on a bar, relative change of the energy", energy_change[0], 1e-8);
    bound("bead on a bar, distance from its axis [m]", off, 1e-10);
    CHECK(momentum_change[0] >= 3.5 * momentum_change[1]);
    CHECK(energy_change[0] >= 3.5 * energy_change[1]);
  }
}

// Along its axis v⁺ = v⁻ + h g sin α, about it the spin stays, and across it m g cos α is carried.
TEST_CASE("on a cylindrical joint a body slides down and spins on") {
  constexpr double h = 1e-3, slope = 30 * degree, spin = 4;
  const Vec<3> axis(std::cos(slope), 0, -std::sin(slope));
  Scene<3> scene = scene_of<3>(h, {}, {block<3>({0.3, 0.2, 0.2}, Vec<3>::Zero(), -slope)});
  Joint<3> sleeve;
  sleeve.kind = JointKind::cylindrical;
  sleeve.b = 0;
  sleeve.axis = axis;
  scene.joints = {sleeve};
  scene.bodies[0].spin = spin * axis;
  World<3> world(scene);
  double worst = 0, off_axis = 0, turned = 0;
  int k = 0;
  run(world, 500, [&](const Certificate&) {
    ++k;
    const Bodies<3>& bodies = world.bodies();
    worst = std::max(worst, (bodies.velocity[0] - k * h * g * std::sin(slope) * axis).norm());
    off_axis = std::max(off_axis, bodies.position[0].cross(axis).norm());
    turned = std::max(turned, (bodies.spin[0] - spin * axis).norm());
  });
  bound("cylindrical joint, deviation of the velocity [m/s]", worst, 1e-9);
  bound("cylindrical joint, deviation of the spin [rad/s]", turned, 1e-9);
  bound("cylindrical joint, distance from its axis [m]", off_axis, 1e-10);
  const double weight = world.bodies().mass[0] * g;
  const Vec<3> across = up<3>() + std::sin(slope) * axis;
  CHECK((world.joint_reactions()[0].percussion / h - weight * across).norm() < 1e-8 * weight);
}

// Trammel: a rod with its ends in two slots at right angles. Its middle stays at half its length
// from where they cross, so that it swings as a pendulum of inertia m l²(1/3 + 1) and arm l.
TEST_CASE_TEMPLATE("a rod in two slots swings as a pendulum", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double l = 0.5, amplitude = 40 * degree;
  const auto middle = at<D>(l * std::sin(amplitude), -l * std::cos(amplitude));
  BodyDescription<D> rod = block<D>(sides<D>(2 * l, 0.01, 0.01), middle, 90 * degree - amplitude);
  rod.mass = 1;
  Scene<D> scene = scene_of<D>(1e-3, {}, {rod});
  const auto slot = [&](const Vec<D>& axis, const Vec<D>& end) {
    Joint<D> joint;
    joint.kind = JointKind::slot;
    joint.b = 0;
    joint.axis = axis;
    joint.anchor_b = end;
    return joint;
  };
  scene.joints = {slot(along<D>(), at<D>(l, 0)), slot(up<D>(), at<D>(-l, 0))};
  World<D> world(scene);
  const double inertia = moment_of_inertia<D>(world, 0) + l * l;
  const double start = world.potential_energy();
  double last = 1, first_crossing = 0, last_crossing = 0, energy = 0, off = 0;
  int crossings = 0;
  for (int k = 0; k < 10000; ++k) {
    const Certificate step = world.step();
    CHECK(step.converged);
    energy = std::max(energy, std::abs(step.kinetic + step.potential - start));
    const double now = world.bodies().position[0].dot(along<D>());
    off = std::max(off, std::abs(world.bodies().position[0].norm() - l));
    if (last > 0 && now <= 0) {
      last_crossing = step.time - 1e-3 * now / (now - last);
      if (crossings++ == 0) first_crossing = last_crossing;
    }
    last = now;
  }
  REQUIRE(crossings > 3);
  CHECK((last_crossing - first_crossing) / (crossings - 1) ==
        doctest::Approx(pendulum_period(inertia, 1, l, amplitude)).epsilon(1e-5));
  bound("trammel, distance of the middle from its circle [m]", off, 1e-9);
  bound("trammel, relative change of energy", energy / (g * l), 1e-5);
}

// Steady precession about the vertical, at an angle θ to it and without spin of its own:
//     (I_t − I_a) ω² cos θ = m g d,   I_t and I_a about the joint, across the rod and along it.
TEST_CASE("a rod on a ball joint precesses steadily") {
  constexpr double theta = 0.6, h = 1e-3;
  BodyDescription<3> rod = hanging_bar<3>(theta);
  const double m = 2;
  Scene<3> scene = scene_of<3>(h, {}, {rod});
  Joint<3> ball_joint;
  ball_joint.kind = JointKind::pin;  // a ball, in space
  ball_joint.b = 0;
  ball_joint.anchor_b = at<3>(0, L / 2);
  scene.joints = {ball_joint};
  const SpinMat<3> inertia = World<3>(scene).bodies().inertia[0];
  const double along_rod = inertia(2, 2), across = inertia(0, 0) + m * L * L / 4;
  CHECK(inertia(0, 0) == doctest::Approx(inertia(1, 1)));
  const double omega = std::sqrt(m * g * L / 2 / ((across - along_rod) * std::cos(theta)));
  scene.bodies[0].spin = omega * up<3>();
  scene.bodies[0].velocity = omega * up<3>().cross(scene.bodies[0].position);
  World<3> world(scene);
  const auto momentum = [&] {  // about the vertical through the joint
    const Bodies<3>& bodies = world.bodies();
    const Vec<3> spin =
        turned_inertia<3>(bodies.orientation[0], bodies.inertia[0]) * bodies.spin[0];
    return spin[2] + m * bodies.position[0].cross(bodies.velocity[0])[2];
  };
  const double start = momentum(), height = world.bodies().position[0][2];
  double changed = 0, nutation = 0, drift = 0, angle = 0;
  Vec<3> last = world.bodies().position[0];
  for (int k = 0; k < 5000; ++k) {
    const Certificate step = world.step();
    CHECK(step.converged);
    const Vec<3> now = world.bodies().position[0];
    angle += std::atan2(last[0] * now[1] - last[1] * now[0], last[0] * now[0] + last[1] * now[1]);
    last = now;
    changed = std::max(changed, std::abs(momentum() - start) / start);
    nutation = std::max(nutation, std::abs(now[2] - height) / L);
    drift = std::max(drift, step.joint_drift);
  }
  CHECK(angle == doctest::Approx(omega * 5).epsilon(1e-5));
  bound("ball joint, change of the momentum about the vertical", changed, 1e-8);
  bound("ball joint, nutation over the length", nutation, 1e-5);
  bound("ball joint, drift [m]", drift, 1e-10);
}

// I φ̈ = T until the prescribed spin is reached; the step by hand.
TEST_CASE_TEMPLATE("a motor speeds up at its torque limit and then keeps its speed", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-3, torque = 0.3, target = 5;
  Scene<D> scene = scene_of<D>(h, {}, {block<D>(sides<D>(0.5, 0.5, 0.1), Vec<D>::Zero())});
  scene.joints = {pivot<D>(-1, 0, Vec<D>::Zero(), Vec<D>::Zero())};
  scene.joints[0].motor = JointMotor{Constant{target}, torque};
  World<D> world(scene);
  const double inertia = moment_of_inertia<D>(world, 0);
  double expected = 0, worst = 0;
  constexpr double any_rise = 10;  // a motor puts energy in
  run(
      world, static_cast<int>(2 * target * inertia / torque / h),
      [&](const Certificate&) {
        expected = std::min(target, expected + h * torque / inertia);
        worst = std::max(worst, std::abs(spin_of(world, 0) - expected));
      },
      any_rise);
  CHECK(expected == target);
  bound("motor, deviation of the spin [rad/s]", worst, 1e-9);
}

TEST_CASE_TEMPLATE("a stop turns a spinning arm back with its restitution", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-3, rho = 0.6;
  for (const double sign : {1.0, -1.0}) {
    Scene<D> scene = scene_of<D>(h, {}, {block<D>(sides<D>(0.5, 0.1, 0.1), Vec<D>::Zero())});
    scene.gravity.setZero();
    scene.bodies[0].spin = sign * 3 * turning<D>();
    scene.joints = {pivot<D>(-1, 0, Vec<D>::Zero(), Vec<D>::Zero())};
    scene.joints[0].limits = JointLimits{-0.9, 0.9, rho};
    World<D> world(scene);
    double farthest = 0;
    run(world, 500,
        [&](const Certificate&) { farthest = std::max(farthest, sign * angle_of(world, 0)); });
    CHECK(spin_of(world, 0) == doctest::Approx(-sign * rho * 3).epsilon(1e-10));
    CHECK(farthest == doctest::Approx(0.9).epsilon(2e-3));
    run(world, 1000);  // and back, to the other stop
    CHECK(spin_of(world, 0) == doctest::Approx(sign * rho * rho * 3).epsilon(1e-10));
  }
}

TEST_CASE_TEMPLATE("a pendulum comes to rest on a stop", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  Scene<D> scene = pendulum<D>(1e-3, 0.7);
  scene.joints[0].limits = JointLimits{-0.2, 1, 0};  // the coordinate is 0 at the start
  World<D> world(scene);
  run(world, 2000, Nothing{}, 1e-5);  // before it stops, its energy sways by a part of h²
  bound("pendulum at rest on a stop, angle beyond it", std::abs(angle_of(world, 0) - 0.5), 1e-8);
  CHECK(std::abs(spin_of(world, 0)) < 1e-9);
}

// v⁺ = v⁻ + h g (sin α − μ cos α) along a guide at slope α, in which the bilateral normal force is
// m g cos α [BBB16, (1b)].
TEST_CASE_TEMPLATE("friction in a slider holds or brakes by its normal force", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-3, slope = 30 * degree;
  for (const double mu : {0.2, 0.7}) {  // tan 30° = 0.577
    Scene<D> scene = scene_of<D>(h, {}, {block<D>(sides<D>(0.2, 0.2, 0.2), Vec<D>::Zero())});
    Joint<D> guide;
    guide.kind = JointKind::slider;
    guide.b = 0;
    guide.axis = at<D>(std::cos(slope), -std::sin(slope));
    guide.friction = mu;
    scene.joints = {guide};
    World<D> world(scene);
    const double a = std::max(0.0, g * (std::sin(slope) - mu * std::cos(slope)));
    double worst = 0;
    int k = 0;
    run(world, 500, [&](const Certificate&) {
      ++k;
      worst = std::max(worst, (world.bodies().velocity[0] - k * h * a * guide.axis).norm());
    });
    bound("slider with friction, deviation of the velocity [m/s]", worst, 1e-8);
  }
}

// I ω̇ = −μ r m g for a balanced wheel on a pin that carries its weight.
TEST_CASE_TEMPLATE("friction in a pin brakes a wheel by the weight it carries", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-3, mu = 0.3, radius = 0.02;
  Scene<D> scene = scene_of<D>(h, {}, {block<D>(sides<D>(0.3, 0.3, 0.1), Vec<D>::Zero())});
  scene.bodies[0].spin = 2 * turning<D>();
  scene.joints = {pivot<D>(-1, 0, Vec<D>::Zero(), Vec<D>::Zero())};
  scene.joints[0].friction = mu;
  scene.joints[0].radius = radius;
  World<D> world(scene);
  const double brake = mu * radius * world.bodies().mass[0] * g / moment_of_inertia<D>(world, 0);
  double expected = 2, worst = 0;
  run(world, static_cast<int>(3 / brake / h), [&](const Certificate&) {
    expected = std::max(0.0, expected - h * brake);
    worst = std::max(worst, std::abs(spin_of(world, 0) - expected));
  });
  CHECK(expected == 0);
  bound("pin with friction, deviation of the spin [rad/s]", worst, 1e-8);
}
