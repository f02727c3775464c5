// SPDX-License-Identifier: Apache-2.0
#include "engine/build/packing.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/build/deposit.hpp"
#include "engine/build/grain_cells.hpp"

namespace talus {

namespace {

constexpr int tries_per_grain = 4000;  // random places, before the region counts as full
constexpr int tries_of_size = 10000;   // random sizes, before a law counts as outside its limits
constexpr double least_filling = 0.1;  // volume of a polytope over that of the ball around it

double draw(const UniformSizes& sizes, int, Random& random) {
  return random.between(sizes.smallest, sizes.largest);
}

double draw(const LognormalSizes& sizes, int, Random& random) {
  for (int k = 0; k < tries_of_size; ++k) {
    const double r = sizes.median * std::exp(sizes.sigma * random.normal());
    if (r >= sizes.smallest && r <= sizes.largest) return r;
  }
  return std::clamp(sizes.median, sizes.smallest, sizes.largest);
}

// ∫ r^−D dr up to a constant. The mass of a grain is proportional to r^D, so this is the number of
// grains up to r if the mass is uniformly distributed over r.
double number_up_to(double r, int dimension) { return dimension == 2 ? -1 / r : -1 / (2 * r * r); }
double radius_at_number(double number, int dimension) {
  return dimension == 2 ? -1 / number : std::sqrt(-1 / (2 * number));
}

double draw(const PassingSizes& sizes, int dimension, Random& random) {
  const auto& points = sizes.points;
  double total = 0;
  std::vector<double> numbers;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const double mass = points[k].part - points[k - 1].part;
    const double span = points[k].radius - points[k - 1].radius;
    numbers.push_back(mass / span *
                      (number_up_to(points[k].radius, dimension) -
                       number_up_to(points[k - 1].radius, dimension)));
    total += numbers.back();
  }
  double choice = random.between(0, total);
  std::size_t k = 0;
  while (k + 1 < numbers.size() && choice > numbers[k]) choice -= numbers[k++];
  const double first = number_up_to(points[k].radius, dimension);
  const double last = number_up_to(points[k + 1].radius, dimension);
  return radius_at_number(random.between(first, last), dimension);
}

template <int D>
double draw_radius(const Sizes& sizes, Random& random) {
  return std::visit([&](const auto& s) { return draw(s, D, random); }, sizes);
}

template <int D>
Vec<D> random_direction(Random& random) {
  for (;;) {
    Vec<D> v;
    for (int k = 0; k < D; ++k) v[k] = random.normal();
    if (v.norm() > 1e-6) return v.normalized();
  }
}

template <int D>
Shape<D> draw_shape(const BallGrain&, double radius, Random&) {
  return Ball<D>{radius};
}

template <int D>
Shape<D> draw_shape(const CapsuleGrain& kind, double radius, Random& random) {
  const double thickness = radius / kind.aspect;
  const Vec<D> end = (radius - thickness) * random_direction<D>(random);
  return Capsule<D>{{Vec<D>(-end), end}, thickness};
}

template <int D>
Shape<D> draw_shape(const PolytopeGrain& kind, double radius, Random& random) {
  const double ball = D == 2 ? M_PI * radius * radius : 4 * M_PI / 3 * radius * radius * radius;
  for (;;) {
    std::vector<Vec<D>> corners;
    for (int k = 0; k < kind.corners; ++k) corners.push_back(radius * random_direction<D>(random));
    const auto hull = convex_hull<D>(corners, 1e-3);
    if (hull && mass_properties<D>(Shape<D>(*hull)).volume > least_filling * ball) return *hull;
  }
}

template <int D>
Shape<D> draw_shape(const GrainKind& kind, double radius, Random& random) {
  return std::visit([&](const auto& k) { return draw_shape<D>(k, radius, random); }, kind);
}

template <int D>
std::vector<Grain<D>> add_at_random(const PackingPlan<D>& plan, std::vector<double> radii,
                                    Random& random) {
  std::sort(radii.rbegin(), radii.rend());
  std::vector<Grain<D>> grains;
  GrainCells<D> cells(radii.empty() ? 1 : 2 * radii.front());
  const auto is_free = [&](const Vec<D>& x, double radius) {
    bool result = plan.region.holds(x, radius);
    cells.each_near(x, [&](std::size_t i) {
      const double apart = grains[i].radius + radius;
      result = result && (grains[i].position - x).squaredNorm() > apart * apart;
    });
    return result;
  };
  for (const double radius : radii) {
    bool placed = false;
    for (int k = 0; k < tries_per_grain && !placed; ++k) {
      const Vec<D> x = draw_place<D>(plan.region, radius, random);
      placed = is_free(x, radius);
      if (!placed) continue;
      cells.add(x, grains.size());
      grains.push_back({draw_shape<D>(plan.kind, radius, random), x, radius});
    }
    if (!placed) break;
  }
  return grains;
}

template <int D>
std::vector<Grain<D>> deposit_all(const PackingPlan<D>& plan, const std::vector<double>& radii,
                                  Random& random) {
  std::vector<Grain<D>> grains;
  for (const Vec<D>& x : deposit<D>(plan.region, radii, random)) {
    const double radius = radii[grains.size()];
    grains.push_back({draw_shape<D>(plan.kind, radius, random), x, radius});
  }
  return grains;
}

}  // namespace

template <int D>
Vec<D> draw_place(const Region<D>& region, double radius, Random& random) {
  Vec<D> x;
  for (int axis = 0; axis < D; ++axis)
    x[axis] = random.between(region.low[axis] + radius, region.high[axis] - radius);
  return x;
}

template <int D>
Grain<D> draw_grain(const Sizes& sizes, const GrainKind& kind, Random& random) {
  const double radius = draw_radius<D>(sizes, random);
  return {draw_shape<D>(kind, radius, random), Vec<D>::Zero(), radius};
}

template <int D>
std::vector<Grain<D>> pack(const PackingPlan<D>& plan) {
  Random random(plan.seed);
  std::vector<double> radii;
  for (int k = 0; k < plan.count; ++k) radii.push_back(draw_radius<D>(plan.sizes, random));
  return plan.fill == Fill::deposit ? deposit_all<D>(plan, radii, random)
                                    : add_at_random<D>(plan, std::move(radii), random);
}

template Vec<2> draw_place<2>(const Region<2>&, double, Random&);
template Vec<3> draw_place<3>(const Region<3>&, double, Random&);
template Grain<2> draw_grain<2>(const Sizes&, const GrainKind&, Random&);
template Grain<3> draw_grain<3>(const Sizes&, const GrainKind&, Random&);
template std::vector<Grain<2>> pack<2>(const PackingPlan<2>&);
template std::vector<Grain<3>> pack<3>(const PackingPlan<3>&);

}  // namespace talus
