#include "engine/packing.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_map>

#include "engine/random.hpp"

namespace talus {

namespace {

constexpr int tries_per_grain = 4000;  // of a place, before the region counts as full
constexpr int tries_of_size = 10000;   // before a distribution counts as outside its limits
constexpr double least_filling = 0.1;  // of the ball around it, by a polytope

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

// ∫ r^−D dr up to a constant: grains of radius r weigh as r^D, so this is their number when mass is
// even in r.
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

// Grains found near a place, by cells as wide as the largest grain.
template <int D>
class Neighbours {
 public:
  explicit Neighbours(double cell) : cell_(cell) {}

  bool free(const Vec<D>& x, double radius, const std::vector<Grain<D>>& grains) const {
    bool result = true;
    each_cell(x, 1, [&](std::uint64_t key) {
      const auto found = cells_.find(key);
      if (!result || found == cells_.end()) return;
      for (const std::size_t i : found->second) {
        const double apart = grains[i].radius + radius;
        result = result && (grains[i].position - x).squaredNorm() > apart * apart;
      }
    });
    return result;
  }

  void add(const Vec<D>& x, std::size_t grain) {
    each_cell(x, 0, [&](std::uint64_t key) { cells_[key].push_back(grain); });
  }

 private:
  template <class F>
  void each_cell(const Vec<D>& x, std::int64_t reach, F f) const {
    std::array<std::int64_t, 3> home{};
    for (int k = 0; k < D; ++k) {
      home[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(std::floor(x[k] / cell_));
    }
    const std::int64_t deep = D == 3 ? reach : 0;
    for (std::int64_t dz = -deep; dz <= deep; ++dz) {
      for (std::int64_t dy = -reach; dy <= reach; ++dy) {
        for (std::int64_t dx = -reach; dx <= reach; ++dx) {
          f(key(home[0] + dx, home[1] + dy, home[2] + dz));
        }
      }
    }
  }

  static std::uint64_t key(std::int64_t x, std::int64_t y, std::int64_t z) {
    constexpr std::uint64_t mask = (1u << 21) - 1;
    return (static_cast<std::uint64_t>(x) & mask) | (static_cast<std::uint64_t>(y) & mask) << 21 |
           (static_cast<std::uint64_t>(z) & mask) << 42;
  }

  double cell_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> cells_;
};

}  // namespace

template <int D>
bool Region<D>::holds(const Vec<D>& centre, double radius) const {
  for (const Wall& wall : walls) {
    if (wall.n.dot(centre) + radius > wall.d) return false;
  }
  return cylinder == 0 || std::hypot(centre[0], centre[1]) + radius <= cylinder;
}

template <int D>
Region<D> box_region(const Vec<D>& sides) {
  Region<D> region;
  region.low = -sides / 2;
  region.low[D - 1] = 0;
  region.high = region.low + sides;
  for (int k = 0; k < D; ++k) {
    region.walls.push_back({Vec<D>::Unit(k), region.high[k]});
    region.walls.push_back({Vec<D>(-Vec<D>::Unit(k)), -region.low[k]});
  }
  return region;
}

Region<3> cylinder_region(double radius, double height) {
  Region<3> region = box_region<3>({2 * radius, 2 * radius, height});
  region.cylinder = radius;
  return region;
}

template <int D>
Region<D> hull_region(const Polytope<D>& hull) {
  Region<D> region;
  region.low = region.high = hull.vertices.front();
  for (const Vec<D>& x : hull.vertices) {
    region.low = region.low.cwiseMin(x);
    region.high = region.high.cwiseMax(x);
  }
  for (std::size_t k = 0; k < hull.normals.size(); ++k) {
    region.walls.push_back({hull.normals[k], hull.offsets[k]});
  }
  return region;
}

template <int D>
std::vector<Grain<D>> pack(const PackingPlan<D>& plan) {
  Random random(plan.seed);
  std::vector<double> radii;
  for (int k = 0; k < plan.count; ++k) {
    radii.push_back(std::visit([&](const auto& s) { return draw(s, D, random); }, plan.sizes));
  }
  std::sort(radii.rbegin(), radii.rend());

  std::vector<Grain<D>> grains;
  Neighbours<D> neighbours(radii.empty() ? 1 : 2 * radii.front());
  for (const double radius : radii) {
    bool placed = false;
    for (int k = 0; k < tries_per_grain && !placed; ++k) {
      Vec<D> x;
      for (int axis = 0; axis < D; ++axis) {
        x[axis] = random.between(plan.region.low[axis] + radius, plan.region.high[axis] - radius);
      }
      placed = plan.region.holds(x, radius) && neighbours.free(x, radius, grains);
      if (!placed) continue;
      neighbours.add(x, grains.size());
      grains.push_back(
          {std::visit([&](const auto& kind) { return draw_shape<D>(kind, radius, random); },
                      plan.kind),
           x, radius});
    }
    if (!placed) break;
  }
  return grains;
}

template struct Region<2>;
template struct Region<3>;
template Region<2> box_region<2>(const Vec<2>&);
template Region<3> box_region<3>(const Vec<3>&);
template Region<2> hull_region<2>(const Polytope<2>&);
template Region<3> hull_region<3>(const Polytope<3>&);
template std::vector<Grain<2>> pack<2>(const PackingPlan<2>&);
template std::vector<Grain<3>> pack<3>(const PackingPlan<3>&);

}  // namespace talus
