// SPDX-License-Identifier: Apache-2.0
// What the methods on block problems share: each takes the best percussions found so far, works
// until one of the limits is met, and leaves the best it saw.
#pragma once

#include <chrono>
#include <limits>
#include <vector>

#include "solvers/problem/block_problem.hpp"

namespace talus {

// A moment after which a method should stop. Asking costs little against an iteration.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(double seconds) {
    if (seconds < 1e9)
      end_ = Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  bool passed() const { return end_ != Clock::time_point::max() && Clock::now() >= end_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_ = Clock::time_point::max();
};

struct RungLimits {
  double tolerance = 1e-8;  // on BlockProblem::error
  int iterations = 1000;
  Deadline deadline = {};
};

// The best percussions so far.
template <int D>
struct Best {
  std::vector<Vec<D>> p;
  double error = std::numeric_limits<double>::infinity();

  // Keeps the candidate when it is better. A NaN is never better.
  bool offer(const std::vector<Vec<D>>& candidate, double candidate_error) {
    if (!(candidate_error < error)) return false;
    p = candidate;
    error = candidate_error;
    return true;
  }
};

}  // namespace talus
