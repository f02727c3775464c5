// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/region.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

template <int D>
bool Region<D>::holds(const Vec<D>& centre, double radius) const {
  for (const Wall& wall : walls) {
    if (wall.n.dot(centre) + radius > wall.d) return false;
  }
  return cylinder == 0 || std::hypot(centre[0], centre[1]) + radius <= cylinder;
}

template <int D>
double Region<D>::reach(const Vec<D>& n) const {
  double farthest = -std::numeric_limits<double>::infinity();
  for (const Vec<D>& x : corners) farthest = std::max(farthest, n.dot(x));
  if (cylinder > 0) {
    farthest =
        cylinder * std::hypot(n[0], n[1]) + std::max(n[D - 1] * low[D - 1], n[D - 1] * high[D - 1]);
  }
  return farthest;
}

template <int D>
Region<D> box_region(const Vec<D>& sides) {
  Region<D> region;
  region.low = -sides / 2;
  region.low[D - 1] = 0;
  region.high = region.low + sides;
  for (int k = 0; k < D; ++k) {
    region.walls.push_back({Vec<D>::Unit(k), region.high[k]});
    region.walls.push_back({Vec<D>(-Vec<D>::Unit(k)), -region.low[k]});
  }
  for (int corner = 0; corner < 1 << D; ++corner) {
    Vec<D> x;
    for (int k = 0; k < D; ++k) x[k] = (corner >> k & 1) == 0 ? region.low[k] : region.high[k];
    region.corners.push_back(x);
  }
  return region;
}

Region<3> cylinder_region(double radius, double height) {
  Region<3> region = box_region<3>({2 * radius, 2 * radius, height});
  region.cylinder = radius;
  region.corners.clear();
  return region;
}

template <int D>
Region<D> hull_region(const Polytope<D>& hull) {
  Region<D> region;
  region.corners = hull.vertices;
  region.low = region.high = hull.vertices.front();
  for (const Vec<D>& x : hull.vertices) {
    region.low = region.low.cwiseMin(x);
    region.high = region.high.cwiseMax(x);
  }
  for (std::size_t k = 0; k < hull.normals.size(); ++k) {
    region.walls.push_back({hull.normals[k], hull.offsets[k]});
  }
  return region;
}

template <int D>
Region<D> half_space_region(const Vec<D>& normal) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Region<D> region;
  region.walls.push_back({normal, 0});
  region.low.setConstant(-infinity);
  region.high.setConstant(infinity);
  return region;
}

template struct Region<2>;
template struct Region<3>;
template Region<2> box_region<2>(const Vec<2>&);
template Region<3> box_region<3>(const Vec<3>&);
template Region<2> hull_region<2>(const Polytope<2>&);
template Region<3> hull_region<3>(const Polytope<3>&);
template Region<2> half_space_region<2>(const Vec<2>&);
template Region<3> half_space_region<3>(const Vec<3>&);

}  // namespace talus
