// SPDX-License-Identifier: Apache-2.0
// VALIDATION A08 to A13 under every law of impact that applies: without friction all, with it those
// that know it, with tangential restitution those that know τ, and a chain with one coefficient
// those that share an impact out as Moreau's law does.
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// W_T = (1 + 1/k)/m for a ball of inertia k m r².
template <int D>
constexpr double k = D == 2 ? 0.5 : 0.4;

struct NamedLaw {
  const char* name;
  ImpactLaw law;
  bool knows_friction, knows_tau, shares_as_moreau;
  double exact;  // relative, as exact as the law is
};
const NamedLaw laws[] = {{"moreau", MoreauLaw{}, true, true, true, 1e-12},
                         {"matrix", MatrixLaw{}, true, true, true, 1e-12},
                         {"poisson", PoissonLaw{}, true, false, true, 1e-12},
                         {"lzb", LzbLaw{.tolerance = 1e-11}, true, false, false, 1e-9},
                         {"projection", ProjectionLaw{}, false, false, true, 1e-12}};

template <int D>
Scene<D> weightless(const NamedLaw& law, double h, const ContactLaw& contact,
                    std::vector<BodyDescription<D>> bodies) {
  Scene<D> scene = scene_of<D>(h, contact, std::move(bodies));
  scene.gravity.setZero();
  scene.solver.tolerance = 1e-13;
  scene.impact_law = law.law;
  return scene;
}

struct Motion {
  double normal, along, spin;  // speed away from the plane and along it [m/s], forward spin [rad/s]
};

// A ball thrown on the plane, and its motion after it has left.
template <int D>
Motion bounce(const NamedLaw& law, double r, const Motion& in, const ContactLaw& contact) {
  const double h = 0.01 * r / std::abs(in.normal);
  const Vec<D> velocity = at<D>(in.along, in.normal);
  BodyDescription<D> thrown = ball<D>(r, at<D>(0, r) - 3.3 * h * velocity, velocity);
  thrown.spin = -in.spin * turning<D>();
  World<D> world(weightless<D>(law, h, contact, {ground<D>(), thrown}));
  int impacts = 0;
  run(
      world, 8, [&](const Certificate& c) { impacts += c.impacts; }, 1e-9);
  CHECK(impacts >= 1);  // without gravity, rounding may close a plastic contact again
  const Bodies<D>& bodies = world.bodies();
  return {bodies.velocity[1].dot(up<D>()), bodies.velocity[1].dot(along<D>()),
          -bodies.spin[1].dot(turning<D>())};
}

}  // namespace

TEST_CASE_TEMPLATE("A08 under every law: balls leave with e times their speed", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const NamedLaw& law : laws) {
    CAPTURE(law.name);
    for (const double e : {0.0, 0.2, 0.6, 1.0}) {
      const Motion out = bounce<D>(law, 0.0025, {-3.9, 0, 0}, {.restitution = e});
      compare("A08-3 rebound speed [m/s]", out.normal, 3.9 * e, 3.9 * law.exact);
      World<D> world(weightless<D>(law, 1e-5, {.restitution = e},
                                   {ball<D>(0.01, at<D>(-0.0102, 0), at<D>(10, 0)),
                                    ball<D>(0.01, at<D>(0.0102, 0), at<D>(-10, 0))}));
      run(world, 40, {}, 1e-9);
      compare("A08-1 rebound speed [m/s]", world.bodies().velocity[1][0], 10 * e, 10 * law.exact);
      bound("A08-1 momentum [m/s]",
            (world.bodies().velocity[0] + world.bodies().velocity[1]).norm(), 1e-13);
    }
  }
}

TEST_CASE_TEMPLATE("A09 and A10 under every law with friction: rigid sliding theory", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const NamedLaw& law : laws) {
    if (!law.knows_friction) continue;
    CAPTURE(law.name);
    constexpr double r = 0.0025, e = 0.98, mu = 0.092, speed = 3.9;
    for (int angle = 5; angle <= 85; angle += 10) {
      CAPTURE(angle);
      const double v_n = speed * std::cos(angle * degree), v_t = speed * std::sin(angle * degree);
      const Motion out = bounce<D>(law, r, {-v_n, v_t, 0}, {.friction = mu, .restitution = e});
      const bool slides = v_t > (1 + 1 / k<D>)*mu * (1 + e) * v_n;
      const double v = slides ? v_t - mu * (1 + e) * v_n : v_t / (1 + k<D>);
      const double spin = slides ? mu * (1 + e) * v_n / (k<D> * r) : v / r;
      compare("A09 speed along [m/s]", out.along, v, 10 * speed * law.exact);
      compare("A09 rω [m/s]", r * out.spin, r * spin, 10 * speed * law.exact);
      compare("A09 speed up [m/s]", out.normal, e * v_n, 10 * speed * law.exact);
    }
    // spun backwards, a ball leaves forwards: sliding for ω = 10, sticking for ω = 2
    for (const double spin : {10.0, 2.0}) {
      const Motion out =
          bounce<D>(law, 0.1, {-0.2, 0, -spin}, {.friction = 0.4, .restitution = 0.5});
      const bool slides = 0.1 * spin > (1 + 1 / k<D>)*0.4 * 1.5 * 0.2;
      const double v = slides ? 0.4 * 1.5 * 0.2 : 0.1 * spin * k<D> / (1 + k<D>);
      compare("A10 speed along [m/s]", out.along, -v, 10 * law.exact);
      compare("A10 rω [m/s]", 0.1 * out.spin, -0.1 * spin + v / k<D>, 10 * law.exact);
    }
  }
}

