// SPDX-License-Identifier: Apache-2.0
// Flat faces of a body, on which a pressure can act.
#pragma once

#include <optional>
#include <vector>

#include "engine/geometry/shape.hpp"

namespace talus {

template <int D>
struct FlatFace {
  double area = 0;                 // [m²]; a length in the plane [m]
  Vec<D> centre = Vec<D>::Zero();  // of area [m]
};

// All faces of the polytopes among the shapes whose outward normal is this unit vector, as one.
// Empty if there is none.
template <int D>
std::optional<FlatFace<D>> flat_face(const std::vector<Shape<D>>& shapes, const Vec<D>& normal);

}  // namespace talus
