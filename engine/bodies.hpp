// The bodies as arrays, one entry per body. Positions are those of mass centres, orientations those
// of frames parallel to the ones the bodies were described in. A fixed or driven body has zero
// inverse mass and inertia, so no stage of the step asks for it; its mass centre plays no role, and
// its position is that of the described origin, which it turns about. Where bodies come and go
// (population.hpp), a place of the arrays may be vacant: a body of no mass and no shape, at rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/scene.hpp"
#include "engine/shape.hpp"
#include "engine/space.hpp"

namespace talus {

// Shapes of a body about its mass centre. Bodies described alike share one.
template <int D>
struct Geometry {
  std::vector<Shape<D>> shapes;
  double bounding_radius = 0;  // about the mass centre [m]; infinite with a half-space
  double ball_radius = 0;  // > 0 exactly when the body is one ball centred on its mass centre [m]
  double size =
      0;  // smallest bounding radius of its shapes [m]: the length tolerances are relative to
  // Half of the least width of its thinnest shape [m], infinite of half-spaces: what a penetration
  // is relative to. A ball's radius; of a polytope, half of the least distance between a face and
  // the vertex farthest from it.
  double half_width = 0;
};

template <int D>
struct Bodies {
  // state
  std::vector<Vec<D>> position;  // [m]
  std::vector<Orientation<D>> orientation;
  std::vector<Vec<D>> velocity;  // [m/s]
  std::vector<Spin<D>> spin;     // world axes [rad/s]

  // constants
  std::vector<std::int32_t> id;  // number among all bodies of the scene; −1: the place is vacant
  std::vector<double> mass;      // [kg]; 0 for fixed and driven bodies
  std::vector<double> inverse_mass;
  std::vector<SpinMat<D>> inertia;          // body axes [kg m²]; 0 for fixed and driven bodies
  std::vector<SpinMat<D>> inverse_inertia;  // body axes; 0 where rotation is locked, too
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

// Those that are there at the start, each in the place of its number.
template <int D>
Bodies<D> make_bodies(const Scene<D>& scene);

// All that can ever be there, in the order of their numbers: those of the start, then the grains of
// each emitter.
template <int D>
Bodies<D> all_bodies(const Scene<D>& scene);

// Moves a body that moves freely by a displacement and a rotation vector. Its spin turns with it,
// so that its kinetic energy stays what it was.
template <int D>
void displace(const Vec<D>& displacement, const Spin<D>& rotation_vector, std::size_t body,
              Bodies<D>& bodies);

}  // namespace talus
