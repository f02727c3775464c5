// SPDX-License-Identifier: Apache-2.0
// Frames of a run as the page reads them: quantised, so that a body takes some ten bytes a frame.
//
// Positions are multiples of a thousandth of the smallest body. Orientations are the three smaller
// components of the quaternion, to 2⁻¹². Velocities have eleven bits. Of a contact there are its
// bodies, the size and direction of its force, and its point relative to the smaller body.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

struct ChunkText {
  std::string json;
  std::size_t contact_bytes = 0;  // part of it that holds contacts
};

// Length that positions are multiples of [m].
double position_quantum(const TrajectoryReader& run);

// Of each frame the `contact_share` strongest contacts are kept, 1: all.
ChunkText frame_chunk(const TrajectoryReader& run, std::span<const std::size_t> frames,
                      double quantum, double contact_share);

}  // namespace talus
