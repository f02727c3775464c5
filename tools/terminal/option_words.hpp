// SPDX-License-Identifier: Apache-2.0
// What the command line declares, as words: for the manual page and for completion by a shell.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

// In the order of their declaration.
std::vector<const CLI::App*> shown_commands(const CLI::App& app);
std::vector<const CLI::Option*> shown_options(const CLI::App& command);

// -o and --output, joined
std::string option_names(const CLI::Option& option, std::string_view between);
bool takes_value(const CLI::Option& option);
std::string value_word(const CLI::Option& option);            // TEXT, NUMBER …
std::vector<std::string> choices(const CLI::Option& option);  // empty: not from a list

}  // namespace talus
