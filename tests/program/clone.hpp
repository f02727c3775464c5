// SPDX-License-Identifier: Apache-2.0
// A folder like a clone of the project, in which the commands of a document run as a reader would
// type them. Scenes end early in it, so that this takes seconds.
#pragma once

#include <filesystem>
#include <string>

#include "tests/program/program.hpp"

namespace talus {

// Lets a text end at `latest` seconds wherever it speaks of a later end.
std::string ending_early(const std::string& text, double latest);

// tools/talus, scenes/ with early ends, tests/ and tools/scripts.
void make_clone(const Scratch& scratch, double latest);

}  // namespace talus
