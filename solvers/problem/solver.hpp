// SPDX-License-Identifier: Apache-2.0
// The interface of contact solvers. Answers are measured by contact_error.hpp.
#pragma once

#include <limits>
#include <string>

#include "solvers/problem/contact_error.hpp"
#include "solvers/problem/contact_problem.hpp"

namespace talus {

struct SolveOptions {
  double tolerance = 1e-4;  // on ContactError::relative
  int max_sweeps = 5000;
  double time_limit = std::numeric_limits<double>::infinity();  // [s]; results then depend on speed
};

// The solver's own word: what ended its loop. Whoever relies on an answer measures it
// (ErrorMeasure, contact_error).
struct SolveReport {
  bool converged = false;
  int sweeps = 0;
  double error = 0;    // ContactError::relative, as the solver knows it
  std::string method;  // what produced the answer
};

// Finds percussions p such that û = W p + b obeys the law of every contact.
template <int D>
class Solver {
 public:
  virtual ~Solver() = default;

  // p is the guess on entry and the answer on return; its sizes are those of the problem. The
  // answer lies in its cones (into_cones). Slow convergence is no exception: it is reported, and
  // the caller decides.
  SolveReport solve(const ContactProblem<D>& problem, Percussions<D>& p) {
    islands_.find(problem);
    return solve_islands(problem, islands_, p);
  }
  // The same, where the islands of the problem are known.
  SolveReport solve(const ContactProblem<D>& problem, const Islands<D>& islands,
                    Percussions<D>& p) {
    return solve_islands(problem, islands, p);
  }

 private:
  virtual SolveReport solve_islands(const ContactProblem<D>& problem, const Islands<D>& islands,
                                    Percussions<D>& p) = 0;

  Islands<D> islands_;  // of the problem solved last, where the caller did not know them
};

}  // namespace talus
