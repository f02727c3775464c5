// The exact state of a run, to go on from: RUN.ckpt.A.h5 and RUN.ckpt.B.h5, written in turn, so
// that one of them is whole whatever happens while the other is written.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

#include "engine/world.hpp"

namespace talus {

// Replaces the older of the two checkpoints of a run. On disk, not only on its way, on return.
// `scene` is the hash of the scene's identity.
template <int D>
void write_checkpoint(const std::filesystem::path& run, const WorldState<D>& state,
                      std::uint64_t scene);

// The latest checkpoint that is whole and of this scene and version; an InputError that says what
// is wrong with the best candidate otherwise.
template <int D>
WorldState<D> read_checkpoint(const std::filesystem::path& run, std::uint64_t scene_id,
                              const Scene<D>& scene);

// The state at the end of a run that is complete. An InputError where it keeps none that serves.
template <int D>
WorldState<D> read_end_state(const std::filesystem::path& run, std::uint64_t scene_id,
                             const Scene<D>& scene);

// RUN.ckpt.A.h5 and RUN.ckpt.B.h5
std::array<std::filesystem::path, 2> checkpoint_paths(const std::filesystem::path& run);
bool has_checkpoint(const std::filesystem::path& run);
void remove_checkpoints(const std::filesystem::path& run);
// What programs that were killed left of checkpoints. Only for who has the right to write the run.
void remove_unfinished_checkpoints(const std::filesystem::path& run);

}  // namespace talus
