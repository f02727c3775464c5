// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

// Impacts without gravity. W_T = (1 + 1/k)/m for a ball of inertia k m r²: 3.5/m in space, 3/m in
// the plane. Spins are counted forward, as in rolling along: the contact point slips at v − r ω.

namespace {

template <int D>
constexpr double k = D == 2 ? 0.5 : 0.4;

template <int D>
Scene<D> weightless(double h, const ContactLaw& law, std::vector<BodyDescription<D>> bodies,
                    double density = 2500) {
  Scene<D> scene = scene_of<D>(h, law, std::move(bodies));
  scene.gravity.setZero();
  scene.materials[1].density = density;
  return scene;
}

struct Motion {
  double normal, along, spin;  // speed away from the plane and along it [m/s], forward spin [rad/s]
};

// A ball thrown on the plane, and its motion after it has left.
template <int D>
Motion bounce(double r, const Motion& in, const ContactLaw& law, double density = 2500) {
  const double h = 0.01 * r / std::abs(in.normal);
  const Vec<D> velocity = at<D>(in.along, in.normal);
  BodyDescription<D> thrown = ball<D>(r, at<D>(0, r) - 10.3 * h * velocity, velocity);
  thrown.spin = -in.spin * turning<D>();
  World<D> world(weightless<D>(h, law, {ground<D>(), thrown}, density));
  run(world, 20);
  const Bodies<D>& bodies = world.bodies();
  return {bodies.velocity[1].dot(up<D>()), bodies.velocity[1].dot(along<D>()),
          -bodies.spin[1].dot(turning<D>())};
}

}  // namespace

TEST_CASE_TEMPLATE("two equal spheres that meet head on part with their speeds", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const double density : {2800.0, 2500.0}) {
    World<D> world(weightless<D>(1e-5, {.restitution = 1},
                                 {ball<D>(0.01, at<D>(-0.0112, 0), at<D>(10, 0)),
                                  ball<D>(0.01, at<D>(0.0112, 0), at<D>(-10, 0))},
                                 density));
    run(world, 100);
    compare("A08-1 rebound speed [m/s]", world.bodies().velocity[1][0], 10, 1e-12);
    compare("A08-1 rebound speed [m/s]", world.bodies().velocity[0][0], -10, 1e-12);
  }
}

TEST_CASE_TEMPLATE("a ball leaves a plane with e times its speed, whatever it is made of", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double density : {2699.0, 1800.0}) {
    const Motion out = bounce<D>(0.1, {-0.2, 0, 0}, {.restitution = 1}, density);
    compare("A08-2 rebound speed [m/s]", out.normal, 0.2, 1e-12);
  }
  for (const double density : {4000.0, 7000.0}) {
    double worst = 0;
    for (const double e : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
      const Motion out = bounce<D>(0.0025, {-3.9, 0, 0}, {.restitution = e}, density);
      worst = std::max(worst, std::abs(out.normal - e * 3.9));
    }
    bound("A08-3 rebound speed − e v [m/s]", worst, 1e-12);
  }
}

TEST_CASE_TEMPLATE("an oblique impact slides or sticks as rigid theory says", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double r = 0.0025, e = 0.98, mu = 0.092, speed = 3.9;
  double worst_v = 0, worst_spin = 0;
  for (int angle = 5; angle <= 85; angle += 5) {
    const double v_n = speed * std::cos(angle * degree), v_t = speed * std::sin(angle * degree);
    const Motion out = bounce<D>(r, {-v_n, v_t, 0}, {.friction = mu, .restitution = e});
    const bool slides = v_t > (1 + 1 / k<D>)*mu * (1 + e) * v_n;
    const double v = slides ? v_t - mu * (1 + e) * v_n : v_t / (1 + k<D>);
    const double spin = slides ? mu * (1 + e) * v_n / (k<D> * r) : v / r;
    worst_v = std::max(worst_v, std::abs(out.along - v));
    worst_spin = std::max(worst_spin, std::abs(out.spin - spin) / spin);
  }
  bound("A09 speed along the plane − formula [m/s]", worst_v, 1e-10);
  bound("A09 spin over formula − 1", worst_spin, 1e-10);
}

TEST_CASE("oblique impacts of a sphere agree with measurements where they slide") {
  constexpr double r = 0.0025, speed = 3.9;
  struct Row {
    double angle, ratio, spin;  // [°], v_t'/v_t, ω' [rad/s]
  };
  for (const Row& row : {Row{35, 0.7372, 582.3}, Row{40, 0.7809, 544.8}, Row{50, 0.8451, 457.0},
                         Row{60, 0.8929, 357.5}, Row{70, 0.9316, 246.2}, Row{80, 0.9662, 126.3},
                         Row{85, 0.9827, 63.1}}) {
    const double v_n = speed * std::cos(row.angle * degree);
    const double v_t = speed * std::sin(row.angle * degree);
    const Motion out = bounce<3>(r, {-v_n, v_t, 0}, {.friction = 0.092, .restitution = 0.98});
    compare("A09 v_t'/v_t", out.along / v_t, row.ratio, 0.004 * row.ratio);
    compare("A09 spin [rad/s]", out.spin, row.spin, 0.025 * row.spin);
  }
}

