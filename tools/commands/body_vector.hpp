// SPDX-License-Identifier: Apache-2.0
// Vectors of a command line, and vectors on bodies.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "solvers/math/vec.hpp"

namespace talus {

// [x, y(, z)]
template <int D>
std::optional<Vec<D>> vector_in(std::string_view text);

// BODY:VECTOR or BODY:VECTOR@POINT
template <int D>
struct BodyVector {
  std::string body;
  Vec<D> vector;
  std::optional<Vec<D>> point;
};
template <int D>
std::optional<BodyVector<D>> body_vector(std::string_view text);

}  // namespace talus
