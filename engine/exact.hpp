// Orientation of points with the right sign for any coordinates: a quick evaluation with an error
// bound first, exact arithmetic where that cannot tell.
#pragma once

#include "solvers/vec.hpp"

namespace talus {

// > 0 when a, b, c turn counter-clockwise, 0 exactly when they are collinear.
double orientation(const Vec<2>& a, const Vec<2>& b, const Vec<2>& c);

// > 0 when d lies on the side from which a, b, c run counter-clockwise, 0 exactly when the four are
// coplanar.
double orientation(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d);

}  // namespace talus
