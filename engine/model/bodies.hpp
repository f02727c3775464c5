// SPDX-License-Identifier: Apache-2.0
// The bodies as a structure of arrays, one entry per body. Positions are those of mass centres. The
// axes of a body are parallel to those of the frame in which it was described. A fixed or driven
// body has zero inverse mass and inertia, so no stage of the step treats it specially. Its mass
// centre plays no role: its position is that of the described origin, about which it rotates. In
// scenes with emitters or outlets (population.hpp) an entry of the arrays may be vacant: a body at
// rest without mass and shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/geometry/shape.hpp"
#include "engine/geometry/space.hpp"
#include "engine/model/cell.hpp"
#include "engine/model/scene.hpp"

namespace talus {

// Shapes of a body relative to its mass centre. Bodies with equal shapes share one Geometry.
template <int D>
struct Geometry {
  std::vector<Shape<D>> shapes;
  double bounding_radius = 0;  // about the mass centre [m]; infinite with a half-space
  double ball_radius = 0;  // > 0 exactly when the body is one ball centred on its mass centre [m]
  double size = 0;  // smallest bounding radius of its shapes [m]; tolerances are relative to it
  // Half of the least width of its thinnest shape [m], infinite for half-spaces. Penetrations are
  // relative to it. For a ball it is the radius; for a polytope, half of the least distance between
  // a face and the vertex farthest from it.
  double half_width = 0;
};

template <int D>
struct Bodies {
  // state
  std::vector<Vec<D>> position;  // [m]
  std::vector<Orientation<D>> orientation;
  std::vector<Vec<D>> velocity;  // [m/s]
  std::vector<Spin<D>> spin;     // world axes [rad/s]
  Lattice<D> lattice;            // of a periodic cell

  // constants
  std::vector<std::int32_t> id;  // index among all bodies of the scene; −1: vacant entry
  std::vector<double> mass;      // [kg]; 0 for fixed and driven bodies
  std::vector<double> inverse_mass;
  std::vector<SpinMat<D>> inertia;          // body axes [kg m²]; 0 for fixed and driven bodies
  std::vector<SpinMat<D>> inverse_inertia;  // body axes; also 0 where rotation is locked
  std::vector<int> geometry;                // index into geometries
  std::vector<int> material;
  std::vector<Vec<D>>
      origin_offset;  // described frame's origin, from the mass centre, body axes [m]

  std::vector<Geometry<D>> geometries;

  std::size_t size() const { return position.size(); }
  bool moves_freely(std::size_t i) const { return inverse_mass[i] > 0; }
  const Geometry<D>& geometry_of(std::size_t i) const {
    return geometries[static_cast<std::size_t>(geometry[i])];
  }
};

// The bodies present at the start; entry i is body i of the scene.
template <int D>
Bodies<D> make_bodies(const Scene<D>& scene);

// All bodies that are ever present, in the order of their indices: those of the start, then the
// grains of each emitter.
template <int D>
Bodies<D> all_bodies(const Scene<D>& scene);

// Displaces and rotates a free body. Its spin is rotated with it, so that its kinetic energy does
// not change.
template <int D>
void displace(const Vec<D>& displacement, const Spin<D>& rotation_vector, std::size_t body,
              Bodies<D>& bodies);

}  // namespace talus
