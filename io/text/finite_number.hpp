// SPDX-License-Identifier: Apache-2.0
// Parses a decimal number: a sign, digits, a point, an exponent. Rejects nan, inf, other bases and
// trailing text.
#pragma once

#include <optional>
#include <string_view>

namespace talus {

std::optional<double> finite_number(std::string_view word);

}  // namespace talus
