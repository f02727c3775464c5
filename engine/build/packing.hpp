// SPDX-License-Identifier: Apache-2.0
// Grains of random size and position in a convex region: separated, to fall under gravity, or
// already deposited. No two overlap.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/build/random.hpp"
#include "engine/geometry/region.hpp"
#include "engine/geometry/shape.hpp"
#include "engine/geometry/space.hpp"

namespace talus {

// Radii of grains, or of the balls around them [m].
struct UniformSizes {
  double smallest = 0, largest = 0;
};
struct LognormalSizes {
  double median = 0;
  double sigma = 0;                  // standard deviation of ln r
  double smallest = 0, largest = 0;  // values outside are drawn again
};
// A grading curve: the mass fraction of grains up to a radius, increasing to 1, linear in between.
struct PassingSizes {
  struct Point {
    double radius = 0, part = 0;
  };
  std::vector<Point> points;  // the first has part 0
};
using Sizes = std::variant<UniformSizes, LognormalSizes, PassingSizes>;

struct BallGrain {};
struct CapsuleGrain {
  double aspect = 2;  // length over diameter, more than 1
};
struct PolytopeGrain {
  int corners = 12;  // at random positions on the ball around it
};
using GrainKind = std::variant<BallGrain, CapsuleGrain, PolytopeGrain>;

enum class Fill {
  random,   // random sequential addition, the largest first; grains do not touch
  deposit,  // one after another, each rolled down to a stable position; dense
};

// A place for the centre of a ball, uniformly distributed in the bounding box of the region. It
// need not lie in the region.
template <int D>
Vec<D> draw_place(const Region<D>& region, double radius, Random& random);

template <int D>
struct PackingPlan {
  std::string name = "packing";
  int count = 0;
  Region<D> region;
  Sizes sizes;
  GrainKind kind;
  Fill fill = Fill::random;
  std::uint64_t seed = 0;
};

// The shape is centred at the origin and already has a random orientation.
template <int D>
struct Grain {
  Shape<D> shape;
  Vec<D> position;
  double radius = 0;  // of the ball around it
};

// One grain, at the origin.
template <int D>
Grain<D> draw_grain(const Sizes& sizes, const GrainKind& kind, Random& random);

// The grains of a plan; fewer if some found no place.
template <int D>
std::vector<Grain<D>> pack(const PackingPlan<D>& plan);

}  // namespace talus
