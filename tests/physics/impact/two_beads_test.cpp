// SPDX-License-Identifier: Apache-2.0
// Two masses on a spring against a wall [Be, pp. 165–166, 384].
#include "tests/physics/bundled_scene.hpp"

using namespace talus;

namespace {

// Between impacts, with M = m₁ + m₂, m = m₁m₂/M and ω² = k/m: the centre of mass moves uniformly,
// the stretching s = x₂ − x₁ − rest swings. Impacts turn v₁ round; their times by a scan and
// bisection.
struct Beads {
  double m_1 = 1, m_2 = 1, k = 1;
  double c = 0, v_c = 0, s = 0,
         v_s = 0;  // centre of mass (less the rest length's share), stretching

  double omega() const { return std::sqrt(k * (m_1 + m_2) / (m_1 * m_2)); }
  double share() const { return m_2 / (m_1 + m_2); }
  double x_1(double t) const {  // distance of the first mass from the wall
    const double w = omega();
    return c + v_c * t - share() * (s * std::cos(w * t) + v_s / w * std::sin(w * t));
  }
  void advance(double t) {
    const double w = omega(), s_now = s * std::cos(w * t) + v_s / w * std::sin(w * t);
    v_s = -s * w * std::sin(w * t) + v_s * std::cos(w * t);
    s = s_now;
    c += v_c * t;
  }
  void bounce() {
    const double v_1 = v_c - share() * v_s;
    v_c += 2 * m_1 / (m_1 + m_2) * -v_1;
    v_s += 2 * v_1;
  }
};

// |velocity of the centre of mass| after the last impact, of a pair that comes with speed 1.
double event_driven(double ratio, int& impacts) {
  Beads beads{1, ratio, 1, 0.001, -1, 0, 0};
  constexpr double dt = 1e-4, far = 100;
  impacts = 0;
  for (double waited = 0; waited < far; waited += dt) {
    if (beads.x_1(dt) >= 0) {
      beads.advance(dt);
      continue;
    }
    double low = 0, high = dt;
    for (int i = 0; i < 60; ++i)
      (beads.x_1(0.5 * (low + high)) >= 0 ? low : high) = 0.5 * (low + high);
    beads.advance(low);
    beads.bounce();
    ++impacts;
  }
  return beads.v_c;
}

}  // namespace

TEST_CASE("two_beads: restitution of the centre of mass by the ratio of the masses") {
  struct Case {
    double ratio, restitution;
  };
  for (const Case& expected :
       {Case{1, 1}, Case{2, 0.587263}, Case{3, 0.891322}, Case{0.5, 1.0 / 3.0}}) {
    int by_hand = 0;
    CHECK(event_driven(expected.ratio, by_hand) ==
          doctest::Approx(expected.restitution).epsilon(2e-6));
    World<2> world = open<2>("two_beads", {"body.two.mass=" + std::to_string(expected.ratio)});
    const std::size_t one = body(world, "one"), two = body(world, "two");
    const auto centre = [&] {
      return (world.bodies().velocity[one][0] + expected.ratio * world.bodies().velocity[two][0]) /
             (1 + expected.ratio);
    };
    CHECK(centre() == doctest::Approx(-1).epsilon(1e-12));
    int impacts = 0;
    double last = -1;
    run(world, [&] {
      impacts += centre() > last + 1e-3;  // the wall alone changes it
      last = centre();
    });
    CHECK(impacts == by_hand);
    CHECK(centre() == doctest::Approx(expected.restitution).epsilon(4e-4));
  }
}
