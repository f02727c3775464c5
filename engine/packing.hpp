// Grains of random size and place in a convex region: apart from each other and to be let fall, or
// deposited already. No two overlap.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/random.hpp"
#include "engine/shape.hpp"
#include "engine/space.hpp"

namespace talus {

// Radii of grains, or of the balls around them [m].
struct UniformSizes {
  double smallest = 0, largest = 0;
};
struct LognormalSizes {
  double median = 0;
  double sigma = 0;                  // deviation of ln r
  double smallest = 0, largest = 0;  // what lies outside is drawn again
};
// A granulometry: the part of the mass in grains up to a radius, increasing to 1, linear between.
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
  int corners = 12;  // at random on the ball around it
};
using GrainKind = std::variant<BallGrain, CapsuleGrain, PolytopeGrain>;

enum class Fill {
  random,   // sequential addition, the largest first: apart from each other
  deposit,  // one after another, each rolled down to a stable place: dense
};

// Where grains may be: x with n·x ≤ d for every wall, and in space within a vertical cylinder
// about the origin if it has a radius.
template <int D>
struct Region {
  struct Wall {
    Vec<D> n;  // unit, outward
    double d = 0;
  };
  std::vector<Wall> walls;
  double cylinder = 0;                                 // [m]; 0: none
  Vec<D> low = Vec<D>::Zero(), high = Vec<D>::Zero();  // a box around it
  std::vector<Vec<D>> corners;                         // none of a cylinder or half-space

  bool holds(const Vec<D>& centre, double radius) const;
  double reach(const Vec<D>& n) const;  // the largest n·x of its points
};

// The origin is the middle of the foot.
template <int D>
Region<D> box_region(const Vec<D>& sides);
Region<3> cylinder_region(double radius, double height);
template <int D>
Region<D> hull_region(const Polytope<D>& hull);
// All of the solid side of a plane through the origin, without end.
template <int D>
Region<D> half_space_region(const Vec<D>& normal);

// A place for the centre of a ball, drawn evenly from the box around the region; whether it lies in
// the region is another question.
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

// The shape is about the origin and turned at random already.
template <int D>
struct Grain {
  Shape<D> shape;
  Vec<D> position;
  double radius = 0;  // of the ball around it
};

// One grain, at the origin.
template <int D>
Grain<D> draw_grain(const Sizes& sizes, const GrainKind& kind, Random& random);

// As many grains as asked, or as many as found a place.
template <int D>
std::vector<Grain<D>> pack(const PackingPlan<D>& plan);

}  // namespace talus
