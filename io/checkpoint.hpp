// The exact state of a run, to go on from: RUN.ckpt.A.h5 and RUN.ckpt.B.h5, written in turn, so
// that one of them is whole whatever happens while the other is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/world.hpp"

namespace talus {

// Identifies what is simulated: the scene's text and what was changed in it.
std::uint64_t scene_hash(const std::string& scene_text, const std::vector<std::string>& overrides);

// Replaces the older of the two checkpoints of a run. On disk, not only on its way, on return.
template <int D>
void write_checkpoint(const std::filesystem::path& run, const WorldState<D>& state,
                      std::uint64_t scene);

// The latest checkpoint that is whole and of this scene and version; an InputError that says what
// is wrong with the best candidate otherwise.
template <int D>
WorldState<D> read_checkpoint(const std::filesystem::path& run, std::uint64_t scene_id,
                              const Scene<D>& scene);

bool has_checkpoint(const std::filesystem::path& run);
void remove_checkpoints(const std::filesystem::path& run);

}  // namespace talus
