// SPDX-License-Identifier: Apache-2.0
// Linkages and chains: redundant, in contact, driven.
#include "tests/physics/joint_scenes.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// A four-bar linkage in the plane x-z: ground 1.0, crank 0.4, coupler 0.9, rocker 0.7 m. The joints
// in space are four hinges, which hold three freedoms twice over, or a hinge, two balls and a
// hinge, which hold each once and leave the coupler free to turn about itself, as nothing makes it
// do.
enum class Model { planar, hinges, minimal };

template <int D>
BodyDescription<D> bar_between(const Vec<D>& a, const Vec<D>& b) {
  const double length = (b - a).norm();
  const Vec<D> d = b - a;
  BodyDescription<D> bar = block<D>(sides<D>(length, 0.05, 0.05), 0.5 * (a + b),
                                    std::atan2(d.dot(up<D>()), d.dot(along<D>())));
  bar.mass = length;
  return bar;
}

template <int D>
World<D> four_bar(Model model, double h) {
  const double crank = 60 * degree;
  const Vec<D> A = Vec<D>::Zero(), D_ = at<D>(1, 0),
               B = at<D>(0.4 * std::cos(crank), 0.4 * std::sin(crank));
  // C from the lengths of coupler and rocker, above the line BD.
  const Vec<D> BD = D_ - B;
  const double d = BD.norm(), x = (d * d + 0.9 * 0.9 - 0.7 * 0.7) / (2 * d);
  const Vec<D> e = BD / d, n = at<D>(-e.dot(up<D>()), e.dot(along<D>()));
  const Vec<D> C = B + x * e + std::sqrt(0.9 * 0.9 - x * x) * n;
  Scene<D> scene =
      scene_of<D>(h, {}, {bar_between<D>(A, B), bar_between<D>(B, C), bar_between<D>(C, D_)});
  const auto joint = [](int a, int b, double end_a, double end_b, const Vec<D>& point) {
    const auto anchor = [&](int body, double end) -> Vec<D> {
      return body < 0 ? point : Vec<D>(at<D>(end, 0));
    };
    return pivot<D>(a, b, anchor(a, end_a), anchor(b, end_b));
  };
  scene.joints = {joint(-1, 0, 0, -0.2, A), joint(0, 1, 0.2, -0.45, B), joint(1, 2, 0.45, -0.35, C),
                  joint(2, -1, 0.35, 0, D_)};
  if (model == Model::minimal) {
    for (const std::size_t i : {1, 2}) {
      scene.joints[i].kind = JointKind::pin;  // a ball, in space
      scene.joints[i].axis.setZero();
    }
  }
  scene.bodies[0].spin = 6 * turning<D>();
  scene.bodies[0].velocity = 6 * 0.2 * at<D>(-std::sin(crank), std::cos(crank));
  return World<D>(scene);
}

}  // namespace

TEST_CASE("a four-bar with redundant hinges moves as its minimal models do") {
  World<3> redundant = four_bar<3>(Model::hinges, 1e-3),
           minimal = four_bar<3>(Model::minimal, 1e-3);
  World<2> planar = four_bar<2>(Model::planar, 1e-3);
  double apart = 0, apart_planar = 0, most_turned = 0;
  for (int k = 0; k < 5000; ++k) {
    CHECK(redundant.step().converged);
    minimal.step();
    planar.step();
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec<3> x = redundant.bodies().position[i];
      apart = std::max(apart, (x - minimal.bodies().position[i]).norm());
      apart_planar =
          std::max(apart_planar, (Vec<2>(x[0], x[2]) - planar.bodies().position[i]).norm());
    }
    most_turned = std::max(most_turned, std::abs(angle_of(planar, 0)));
  }
  CHECK(most_turned > 2);
  bound("four-bar, redundant against minimal joints in space [m]", apart, 1e-9);
  bound("four-bar, space against the plane [m]", apart_planar, 1e-9);
}

TEST_CASE("a redundant four-bar keeps its energy and its joints for a minute") {
  World<3> world = four_bar<3>(Model::hinges, 1e-3);
  world.step();  // makes the velocities of coupler and rocker fit the crank's
  const double start = world.kinetic_energy() + world.potential_energy();
  double energy = 0, drift = 0, kinetic = 0;
  for (int k = 1; k < 60000; ++k) {
    const Certificate step = world.step();
    energy = std::max(energy, std::abs(step.kinetic + step.potential - start));
    kinetic = std::max(kinetic, step.kinetic);
    drift = std::max(drift, step.joint_drift);
  }
  bound("four-bar, change of energy over 60 s", energy / kinetic, 1e-4);
  bound("four-bar, drift over 60 s [m]", drift, 1e-10);
}

