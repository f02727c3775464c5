// SPDX-License-Identifier: Apache-2.0
#include "engine/model/acceleration.hpp"
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

struct Slip {
  double distance = 0;  // of the block against the base [m]
  double end = 0;       // when it sticks for good [s]
  double worst = 0;     // largest slip velocity [m/s]
};

// A block on a base with this velocity.
template <int D>
Slip ride(const Table& velocity, double mu, double h, double duration) {
  BodyDescription<D> base = ground<D>();
  base.fixed = false;
  base.drives = {drive_along<D>(Drive<D>::Kind::velocity, along<D>(), velocity)};
  World<D> world(
      scene_of<D>(h, {.friction = mu}, {base, block<D>(sides<D>(0.4, 0.1, 0.4), at<D>(0, 0.05))}));
  Slip slip;
  run(world, static_cast<int>(std::lround(duration / h)), [&](const Certificate& step) {
    const Bodies<D>& bodies = world.bodies();
    const double u = (bodies.velocity[0] - bodies.velocity[1])[0];
    slip.distance = (bodies.position[0] - bodies.position[1])[0];
    slip.worst = std::max(slip.worst, std::abs(u));
    if (std::abs(u) > 1e-9) slip.end = step.time + h;
  });
  return slip;
}

// On a base that is accelerated at A g during T and moves uniformly then.
template <int D>
Slip shake(double A, double mu, double T, double h, double duration) {
  const double V = A * g * T;
  return ride<D>(Table{{0, T, T + 100}, {0, V, V}}, mu, h, duration);
}

}  // namespace

TEST_CASE_TEMPLATE("a block slips on a base that starts to move, by Newmark's distance", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const Slip first = shake<D>(0.5, 0.2, 0.3, 1e-3, 0.9);
  compare("A16 A = 0.5, slip [m]", first.distance, 0.331087, 1e-3 * 0.331087);
  compare("A16 A = 0.5, end of slip [s]", first.end, 0.75, 1e-3 * 1.5);
  const Slip second = shake<D>(0.4, 0.1, 0.5, 1e-3, 2.2);
  compare("A16 A = 0.4, slip [m]", second.distance, 1.471500, 1e-3 * 1.4715);
  compare("A16 A = 0.4, end of slip [s]", second.end, 2.0, 1e-3 * 1.5);
}

TEST_CASE_TEMPLATE("a block follows a base that starts more gently than friction allows", Dim,
                   Plane, Solid) {
  const Slip slip = shake<Dim::value>(0.15, 0.2, 0.3, 1e-3, 0.5);
  bound("A16 A < mu, slip [m]", slip.distance, 1e-12);
  bound("A16 A < mu, slip velocity [m/s]", slip.worst, 1e-12);
}

TEST_CASE_TEMPLATE("a block slips by Newmark's distance under an acceleration record", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  // The base of A16 again, by its acceleration: A g during T, falling to none within a microsecond.
  const double A = 0.5, mu = 0.2, T = 0.3;
  const Table pulse{{0, T, T + 1e-6}, {A * g, A * g, 0}};
  const Slip first = ride<D>(velocity_of_acceleration(pulse), mu, 1e-3, 0.9);
  compare("A16 by acceleration, slip [m]", first.distance, 0.331087, 1e-3 * 0.331087);
  compare("A16 by acceleration, end of slip [s]", first.end, 0.75, 1e-3 * 1.5);

  // A g sin ωt, sampled every 5 ms. The block slips from sin ωt₁ = μ/A until its velocity μ g t
  // has caught up with that of the base, (A g/ω)(1 − cos ωt), both counted from t₁.
  const double omega = 2 * pi, t1 = std::asin(mu / A) / omega;
  Table sine;
  for (int k = 0; k <= 400; ++k) {
    sine.time.push_back(0.005 * k);
    sine.value.push_back(A * g * std::sin(omega * 0.005 * k));
  }
  const auto ahead = [&](double t) {  // velocity of the base less that of the block
    return A * g / omega * (std::cos(omega * t1) - std::cos(omega * t)) - mu * g * (t - t1);
  };
  double t2 = 0.5, beyond = 0.9;  // ahead > 0 at t2, < 0 at beyond
  REQUIRE(ahead(t2) > 0);
  REQUIRE(ahead(beyond) < 0);
  for (int k = 0; k < 60; ++k) (ahead((t2 + beyond) / 2) > 0 ? t2 : beyond) = (t2 + beyond) / 2;
  const double lasts = t2 - t1;
  const double distance =
      A * g / omega *
          (std::cos(omega * t1) * lasts - (std::sin(omega * t2) - std::sin(omega * t1)) / omega) -
      mu * g * lasts * lasts / 2;
  const Slip second = ride<D>(velocity_of_acceleration(sine), mu, 2.5e-4, t2 + 1e-3);
  compare("sine record, slip [m]", second.distance, distance, 2e-3 * distance);
}

TEST_CASE("an acceleration record is integrated by the trapezoidal rule, its baseline as asked") {
  // a = 6 τ from t = 1: v = 3 τ² at the samples, for a straight line is integrated exactly.
  Table a;
  for (int k = 0; k <= 20; ++k) {
    a.time.push_back(1 + 0.1 * k);
    a.value.push_back(6 * 0.1 * k);
  }
  const Table plain = velocity_of_acceleration(a);
  double worst = 0;
  for (std::size_t k = 0; k < a.time.size(); ++k)
    worst = std::max(worst, std::abs(plain.value[k] - 3 * (a.time[k] - 1) * (a.time[k] - 1)));
  bound("v of a straight record [m/s]", worst, 1e-14);

  const auto distance = [](const Table& v) {
    double sum = 0;
    for (std::size_t k = 1; k < v.time.size(); ++k)
      sum += (v.time[k] - v.time[k - 1]) / 2 * (v.value[k - 1] + v.value[k]);
    return sum;
  };
  a.value[7] += 5;  // so that something is left of it
  const Table rests = velocity_of_acceleration(a, Baseline::constant);
  CHECK(rests.value.back() == 0);
  const Table returns = velocity_of_acceleration(a, Baseline::linear);
  CHECK(returns.value.back() == 0);
  bound("displacement at the end, linear baseline [m]", std::abs(distance(returns)), 1e-14);
  // What was taken off is a constant, and a straight line.
  const double slope = (plain.value[1] - rests.value[1]) / 0.1;
  double bent = 0, cubic = 0;
  const Table whole = velocity_of_acceleration(a);
  for (std::size_t k = 0; k + 1 < a.time.size(); ++k) {
    const double tau = a.time[k] - 1;
    bent = std::max(bent, std::abs(whole.value[k] - rests.value[k] - slope * tau));
  }
  bound("constant baseline, deviation [m/s]", bent, 1e-13);
  for (std::size_t k = 3; k + 1 < a.time.size(); ++k) {
    const auto off = [&](std::size_t i) { return whole.value[i] - returns.value[i]; };
    cubic = std::max(cubic, std::abs(off(k) - 3 * off(k - 1) + 3 * off(k - 2) - off(k - 3)));
  }
  bound("linear baseline, third difference [m/s]", cubic, 1e-13);
}
