// SPDX-License-Identifier: Apache-2.0
#include "engine/build/generate.hpp"

#include <cassert>
#include <cmath>

#include "engine/build/random.hpp"

namespace talus {

namespace {

template <int D>
BodyDescription<D> body(std::string name, std::vector<Shape<D>> shapes, const Vec<D>& position) {
  BodyDescription<D> b;
  b.name = std::move(name);
  b.shapes = std::move(shapes);
  b.position = position;
  return b;
}

std::string numbered(const std::string& name, int i) { return name + "." + std::to_string(i); }

// Sides along the axes of a block given as width, height(, depth).
template <int D>
Vec<D> sides(const Vec<D>& block, double width) {
  Vec<D> s;
  s[0] = width;
  if constexpr (D == 3) s[1] = block[2];
  s[D - 1] = block[1];
  return s;
}

template <int D>
Vec<D> point_at(double x, double up) {
  return x * Vec<D>::UnitX() + up * Vec<D>::Unit(D - 1);
}

// Rotation by an angle in the plane of x and up, counter-clockwise with up above x.
template <int D>
Orientation<D> tilted(double angle) {
  if constexpr (D == 2) {
    return {angle};
  } else {
    return rotated<3>({}, Vec<3>(0, -angle, 0));  // x × up points along −y
  }
}

template <int D>
double count_of(const WallPlan<D>& plan) {
  return wall_count(plan);
}
template <int D>
std::vector<BodyDescription<D>> bodies_of(const WallPlan<D>& plan) {
  return wall_bodies(plan);
}

template <int D>
double count_of(const VoronoiPlan<D>& plan) {
  return plan.count;
}
template <int D>
std::vector<BodyDescription<D>> bodies_of(const VoronoiPlan<D>& plan) {
  return voronoi_bodies(plan);
}

template <class Masonry>
requires requires(const Masonry& plan) { masonry_count(plan); }
double count_of(const Masonry& plan) { return masonry_count(plan); }
template <class Masonry>
requires requires(const Masonry& plan) { masonry_bodies(plan); }
std::vector<BodyDescription<3>> bodies_of(const Masonry& plan) { return masonry_bodies(plan); }

template <int D>
double count_of(const ChainPlan<D>& plan) {
  return plan.count;
}

template <int D>
std::vector<BodyDescription<D>> bodies_of(const ChainPlan<D>& plan) {
  assert(plan.masses.empty() || plan.masses.size() == static_cast<std::size_t>(plan.count));
  std::vector<BodyDescription<D>> bodies;
  for (int k = 0; k < plan.count; ++k) {
    const Vec<D> centre = k * (2 * plan.radius + plan.gap) * plan.direction;
    bodies.push_back(body<D>(numbered(plan.name, k), {Ball<D>{plan.radius}}, centre));
    if (!plan.masses.empty()) bodies.back().mass = plan.masses[k];
    if (k < plan.incoming) bodies.back().velocity = plan.velocity;
  }
  return bodies;
}

template <int D>
double count_of(const GridPlan<D>& plan) {
  double product = 1;
  for (const int n : plan.counts) product *= n;
  return product;
}

template <int D>
std::vector<BodyDescription<D>> bodies_of(const GridPlan<D>& plan) {
  Random random(plan.seed);
  std::vector<BodyDescription<D>> bodies;
  std::array<int, D> i{};
  const auto total = static_cast<std::size_t>(count_of(plan));
  while (bodies.size() < total) {
    std::string name = plan.name;
    Vec<D> centre;
    for (int axis = 0; axis < D; ++axis) {
      name = numbered(name, i[axis]);
      centre[axis] = i[axis] * plan.spacing[axis];
      if (plan.jitter > 0) centre[axis] += random.between(-plan.jitter, plan.jitter);
    }
    bodies.push_back(body<D>(std::move(name), plan.shapes, centre));
    for (int axis = 0; axis < D && ++i[axis] == plan.counts[axis]; ++axis) i[axis] = 0;
  }
  return bodies;
}

template <int D>
double count_of(const StackPlan<D>& plan) {
  return plan.count;
}

template <int D>
std::vector<BodyDescription<D>> bodies_of(const StackPlan<D>& plan) {
  assert(plan.overhangs.size() == static_cast<std::size_t>(plan.count));
  const std::vector<Shape<D>> block{box<D>(sides<D>(plan.block, plan.block[0]))};
  std::vector<BodyDescription<D>> bodies;
  double x = 0;
  for (int k = 0; k < plan.count; ++k) {
    x += plan.overhangs[k];
    bodies.push_back(
        body<D>(numbered(plan.name, k), block, point_at<D>(x, (k + 0.5) * plan.block[1])));
  }
  return bodies;
}

template <int D>
double count_of(const ArchPlan<D>& plan) {
  return plan.count;
}

// All voussoirs have the same shape, rotated into place.
template <int D>
std::vector<BodyDescription<D>> bodies_of(const ArchPlan<D>& plan) {
  const double half_angle = plan.span / (2 * plan.count);
  const double middle = plan.inner_radius + plan.thickness / 2;
  const std::optional<Polytope<D>> wedge = voussoir<D>(plan);
  assert(wedge && "whoever makes the plan checks it");

  std::vector<BodyDescription<D>> bodies;
  for (int k = 0; k < plan.count; ++k) {
    const double from_vertical = (2 * k + 1 - plan.count) * half_angle;  // towards +x
    bodies.push_back(
        body<D>(numbered(plan.name, k), {*wedge},
                point_at<D>(middle * std::sin(from_vertical), middle * std::cos(from_vertical))));
    bodies.back().orientation = tilted<D>(-from_vertical);
  }
  return bodies;
}

// Whether balls of alternate layers are shifted along a horizontal axis.
template <int D>
bool is_staggered(const ColumnPlan<D>& plan, int axis) {
  return !plan.box && plan.counts[axis] > 1;
}

template <int D>
int count_along(const ColumnPlan<D>& plan, int axis, int layer) {
  return plan.counts[axis] - (layer % 2 == 1 && is_staggered(plan, axis) ? 1 : 0);
}

template <int D>
double count_of(const ColumnPlan<D>& plan) {
  double even = 1, odd = 1;
  for (int axis = 0; axis < D - 1; ++axis) {
    even *= count_along(plan, axis, 0);
    odd *= count_along(plan, axis, 1);
  }
  const int layers = plan.counts[D - 1];
  return even * ((layers + 1) / 2) + odd * (layers / 2);
}

template <int D>
std::vector<BodyDescription<D>> bodies_of(const ColumnPlan<D>& plan) {
  const double r = plan.max_radius;
  Vec<D> pitch = plan.box ? *plan.box : Vec<D>(Vec<D>::Constant(2 * r));
  if (!plan.box) {
    // A ball in a hollow is shifted by r along each of `shifts` axes and touches at distance 2r.
    int shifts = 0;
    for (int axis = 0; axis < D - 1; ++axis) shifts += is_staggered(plan, axis);
    pitch[D - 1] = std::sqrt(4.0 - shifts) * r;
  }
  const double lowest = plan.box ? pitch[D - 1] / 2 : r;

  Random random(plan.seed);
  std::vector<BodyDescription<D>> bodies;
  for (int layer = 0; layer < plan.counts[D - 1]; ++layer) {
    const std::string name = numbered(plan.name, layer);
    const int along_x = count_along(plan, 0, layer);
    const int along_y = D == 3 ? count_along(plan, 1, layer) : 1;
    for (int k = 0; k < along_x * along_y; ++k) {
      Vec<D> centre = point_at<D>((k % along_x - 0.5 * (along_x - 1)) * pitch[0],
                                  lowest + layer * pitch[D - 1]);
      if constexpr (D == 3) centre[1] = (k / along_x - 0.5 * (along_y - 1)) * pitch[1];
      const Shape<D> shape = plan.box ? Shape<D>(box<D>(*plan.box))
                             : plan.min_radius < r
                                 ? Shape<D>(Ball<D>{random.between(plan.min_radius, r)})
                                 : Shape<D>(Ball<D>{r});
      bodies.push_back(body<D>(numbered(name, k), {shape}, centre));
    }
  }
  return bodies;
}

template <int D>
double count_of(const PackingPlan<D>& plan) {
  return plan.count;
}

template <int D>
std::vector<BodyDescription<D>> bodies_of(const PackingPlan<D>& plan) {
  std::vector<BodyDescription<D>> bodies;
  for (Grain<D>& grain : pack<D>(plan)) {
    bodies.push_back(body<D>(numbered(plan.name, static_cast<int>(bodies.size())),
                             {std::move(grain.shape)}, grain.position));
  }
  return bodies;
}

}  // namespace

std::vector<double> harmonic_overhangs(int count, double width, double s) {
  std::vector<double> overhangs;
  for (int k = count; k > 0; --k) overhangs.push_back(s * width / (2 * k));
  overhangs.front() -= width / 2;  // relative to the side of the lowest block, not to its middle
  return overhangs;
}

template <int D>
std::optional<Polytope<D>> voussoir(const ArchPlan<D>& plan) {
  const double half_angle = plan.span / (2 * plan.count);
  const double middle = plan.inner_radius + plan.thickness / 2;
  std::vector<Vec<D>> corners;
  for (const double r : {plan.inner_radius, plan.inner_radius + plan.thickness}) {
    for (const double side : {-1.0, 1.0}) {
      const Vec<D> corner =
          point_at<D>(side * r * std::sin(half_angle), r * std::cos(half_angle) - middle);
      if constexpr (D == 2) {
        corners.push_back(corner);
      } else {
        for (const double y : {-plan.depth / 2, plan.depth / 2}) {
          corners.push_back(corner + y * Vec<3>::UnitY());
        }
      }
    }
  }
  return convex_hull<D>(corners);
}

template <int D>
double body_count(const Plan<D>& plan) {
  return std::visit([](const auto& p) { return count_of(p); }, plan);
}

template <int D>
std::vector<BodyDescription<D>> generate(const Plan<D>& plan) {
  return std::visit([](const auto& p) { return bodies_of(p); }, plan);
}

template <int D>
void place(const Vec<D>& position, const Orientation<D>& rotation,
           std::vector<BodyDescription<D>>& bodies) {
  const Mat<D> R = rotation_matrix<D>(rotation);
  for (BodyDescription<D>& b : bodies) {
    b.position = position + R * b.position;
    if constexpr (D == 2) {
      b.orientation.angle += rotation.angle;
    } else {
      b.orientation.q = rotation.q * b.orientation.q;
    }
  }
}

template std::optional<Polytope<2>> voussoir<2>(const ArchPlan<2>&);
template std::optional<Polytope<3>> voussoir<3>(const ArchPlan<3>&);
template double body_count<2>(const Plan<2>&);
template double body_count<3>(const Plan<3>&);
template std::vector<BodyDescription<2>> generate<2>(const Plan<2>&);
template std::vector<BodyDescription<3>> generate<3>(const Plan<3>&);
template void place<2>(const Vec<2>&, const Orientation<2>&, std::vector<BodyDescription<2>>&);
template void place<3>(const Vec<3>&, const Orientation<3>&, std::vector<BodyDescription<3>>&);

}  // namespace talus
