// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/surface.hpp"

#include <algorithm>
#include <array>
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

void add(Surface& surface, const TriangleMesh& mesh, int) {
  const int first = static_cast<int>(surface.vertices.size());
  surface.vertices.insert(surface.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
  for (const auto& triangle : mesh.triangles) {
    for (const int vertex : triangle) surface.corner.push_back(first + vertex);
    close_polygon(surface);
  }
}

// ---- half-spaces

// The surface of a half-space in world axes: bodies are where n·x ≥ d.
template <int D>
struct Plane {
  Vec<D> normal;
  double offset;

  double above(const Vec<D>& x) const { return normal.dot(x) - offset; }
};

template <int D>
std::vector<Plane<D>> planes_of(const Bodies<D>& bodies) {
  std::vector<Plane<D>> planes;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (const Shape<D>& shape : bodies.geometry_of(i).shapes)
      if (const auto* part = std::get_if<HalfSpace<D>>(&shape)) {
        const Vec<D> n = rotation_matrix<D>(bodies.orientation[i]) * part->normal;
        planes.push_back({n, part->offset + n.dot(bodies.position[i])});
      }
  return planes;
}

// Bounding box of all bodies of finite size and of the places of half-spaces that are nearest to
// their middle. A plate must extend beyond it.
struct Extents {
  Point centre = Point::Zero();
  double radius = 0.5;  // [m]
};

template <int D>
Extents extents_of(const Bodies<D>& bodies, const std::vector<Plane<D>>& planes) {
  Point low = Point::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double radius = bodies.geometry_of(i).bounding_radius;
    if (!std::isfinite(radius)) continue;
    const Point centre = in_space<D>(bodies.position[i]);
    low = low.cwiseMin(centre - Point::Constant(radius));
    high = high.cwiseMax(centre + Point::Constant(radius));
  }
  if (!(low[0] <= high[0])) return {};
  const Vec<D> middle = (0.5 * (low + high)).template head<D>();
  for (const Plane<D>& plane : planes) {
    const Point foot = in_space<D>(middle - plane.above(middle) * plane.normal);
    low = low.cwiseMin(foot);
    high = high.cwiseMax(foot);
  }
  return {0.5 * (low + high), 0.5 * (high - low).head<D>().norm()};
}

// The part of a polygon, or of a segment in the plane, that lies above a plane: Sutherland and
// Hodgman's algorithm.
template <int D>
std::vector<Vec<D>> clipped(const std::vector<Vec<D>>& outline, const Plane<D>& plane) {
  std::vector<Vec<D>> kept;
  const std::size_t edges = D == 2 ? 1 : outline.size();
  if (D == 2 && plane.above(outline[0]) >= 0) kept.push_back(outline[0]);
  for (std::size_t i = 0; i < edges; ++i) {
    const Vec<D>&from = outline[i], &to = outline[(i + 1) % outline.size()];
    const double a = plane.above(from), b = plane.above(to);
    if ((a < 0) != (b < 0)) kept.push_back(from + a / (a - b) * (to - from));
    if (b >= 0) kept.push_back(to);
  }
  return kept;
}

// A thin plate for a half-space. Its upper side lies in the plane, below the middle of the scene,
// and ends where it meets another half-space.
template <int D>
std::vector<Vec<D>> plate_outline(const Plane<D>& plane, const std::vector<Plane<D>>& planes,
                                  const Extents& scene) {
  const double half = 1.25 * scene.radius;
  const Mat<D> frame = frame_of_normal<D>(plane.normal);
  const Vec<D> centre = scene.centre.head<D>(), foot = centre - plane.above(centre) * plane.normal;
  std::vector<Vec<D>> outline;
  if constexpr (D == 2) {
    outline = {foot - half * frame.col(1), foot + half * frame.col(1)};
  } else {
    for (int i = 0; i < 4; ++i)
      outline.push_back(foot + (i % 3 == 0 ? -half : half) * frame.col(1) +
                        (i < 2 ? -half : half) * frame.col(2));
  }
  const std::vector<Vec<D>> whole = outline;
  for (const Plane<D>& other : planes) {
    if (std::abs(other.normal.dot(plane.normal)) > 1 - 1e-9) continue;  // itself, or parallel to it
    outline = clipped(outline, other);
    if (outline.size() < static_cast<std::size_t>(D)) return whole;  // it lies within another
  }
  return outline;
}

template <int D>
void add_plate(Surface& surface, const std::vector<Vec<D>>& outline, const Vec<D>& normal,
               double thickness) {
  const int first = static_cast<int>(surface.vertices.size());
  const int n = static_cast<int>(outline.size());
  const auto polygon = [&](auto&& corner, int corners) {
    for (int k = 0; k < corners; ++k) surface.corner.push_back(first + corner(k));
    close_polygon(surface);
  };
  for (const Vec<D>& x : outline) surface.vertices.push_back(in_space<D>(x));
  for (int k = 0; k < n; ++k) {  // in the plane the loop goes back below
    const auto i = static_cast<std::size_t>(D == 2 ? n - 1 - k : k);
    surface.vertices.push_back(in_space<D>(outline[i] - thickness * normal));
  }
  if constexpr (D == 2) {
    polygon([](int k) { return k; }, 4);
  } else {
    polygon([](int k) { return k; }, n);
    polygon([n](int k) { return 2 * n - 1 - k; }, n);
    for (int i = 0; i < n; ++i)
      polygon(
          [i, n](int k) {
            const int next = (i + 1) % n;
            return std::array{next, i, i + n, next + n}[static_cast<std::size_t>(k)];
          },
          4);
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
  const std::vector<Plane<D>> planes = planes_of(bodies);
  const Extents scene = extents_of(bodies, planes);

  DrawnShapes drawn;
  for (std::size_t i = 0; i < bodies.size(); ++i) drawn.is_wall.push_back(!bodies.moves_freely(i));
  drawn.surface_of.assign(bodies.size(), -1);
  std::vector<int> surface_of_geometry(bodies.geometries.size(), -1);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto g = static_cast<std::size_t>(bodies.geometry[i]);
    if (drawn_as_point[g]) continue;
    if (surface_of_geometry[g] >= 0) {
      drawn.surface_of[i] = surface_of_geometry[g];
      continue;
    }
    const Mat<D> R = rotation_matrix<D>(bodies.orientation[i]);
    Surface surface;
    bool has_plate = false;
    for (const Shape<D>& shape : bodies.geometries[g].shapes) {
      std::visit(
          [&](const auto& part) {
            if constexpr (std::is_same_v<std::decay_t<decltype(part)>, HalfSpace<D>>) {
              const Vec<D> n = R * part.normal;
              std::vector<Vec<D>> outline =
                  plate_outline<D>({n, part.offset + n.dot(bodies.position[i])}, planes, scene);
              for (Vec<D>& x : outline) x = R.transpose() * (x - bodies.position[i]);
              add_plate<D>(surface, outline, part.normal, 0.02 * scene.radius);
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
