// SPDX-License-Identifier: Apache-2.0
// Broad phase: bodies → pairs whose axis-aligned bounding boxes (AABB) overlap.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/model/bodies.hpp"

namespace talus {

struct BodyPair {
  std::int32_t a = 0, b = 0;  // a < b

  auto operator<=>(const BodyPair&) const = default;
};

// How far each body can travel within the step: its box is swept along `displacement` and then
// widened by `margin` on every side.
template <int D>
struct Reach {
  Vec<D> displacement = Vec<D>::Zero();  // [m]
  double margin = 0;                     // [m]
};

// Finds all pairs whose swept boxes overlap and of which at least one body is free, sorted.
// Half-spaces have no box: they are tested against every free body.
//
// Keeps a list of candidate pairs from call to call (a Verlet list): pairs whose enlarged boxes
// overlap. The list is made again when too many bodies have left their enlarged boxes; the few
// others that left are searched separately. Every call filters the list exactly, so the result
// never depends on earlier calls.
template <int D>
class Broadphase {
 public:
  Broadphase();
  ~Broadphase();
  Broadphase(Broadphase&&) noexcept;
  Broadphase& operator=(Broadphase&&) noexcept;

  void find_pairs(const Bodies<D>& bodies, std::span<const Reach<D>> reach,
                  std::vector<BodyPair>& pairs);

 private:
  struct Candidates;
  std::unique_ptr<Candidates> candidates_;
};

}  // namespace talus
