// SPDX-License-Identifier: Apache-2.0
// Parses durations of wall time: 90, 90s, 30m, 11h50m, 1d12h.
#pragma once

#include <string>
#include <string_view>

namespace talus {

// Returns seconds; throws CLI::ValidationError that names the option.
double parse_duration(std::string_view text, const std::string& option);

}  // namespace talus
