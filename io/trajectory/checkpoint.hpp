// SPDX-License-Identifier: Apache-2.0
// Checkpoints: the exact state of a run, from which it can be resumed. RUN.ckpt.A.h5 and
// RUN.ckpt.B.h5 are written alternately, so that one of them is always intact.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

#include "engine/world.hpp"

namespace talus {

// Replaces the older of the two checkpoints of a run. On return it is on the disk (fsync). `scene`
// is the hash of the scene's identity.
template <int D>
void write_checkpoint(const std::filesystem::path& run, const WorldState<D>& state,
                      std::uint64_t scene);

// The latest checkpoint that is intact and of this scene and version. Otherwise throws InputError,
// which says what is wrong with the best candidate.
template <int D>
WorldState<D> read_checkpoint(const std::filesystem::path& run, std::uint64_t scene_id,
                              const Scene<D>& scene);

// The state at the end of a complete run. Throws InputError if it has no usable one.
template <int D>
WorldState<D> read_end_state(const std::filesystem::path& run, std::uint64_t scene_id,
                             const Scene<D>& scene);

// The exact state at the start of a run that begins from an earlier one.
template <int D>
WorldState<D> read_start_state(const std::filesystem::path& run, std::uint64_t scene_id,
                               const Scene<D>& scene);

// RUN.ckpt.A.h5 and RUN.ckpt.B.h5
std::array<std::filesystem::path, 2> checkpoint_paths(const std::filesystem::path& run);
bool has_checkpoint(const std::filesystem::path& run);
void remove_checkpoints(const std::filesystem::path& run);
// Removes unfinished checkpoints of killed programs. Call it only with the right to write the run.
void remove_unfinished_checkpoints(const std::filesystem::path& run);

}  // namespace talus
