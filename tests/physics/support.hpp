// SPDX-License-Identifier: Apache-2.0
// Small worlds for the tests of physics, and what every step of every run must keep.
// Gravity points against the last axis ("up"); the first axis is "along". Material 0 is what stands
// still, material 1 what moves. Space adds an axis across, in which nothing happens unless a test
// says so.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/world.hpp"
#include "solvers/math/maximum.hpp"
#include "solvers/math/parallel.hpp"

namespace talus::physics {

using Plane = std::integral_constant<int, 2>;
using Solid = std::integral_constant<int, 3>;

constexpr double g = 9.81;  // [m/s²]
constexpr double pi = std::numbers::pi;
constexpr double degree = pi / 180;

template <int D>
Vec<D> up() {
  return Vec<D>::Unit(D - 1);
}
template <int D>
Vec<D> along() {
  return Vec<D>::Unit(0);
}
template <int D>
Vec<D> at(double x, double height) {
  return x * along<D>() + height * up<D>();
}

// Unit spin that carries `along` towards `up`.
template <int D>
Spin<D> turning() {
  if constexpr (D == 2) {
    return Spin<2>(1.0);
  } else {
    return {0, -1, 0};
  }
}
template <int D>
Orientation<D> turned(double angle) {
  return rotated<D>({}, angle * turning<D>());
}

template <int D>
Vec<D> sides(double width, double height, double depth) {
  if constexpr (D == 2) {
    return {width, height};
  } else {
    return {width, depth, height};
  }
}

// The half-space under a plane through the origin that falls towards `along` at an angle.
template <int D>
BodyDescription<D> ground(double slope = 0) {
  BodyDescription<D> body;
  body.name = "ground";
  body.shapes = {HalfSpace<D>{at<D>(std::sin(slope), std::cos(slope)), 0}};
  body.fixed = true;
  return body;
}

template <int D>
BodyDescription<D> ball(double radius, const Vec<D>& centre,
                        const Vec<D>& velocity = Vec<D>::Zero()) {
  BodyDescription<D> body;
  body.shapes = {Ball<D>{radius}};
  body.material = 1;
  body.position = centre;
  body.velocity = velocity;
  return body;
}

template <int D>
BodyDescription<D> block(const Vec<D>& side, const Vec<D>& centre, double angle = 0) {
  BodyDescription<D> body;
  body.shapes = {box<D>(side)};
  body.material = 1;
  body.position = centre;
  body.orientation = turned<D>(angle);
  return body;
}

// One law for all contacts, and contact problems solved to 1e-10.
template <int D>
Scene<D> scene_of(double h, const ContactLaw& law, std::vector<BodyDescription<D>> bodies) {
  Scene<D> scene;
  scene.gravity = -g * up<D>();
  scene.h = h;
  scene.solver = {.tolerance = 1e-10, .max_sweeps = 100000};
  scene.materials = {{"ground", 2500}, {"body", 2500}};
  scene.laws = PairTable(2);
  for (const int i : {0, 1}) scene.laws.set(i, 1, law);
  scene.bodies = std::move(bodies);
  return scene;
}

template <int D>
Drive<D> drive_along(typename Drive<D>::Kind kind, const Vec<D>& direction, Signal signal) {
  return {kind, direction, Spin<D>::Zero(), std::move(signal)};
}

// Percussion of all contacts between two bodies, on b, in world axes [N s].
template <int D>
Vec<D> percussion_between(const World<D>& world, int a, int b) {
  Vec<D> sum = Vec<D>::Zero();
  for (const ActiveContact<D>& contact : world.contacts()) {
    const ContactKey& key = contact.contact.key;
    if (key.a == a && key.b == b) sum += contact.frame * contact.percussion;
    if (key.a == b && key.b == a) sum -= contact.frame * contact.percussion;
  }
  return sum;
}

template <int D>
double fastest(const Bodies<D>& bodies) {  // speed of any point of any body, from above [m/s]
  double speed = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double radius = bodies.geometry_of(i).bounding_radius;
    const double spinning = std::isfinite(radius) ? radius * bodies.spin[i].norm() : 0;
    speed = std::max(speed, bodies.velocity[i].norm() + spinning);
  }
  return speed;
}

// Angle of a body's turn against the way it was described, towards `up` [rad].
template <int D>
double angle_of(const World<D>& world, int body) {
  return rotation_between<D>({}, world.bodies().orientation[static_cast<std::size_t>(body)])
      .dot(turning<D>());
}