// Two fixed joints carry a beam: of all pairs of reactions that hold it the shortest is even.
TEST_CASE("redundant supports share a load by the shortest reactions") {
  Scene<2> scene = scene_of<2>(1e-3, {}, {block<2>({2, 0.2}, {0, 0})});
  for (const double x : {-1.0, 1.0}) {
    Joint<2> support;
    support.kind = JointKind::fixed;
    support.b = 0;
    support.anchor_a = support.anchor_b = {x, 0};
    scene.joints.push_back(support);
  }
  World<2> world(scene);
  for (int k = 0; k < 10; ++k) world.step();
  const double weight = world.bodies().mass[0] * g * 1e-3;
  for (const JointReaction<2>& reaction : world.joint_reactions()) {
    CHECK((reaction.percussion - Vec<2>(0, weight / 2)).norm() < 1e-6 * weight);
  }
}

TEST_CASE_TEMPLATE("joints and contacts are one problem", Dim, Plane, Solid) {
  // Two blocks joined by a rod on a rough floor, one pushed: both slide by the same steps.
  constexpr int D = Dim::value;
  constexpr double h = 1e-3, mu = 0.3, push = 200;
  Scene<D> scene = scene_of<D>(h, {mu, 0, 0},
                               {ground<D>(), block<D>(sides<D>(0.2, 0.2, 0.2), at<D>(0, 0.1)),
                                block<D>(sides<D>(0.2, 0.2, 0.2), at<D>(1, 0.1))});
  scene.joints = {span_joint<D>(JointKind::distance, 1, 2, Vec<D>::Zero(), 1)};
  AppliedForce<D> force;
  force.body = 1;
  force.direction = along<D>();
  scene.forces = {force};
  scene.bodies[1].mass = scene.bodies[2].mass = 10;
  scene.forces[0].signal = Constant{push};
  World<D> world(scene);
  const double a = (push - mu * 20 * g) / 20;
  double worst = 0;
  for (int k = 1; k <= 300; ++k) {
    CHECK(world.step().converged);
    for (const std::size_t i : {1, 2})
      worst = std::max(worst, (world.bodies().velocity[i] - a * k * h * along<D>()).norm());
  }
  bound("two blocks on a rod, deviation of the velocity [m/s]", worst, 1e-7);
}

TEST_CASE("a long chain falls on the floor and comes to rest") {
  // More contacts than a dense matrix would serve.
  constexpr int links = 320;
  Scene<2> scene = scene_of<2>(2e-3, {0.5, 0, 0}, {ground<2>()});
  scene.solver = {.tolerance = 1e-4, .max_sweeps = 5000};
  for (int i = 0; i < links; ++i) {
    BodyDescription<2> link;
    link.shapes = {Capsule<2>{{Vec<2>(-0.05, 0), Vec<2>(0.05, 0)}, 0.02}};
    link.material = 1;
    link.position = {0.1 * i, 0.0201};
    scene.bodies.push_back(link);
    if (i > 0) scene.joints.push_back(pivot<2>(i, i + 1, Vec<2>(0.05, 0), Vec<2>(-0.05, 0)));
  }
  World<2> world(scene);
  double drift = 0;
  for (int k = 0; k < 20; ++k) {
    const Certificate step = world.step();
    CHECK(step.converged);
    drift = std::max(drift, step.joint_drift);
  }
  CHECK(drift < 1e-9);
  CHECK(world.contacts().size() >= links);
  for (std::size_t i = 1; i < world.bodies().size(); ++i)
    CHECK(world.bodies().velocity[i].norm() < 1e-3);
}

