// SPDX-License-Identifier: Apache-2.0
// `talus solve`: one contact problem from an FCLib file, solved and judged.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "solvers/math/parallel.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/solve_file.hpp"
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

int report_outcome(const SolveArguments& arguments, const SolvedProblem& outcome) {
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

int solve(const SolveArguments& arguments) {
  if (!arguments.write_solution.empty())
    refuse_existing(arguments.write_solution, existing_files(arguments.force));
  const Method method = method_named(arguments.solver);
  set_threads(arguments.threads);
  const FclibFile file = read_fclib(arguments.problem);
  for (const std::string& warning : fclib_warnings(file))
    fmt::print(stderr, "{}: warning: {}\n", arguments.problem, warning);
  refuse_method(file, method);
  const SolvedProblem solved = named(
      arguments, [&] { return solve_file(file, method, options_of(arguments), arguments.repeat); });
  if (!arguments.write_solution.empty()) write_solution(arguments, file, solved.solution);
  return report_outcome(arguments, solved);
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
