// SPDX-License-Identifier: Apache-2.0
// Formulas in a scene: text such as "x^2 + y^2 - (1 + sin(t))^2".
#pragma once

#include "engine/model/expression.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

// Reads a formula in t, x, y (and z in space) with + - * / ^, brackets, pi and the functions of
// scenes/README.md. Throws SceneError with the place in the formula.
Expression read_expression(const Value& value, int dimension);

}  // namespace talus
