// A copy of a trajectory as it is at one moment, also while a run writes it.
#pragma once

#include <filesystem>

#include "io/new_file.hpp"

namespace talus {

// The copy is a trajectory like any other, with companions for ParaView, and has been held against
// its checksums. Throws InputError where `run` is no sound trajectory or `copy` cannot be made.
void write_snapshot(const std::filesystem::path& run, const std::filesystem::path& copy,
                    Existing existing);

}  // namespace talus
