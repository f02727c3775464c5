// SPDX-License-Identifier: Apache-2.0
// A run as the JSON texts that the page reads: what stays (bodies, shapes, materials), what grows
// with the run (series, certificate), and its frames in chunks.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

// Which part of a run is shown, so that a page stays below a size.
struct Shown {
  std::size_t every = 1;     // frames: every n-th, and the last of a complete run
  double contact_share = 1;  // contacts of a frame: the strongest
};

// A choice for chunks below `bytes` in all, estimated from a few frames.
Shown shown_within(const TrajectoryReader& run, double bytes);

std::string title_of(const TrajectoryReader& run);  // first comment of the scene, or nothing

std::string fixed_text(const TrajectoryReader& run, const std::filesystem::path& file,
                       const Shown& shown);
std::string growing_text(const TrajectoryReader& run, const std::filesystem::path& file);

// Frames of the run from the first shown one at or after `from` on, in chunks.
std::vector<std::string> chunk_texts(const TrajectoryReader& run, std::size_t from,
                                     const Shown& shown);

}  // namespace talus
