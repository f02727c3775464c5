// SPDX-License-Identifier: Apache-2.0
// A count with its noun: "1 contact", "2 contacts".
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace talus {

std::string counted(std::integral auto count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string counted(std::integral auto count, std::string_view one) {
  return counted(count, one, std::string(one) + "s");
}

}  // namespace talus