TEST_CASE_TEMPLATE("A11 and A12 under every law with tangential restitution", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double c = 1 + 1 / k<D>, r = 0.003;
  for (const NamedLaw& law : laws) {
    if (!law.knows_tau) continue;
    CAPTURE(law.name);
    for (const ContactLaw& contact :
         {ContactLaw{0.092, 0.97, 0.44}, ContactLaw{0.25, 0.87, 0.43}}) {
      const double slide = c * contact.friction * (1 + contact.restitution);
      for (int i = 0; i <= 40; i += 4) {
        const double before = 0.1 * i;
        const double after = (1 + contact.tangential_restitution) * before <= slide
                                 ? -contact.tangential_restitution * before
                                 : before - slide;
        const Motion out = bounce<D>(law, r, {-1, before, 0}, contact);
        compare("A11 slip after over approach", out.along - r * out.spin, after, 1e-10);
      }
    }
    for (const auto& [v, spin] : {std::pair(1.0, 0.0), std::pair(0.0, 1.0)}) {
      const Motion out =
          bounce<D>(law, 0.1, {-1, v, spin / 0.1},
                    {.friction = 1e3, .restitution = 1, .tangential_restitution = 1});
      const double u = v - spin;
      compare("A12 v' [m/s]", out.along, v - 2 * k<D> / (1 + k<D>)*u, 1e-12);
      compare("A12 rω' [m/s]", 0.1 * out.spin, spin + 2 / (1 + k<D>)*u, 1e-12);
    }
  }
}

TEST_CASE_TEMPLATE("A13 under every law that shares as Moreau's: a touching chain", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  constexpr double r = 0.05;
  for (const NamedLaw& law : laws) {
    if (!law.shares_as_moreau) continue;
    CAPTURE(law.name);
    for (const auto& [e, count] :
         {std::pair(1.0, 3), std::pair(1.0, 5), std::pair(0.9, 5), std::pair(0.5, 5)}) {
      std::vector<BodyDescription<D>> balls;
      for (int i = 0; i < count; ++i)
        balls.push_back(ball<D>(r, at<D>(2 * r * i, 0), at<D>(i == 0 ? 1 : 0, 0)));
      World<D> world(weightless<D>(law, 1e-4, {.restitution = e}, balls));
      run(world, 1, {}, 1e-9);
      // v⁺ = −e v⁻ + (1 + e) proj(v⁻); the projection on non-decreasing sequences is the mean
      const double mean = (1 + e) / count;
      for (int i = 0; i < count; ++i)
        compare("A13 velocity [m/s]", world.bodies().velocity[static_cast<std::size_t>(i)][0],
                mean - (i == 0 ? e : 0), 1e-10);
    }
  }
}

// The loss of an impact, split by contact: what the world tells of them adds up to what it lost.
TEST_CASE("what the contacts of an impact lose adds up to what the bodies lose") {
  constexpr double r = 0.05;
  for (const NamedLaw& law : laws) {
    CAPTURE(law.name);
    std::vector<BodyDescription<2>> balls;
    for (int i = 0; i < 5; ++i)
      balls.push_back(ball<2>(r, at<2>(2 * r * i, 0), at<2>(i == 0 ? 1 : 0, 0)));
    World<2> world(weightless<2>(law, 1e-4, {.restitution = 0.7}, balls));
    const double before = world.kinetic_energy();
    const Certificate certificate = world.step();
    REQUIRE(world.impacts().size() == 4);
    double work = 0;
    for (const ImpactedContact<2>& contact : world.impacts()) {
      CHECK(contact.impact == 0);
      CHECK(contact.work ==
            doctest::Approx(0.5 * contact.percussion.dot(contact.u_minus + contact.u_plus)));
      work += contact.work;
    }
    bound("loss by contact − loss of the bodies, relative",
          std::abs(work - (world.kinetic_energy() - before)) / before, 1e-12);
    CHECK(certificate.impact_work == doctest::Approx(work).epsilon(1e-12));
    CHECK(certificate.impact_inadmissible == 0);
  }
}
