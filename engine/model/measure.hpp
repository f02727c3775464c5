// SPDX-License-Identifier: Apache-2.0
// Measures of a run, as declared in a scene: quantities of the grains in a region, the flow through
// a plane, or force and displacement of bodies. A grain is a body that moves freely.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/geometry/shape.hpp"

namespace talus {

enum class Quantity {
  solid_fraction,
  coordination,
  stress,
  kinetic_stress,
  fabric,
  forces,
  strain,
  cell
};

// Bins of normal forces relative to their mean. The last bin also holds all that is larger.
struct ForceHistogram {
  int bins = 20;
  double largest = 4;  // upper end of the last bin, in means
};

template <int D>
struct RegionMeasure {
  std::optional<Polytope<D>> region;  // in the world; none: all grains, wherever they are
  // Solid fraction and stresses need a region, or a cell that is periodic along all axes.
  std::vector<Quantity> quantities;
  ForceHistogram histogram = {};  // of the quantity `forces`
};

// Counts mass centres that pass the plane; passing along the normal counts positive.
template <int D>
struct PlaneMeasure {
  Vec<D> point = Vec<D>::Zero();   // [m]
  Vec<D> normal = Vec<D>::Zero();  // unit vector
};

enum class BodyQuantity { force, displacement };

// The resultant of the contact forces on a group of bodies from outside of it, and its motion. The
// position of a group is the mean of those of its bodies.
template <int D>
struct BodyMeasure {
  std::vector<int> bodies;  // ascending
  std::vector<BodyQuantity> quantities = {BodyQuantity::force, BodyQuantity::displacement};
  std::optional<Vec<D>> about;  // point of the moment [m]; default: the position of the group
};

template <int D>
struct Measure {
  std::string name;
  int every = 1;  // steps from one row to the next
  std::variant<RegionMeasure<D>, PlaneMeasure<D>, BodyMeasure<D>> of;
};

// A column of the table of a measure.
struct MeasureColumn {
  std::string name, unit;
};
template <int D>
std::vector<MeasureColumn> measure_columns(const Measure<D>& measure);

}  // namespace talus
