// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/solve_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "io/text/input_error.hpp"
#include "solvers/climb/ladder.hpp"
#include "solvers/climb/rolling_solver.hpp"

namespace talus {

namespace {

double processor_time() {  // [s], with higher resolution than std::clock
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Every repetition does the same work. The shortest time is the one least disturbed by other
// programs.
template <class Solve>
void take_time(int repetitions, SolvedProblem& outcome, Solve solve) {
  for (int k = 0; k < repetitions; ++k) {
    const auto start = std::chrono::steady_clock::now();
    const double processor_start = processor_time();
    outcome.report = solve();
    outcome.processor_seconds =
        std::min(outcome.processor_seconds, processor_time() - processor_start);
    outcome.seconds =
        std::min(outcome.seconds,
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

template <int D>
SolvedProblem solve_contacts(const FclibFile& file, Method method, const SolveOptions& options,
                             int repetitions) {
  const Condensed<D> condensed = contact_problem<D>(file);
  const ContactProblem<D>& problem = condensed.problem;
  Percussions<D> p;
  SolvedProblem outcome{.dimension = D, .contacts = problem.size()};
  take_time(repetitions, outcome, [&] {
    p.contact.assign(problem.size(), Vec<D>::Zero());
    return LadderSolver<D>(method, options).solve(problem, p);
  });
  const ContactError error = contact_error<D>(problem, p);
  outcome.error = error.relative;
  outcome.worst = error.worst;
  outcome.siconos = siconos_error<D>(problem, p);
  outcome.solution = fclib_solution<D>(condensed, p);
  return outcome;
}

template <int D>
SolvedProblem solve_with_rolling(const FclibFile& file, Method method, const SolveOptions& options,
                                 int repetitions) {
  const RollingProblem<D> problem = rolling_problem<D>(file);
  std::vector<Wrench<D>> x;
  SolvedProblem outcome{.dimension = D, .contacts = problem.blocks.size()};
  take_time(repetitions, outcome, [&] {
    x.assign(problem.blocks.size(), Wrench<D>::Zero());
    return solve_rolling<D>(problem.blocks, method, options, x);
  });
  std::vector<Wrench<D>> y;
  problem.blocks.velocities(x, y);
  outcome.error = problem.blocks.error(x, y);
  outcome.worst = problem.blocks.worst_error(x, y);
  outcome.siconos = problem.blocks.siconos_error(x);
  outcome.solution = rolling_solution<D>(problem, x);
  return outcome;
}

}  // namespace

std::string method_list() {
  std::string list;
  for (const MethodName& entry : method_names())
    list += fmt::format("{}{}", list.empty() ? "" : ", ", entry.name);
  return list;
}

Method method_named(const std::string& name) {
  for (const MethodName& entry : method_names())
    if (entry.name == name) return entry.method;
  throw InputError(fmt::format("--solver {}: expected one of {}", name, method_list()));
}

void refuse_method(const FclibFile& file, Method method) {
  if (!file.rolling() || sweeps_wrenches(method)) return;
  throw InputError(fmt::format(
      "--solver {}: rolling friction is solved by auto, nsgs, anderson, nncg or alternating",
      name_of(method)));
}

SolvedProblem solve_file(const FclibFile& file, Method method, const SolveOptions& options,
                         int repetitions) {
  if (file.rolling())
    return file.spacedim == 3 ? solve_with_rolling<2>(file, method, options, repetitions)
                              : solve_with_rolling<3>(file, method, options, repetitions);
  return file.spacedim == 2 ? solve_contacts<2>(file, method, options, repetitions)
                            : solve_contacts<3>(file, method, options, repetitions);
}

}  // namespace talus
