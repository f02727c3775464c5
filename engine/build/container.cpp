// SPDX-License-Identifier: Apache-2.0
#include "engine/build/container.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace talus {

namespace {

template <int D>
BodyDescription<D> wall_body(std::string name, Shape<D> shape) {
  BodyDescription<D> wall;
  wall.name = std::move(name);
  wall.shapes = {std::move(shape)};
  return wall;
}

// The half-space behind a wall, solid where n·x ≥ d.
template <int D>
HalfSpace<D> beyond(const typename Region<D>::Wall& wall) {
  return {Vec<D>(-wall.n), -wall.d};
}

template <int D>
Polytope<D> hull_of(const std::vector<Vec<D>>& corners) {
  const auto hull = convex_hull<D>(corners);
  assert(hull && "whoever plans a container checks its sizes");
  return *hull;
}

bool contains(OpenWalls open, const std::string& name) {
  return std::find(open.begin(), open.end(), name) != open.end();
}

// The half-spaces around a region; `names` are those of its walls.
template <int D>
std::vector<BodyDescription<D>> half_spaces(const Region<D>& region,
                                            const std::vector<std::string>& names, OpenWalls open) {
  std::vector<BodyDescription<D>> walls;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (contains(open, names[k])) continue;
    walls.push_back(wall_body<D>(names[k], beyond<D>(region.walls[k])));
  }
  return walls;
}

// Corner k of a regular n-gon around a circle. Side k runs from corner k to corner k + 1; its
// normal is at the angle 2πk/n.
Vec<2> ring_corner(double radius, int k, int sides) {
  const double angle = (2 * k - 1) * M_PI / sides;
  return radius / std::cos(M_PI / sides) * Vec<2>(std::cos(angle), std::sin(angle));
}

// A ring at a height: an n-gon around a circle; in the plane, a pair of points.
struct Level {
  double up = 0, radius = 0;
};

// Both corners of side k at a level (in the plane: one).
template <int D>
std::vector<Vec<D>> ends_of_side(const Level& level, int k, int sides) {
  if constexpr (D == 2) {
    return {Vec<2>(k == 0 ? -level.radius : level.radius, level.up)};
  } else {
    std::vector<Vec<3>> ends;
    for (const int end : {k, k + 1}) {
      const Vec<2> corner = ring_corner(level.radius, end, sides);
      ends.emplace_back(corner[0], corner[1], level.up);
    }
    return ends;
  }
}

// The inner and the outer ring of a wall at its start, its end or a knee.
struct Rim {
  Level inner, outer;
};

Rim upright_rim(const Level& level, double thickness) {
  return {level, {level.up, level.radius + thickness}};
}

// Plates between two rims; neighbours share the mitre between their inner and outer corners.
template <int D>
void add_ring(const std::string& name, const Rim& low, const Rim& high, int sides,
              std::vector<BodyDescription<D>>& walls) {
  for (int k = 0; k < sides; ++k) {
    std::vector<Vec<D>> corners;
    for (const Level& level : {low.inner, low.outer, high.inner, high.outer}) {
      for (const Vec<D>& x : ends_of_side<D>(level, k, sides)) corners.push_back(x);
    }
    walls.push_back(wall_body<D>(name + "." + std::to_string(k), hull_of<D>(corners)));
  }
}

template <int D>
std::vector<Vec<D>> corners_between(std::initializer_list<Level> levels, int sides) {
  std::vector<Vec<D>> corners;
  for (const Level& level : levels) {
    for (int k = 0; k < sides; ++k) {
      for (const Vec<D>& x : ends_of_side<D>(level, k, sides)) corners.push_back(x);
    }
  }
  return corners;
}

// A prism over an n-gon between two heights.
Polytope<3> disc(double radius, int sides, double low, double high) {
  return hull_of<3>(corners_between<3>({{low, radius}, {high, radius}}, sides));
}

// Rotates a prism along z to lie along y.
Vec<3> laid_down(const Vec<3>& x) { return {x[0], x[2], -x[1]}; }

}  // namespace

template <int D>
Container<D> box_container(const Vec<D>& sides, OpenWalls open, double thickness) {
  Container<D> container;
  container.inside = box_region<D>(sides);
  std::vector<std::string> names = {"right", "left"};  // in the order of the region's walls
  if constexpr (D == 3) names.insert(names.end(), {"back", "front"});
  names.insert(names.end(), {"top", "bottom"});
  if (thickness == 0) {
    container.walls = half_spaces<D>(container.inside, names, open);
    return container;
  }
  // Plates extend over the edges of neighbouring walls that are not open.
  Vec<D> low = container.inside.low, high = container.inside.high;
  for (int axis = 0; axis < D; ++axis) {
    if (!contains(open, names[2 * axis])) high[axis] += thickness;
    if (!contains(open, names[2 * axis + 1])) low[axis] -= thickness;
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (contains(open, names[k])) continue;
    const auto axis = static_cast<int>(k / 2);
    Vec<D> from = low, to = high;
    (k % 2 == 0 ? from : to)[axis] =
        k % 2 == 0 ? container.inside.high[axis] : container.inside.low[axis];
    container.walls.push_back(wall_body<D>(
        names[k], moved<D>(box<D>(Vec<D>(to - from)), (from + to) / 2, Orientation<D>())));
  }
  return container;
}

