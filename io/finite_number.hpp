// A number as people write it: a sign, digits, a point, an exponent. Neither nan nor inf, nothing
// behind it, no other base.
#pragma once

#include <optional>
#include <string_view>

namespace talus {

std::optional<double> finite_number(std::string_view word);

}  // namespace talus
