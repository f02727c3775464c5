// SPDX-License-Identifier: Apache-2.0
#include "engine/build/free_place.hpp"

#include <algorithm>
#include <cmath>

#include "engine/build/packing.hpp"
#include "engine/detect/narrowphase.hpp"

namespace talus {

namespace {

template <int D>
bool overlap(const std::vector<Shape<D>>& shapes, const Vec<D>& origin, const Mat<D>& R,
             const Bodies<D>& bodies, std::size_t other) {
  static thread_local std::vector<ShapeContact<D>> contacts;
  const Mat<D> R_other = rotation_matrix<D>(bodies.orientation[other]);
  for (const Shape<D>& shape : shapes) {
    for (const Shape<D>& other_shape : bodies.geometry_of(other).shapes) {
      contacts.clear();
      find_shape_contacts<D>({&shape, origin, R}, {&other_shape, bodies.position[other], R_other},
                             0, contacts);
      if (!contacts.empty()) return true;
    }
  }
  return false;
}

}  // namespace

template <int D>
bool holds(const Zone<D>& zone, const Vec<D>& x) {
  return zone.region.holds(rotation_matrix<D>(zone.rotation).transpose() * (x - zone.position), 0);
}

template <int D>
void find_near(const Zone<D>& zone, const Bodies<D>& bodies, std::vector<std::size_t>& places) {
  const Vec<D> centre = zone.position + rotation_matrix<D>(zone.rotation) *
                                            (0.5 * (zone.region.low + zone.region.high));
  const double radius = 0.5 * (zone.region.high - zone.region.low).norm();
  places.clear();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double reach = radius + bodies.geometry_of(i).bounding_radius;
    if (bodies.id[i] >= 0 && (bodies.position[i] - centre).squaredNorm() <= reach * reach)
      places.push_back(i);
  }
}

template <int D>
std::optional<Vec<D>> find_free_place(const Zone<D>& zone, const BodyDescription<D>& body,
                                      const Bodies<D>& bodies, std::span<const std::size_t> others,
                                      int tries, Random& random) {
  const double radius = bounding_radius<D>(body.shapes);
  const Mat<D> R = rotation_matrix<D>(zone.rotation);
  for (int k = 0; k < tries; ++k) {
    const Vec<D> x = draw_place<D>(zone.region, radius, random);
    if (!zone.region.holds(x, radius)) continue;
    const Vec<D> origin = zone.position + R * x;
    const bool taken = std::any_of(others.begin(), others.end(), [&](std::size_t i) {
      const double apart = radius + bodies.geometry_of(i).bounding_radius;
      return (bodies.position[i] - origin).squaredNorm() <= apart * apart &&
             overlap<D>(body.shapes, origin, R, bodies, i);
    });
    if (!taken) return origin;
  }
  return std::nullopt;
}

#define TALUS_INSTANTIATE(D)                                                                   \
  template bool holds<D>(const Zone<D>&, const Vec<D>&);                                       \
  template void find_near<D>(const Zone<D>&, const Bodies<D>&, std::vector<std::size_t>&);     \
  template std::optional<Vec<D>> find_free_place<D>(const Zone<D>&, const BodyDescription<D>&, \
                                                    const Bodies<D>&,                          \
                                                    std::span<const std::size_t>, int, Random&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
