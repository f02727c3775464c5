// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace talus {

std::string deflated(std::string_view bytes);  // zlib format

}  // namespace talus
