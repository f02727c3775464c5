// SPDX-License-Identifier: Apache-2.0
// The files of tools/view/web, put into the program when it is built (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace talus {

extern const std::string_view page_template, page_style, page_script;

}  // namespace talus
