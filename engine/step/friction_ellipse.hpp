// SPDX-License-Identifier: Apache-2.0
// Elliptic friction of a contact, from the axis of the body that carries it.
#pragma once

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"
#include "solvers/math/index.hpp"
#include "solvers/problem/contact_problem.hpp"

namespace talus {

// The tangent plane cuts the ellipsoid of the law (FrictionEllipsoid) in an ellipse of the radii
// r₁, along the part of the axis in the plane, and r₂ = `across`:
//     1/r₁² = cos²α/along² + sin²α/across²,   α the angle between axis and plane.
// The row gets these tangents, stretched by s = √(r₁/r₂), in which the ellipse is a circle of the
// radius μ = √(r₁ r₂) (solvers/problem/elliptic.hpp).
template <int D>
void stretch_row(const Scene<D>& scene, const Bodies<D>& bodies, const ContactLaw& law,
                 ContactRow<D>& row);

// μ of a row that has been stretched.
template <int D>
double friction_of(const Scene<D>& scene, const ContactLaw& law, const ContactRow<D>& row) {
  if (law.ellipsoid < 0) return law.friction;
  return scene.friction_ellipsoids[at(law.ellipsoid)].across * row.stretch;
}

// The columns n, t₁(, t₂) of a row, of unit length.
template <int D>
Mat<D> unit_frame(const ContactRow<D>& row) {
  if (row.stretch == 1) return row.frame;
  return row.frame * stretching<D>(row.stretch).cwiseInverse().asDiagonal();
}

}  // namespace talus
