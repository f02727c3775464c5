// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

using Point = Vec<3>;

void close_polygon(Surface& surface) {
  surface.start.push_back(static_cast<int>(surface.corner.size()));
}

// Number of facets of a circle. It decreases with the number of round bodies: each takes space in
// every frame and covers fewer pixels.
int facets_of_circle(std::size_t round_bodies) {
  if (round_bodies <= 2000) return 24;
  return round_bodies <= 20000 ? 12 : 8;
}

// ---- the plane

// Two half disks, so that the line between them shows the rotation.
void add(Surface& surface, const Ball<2>& disk, int facets) {
  const int first = static_cast<int>(surface.vertices.size());
  for (int i = 0; i < facets; ++i) {
    const double angle = 2 * M_PI * i / facets;
    surface.vertices.push_back(
        in_space<2>(disk.centre + disk.radius * Vec<2>(std::cos(angle), std::sin(angle))));
  }
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i <= facets / 2; ++i)
      surface.corner.push_back(first + (half * facets / 2 + i) % facets);
    close_polygon(surface);
  }
}

void add(Surface& surface, const Capsule<2>& stadium, int facets) {
  const Vec<2> axis = stadium.ends[1] - stadium.ends[0];
  const double direction = std::atan2(axis[1], axis[0]);
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i <= facets / 2; ++i) {
      const double angle = direction + M_PI / 2 + M_PI * end + 2 * M_PI * i / facets;
      surface.corner.push_back(static_cast<int>(surface.vertices.size()));
      surface.vertices.push_back(
          in_space<2>(stadium.ends[static_cast<std::size_t>(end)] +
                      stadium.radius * Vec<2>(std::cos(angle), std::sin(angle))));
    }
  close_polygon(surface);
}

void add(Surface& surface, const Polytope<2>& polygon, int) {
  for (const Vec<2>& vertex : polygon.vertices) {
    surface.corner.push_back(static_cast<int>(surface.vertices.size()));
    surface.vertices.push_back(in_space<2>(vertex));
  }
  close_polygon(surface);
}

// ---- space

// Rings of equal length from pole to pole, joined by quadrilaterals, closed by triangles.
struct Ring {
  Point centre;
  double radius;
};

void add_rings(Surface& surface, const Point& south, const std::vector<Ring>& rings,
               const Point& north, const Mat<3>& frame, int facets) {
  const int first = static_cast<int>(surface.vertices.size());
  const int last_ring = static_cast<int>(rings.size()) - 1;
  surface.vertices.push_back(south);
  for (const Ring& ring : rings)
    for (int i = 0; i < facets; ++i) {
      const double angle = 2 * M_PI * i / facets;
      surface.vertices.push_back(ring.centre + ring.radius * (std::cos(angle) * frame.col(1) +
                                                              std::sin(angle) * frame.col(2)));
    }
  surface.vertices.push_back(north);
  const int north_vertex = static_cast<int>(surface.vertices.size()) - 1;
  const auto vertex = [&](int ring, int i) { return first + 1 + ring * facets + i % facets; };
  for (int i = 0; i < facets; ++i) {
    for (int corner : {first, vertex(0, i + 1), vertex(0, i)}) surface.corner.push_back(corner);
    close_polygon(surface);
    for (int r = 0; r < last_ring; ++r) {
      for (int corner : {vertex(r, i), vertex(r, i + 1), vertex(r + 1, i + 1), vertex(r + 1, i)})
        surface.corner.push_back(corner);
      close_polygon(surface);
    }
    for (int corner : {north_vertex, vertex(last_ring, i), vertex(last_ring, i + 1)})
      surface.corner.push_back(corner);
    close_polygon(surface);
  }
}

// A capsule: all points within `radius` of the segment. A ball if the segment has no length.
void add_round(Surface& surface, const std::array<Vec<3>, 2>& ends, double radius, int facets) {
  const Vec<3> axis = ends[1] - ends[0];
  const double length = axis.norm();
  const Mat<3> frame = frame_of_normal<3>(length > 0 ? Vec<3>(axis / length) : Vec<3>::UnitZ());
  const int quarter = std::max(2, facets / 4);
  std::vector<Ring> rings;
  const auto add_ring = [&](const Vec<3>& centre, int i) {  // i from −quarter to quarter
    const double latitude = M_PI / 2 * i / quarter;
    rings.push_back(
        {centre + radius * std::sin(latitude) * frame.col(0), radius * std::cos(latitude)});
  };
  for (int i = 1 - quarter; i <= 0; ++i) add_ring(ends[0], i);
  for (int i = length > 0 ? 0 : 1; i < quarter; ++i) add_ring(ends[1], i);
  add_rings(surface, ends[0] - radius * frame.col(0), rings, ends[1] + radius * frame.col(0), frame,
            facets);
}

void add(Surface& surface, const Ball<3>& ball, int facets) {
  add_round(surface, {ball.centre, ball.centre}, ball.radius, facets);
}

void add(Surface& surface, const Capsule<3>& capsule, int facets) {
  add_round(surface, capsule.ends, capsule.radius, facets);
}

void add(Surface& surface, const Polytope<3>& polytope, int) {
  const int first = static_cast<int>(surface.vertices.size());
  surface.vertices.insert(surface.vertices.end(), polytope.vertices.begin(),
                          polytope.vertices.end());
  for (const std::vector<int>& face : polytope.faces) {
    for (int vertex : face) surface.corner.push_back(first + vertex);
    close_polygon(surface);
  }
}