// What every step keeps, at its worst over a run:
//  - no number is lost (NaN stays in every maximum), and every contact problem is solved;
//  - T⁺ − T⁻ is the work recorded, to 1e-10 of the energy turned over;
//  - T + V changes by the work recorded (θ = 1/2, no springs or forces but gravity), to rounding;
//  - without drives, it never rises above its start by more than `rise` of its scale: where
//    bodies turn on their contacts, a contact that sticks at q_m has u⁺ = 0 and u⁻ = h ω²R in that
//    frame, and the work ½ p·(u⁺ + u⁻) of constraints is zero to first order in h only;
//  - bodies do not sink by more than 2 h v_max.
template <int D>
class Audit {
 public:
  explicit Audit(const World<D>& world, double rise = 1e-9)
      : rise_(rise),
        tolerance_(world.scene().solver.tolerance),
        conservative_(world.scene().theta == 0.5 && world.scene().forces.empty() &&
                      world.scene().springs.empty() &&
                      world.scene().dynamics == Dynamics::second_order),
        start_(energy(world)),
        last_(start_),
        scale_(energy_scale(world)),
        speed_(fastest(world.bodies())) {}

  void add(const World<D>& world, const Certificate& step) {
    const double now = energy(world);
    scale_ = maximum(scale_, energy_scale(world));
    speed_ = maximum(speed_, fastest(world.bodies()) + g * world.scene().h);
    finite_ = finite_ && std::isfinite(now) && finite(step);
    converged_ = converged_ && step.converged;
    error_ = maximum(error_, step.error);
    if (step.defect != 0) defect_ = maximum(defect_, std::abs(step.defect) / step.turnover);
    const double work = step.contact_work + step.adhesion_work + step.bond_work + step.joint_work +
                        step.driven_work + step.correction_work;
    if (conservative_ && scale_ != 0) leak_ = maximum(leak_, std::abs(now - last_ - work) / scale_);
    if (step.driven_work != 0) driven_ = true;
    if (scale_ != 0) gain_ = maximum(gain_, (now - start_) / scale_);
    sinking_ = maximum(sinking_, step.max_penetration / (2 * world.scene().h * speed_));
    last_ = now;
  }

  void check() const {
    CHECK(finite_);
    CHECK(converged_);
    CHECK(error_ <= tolerance_);
    CHECK(defect_ <= 1e-10);
    if (conservative_) CHECK(leak_ <= 1e-13);
    if (conservative_ && !driven_) CHECK(gain_ <= rise_);
    CHECK(sinking_ <= 1);
  }

 private:
  static double energy(const World<D>& world) {
    return world.kinetic_energy() + world.potential_energy();
  }
  static double energy_scale(const World<D>& world) {
    double scale = world.kinetic_energy();
    const Bodies<D>& bodies = world.bodies();
    for (std::size_t i = 0; i < bodies.size(); ++i)
      scale += bodies.mass[i] * world.scene().gravity.norm() * bodies.position[i].norm();
    return scale;
  }

  double rise_, tolerance_;
  bool conservative_, driven_ = false, finite_ = true, converged_ = true;
  double start_, last_, scale_, speed_;
  double error_ = 0;
  double defect_ = 0, leak_ = 0, gain_ = 0, sinking_ = 0;
};

struct Nothing {
  void operator()(const Certificate&) const {}
};

template <int D, class OnStep = Nothing>
void run(World<D>& world, int steps, OnStep&& on_step = {}, double rise = 1e-9) {
  Audit<D> audit(world, rise);
  for (int k = 0; k < steps; ++k) {
    const Certificate certificate = world.step();
    audit.add(world, certificate);
    on_step(certificate);
  }
  audit.check();
}

// A number of the world against the number expected. With TALUS_TABLE set in the environment, one
// line each: case, quantity, expected, got, tolerance.
inline void compare(const std::string& what, double got, double expected, double tolerance) {
  if (std::getenv("TALUS_TABLE") != nullptr)
    std::printf("%s, %.9g, %.9g, %.2g\n", what.c_str(), expected, got, tolerance);
  INFO(what, ": expected ", expected, ", got ", got, ", tolerance ", tolerance);
  CHECK(std::abs(got - expected) <= tolerance);
}

// A number that must stay below a bound.
inline void bound(const std::string& what, double got, double limit) {
  compare(what, got, 0, limit);
}

// Slope of log(error) over log(h), by least squares.
inline double observed_order(const std::vector<double>& h, const std::vector<double>& error) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double X = std::log(h[i]), Y = std::log(error[i]);
    x += X, y += Y, xx += X * X, xy += X * Y;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace talus::physics
