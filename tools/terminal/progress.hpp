// SPDX-License-Identifier: Apache-2.0
// Progress of a run or a study: a live line on a terminal, occasional lines in a log.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "engine/step/ledger.hpp"

namespace talus {

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool on_terminal() const { return terminal_; }
  bool due() const { return !quiet_ && Clock::now() >= next_; }
  void show(const std::string& line);
  void clear();                 // erases the live line
  double wall_seconds() const;  // since the start

 private:
  using Clock = std::chrono::steady_clock;
  const bool quiet_, terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
  std::chrono::duration<double> interval_{0};
  bool drawn_ = false;
};

// Progress that a case of a study reports to `talus batch` through a pipe.
struct JobProgress {
  std::int64_t step = 0, last_step = 0;  // last_step 0: not known yet
};
inline constexpr int progress_descriptor = 3;

class Progress {
 public:
  struct Options {
    bool quiet = false;
    bool tell_parent = false;  // through progress_descriptor
  };
  Progress(std::int64_t first_step, std::int64_t last_step, Options options);

  void update(const Certificate& certificate);
  void finish() { line_.clear(); }
  double wall_seconds() const { return line_.wall_seconds(); }

 private:
  std::string live_line(const Certificate& certificate) const;
  std::string logged_line(const Certificate& certificate) const;
  double seconds_left(std::int64_t step) const;
  void tell_parent(std::int64_t step);

  const std::int64_t first_step_, last_step_;
  ProgressLine line_;
  const bool tells_parent_;
  double next_told_ = 0;  // wall time [s]
};

}  // namespace talus
