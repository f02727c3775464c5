// SPDX-License-Identifier: Apache-2.0
#include "tools/terminal/program_command.hpp"

#include <utility>

namespace talus {

namespace {

std::vector<std::string>& command_words() {
  static std::vector<std::string> words = {"/proc/self/exe"};
  return words;
}

}  // namespace

const std::vector<std::string>& program_command() { return command_words(); }
void set_program_command(std::vector<std::string> words) { command_words() = std::move(words); }

}  // namespace talus
