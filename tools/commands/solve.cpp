// SPDX-License-Identifier: Apache-2.0
// `talus solve`: one contact problem from an FCLib file, solved and judged.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>

#include "io/fclib/fclib.hpp"
#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "solvers/climb/ladder.hpp"
#include "solvers/climb/rolling_solver.hpp"
#include "solvers/math/parallel.hpp"
#include "solvers/problem/solver.hpp"
#include "tools/commands/commands.hpp"
#include "tools/terminal/json.hpp"
#include "tools/terminal/number_option.hpp"

namespace talus {

namespace {

struct SolveArguments {
  std::string problem;
  std::string solver = "auto";
  double tolerance = 1e-8;
  int max_sweeps = 1000000;
  double time_limit = 60;  // [s]
  int threads = 1;
  int repeat = 1;
  std::string write_solution;
  bool force = false;
  bool json = false;
};

double processor_time() {  // [s], with higher resolution than std::clock
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What a solver did, and how good its answer is.
struct Outcome {
  int dimension = 3;
  std::size_t contacts = 0;
  SolveReport report = {};
  double seconds = std::numeric_limits<double>::infinity(), processor_seconds = seconds;
  double error = 0, worst = 0, siconos = 0;
};

// Every repetition does the same work. The shortest time is the one least disturbed by other
// programs.
template <class Solve>
void take_time(int repetitions, Outcome& outcome, Solve solve) {
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

int report_outcome(const SolveArguments& arguments, const Outcome& outcome) {
  const bool converged = outcome.error <= arguments.tolerance;
  fmt::print(stderr,
             "{}: {} contacts in {}D, {} sweeps by {} in {:.3g} s\n"
             "  error {:.3e} (worst contact {:.3e}), tolerance {:.1e}: {}\n"
             "  Siconos' form, ρ = 1 and ‖·‖/‖q‖: {:.3e}\n",
             arguments.problem, outcome.contacts, outcome.dimension, outcome.report.sweeps,
             outcome.report.method, outcome.seconds, outcome.error, outcome.worst,
             arguments.tolerance, converged ? "reached" : "NOT REACHED", outcome.siconos);
  if (arguments.json) {
    JsonObject json;
    json.add("problem", arguments.problem).add("solver", arguments.solver);
    json.add("method", outcome.report.method).add("dimension", outcome.dimension);
    json.add("contacts", outcome.contacts).add("iterations", outcome.report.sweeps);
    json.add("error", outcome.error).add("worst_error", outcome.worst);
    json.add("siconos_error", outcome.siconos).add("tolerance", arguments.tolerance);
    json.add("converged", converged).add("time_s", outcome.seconds);
    json.add("cpu_s", outcome.processor_seconds).add("threads", threads());
    fmt::print("{}\n", json.text());
  }
  return converged ? 0 : 3;
}

void write_solution(const SolveArguments& arguments, const FclibFile& file,
                    FclibSolution solution) {
  FclibFile solved = file;
  solved.solution = std::move(solution);
  write_fclib(arguments.write_solution, solved, arguments.force);
}

// f, with the name of the problem in front of what is wrong with it.
template <class F>
auto named(const SolveArguments& arguments, F f) {
  try {
    return f();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", arguments.problem, error.what()));
  }
}

SolveOptions options_of(const SolveArguments& arguments) {
  return {.tolerance = arguments.tolerance,
          .max_sweeps = arguments.max_sweeps,
          .time_limit = arguments.time_limit};
}

template <int D>
int solve(const SolveArguments& arguments, Method method, const FclibFile& file) {
  const Condensed<D> condensed = named(arguments, [&] { return contact_problem<D>(file); });
  const ContactProblem<D>& problem = condensed.problem;
  Percussions<D> p;
  Outcome outcome{.dimension = D, .contacts = problem.size()};
  take_time(arguments.repeat, outcome, [&] {
    p.contact.assign(problem.size(), Vec<D>::Zero());
    return LadderSolver<D>(method, options_of(arguments)).solve(problem, p);
  });
  const ContactError error = contact_error<D>(problem, p);
  outcome.error = error.relative;
  outcome.worst = error.worst;
  outcome.siconos = siconos_error<D>(problem, p);
  if (!arguments.write_solution.empty())
    write_solution(arguments, file, fclib_solution<D>(condensed, p));
  return report_outcome(arguments, outcome);
}

template <int D>
int solve_with_rolling(const SolveArguments& arguments, Method method, const FclibFile& file) {
  if (!sweeps_wrenches(method))
    throw InputError(fmt::format(
        "--solver {}: rolling friction is solved by auto, nsgs, anderson, nncg or alternating",
        arguments.solver));
  const RollingProblem<D> problem = named(arguments, [&] { return rolling_problem<D>(file); });
  std::vector<Wrench<D>> x;
  Outcome outcome{.dimension = D, .contacts = problem.blocks.size()};
  take_time(arguments.repeat, outcome, [&] {
    x.assign(problem.blocks.size(), Wrench<D>::Zero());
    return solve_rolling<D>(problem.blocks, method, options_of(arguments), x);
  });
  std::vector<Wrench<D>> y;
  problem.blocks.velocities(x, y);
  outcome.error = problem.blocks.error(x, y);
  outcome.worst = problem.blocks.worst_error(x, y);
  outcome.siconos = problem.blocks.siconos_error(x);
  if (!arguments.write_solution.empty())
    write_solution(arguments, file, rolling_solution<D>(problem, x));
  return report_outcome(arguments, outcome);
}

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

int solve(const SolveArguments& arguments) {
  if (!arguments.write_solution.empty())
    refuse_existing(arguments.write_solution, existing_files(arguments.force));
  const Method method = method_named(arguments.solver);
  set_threads(arguments.threads);
  const FclibFile file = read_fclib(arguments.problem);
  for (const std::string& warning : fclib_warnings(file))
    fmt::print(stderr, "{}: warning: {}\n", arguments.problem, warning);
  if (file.rolling())
    return file.spacedim == 3 ? solve_with_rolling<2>(arguments, method, file)
                              : solve_with_rolling<3>(arguments, method, file);
  return file.spacedim == 2 ? solve<2>(arguments, method, file) : solve<3>(arguments, method, file);
}

}  // namespace

void add_solve(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("solve", "Solve a contact problem stored in an FCLib file");
  const auto arguments = std::make_shared<SolveArguments>();
  command->add_option("problem", arguments->problem, "FCLib file (HDF5)")->required();
  command->add_option("--solver", arguments->solver, "Method: " + method_list())
      ->capture_default_str();
  command->add_option("--tol", arguments->tolerance, "Relative error to reach, at most 1")
      ->check(positive_number(1))
      ->capture_default_str();
  command->add_option("--max-iter", arguments->max_sweeps, "Largest number of sweeps")
      ->check(whole_number(1))
      ->capture_default_str();
  command->add_option("--time-limit", arguments->time_limit, "Time limit [s]")
      ->check(positive_number())
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "Threads")
      ->check(whole_number(1, 1024))
      ->capture_default_str();
  command
      ->add_option("--repeat", arguments->repeat,
                   "Number of repetitions; the shortest time is reported")
      ->check(whole_number(1))
      ->capture_default_str();
  command->add_option("--write-solution", arguments->write_solution,
                      "Write the problem and its solution to this FCLib file");
  command->add_flag("--force", arguments->force, "Replace an existing file");
  command->add_flag("--json", arguments->json, "End standard output with one JSON object");
  command->footer("Example:  talus solve tests/fclib/Rover4609.hdf5 --tol 1e-10");
  command->callback([arguments, &action] { action = [arguments] { return solve(*arguments); }; });
}

}  // namespace talus
