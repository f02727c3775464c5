// SPDX-License-Identifier: Apache-2.0
#include "engine/detect/overlap.hpp"

#include <algorithm>
#include <limits>

#include "solvers/math/maximum.hpp"

namespace talus {

template <int D>
double OverlapSearch<D>::deepest(const Bodies<D>& bodies, const ExcludedPairs<D>& excluded) {
  reach_.assign(bodies.size(), {});
  search_.find(bodies, reach_, excluded, contacts_);
  const auto half_width = [&](std::int32_t body) {
    return bodies.geometry_of(static_cast<std::size_t>(body)).half_width;
  };
  double deepest = 0;
  for (const Contact<D>& contact : contacts_)
    deepest = maximum(
        deepest, -contact.gap / std::min(half_width(contact.key.a), half_width(contact.key.b)));
  return deepest;
}

// Uses the gap of a small ball about the point.
template <int D>
double distance_from(const Bodies<D>& bodies, std::size_t body, const Vec<D>& point, double reach,
                     double length) {
  const Shape<D> probe = Ball<D>{length};
  const PlacedShape<D> placed_probe{&probe, point, Mat<D>::Identity()};
  const Mat<D> rotation = rotation_matrix<D>(bodies.orientation[body]);
  double distance = std::numeric_limits<double>::infinity();
  std::vector<ShapeContact<D>> contacts;
  for (const Shape<D>& shape : bodies.geometry_of(body).shapes) {
    contacts.clear();
    find_shape_contacts<D>(placed_probe, {&shape, bodies.position[body], rotation}, reach,
                           contacts);
    for (const ShapeContact<D>& contact : contacts)
      distance = std::min(distance, contact.gap + length);
  }
  return distance;
}

#define TALUS_INSTANTIATE(D)       \
  template class OverlapSearch<D>; \
  template double distance_from<D>(const Bodies<D>&, std::size_t, const Vec<D>&, double, double);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
