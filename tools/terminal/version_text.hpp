// SPDX-License-Identifier: Apache-2.0
// What `talus --version` prints.
#pragma once

#include <string>

namespace talus {

std::string version_text();

}  // namespace talus