// VALIDATION D06: 100 links of 1 kg and an end of 1000 kg.
TEST_CASE("a hanging chain carries an end a thousand times as heavy as a link") {
  constexpr int links = 100;
  Scene<2> scene = scene_of<2>(1e-3, {}, {});
  scene.solver.tolerance = 1e-8;
  for (int i = 0; i < links; ++i) {
    BodyDescription<2> link = block<2>({0.02, 0.1}, {0, -0.05 - 0.1 * i});
    link.mass = i + 1 == links ? 1000 : 1;
    scene.bodies.push_back(link);
    scene.joints.push_back(
        pivot<2>(i - 1, i, i == 0 ? Vec<2>(0, 0) : Vec<2>(0, -0.05), Vec<2>(0, 0.05)));
  }
  World<2> world(scene);
  for (int k = 0; k < 20; ++k) {
    const Certificate step = world.step();
    CHECK(step.error <= 1e-8);
  }
  for (int i = 0; i < links; ++i) {
    const double carried = (1000 + links - 1 - i) * g * 1e-3;
    CHECK((world.joint_reactions()[talus::at(i)].percussion - Vec<2>(0, carried)).norm() <=
          1e-6 * carried);
  }
}

TEST_CASE("a mechanism goes on from its state bit for bit") {
  World<3> once = four_bar<3>(Model::hinges, 1e-3), again = four_bar<3>(Model::hinges, 1e-3);
  for (int k = 0; k < 100; ++k) once.step();
  const WorldState<3> state = once.state();
  for (int k = 0; k < 100; ++k) once.step();
  again.restore(state);
  for (int k = 0; k < 100; ++k) again.step();
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(once.bodies().position[i] == again.bodies().position[i]);
    CHECK(once.bodies().velocity[i] == again.bodies().velocity[i]);
  }
}

// x = r cos ωt + √(l² − r² sin² ωt): joints that leave nothing free behind a driven crank, with
// friction in the guide, whose row can move nothing.
TEST_CASE("a driven crank moves a piston by kinematics alone, whatever the friction") {
  constexpr double omega = 6, r = 0.2, l = 0.6;
  BodyDescription<2> crank = block<2>({0.4, 0.04}, {0, 0});
  Drive<2> turn;
  turn.kind = Drive<2>::Kind::spin;
  turn.axis = Spin<2>(1.0);
  turn.signal = Constant{omega};
  crank.drives = {turn};
  Scene<2> scene = scene_of<2>(
      1e-3, {}, {crank, block<2>({l, 0.04}, {r + l / 2, 0}), block<2>({0.2, 0.2}, {r + l, 0})});
  Joint<2> guide;
  guide.kind = JointKind::slider;
  guide.b = 2;
  guide.anchor_a = {r + l, 0};
  guide.axis = {1, 0};
  guide.friction = 0.1;
  guide.limits = JointLimits{-1, 0.5, 0};
  scene.joints = {pivot<2>(0, 1, {r, 0}, {-l / 2, 0}), pivot<2>(1, 2, {l / 2, 0}, {0, 0}), guide};
  double friction[2] = {0, 0}, law = 0;
  for (const int halved : {0, 1}) {
    scene.h = 1e-3 / (1 + halved);
    World<2> world(scene);
    double worst = 0;
    for (int k = 0; k < 1000 * (1 + halved); ++k) {
      const Certificate step = world.step();
      CHECK(step.converged);
      const double angle = omega * step.time;
      const double x = r * std::cos(angle) + std::sqrt(l * l - std::pow(r * std::sin(angle), 2));
      worst = std::max(worst, std::abs(world.bodies().position[2][0] - x));
      // The law holds between percussions of the contact problem, to its tolerance.
      for (std::size_t i = 0; i < world.problem().rows.size(); ++i) {
        const LinearRow<2>& row = world.problem().rows[i];
        if (row.friction == 0) continue;
        const std::vector<double>& problem = world.percussions().row;
        const double normal = std::abs(problem[talus::at(row.normal)]);
        law = std::max(law, std::abs(std::abs(problem[i]) - 0.1 * normal) / normal);
      }
      // What puts velocities back on the joints at the end of a step, O(h²) beside percussions of
      // O(h), is in the reaction as well and adds to its normal part; the first step starts the
      // piston with a jerk.
      const Vec<2> p = world.joint_reactions()[2].percussion;
      const double off = std::abs(std::abs(p[0]) - 0.1 * std::abs(p[1])) / std::abs(p[1]);
      if (k > 1 + halved) friction[halved] = std::max(friction[halved], off);
    }
    bound("slider-crank, deviation of the piston [m]", worst, 1e-10);
  }
  bound("slider-crank, deviation of friction from its law", law, 1e-9);
  bound("slider-crank, deviation of friction from its law in the reactions", friction[0], 1e-3);
  CHECK(friction[1] == doctest::Approx(0.5 * friction[0]).epsilon(0.1));  // of first order
}