Container<3> cylinder_container(double radius, double height, int sides, OpenWalls open,
                                double thickness) {
  Container<3> container;
  Region<3>& inside = container.inside;
  inside = hull_region<3>(disc(radius, sides, 0, height));
  // Sorted so that the walls can be named.
  inside.walls.clear();
  std::vector<std::string> names;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * M_PI * k / sides;
    inside.walls.push_back({{std::cos(angle), std::sin(angle), 0}, radius});
    names.push_back("side." + std::to_string(k));
  }
  inside.walls.push_back({-Vec<3>::UnitZ(), 0});
  names.emplace_back("bottom");
  inside.walls.push_back({Vec<3>::UnitZ(), height});
  names.emplace_back("top");
  if (thickness == 0) {
    container.walls = half_spaces<3>(inside, names, open);
    return container;
  }
  add_ring<3>("side", upright_rim({0, radius}, thickness), upright_rim({height, radius}, thickness),
              sides, container.walls);
  const double rim = radius + thickness;
  if (!contains(open, "bottom"))
    container.walls.push_back(wall_body<3>("bottom", disc(rim, sides, -thickness, 0)));
  if (!contains(open, "top"))
    container.walls.push_back(wall_body<3>("top", disc(rim, sides, height, height + thickness)));
  return container;
}

double slope_height(const HopperPlan& plan) {
  return (plan.width - plan.opening) / 2 * std::tan(plan.slope);
}

template <int D>
Container<D> hopper_container(const HopperPlan& plan) {
  const Level rim{0, plan.opening / 2}, knee{slope_height(plan), plan.width / 2},
      top{plan.height, plan.width / 2};
  Container<D> container;
  container.inside = hull_region<D>(hull_of<D>(corners_between<D>({rim, knee, top}, plan.sides)));
  // The outer rings are a thickness t away from slope and wall, however flat the slope: from the
  // knee by (t, −t (1 − sin α)/cos α), outwards and up. The edge of the opening is bevelled by 45°.
  const double t = plan.thickness, sine = std::sin(plan.slope), cosine = std::cos(plan.slope);
  const double bevel = t / (sine + cosine);
  const Rim opening{rim, {rim.up - bevel, rim.radius + bevel}},
      bend{knee, {knee.up - t * (1 - sine) / cosine, knee.radius + t}};
  add_ring<D>("slope", opening, bend, plan.sides, container.walls);
  add_ring<D>("wall", bend, upright_rim(top, t), plan.sides, container.walls);
  return container;
}

template <int D>
Container<D> drum_container(double radius, double length, int sides, double thickness) {
  Container<D> container;
  if constexpr (D == 2) {
    std::vector<Vec<2>> ring;
    for (int k = 0; k < sides; ++k) {
      ring.push_back(ring_corner(radius, k, sides));
      container.walls.push_back(
          wall_body<2>("side." + std::to_string(k),
                       hull_of<2>({ring_corner(radius, k, sides), ring_corner(radius, k + 1, sides),
                                   ring_corner(radius + thickness, k, sides),
                                   ring_corner(radius + thickness, k + 1, sides)})));
    }
    container.inside = hull_region<2>(hull_of<2>(ring));
  } else {
    const Level front{-length / 2, radius}, back{length / 2, radius};
    std::vector<BodyDescription<3>> upright;
    add_ring<3>("side", upright_rim(front, thickness), upright_rim(back, thickness), sides,
                upright);
    for (const BodyDescription<3>& plate : upright) {
      std::vector<Vec<3>> corners = std::get<Polytope<3>>(plate.shapes.front()).vertices;
      for (Vec<3>& x : corners) x = laid_down(x);
      container.walls.push_back(wall_body<3>(plate.name, hull_of<3>(corners)));
    }
    std::vector<Vec<3>> ring = corners_between<3>({front, back}, sides);
    for (Vec<3>& x : ring) x = laid_down(x);
    container.inside = hull_region<3>(hull_of<3>(ring));
    container.walls.push_back(wall_body<3>("front", HalfSpace<3>{Vec<3>::UnitY(), -length / 2}));
    container.walls.push_back(
        wall_body<3>("back", HalfSpace<3>{Vec<3>(-Vec<3>::UnitY()), -length / 2}));
  }
  return container;
}

template <int D>
Container<D> hull_container(const Polytope<D>& hull, std::span<const Vec<D>> open) {
  constexpr double same_direction = 1 - 1e-9;
  Container<D> container;
  container.inside = hull_region<D>(hull);
  for (std::size_t k = 0; k < container.inside.walls.size(); ++k) {
    const auto& wall = container.inside.walls[k];
    const bool left_out = std::any_of(open.begin(), open.end(), [&](const Vec<D>& direction) {
      return direction.dot(wall.n) > same_direction;
    });
    if (!left_out) container.walls.push_back(wall_body<D>(std::to_string(k), beyond<D>(wall)));
  }
  return container;
}

template Container<2> box_container<2>(const Vec<2>&, OpenWalls, double);
template Container<3> box_container<3>(const Vec<3>&, OpenWalls, double);
template Container<2> hopper_container<2>(const HopperPlan&);
template Container<3> hopper_container<3>(const HopperPlan&);
template Container<2> drum_container<2>(double, double, int, double);
template Container<3> drum_container<3>(double, double, int, double);
template Container<2> hull_container<2>(const Polytope<2>&, std::span<const Vec<2>>);
template Container<3> hull_container<3>(const Polytope<3>&, std::span<const Vec<3>>);

}  // namespace talus
