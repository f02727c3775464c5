// Spans of wall time as people write them: 90, 90s, 30m, 11h50m, 1d12h.
#pragma once

#include <string>
#include <string_view>

namespace talus {

// Seconds; throws CLI::ValidationError in the name of the option.
double parse_duration(std::string_view text, const std::string& option);

}  // namespace talus
