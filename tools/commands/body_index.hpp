// SPDX-License-Identifier: Apache-2.0
// Bodies of a command line.
#pragma once

#include <fmt/format.h>

#include <string>

#include "engine/world.hpp"
#include "io/text/input_error.hpp"

namespace talus {

// The place of a body that moves freely, by its name.
template <int D>
int body_index(const World<D>& world, const std::string& name) {
  const Bodies<D>& bodies = world.bodies();
  std::size_t i = 0;
  while (i < bodies.size() &&
         (bodies.id[i] < 0 || description<D>(world.scene(), at(bodies.id[i])).name != name))
    ++i;
  if (i == bodies.size()) throw InputError(fmt::format("'{}' is no body of the scene", name));
  if (!bodies.moves_freely(i))
    throw InputError(fmt::format("'{}' does not move freely: its mass plays no part", name));
  return static_cast<int>(i);
}

}  // namespace talus
