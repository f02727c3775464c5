// SPDX-License-Identifier: Apache-2.0
#include "engine/model/bodies.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>

namespace talus {

namespace {

// A hash of shapes, to find bodies with equal shapes without comparing all.
class Fingerprint {
 public:
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15u;
    value_ ^= value_ >> 29;
  }
  template <int D>
  void add(const Vec<D>& x) {
    for (int i = 0; i < D; ++i) add(x[i]);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

template <int D>
void add_shape(const Ball<D>& ball, Fingerprint& print) {
  print.add(ball.radius);
  print.add<D>(ball.centre);
}
template <int D>
void add_shape(const Capsule<D>& capsule, Fingerprint& print) {
  print.add(capsule.radius);
  for (const Vec<D>& end : capsule.ends) print.add<D>(end);
}
template <int D>
void add_shape(const Polytope<D>& polytope, Fingerprint& print) {
  for (const Vec<D>& x : polytope.vertices) print.add<D>(x);
}
template <int D>
void add_shape(const HalfSpace<D>& half_space, Fingerprint& print) {
  print.add(half_space.offset);
  print.add<D>(half_space.normal);
}

template <int D>
void add_shape(const TriangleMesh& mesh, Fingerprint& print) {
  for (const Vec<3>& x : mesh.vertices) print.add<3>(x);
}

template <int D>
bool same(const Ball<D>& a, const Ball<D>& b) {
  return a.radius == b.radius && a.centre == b.centre;
}
template <int D>
bool same(const Capsule<D>& a, const Capsule<D>& b) {
  return a.radius == b.radius && a.ends == b.ends;
}
template <int D>
bool same(const Polytope<D>& a, const Polytope<D>& b) {
  return a.vertices == b.vertices && a.faces == b.faces;
}
template <int D>
bool same(const HalfSpace<D>& a, const HalfSpace<D>& b) {
  return a.offset == b.offset && a.normal == b.normal;
}

template <int D>
bool same(const TriangleMesh& a, const TriangleMesh& b) {
  return a.vertices == b.vertices && a.triangles == b.triangles;
}

template <int D>
bool same(const std::vector<Shape<D>>& a, const std::vector<Shape<D>>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const Shape<D>& s, const Shape<D>& t) {
        return s.index() == t.index() && std::visit(
                                             [&](const auto& x) {
                                               using Family = std::decay_t<decltype(x)>;
                                               return same<D>(x, std::get<Family>(t));
                                             },
                                             s);
      });
}

// Largest distance of a shape from its own centre [m].
template <int D>
double own_radius(const Shape<D>& shape) {
  const MassProperties<D> properties = mass_properties<D>(shape);
  if (!std::isfinite(properties.volume)) return bounding_radius<D>({shape});
  return bounding_radius<D>({moved<D>(shape, -properties.centre, Orientation<D>())});
}

template <int D>
double half_width(const Ball<D>& ball) {
  return ball.radius;
}
template <int D>
double half_width(const Capsule<D>& capsule) {
  return capsule.radius;
}
template <int D>
double half_width(const Polytope<D>& polytope) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t face = 0; face < polytope.normals.size(); ++face) {
    double width = 0;
    for (const Vec<D>& x : polytope.vertices)
      width = std::max(width, polytope.offsets[face] - polytope.normals[face].dot(x));
    least = std::min(least, width);
  }
  return 0.5 * least;
}
template <int D>
double half_width(const HalfSpace<D>&) {
  return std::numeric_limits<double>::infinity();
}

template <int D>
double half_width(const TriangleMesh&) {
  return std::numeric_limits<double>::infinity();
}

template <int D>
Geometry<D> geometry_about(const std::vector<Shape<D>>& shapes, const Vec<D>& centre) {
  Geometry<D> geometry;
  geometry.size = geometry.half_width = std::numeric_limits<double>::infinity();
  for (const Shape<D>& shape : shapes) {
    geometry.shapes.push_back(moved<D>(shape, -centre, Orientation<D>()));
    geometry.size = std::min(geometry.size, own_radius<D>(shape));
    geometry.half_width = std::min(
        geometry.half_width, std::visit([](const auto& s) { return half_width<D>(s); }, shape));
  }
  geometry.bounding_radius = bounding_radius<D>(geometry.shapes);
  if (geometry.shapes.size() == 1) {
    const auto* ball = std::get_if<Ball<D>>(&geometry.shapes.front());
    if (ball && ball->centre.isZero(0)) geometry.ball_radius = ball->radius;
  }
  return geometry;
}

// The distinct sets of shapes of a scene, each with its mass properties and geometry.
template <int D>
class GeometryTable {
 public:
  struct Entry {
    const std::vector<Shape<D>>* shapes;  // as described
    bool about_mass_centre;
    MassProperties<D> properties;  // of unit density
    int geometry;
  };

  explicit GeometryTable(std::vector<Geometry<D>>& geometries) : geometries_(geometries) {}

