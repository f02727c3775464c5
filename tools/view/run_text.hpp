// SPDX-License-Identifier: Apache-2.0
// A run as the JSON texts that the page reads: what stays (bodies, shapes, materials), what grows
// with the run (series, certificate), and its frames in chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

// Which part of a run is shown, so that a page stays below a size.
struct Shown {
  std::size_t every = 1;     // frames: every n-th, and the last of a complete run
  double contact_share = 1;  // contacts of a frame: the strongest
};

// A choice for chunks below `bytes` in all, estimated from a few frames. `frames`: how many the run
// has, or will have.
Shown shown_within(const TrajectoryReader& run, std::size_t frames, double bytes);

std::string title_of(const TrajectoryReader& run);  // first comment of the scene, or nothing

// `live`: what a page needs to ask its server for more (live_run.hpp); null for other pages.
std::string fixed_text(const TrajectoryReader& run, const std::filesystem::path& file,
                       const Shown& shown, const std::string& live = "null");
std::string growing_text(const TrajectoryReader& run, const std::filesystem::path& file);

std::vector<std::int64_t> frame_steps(const TrajectoryReader& run);

// Which of the frames at these steps are shown, of those after step `after`.
std::vector<std::size_t> shown_frames(std::span<const std::int64_t> steps, bool complete,
                                      std::int64_t after, std::size_t every);

struct Chunks {
  std::vector<std::string> texts;
  bool all = true;  // otherwise they would have become larger than asked for
};

// The frames that are shown after step `after`. Ends with the first chunk beyond `bytes`.
Chunks chunk_texts(const TrajectoryReader& run, std::int64_t after, const Shown& shown,
                   std::size_t bytes = SIZE_MAX);

}  // namespace talus
