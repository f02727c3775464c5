#include "solvers/run_solver.hpp"

namespace talus {

namespace {

// The ladder assembles W: for problems up to this many contacts.
constexpr std::size_t largest_for_ladder = 4000;

// All of it takes a second at worst on problems of this size, and fewer than one step in a thousand
// calls for it.
constexpr std::size_t largest_for_whole_ladder = 500;

}  // namespace

// A step of a heap of thousands of grains takes some ten milliseconds to sweep; the ladder may
// take many factorisations, so each must be cheap against that.
template <int D>
ContactSolver<D>::ContactSolver(SolveOptions options)
    : sweeps_(options),
      ladder_(Method::automatic, options, {.block_products = 5e6, .swept = true}),
      whole_ladder_(Method::automatic, options) {}

template <int D>
SolveReport ContactSolver<D>::solve(const ContactProblem<D>& problem, Percussions<D>& p) {
  const SolveReport swept = sweeps_.solve(problem, p);
  if (swept.converged || problem.size() > largest_for_ladder) return swept;
  SolveReport report = ladder_.solve(problem, p);
  report.sweeps += swept.sweeps;
  if (report.converged || problem.size() > largest_for_whole_ladder) return report;
  Percussions<D> anew{std::vector<Vec<D>>(problem.size(), Vec<D>::Zero()),
                      std::vector<double>(problem.rows.size(), 0.0)};
  SolveReport last = whole_ladder_.solve(problem, anew);
  last.sweeps += report.sweeps;
  if (!(last.error < report.error)) {
    report.sweeps = last.sweeps;
    return report;
  }
  p = std::move(anew);
  return last;
}

template <int D>
SolveReport RunSolver<D>::solve(const ContactProblem<D>& problem, Percussions<D>& p) {
  return has_joints<D>(problem) ? joints_.solve(problem, p) : contacts_.solve(problem, p);
}

template class ContactSolver<2>;
template class ContactSolver<3>;
template class RunSolver<2>;
template class RunSolver<3>;

}  // namespace talus
