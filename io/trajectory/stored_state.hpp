// SPDX-License-Identifier: Apache-2.0
// The exact state of a world in an HDF5 file or group: the contents of a checkpoint and of
// /end_state. Include it from .cpp files of io/ only.
#pragma once

#include <cstdint>

#include "engine/world.hpp"
#include "io/hdf5/hdf5_file.hpp"

namespace talus {

inline constexpr const char* end_state_path = "/end_state";  // of a finished run
inline constexpr const char* start_state_path =
    "/start_state";  // of a run that begins from another

template <int D>
void write_state(hid_t place, const WorldState<D>& state, std::uint64_t scene_id);

// Throws Failure if it is damaged, of another scene or written by another version.
template <int D>
WorldState<D> read_state(hid_t place, std::uint64_t scene_id, const Scene<D>& scene);

std::int64_t stored_steps(hid_t place);

// Upper bound for the size that write_state adds [bytes].
template <int D>
std::uint64_t stored_bytes(const WorldState<D>& state);

}  // namespace talus