  // Shapes of free bodies are relative to the mass centre, those of others to the described origin.
  const Entry& find(const std::vector<Shape<D>>& shapes, bool about_mass_centre) {
    Fingerprint print;
    print.add(static_cast<std::uint64_t>(about_mass_centre));
    for (const Shape<D>& shape : shapes) {
      print.add(static_cast<std::uint64_t>(shape.index()));
      std::visit([&](const auto& s) { add_shape<D>(s, print); }, shape);
    }
    const auto [first, last] = entries_.equal_range(print.value());
    for (auto it = first; it != last; ++it) {
      const Entry& entry = it->second;
      if (entry.about_mass_centre == about_mass_centre && same<D>(*entry.shapes, shapes)) {
        return entry;
      }
    }
    Entry entry{&shapes, about_mass_centre, mass_properties<D>(shapes),
                static_cast<int>(geometries_.size())};
    if (!about_mass_centre) entry.properties.centre.setZero();
    geometries_.push_back(geometry_about<D>(shapes, entry.properties.centre));
    return entries_.emplace(print.value(), entry)->second;
  }

 private:
  std::vector<Geometry<D>>& geometries_;
  std::unordered_multimap<std::uint64_t, Entry> entries_;
};

template <int D>
void add_bodies(const std::vector<BodyDescription<D>>& descriptions,
                const std::vector<Material>& materials, GeometryTable<D>& table,
                Bodies<D>& bodies) {
  for (const BodyDescription<D>& body : descriptions) {
    const bool movable = !body.fixed && body.drives.empty();
    const auto& entry = table.find(body.shapes, movable);
    const MassProperties<D>& properties = entry.properties;
    assert((!movable || std::isfinite(properties.volume)) && "a free body has finite shapes");

    bodies.id.push_back(static_cast<std::int32_t>(bodies.size()));
    bodies.position.push_back(body.position +
                              rotation_matrix<D>(body.orientation) * properties.centre);
    bodies.orientation.push_back(body.orientation);
    bodies.velocity.push_back(body.fixed ? Vec<D>(Vec<D>::Zero()) : body.velocity);
    bodies.spin.push_back(body.fixed ? Spin<D>(Spin<D>::Zero()) : body.spin);
    bodies.geometry.push_back(entry.geometry);
    bodies.material.push_back(body.material);
    bodies.origin_offset.push_back(-properties.centre);

    double mass = 0, inverse_mass = 0;
    SpinMat<D> inertia = SpinMat<D>::Zero(), inverse_inertia = SpinMat<D>::Zero();
    if (movable) {
      const double density = materials[static_cast<std::size_t>(body.material)].density;
      mass = body.mass.value_or(density * properties.volume);
      inertia = body.inertia.value_or(mass / properties.volume * properties.inertia);
      inverse_mass = 1 / mass;
      if (!body.rotation_locked) {
        const SpinMat<D> inverse = inertia.inverse();
        inverse_inertia = 0.5 * (inverse + inverse.transpose());
      }
    }
    bodies.mass.push_back(mass);
    bodies.inverse_mass.push_back(inverse_mass);
    bodies.inertia.push_back(inertia);
    bodies.inverse_inertia.push_back(inverse_inertia);
  }
}

}  // namespace

template <int D>
Bodies<D> make_bodies(const Scene<D>& scene) {
  Bodies<D> bodies;
  if (scene.cell) bodies.lattice = scene.cell->lattice();
  GeometryTable<D> table(bodies.geometries);
  add_bodies<D>(scene.bodies, scene.materials, table, bodies);
  return bodies;
}

template <int D>
Bodies<D> all_bodies(const Scene<D>& scene) {
  Bodies<D> bodies;
  if (scene.cell) bodies.lattice = scene.cell->lattice();
  GeometryTable<D> table(bodies.geometries);
  add_bodies<D>(scene.bodies, scene.materials, table, bodies);
  for (const Emitter<D>& emitter : scene.emitters)
    add_bodies<D>(emitter.grains, scene.materials, table, bodies);
  return bodies;
}

template <int D>
void displace(const Vec<D>& displacement, const Spin<D>& rotation_vector, std::size_t body,
              Bodies<D>& bodies) {
  if (!bodies.moves_freely(body)) return;
  bodies.position[body] += displacement;
  if (rotation_vector.isZero(0)) return;
  bodies.orientation[body] = rotated<D>(bodies.orientation[body], rotation_vector);
  bodies.spin[body] = turned_spin<D>(bodies.spin[body], rotation_vector);
}

template Bodies<2> make_bodies(const Scene<2>&);
template Bodies<3> make_bodies(const Scene<3>&);
template Bodies<2> all_bodies(const Scene<2>&);
template Bodies<3> all_bodies(const Scene<3>&);
template void displace<2>(const Vec<2>&, const Spin<2>&, std::size_t, Bodies<2>&);
template void displace<3>(const Vec<3>&, const Spin<3>&, std::size_t, Bodies<3>&);

}  // namespace talus
