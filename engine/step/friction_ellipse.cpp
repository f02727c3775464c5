// SPDX-License-Identifier: Apache-2.0
#include "engine/step/friction_ellipse.hpp"

#include <cmath>

namespace talus {

template <int D>
void stretch_row([[maybe_unused]] const Scene<D>& scene, [[maybe_unused]] const Bodies<D>& bodies,
                 [[maybe_unused]] const ContactLaw& law, [[maybe_unused]] ContactRow<D>& row) {
  if constexpr (D == 3) {
    if (law.ellipsoid < 0) return;
    const FrictionEllipsoid& ellipsoid = scene.friction_ellipsoids[at(law.ellipsoid)];
    const std::size_t body = at(bodies.material[at(row.a)] == ellipsoid.material ? row.a : row.b);
    const Vec<3> axis = rotation_matrix<3>(bodies.orientation[body]) * ellipsoid.axis;
    const Vec<3> n = row.frame.col(0);
    const Vec<3> in_plane = axis - axis.dot(n) * n;
    const double cosine = in_plane.norm();
    if (cosine == 0) return;  // the ellipse is a circle
    const double ratio = ellipsoid.across / ellipsoid.along;
    row.stretch = 1 / std::sqrt(std::sqrt(1 + cosine * cosine * (ratio * ratio - 1)));
    const Vec<3> t1 = in_plane / cosine;
    row.frame.col(1) = row.stretch * t1;
    row.frame.col(2) = n.cross(t1) / row.stretch;
  }
}

template void stretch_row<2>(const Scene<2>&, const Bodies<2>&, const ContactLaw&, ContactRow<2>&);
template void stretch_row<3>(const Scene<3>&, const Bodies<3>&, const ContactLaw&, ContactRow<3>&);

}  // namespace talus
