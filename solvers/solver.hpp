// What every contact solver promises, and the one measure they are all judged by.
#pragma once

#include <limits>
#include <string>

#include "solvers/contact_problem.hpp"

namespace talus {

struct SolveOptions {
  double tolerance = 1e-4;  // on ContactError::relative
  int max_sweeps = 5000;
  double time_limit = std::numeric_limits<double>::infinity();  // [s]; results then depend on speed
};

// Distance of percussions from the law, measured on velocities so that it has no unit of its own:
//     e_α = ‖p_α − proj_K(p_α − r_α (û_α + μ‖û_T‖ n))‖ / r_α,   r_α = D / (2 tr W_αα)
//     relative = √Σ e_α² / max(‖b‖, √n_c · velocity_floor)
// Scalar rows are judged alike, on their bounds in place of K and with r = 1 / (2 W_ii).
struct ContactError {
  double relative = 0;
  double worst = 0;  // max_α e_α against the same scale per contact
};

template <int D>
ContactError contact_error(const ContactProblem<D>& problem, const Percussions<D>& p);

// The measure of published comparisons, for use beside the one above: r_α = 1 kg and √Σ e_α² / ‖b‖.
// It depends on the units of mass. Not divided where ‖b‖ is below rounding.
template <int D>
double siconos_error(const ContactProblem<D>& problem, const Percussions<D>& p);

struct SolveReport {
  bool converged = false;
  int sweeps = 0;
  double error =
      0;  // ContactError::relative of the percussions returned, never the solver's own estimate
  std::string method;  // what produced the answer
};

// Finds percussions p such that û = W p + b obeys the law of every contact.
template <int D>
class Solver {
 public:
  virtual ~Solver() = default;

  // p is the guess on entry and the answer on return; its sizes are those of the problem. Slow
  // convergence is no exception: it is reported, and the caller decides.
  virtual SolveReport solve(const ContactProblem<D>& problem, Percussions<D>& p) = 0;
};

}  // namespace talus
