// SPDX-License-Identifier: Apache-2.0
// A run that is shown while it goes on: what a page gets first, and what is new since.
//
// The file is open for moments only, and seldom if reading takes long: meanwhile the program that
// writes it keeps its frames in memory (io/hdf5/read_lock.hpp). The run may be killed and resumed
// in between, or another one may take its place.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/trajectory/trajectory_reader.hpp"
#include "tools/view/page.hpp"
#include "tools/view/run_text.hpp"

namespace talus {

// What a page has got so far.
struct Seen {
  std::string_view identity;  // of the run
  std::uint64_t version = 0;  // of its series
  std::int64_t step = -1;     // of its last frame
  Shown shown;
};

class LiveRun {
 public:
  explicit LiveRun(std::filesystem::path file) : file_(std::move(file)) {}

  // The run without frames; a page of it with all its frames will have about `bytes`. Throws
  // InputError if the file cannot be read.
  PageRun page_run(double bytes);

  // JSON: {"identity", "problem", "more", "growing", "chunks"}. `growing` is null if the page has
  // it; `more`: ask again at once. With another identity the page must be loaded again.
  std::string news(const Seen& seen);

 private:
  struct Stamp {  // changes when the file does
    std::uint64_t device = 0, inode = 0, bytes = 0;
    std::int64_t seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Clock = std::chrono::steady_clock;

  static Stamp stamp_of(const std::filesystem::path& file);
  void read(const TrajectoryReader& run, const Stamp& stamp);
  bool is_due(const Stamp& stamp) const;
  bool has_frames_for(const Seen& seen) const;

  std::filesystem::path file_;
  Stamp stamp_;
  Clock::time_point last_read_;
  Clock::duration reading_ = {};  // how long it took
  std::string identity_, growing_;
  std::uint64_t version_ = 0;  // 0: not read yet
  std::vector<std::int64_t> steps_;
  bool complete_ = false;
};

}  // namespace talus
