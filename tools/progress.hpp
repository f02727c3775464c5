// How far a run has come: a live bar with the time left on a terminal, a line every so often in a
// log.
#pragma once

#include <chrono>
#include <cstdint>

#include "engine/ledger.hpp"

namespace talus {

class Progress {
 public:
  Progress(std::int64_t first_step, std::int64_t last_step, bool quiet);
  ~Progress();

  void update(const Certificate& certificate);
  void finish();                // takes the bar away
  double wall_seconds() const;  // since the start

 private:
  void draw_bar(const Certificate& certificate);
  void print_line(const Certificate& certificate);
  double seconds_left(std::int64_t step) const;

  using Clock = std::chrono::steady_clock;
  const std::int64_t first_step_, last_step_;
  const bool quiet_, terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
  std::chrono::duration<double> interval_{0};
  bool bar_drawn_ = false;
};

}  // namespace talus
