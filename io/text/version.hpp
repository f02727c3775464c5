// SPDX-License-Identifier: Apache-2.0
// Versions of Talus and its libraries, recorded in every file it writes.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace talus {

std::string version();  // "0.1.0"

// Name and version of each library the results depend on.
std::vector<std::pair<std::string, std::string>> dependency_versions();

}  // namespace talus
