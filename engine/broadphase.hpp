// Bodies → pairs whose bounding boxes meet.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/bodies.hpp"

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

// Finds all pairs (at least one of the two free) whose swept boxes overlap, sorted. Half-spaces are
// tested against every free body, without a box.
//
// From call to call it keeps a list of candidates: the pairs of boxes wider than the bodies need.
// The list holds until a body leaves its wide box, and every call filters it exactly, so the result
// never depends on the calls before.
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
