// SPDX-License-Identifier: Apache-2.0
// How this program is started once more, for the cases of a study.
#pragma once

#include <string>
#include <vector>

namespace talus {

// The first words of the command. By default it is the file that runs now; a program with the
// subcommands inside, as Python is, names itself.
const std::vector<std::string>& program_command();
void set_program_command(std::vector<std::string> words);  // not empty

}  // namespace talus