TEST_CASE("a spinning sphere dropped on a plane takes off along it") {
  struct Row {
    double spin, v, spin_after;
  };
  for (const Row& row : {Row{10, 0.12, 7.0}, Row{20, 0.12, 17.0}, Row{2, 0.4 / 7, 4.0 / 7}}) {
    // spun backwards, it leaves forwards
    const Motion out = bounce<3>(0.1, {-0.2, 0, -row.spin}, {.friction = 0.4, .restitution = 0.5});
    compare("A10 speed along the plane [m/s]", out.along, -row.v, 1e-10);
    compare("A10 spin [rad/s]", -out.spin, row.spin_after, 1e-10);
  }
}

TEST_CASE_TEMPLATE("two balls rolling on each other keep their spins when they collide", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  double worst = 0;
  for (const double spin : {0.175, 1.0, 5.0, 22.86}) {
    BodyDescription<D> a = ball<D>(0.1, at<D>(-0.11, 0), at<D>(0.2, 0));
    BodyDescription<D> b = ball<D>(0.1, at<D>(0.11, 0), at<D>(-0.2, 0));
    a.spin = spin * turning<D>();
    b.spin = -spin * turning<D>();
    World<D> world(weightless<D>(1e-3, {.friction = 0.4, .restitution = 0.5}, {a, b}));
    run(world, 100);
    const Bodies<D>& bodies = world.bodies();
    worst = std::max(worst, (bodies.spin[0] - a.spin).norm());
    worst = std::max(worst, (bodies.spin[1] - b.spin).norm());
    worst = std::max(worst, (bodies.velocity[0] - at<D>(-0.1, 0)).norm());
    worst = std::max(worst, (bodies.velocity[1] - at<D>(0.1, 0)).norm());
  }
  bound("A10 counter-spinning pair, worst deviation", worst, 1e-12);
}

// ψ₁ = u_t/u_n before and ψ₂ = u_t'/u_n after: −β₀ ψ₁ while sticking, ψ₁ − c μ (1 + e) while
// sliding, c = 1 + 1/k. Pairs have the same c.
TEST_CASE_TEMPLATE("tangential restitution gives the two branches measured by Foerster and others",
                   Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double c = 1 + 1 / k<D>;
  for (const ContactLaw& law : {ContactLaw{0.092, 0.97, 0.44}, ContactLaw{0.25, 0.87, 0.43}}) {
    double worst_plane = 0, worst_pair = 0;
    const double slide = c * law.friction * (1 + law.restitution);
    for (int i = 0; i <= 40; ++i) {
      const double before = 0.1 * i;
      const double after = (1 + law.tangential_restitution) * before <= slide
                               ? -law.tangential_restitution * before
                               : before - slide;
      constexpr double r = 0.003;
      const Motion out = bounce<D>(r, {-1, before, 0}, law);
      worst_plane = std::max(worst_plane, std::abs(out.along - r * out.spin - after));

      // One ball above the other at the middle of the step.
      constexpr double h = 1e-6;
      const Vec<D> v = at<D>(before, -1);
      World<D> world(weightless<D>(
          h, law, {ball<D>(r, at<D>(0, 0)), ball<D>(r, at<D>(0, 2 * r) - h / 2 * v, v)}));
      run(world, 1);
      const Bodies<D>& bodies = world.bodies();
      const double slip = (bodies.velocity[1] - bodies.velocity[0]).dot(along<D>()) +
                          r * (bodies.spin[0] + bodies.spin[1]).dot(turning<D>());
      worst_pair = std::max(worst_pair, std::abs(slip - after));
    }
    bound("A11 ball on plane, ψ₂ − law", worst_plane, 1e-10);
    bound("A11 ball on ball, ψ₂ − law", worst_pair, 1e-10);
  }
}

TEST_CASE_TEMPLATE("a superball reverses the slip of its contact point", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double r = 0.1;
  // u = v − rω reverses: v' = v − 2k u/(1 + k), rω' = rω + 2u/(1 + k).
  for (const auto& [v, spin] : {std::array{1.0, 0.0}, std::array{0.0, 1.0}}) {
    const Motion out = bounce<D>(r, {-1, v, spin / r},
                                 {.friction = 1e3, .restitution = 1, .tangential_restitution = 1});
    const double u = v - spin;
    compare("A12 v' [m/s]", out.along, v - 2 * k<D> / (1 + k<D>)*u, 1e-12);
    compare("A12 r ω' [m/s]", r * out.spin, spin + 2 / (1 + k<D>)*u, 1e-12);
    const double before = 1 + v * v + k<D> * spin * spin;
    const double after =
        out.normal * out.normal + out.along * out.along + k<D> * r * r * out.spin * out.spin;
    compare("A12 kinetic energy, 2T/m [m²/s²]", after, before, 1e-12);
  }
}
