// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/rolling_solver.hpp"

#include <algorithm>

#include "solvers/climb/gauss_seidel.hpp"

namespace talus {

namespace {

constexpr Method in_turn[] = {Method::anderson, Method::nncg, Method::alternating};

}  // namespace

bool sweeps_wrenches(Method method) {
  return method == Method::automatic || method == Method::nsgs ||
         std::find(std::begin(in_turn), std::end(in_turn), method) != std::end(in_turn);
}

template <int D>
SolveReport solve_rolling(const RollingBlocks<D>& problem, Method method,
                          const SolveOptions& options, std::vector<Wrench<D>>& x) {
  const std::span<const Method> methods =
      method == Method::automatic ? std::span<const Method>(in_turn) : std::span(&method, 1);
  Best<wrench_dim<D>> best{.p = x};
  std::vector<Wrench<D>> y;
  problem.velocities(x, y);
  best.offer(x, problem.error(x, y));
  SolveReport report;
  report.method = name_of(method);
  RungLimits limits{.tolerance = 0.9 * options.tolerance, .deadline = Deadline(options.time_limit)};
  for (bool helped = true; helped && !(best.error <= limits.tolerance);) {
    helped = false;
    for (const Method each : methods) {
      limits.iterations = options.max_sweeps - report.sweeps;
      if (best.error <= limits.tolerance || limits.iterations <= 0 || limits.deadline.passed())
        break;
      const double before = best.error;
      std::vector<Wrench<D>> from = best.p;
      report.sweeps +=
          GaussSeidel<wrench_dim<D>, RollingBlocks<D>>(problem, each).run(from, limits, best);
      helped = helped || best.error < 0.9 * before;
      if (method == Method::automatic) report.method = std::string("auto: ") += name_of(each);
    }
  }
  x = best.p;
  for (std::size_t i = 0; i < x.size(); ++i) problem.law_of(i).put_inside(x[i]);
  problem.velocities(x, y);
  report.error = problem.error(x, y);
  report.converged = report.error <= options.tolerance;
  return report;
}

template SolveReport solve_rolling<2>(const RollingBlocks<2>&, Method, const SolveOptions&,
                                      std::vector<Wrench<2>>&);
template SolveReport solve_rolling<3>(const RollingBlocks<3>&, Method, const SolveOptions&,
                                      std::vector<Wrench<3>>&);

}  // namespace talus
