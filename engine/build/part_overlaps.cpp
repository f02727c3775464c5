// SPDX-License-Identifier: Apache-2.0
#include "engine/build/part_overlaps.hpp"

#include <algorithm>
#include <limits>

#include "engine/build/voronoi.hpp"
#include "engine/detect/narrowphase.hpp"

namespace talus {

namespace {

// Overlaps below this part of the size are rounding.
constexpr double rounding_overlap = 1e-9;

Polytope<3>& stone_shape(BodyDescription<3>& stone) {
  return std::get<Polytope<3>>(stone.shapes.front());
}

double reach_along(const BodyDescription<3>& stone, const Vec<3>& n) {
  double most = -std::numeric_limits<double>::infinity();
  for (const Vec<3>& x : std::get<Polytope<3>>(stone.shapes.front()).vertices)
    most = std::max(most, n.dot(stone.position + x));
  return most;
}

double stone_volume(const BodyDescription<3>& stone) {
  return mass_properties<3>(stone.shapes).volume;
}

}  // namespace

const PartedPair* PartedStones::too_deep(double allowed) const {
  const auto found =
      std::ranges::find_if(pairs, [&](const PartedPair& pair) { return pair.depth > allowed; });
  return found == pairs.end() ? nullptr : &*found;
}

PartedStones part_overlaps(std::vector<BodyDescription<3>>& stones, double allowed) {
  PartedStones parted;
  std::vector<ShapeContact<3>> contacts;
  for (std::size_t i = 0; i < stones.size(); ++i)
    for (std::size_t j = i + 1; j < stones.size(); ++j) {
      BodyDescription<3>&a = stones[i], &b = stones[j];
      const double size = std::min(stone_shape(a).radius, stone_shape(b).radius);
      contacts.clear();
      find_shape_contacts<3>({&a.shapes[0], a.position, Mat<3>::Identity()},
                             {&b.shapes[0], b.position, Mat<3>::Identity()}, 0, contacts);
      if (contacts.empty()) continue;
      // Of the normals of the contacts, that along which the two overlap least.
      double depth = std::numeric_limits<double>::infinity(), middle = 0;
      Vec<3> n = Vec<3>::Zero();
      for (const ShapeContact<3>& c : contacts) {
        const double end_of_a = reach_along(a, c.normal), end_of_b = -reach_along(b, -c.normal);
        if (end_of_a - end_of_b >= depth) continue;
        depth = end_of_a - end_of_b;
        middle = 0.5 * (end_of_a + end_of_b);
        n = c.normal;
      }
      if (depth <= rounding_overlap * size) continue;
      parted.pairs.push_back({i, j, depth, 0});
      if (depth > allowed) continue;
      const auto part_of_a = cut_off<3>(stone_shape(a), n, middle - n.dot(a.position));
      const auto part_of_b = cut_off<3>(stone_shape(b), -n, n.dot(b.position) - middle);
      if (!part_of_a || !part_of_b) {
        parted.pairs.back().depth = std::numeric_limits<double>::infinity();
        continue;
      }
      const double before = stone_volume(a) + stone_volume(b);
      a.shapes = {*part_of_a};
      b.shapes = {*part_of_b};
      parted.pairs.back().volume = before - stone_volume(a) - stone_volume(b);
    }
  return parted;
}

}  // namespace talus
