// SPDX-License-Identifier: Apache-2.0
// Exact orientation predicates: the sign is right for any coordinates. A fast evaluation with an
// error bound (floating-point filter) comes first, exact arithmetic where that cannot decide.
#pragma once

#include "solvers/math/vec.hpp"

namespace talus {

// > 0 when a, b, c turn counter-clockwise, 0 exactly when they are collinear.
double orientation(const Vec<2>& a, const Vec<2>& b, const Vec<2>& c);

// > 0 when d lies on the side from which a, b, c run counter-clockwise, 0 exactly when the four are
// coplanar.
double orientation(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d);

}  // namespace talus
