// SPDX-License-Identifier: Apache-2.0
// The commit of the sources, in a file of its own that cmake/commit.cmake writes at every build.
#pragma once

#include <string>

namespace talus {

// "3f2a91c07b6d", with "-changed" where files differed from it, or "unknown".
std::string commit();

}  // namespace talus
