// SPDX-License-Identifier: Apache-2.0
// A copy of a trajectory as it is at one moment, also while a run writes it.
#pragma once

#include <filesystem>

#include "io/text/new_file.hpp"

namespace talus {

// The copy is a complete trajectory with companions for ParaView, verified by its checksums. Throws
// InputError if `run` is no intact trajectory or `copy` cannot be written.
void write_snapshot(const std::filesystem::path& run, const std::filesystem::path& copy,
                    Existing existing);

}  // namespace talus
