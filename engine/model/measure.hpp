// SPDX-License-Identifier: Apache-2.0
// Measures of a run, as declared in a scene: quantities of the grains in a region, or the flow
// through a plane. A grain is a body that moves freely.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/geometry/shape.hpp"

namespace talus {

enum class Quantity { solid_fraction, coordination, stress, kinetic_stress };

template <int D>
struct RegionMeasure {
  std::optional<Polytope<D>> region;  // in the world; none: all grains, wherever they are
  std::vector<Quantity> quantities;   // solid fraction and stresses need a region
};

// Counts mass centres that pass the plane; passing along the normal counts positive.
template <int D>
struct PlaneMeasure {
  Vec<D> point = Vec<D>::Zero();   // [m]
  Vec<D> normal = Vec<D>::Zero();  // unit vector
};

template <int D>
struct Measure {
  std::string name;
  int every = 1;  // steps from one row to the next
  std::variant<RegionMeasure<D>, PlaneMeasure<D>> of;
};

// A column of the table of a measure.
struct MeasureColumn {
  std::string name, unit;
};
template <int D>
std::vector<MeasureColumn> measure_columns(const Measure<D>& measure);

}  // namespace talus
