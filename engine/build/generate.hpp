// SPDX-License-Identifier: Apache-2.0
// Arrangements of many bodies from a few numbers: walls, chains, grids, stacks, arches, columns,
// packings. Up is the last axis and x runs along the arrangement. Neighbours that should touch have
// a gap of zero to rounding, and none overlap (except in a jittered grid). The same plan gives the
// same bits on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/build/masonry.hpp"
#include "engine/build/packing.hpp"
#include "engine/build/voronoi.hpp"
#include "engine/build/wall.hpp"
#include "engine/model/scene.hpp"

namespace talus {

// Balls in a line, named NAME.k; the origin is the centre of the first.
template <int D>
struct ChainPlan {
  std::string name = "chain";
  Vec<D> direction = Vec<D>::UnitX();  // unit vector
  int count = 0;
  double radius = 0;                 // [m]
  double gap = 0;                    // between neighbours [m]
  std::vector<double> masses;        // one each [kg], or none: from the density
  int incoming = 0;                  // how many of the first balls have `velocity`
  Vec<D> velocity = Vec<D>::Zero();  // [m/s]
};

// Copies of one body on a lattice, named NAME.i.j(.k); the origin is the centre of the first.
template <int D>
struct GridPlan {
  std::string name = "grid";
  std::vector<Shape<D>> shapes;
  std::array<int, D> counts{};
  Vec<D> spacing = Vec<D>::Zero();  // [m]
  double jitter = 0;                // each coordinate shifted by at most this much at random [m]
  std::uint64_t seed = 0;
};

// Boxes on top of each other, named NAME.k from below. Without overhang the origin is the middle of
// the foot of the lowest box.
template <int D>
struct StackPlan {
  std::string name = "stack";
  Vec<D> block = Vec<D>::Zero();  // width, height(, depth) [m]
  int count = 0;
  std::vector<double> overhangs;  // along x, of block k over k − 1; k = 0: over the origin [m]
};

// Blocks leaning out over the edge of a table at the origin: the k-th joint from the top, the
// table's included, overhangs by s w/(2k). At s = 1 the stack is about to fall.
std::vector<double> harmonic_overhangs(int count, double width, double s);

// Voussoirs of a circular arch, with flat faces, named NAME.k from the left springing. The origin
// is the centre of the circle.
template <int D>
struct ArchPlan {
  std::string name = "arch";
  double inner_radius = 0;  // [m]
  double thickness = 0;     // [m]
  double depth = 0;         // [m], space only
  int count = 0;
  double span = 0;  // angle between the springings, symmetric about the vertical [rad]
};

// One voussoir. Its origin is the middle of its thickness, and it is symmetric about the vertical.
// Empty if it is degenerate.
template <int D>
std::optional<Polytope<D>> voussoir(const ArchPlan<D>& plan);

// Balls in layers, each ball over a hollow of the layer below. Layers alternately have n and n − 1
// balls along every horizontal axis with n > 1. With equal radii, neighbours of adjacent layers
// touch. With random radii, each ball is at the middle of a cell that fits the largest ball. Or
// boxes, one straight above the other. Bodies are named NAME.layer.k; the origin is the middle of
// the foot.
template <int D>
struct ColumnPlan {
  std::string name = "column";
  std::array<int, D> counts{};            // the last one counts the layers
  double min_radius = 0, max_radius = 0;  // of balls [m]
  std::optional<Vec<D>> box;              // sides, instead of balls [m]
  std::uint64_t seed = 0;
};

// Vaults, domes and buttresses are in space only.
template <int D>
using Plan = std::conditional_t<
    D == 2,
    std::variant<WallPlan<D>, ChainPlan<D>, GridPlan<D>, StackPlan<D>, ArchPlan<D>, ColumnPlan<D>,
                 VoronoiPlan<D>, PackingPlan<D>>,
    std::variant<WallPlan<D>, ChainPlan<D>, GridPlan<D>, StackPlan<D>, ArchPlan<D>, ColumnPlan<D>,
                 VoronoiPlan<D>, VaultPlan, DomePlan, ButtressPlan, PackingPlan<D>>>;

// Number of bodies of a plan; a double, because a plan may ask for more than an integer can hold.
template <int D>
double body_count(const Plan<D>& plan);

// The bodies of a plan; fewer than body_count if a packing has no room for all.
template <int D>
std::vector<BodyDescription<D>> generate(const Plan<D>& plan);

// Rotates an arrangement about its origin, then moves the origin to `position`.
template <int D>
void place(const Vec<D>& position, const Orientation<D>& rotation,
           std::vector<BodyDescription<D>>& bodies);

}  // namespace talus
