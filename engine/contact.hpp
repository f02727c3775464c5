// A contact found at q_m, and the name by which it is recognised in the next step.
#pragma once

#include <compare>
#include <cstdint>

#include "engine/space.hpp"

namespace talus {

// Which features of which shapes of which bodies touch; persists while they do. Contacts are kept
// in the order of their keys, so their order never depends on threads or on how pairs were found.
struct ContactKey {
  std::int32_t a = 0, b = 0;              // bodies, a < b
  std::int32_t shape_a = 0, shape_b = 0;  // shapes within the bodies
  std::uint64_t feature = 0;              // features of the two shapes

  auto operator<=>(const ContactKey&) const = default;
};

template <int D>
struct Contact {
  ContactKey key;
  double gap = 0;  // g, along the normal [m]; negative is penetration
  Vec<D> normal;   // unit, from a to b
  Vec<D> point;    // midway between the two surface points [m]
};

}  // namespace talus