// ---- half-spaces

// Bounding box of all bodies of finite size, which a plate must extend beyond.
struct Extents {
  Point centre = Point::Zero();
  double radius = 0.5;  // [m]
};

template <int D>
Extents extents_of(const Bodies<D>& bodies) {
  Point low = Point::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double radius = bodies.geometry_of(i).bounding_radius;
    if (!std::isfinite(radius)) continue;
    const Point centre = in_space<D>(bodies.position[i]);
    low = low.cwiseMin(centre - Point::Constant(radius));
    high = high.cwiseMax(centre + Point::Constant(radius));
  }
  if (!(low[0] <= high[0])) return {};
  return {0.5 * (low + high), 0.5 * (high - low).head<D>().norm()};
}

// A thin plate for a half-space. Its upper side lies in the plane, below the middle of the scene.
template <int D>
void add_plate(Surface& surface, const HalfSpace<D>& half_space, const Vec<D>& scene_centre,
               double scene_radius) {
  const double half = 2.5 * scene_radius, thickness = 0.04 * scene_radius;  // room to spread
  const Vec<D> foot =
      scene_centre + (half_space.offset - half_space.normal.dot(scene_centre)) * half_space.normal;
  const Mat<D> frame = frame_of_normal<D>(half_space.normal);
  const int first = static_cast<int>(surface.vertices.size());
  const auto polygon = [&](std::initializer_list<int> corners) {
    for (int corner : corners) surface.corner.push_back(first + corner);
    close_polygon(surface);
  };
  if constexpr (D == 2) {
    for (int i = 0; i < 4; ++i) {  // along t₁ = n turned left: above, then below backwards
      const double along = i == 0 || i == 3 ? -half : half;
      surface.vertices.push_back(
          in_space<2>(foot + along * frame.col(1) - (i < 2 ? 0 : thickness) * frame.col(0)));
    }
    polygon({0, 1, 2, 3});
  } else {
    for (int i = 0; i < 8; ++i) {
      const double s = i % 4 == 0 || i % 4 == 3 ? -half : half, t = i % 4 < 2 ? -half : half;
      surface.vertices.push_back(foot + s * frame.col(1) + t * frame.col(2) -
                                 (i < 4 ? 0 : thickness) * frame.col(0));
    }
    polygon({0, 1, 2, 3});
    polygon({7, 6, 5, 4});
    for (int i = 0; i < 4; ++i) polygon({(i + 1) % 4, i, i + 4, (i + 1) % 4 + 4});
  }
}

template <int D>
bool is_round(const Shape<D>& shape) {
  return std::holds_alternative<Ball<D>>(shape) || std::holds_alternative<Capsule<D>>(shape);
}

}  // namespace

template <int D>
DrawnShapes draw_shapes(const Bodies<D>& bodies) {
  std::vector<char> drawn_as_point(bodies.geometries.size());
  std::vector<char> has_round_part(bodies.geometries.size());
  for (std::size_t g = 0; g < bodies.geometries.size(); ++g) {
    const Geometry<D>& geometry = bodies.geometries[g];
    drawn_as_point[g] = D == 3 && geometry.ball_radius > 0;
    has_round_part[g] = std::any_of(geometry.shapes.begin(), geometry.shapes.end(), is_round<D>);
  }
  std::size_t round_bodies = 0;
  for (int g : bodies.geometry)
    round_bodies +=
        has_round_part[static_cast<std::size_t>(g)] && !drawn_as_point[static_cast<std::size_t>(g)];
  const int facets = facets_of_circle(round_bodies);
  const Extents scene = extents_of(bodies);

  DrawnShapes drawn;
  drawn.surface_of.assign(bodies.size(), -1);
  std::vector<int> surface_of_geometry(bodies.geometries.size(), -1);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto g = static_cast<std::size_t>(bodies.geometry[i]);
    if (drawn_as_point[g]) continue;
    if (surface_of_geometry[g] >= 0) {
      drawn.surface_of[i] = surface_of_geometry[g];
      continue;
    }
    const Mat<D> to_body = rotation_matrix<D>(bodies.orientation[i]).transpose();
    const Vec<D> centre = to_body * (scene.centre.head<D>() - bodies.position[i]);
    Surface surface;
    bool has_plate = false;
    for (const Shape<D>& shape : bodies.geometries[g].shapes) {
      std::visit(
          [&](const auto& part) {
            if constexpr (std::is_same_v<std::decay_t<decltype(part)>, HalfSpace<D>>) {
              add_plate<D>(surface, part, centre, scene.radius);
              has_plate = true;
            } else {
              add(surface, part, facets);
            }
          },
          shape);
      surface.part_start.push_back(static_cast<int>(surface.vertices.size()));
    }
    drawn.surface_of[i] = static_cast<int>(drawn.surfaces.size());
    drawn.surfaces.push_back(std::move(surface));
    // A plate is placed relative to its body; another body with the same half-space needs its own
    // plate.
    if (!has_plate) surface_of_geometry[g] = drawn.surface_of[i];
  }
  return drawn;
}

template DrawnShapes draw_shapes(const Bodies<2>&);
template DrawnShapes draw_shapes(const Bodies<3>&);

}  // namespace talus
