// SPDX-License-Identifier: Apache-2.0
// A slender block that rocks on its two lower edges, and its exact motion up to the first impact.
#pragma once

#include "tests/physics/support.hpp"

namespace talus::physics {

struct Rocking {
  double b = 0, height = 0;  // half width and half height [m]
  double tilt = 0;           // at release, over α = atan(b/height)
  double gravity = g;        // [m/s²]

  double alpha() const { return std::atan(b / height); }
  double R() const { return std::hypot(b, height); }

  // Energy about the edge: ½ (4/3) R² ω² = g R (cos(α − θ₀) − cos(α − θ)).
  double spin_at(double angle) const {
    return std::sqrt(1.5 * gravity / R() *
                     (std::cos(alpha() - tilt * alpha()) - std::cos(alpha() - angle)));
  }
  // ∫ dθ/ω from 0 to θ₀ with θ = θ₀ − s², by Simpson's rule; at s = 0 the integrand is 2 s/ω →
  // 2/√ω².
  double first_impact() const {
    const double start = tilt * alpha();
    constexpr int n = 2000;
    const double ds = std::sqrt(start) / n;
    double sum = 2 / std::sqrt(1.5 * gravity / R() * std::sin(alpha() - start));
    for (int i = 1; i <= n; ++i) {
      const double s = i * ds;
      sum += (i == n ? 1 : i % 2 == 1 ? 4 : 2) * 2 * s / spin_at(start - s * s);
    }
    return sum * ds / 3;
  }
};

struct RockingResult {
  double impact = 0;       // time of the first impact [s]
  double spin_before = 0;  // [rad/s]
  double spin_after = 0;
  double peak = 0;  // largest angle to the other side [rad]
};

// Tilted towards `along` about the lower edge on that side, and released.
template <int D>
Scene<D> rocking_scene(const Rocking& rocking, double h) {
  const double angle = rocking.tilt * rocking.alpha();
  // The edge stays at the origin: centre = R (−sin(α − θ), cos(α − θ)).
  const double lean = rocking.alpha() - angle;
  const Vec<D> centre = at<D>(-rocking.R() * std::sin(lean), rocking.R() * std::cos(lean));
  const Vec<D> side = sides<D>(2 * rocking.b, 2 * rocking.height, 2 * rocking.b);
  Scene<D> scene = scene_of<D>(h, {.friction = 1}, {ground<D>(), block<D>(side, centre, -angle)});
  scene.gravity = -rocking.gravity * up<D>();
  return scene;
}

template <int D>
RockingResult rock(const Rocking& rocking, double h) {
  World<D> world(rocking_scene<D>(rocking, h));
  const double start = rocking.tilt * rocking.alpha();
  RockingResult result;
  double angle = start;
  int since = -1;  // steps since the block stood upright
  const double limit = 4 * rocking.first_impact();
  run(
      world, static_cast<int>(limit / h),
      [&](const Certificate& step) {
        const double now = -angle_of(world, 1);
        const double spin_now = -world.bodies().spin[1].dot(turning<D>());
        if (since < 0 && now <= 0) {
          result.impact = step.time - h * now / (now - angle);
          since = 0;
        }
        if (since < 0) result.spin_before = std::max(result.spin_before, -spin_now);
        if (since >= 0 && ++since == 4) result.spin_after = -spin_now;
        if (since >= 0 && now < 0) result.peak = std::max(result.peak, -now);
        angle = now;
      },
      0.02 * h * std::sqrt(rocking.gravity / rocking.R()));
  return result;
}

}  // namespace talus::physics
