// SPDX-License-Identifier: Apache-2.0
// `talus solve`: one contact problem from an FCLib file, solved and judged.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <limits>
#include <memory>

#include "io/fclib/fclib.hpp"
#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "solvers/climb/ladder.hpp"
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

template <int D>
int solve(const SolveArguments& arguments, Method method, const FclibFile& file) {
  const Condensed<D> condensed = [&] {
    try {
      return contact_problem<D>(file);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", arguments.problem, error.what()));
    }
  }();
  const ContactProblem<D>& problem = condensed.problem;
  // Every repetition does the same work. The shortest time is the one least disturbed by other
  // programs.
  Percussions<D> p;
  SolveReport report;
  double seconds = std::numeric_limits<double>::infinity(), processor_seconds = seconds;
  for (int k = 0; k < arguments.repeat; ++k) {
    p.contact.assign(problem.size(), Vec<D>::Zero());
    LadderSolver<D> solver(method, {.tolerance = arguments.tolerance,
                                    .max_sweeps = arguments.max_sweeps,
                                    .time_limit = arguments.time_limit});
    const auto start = std::chrono::steady_clock::now();
    const double processor_start = processor_time();
    report = solver.solve(problem, p);
    processor_seconds = std::min(processor_seconds, processor_time() - processor_start);
    seconds = std::min(
        seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }

  const ContactError error = contact_error<D>(problem, p);
  const double siconos = siconos_error<D>(problem, p);
  const bool converged = error.relative <= arguments.tolerance;
  fmt::print(stderr,
             "{}: {} contacts in {}D, {} sweeps by {} in {:.3g} s\n"
             "  error {:.3e} (worst contact {:.3e}), tolerance {:.1e}: {}\n"
             "  Siconos' form, ρ = 1 and ‖·‖/‖q‖: {:.3e}\n",
             arguments.problem, problem.size(), D, report.sweeps, report.method, seconds,
             error.relative, error.worst, arguments.tolerance,
             converged ? "reached" : "NOT REACHED", siconos);
  if (!arguments.write_solution.empty()) {
    FclibFile solved = file;
    solved.solution = fclib_solution<D>(condensed, p);
    write_fclib(arguments.write_solution, solved, arguments.force);
  }
  if (arguments.json) {
    JsonObject json;
    json.add("problem", arguments.problem).add("solver", arguments.solver);
    json.add("method", report.method).add("dimension", D).add("contacts", problem.size());
    json.add("iterations", report.sweeps).add("error", error.relative);
    json.add("worst_error", error.worst).add("siconos_error", siconos);
    json.add("tolerance", arguments.tolerance).add("converged", converged);
    json.add("time_s", seconds).add("cpu_s", processor_seconds).add("threads", threads());
    fmt::print("{}\n", json.text());
  }
  return converged ? 0 : 3;
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
  if (file.rolling())
    throw InputError(fmt::format("{}: rolling friction (components {} per contact) is not solved",
                                 arguments.problem, file.spacedim));
  for (const std::string& warning : fclib_warnings(file))
    fmt::print(stderr, "{}: warning: {}\n", arguments.problem, warning);
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
