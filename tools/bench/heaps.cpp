// SPDX-License-Identifier: Apache-2.0
// Rigid balls poured into a box, one thread, h = 1e-3 s: how hard the contact problems of a heap
// are for a method. docs/heaps.md has the figures.
//     bench_heaps [--cases 3,4] [--methods run,momentum] [--window 380,480] [--tolerance 1e-3]
//                 [--store FOLDER --over 1000]
// For each case and method: sweeps a step, of all steps and in the worst fifth of the run;
// the same in sweep-equivalents, the time of a solve divided by the time of a plain sweep; steps
// that missed the tolerance, and the largest error; processor time of the solver. With a window of
// steps, those before it are made with `run`, and every method begins the window with the same
// state. --store writes the contact problems of steps of more than --over sweeps as FCLib files.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/world.hpp"
#include "io/fclib/fclib.hpp"
#include "io/scene/scene_reader.hpp"
#include "solvers/climb/run_solver.hpp"
#include "solvers/math/parallel.hpp"
#include "solvers/sweep/sweep.hpp"
#include "tools/bench/measure.hpp"

using namespace talus;
using namespace talus::bench;

namespace {

constexpr const char* usage =
    "bench_heaps [--cases 3,4] [--methods run,momentum] [--window 380,480] [--tolerance 1e-3]\n"
    "            [--store FOLDER --over 1000]";

// Balls of 4 to 6 mm fall into a box; about `width`²/100 balls [mm] make a layer.
struct Pour {
  int balls;
  int depth;  // in balls
  double friction;
  int steps;
};

Scene<3> scene_of(const Pour& pour, double tolerance) {
  const double width = std::sqrt(pour.balls / pour.depth) * 0.01;
  const std::string text = fmt::format(
      "dimension = 3\n"
      "gravity = [0, 0, -9.81]\n"
      "time = {{ step = 1e-3, end = {} }}\n"
      "solver = {{ tolerance = {} }}\n"
      "material.grain = {{ density = 2500, friction = {} }}\n"
      "container = [{{ name = 'box', box = [{}, {}, {}], material = 'grain' }}]\n"
      "[[packing]]\n"
      "in = 'box'\n"
      "count = {}\n"
      "radius = [0.004, 0.006]\n"
      "seed = 5\n"
      "material = 'grain'\n",
      1e-3 * pour.steps, tolerance, pour.friction, width, width, 0.025 * pour.depth, pour.balls);
  return std::get<Scene<3>>(read_scene_text(text, "pour.toml").scene);
}

// 20 × 20 × 25 equal balls on a loose jittered grid fall into a box that is as wide as the grid:
// settle10k of tools/bench/peers, with a jitter of other random numbers.
Scene<3> settle10k(double tolerance) {
  constexpr double radius = 0.005, spacing = 2.2 * radius, jitter = 0.08 * radius;
  constexpr int side = 20, layers = 25;
  std::string text = fmt::format(
      "dimension = 3\n"
      "gravity = [0, 0, -9.81]\n"
      "time = {{ step = 1e-3, end = 0.4 }}\n"
      "solver = {{ tolerance = {} }}\n"
      "material.grain = {{ density = 2600, friction = 0.5 }}\n"
      "container = [{{ name = 'box', box = [{}, {}, {}], material = 'grain' }}]\n",
      tolerance, side * spacing, side * spacing, 1.2 * layers * spacing);
  std::mt19937_64 random(1);
  const auto off = [&] { return jitter * (2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1); };
  for (int k = 0; k < layers; ++k)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) {
        const double x = (i + 0.5 - side / 2) * spacing + off();
        const double y = (j + 0.5 - side / 2) * spacing + off();
        text += fmt::format(
            "[[body]]\nshape = {{ ball = {} }}\nmaterial = 'grain'\nposition = [{}, {}, {}]\n",
            radius, x, y, (k + 0.5) * spacing + off());
      }
  return std::get<Scene<3>>(read_scene_text(text, "settle10k.toml").scene);
}

struct Case {
  const char* name;
  std::optional<Pour> pour;  // none: settle10k

  Scene<3> scene(double tolerance) const {
    return pour ? scene_of(*pour, tolerance) : settle10k(tolerance);
  }
};

const Case cases[] = {
    {"1,000 balls, 10 deep, mu 0", Pour{1000, 10, 0, 500}},
    {"1,000 balls, 10 deep, mu 0.1", Pour{1000, 10, 0.1, 500}},
    {"1,000 balls, 10 deep, mu 0.4", Pour{1000, 10, 0.4, 500}},
    {"1,000 balls, 10 deep, mu 0.8", Pour{1000, 10, 0.8, 500}},
    {"4,000 balls, 10 deep, mu 0.4", Pour{4000, 10, 0.4, 500}},
    {"4,000 balls, 40 deep, mu 0.4", Pour{4000, 40, 0.4, 600}},
    {"10,000 balls, 20 deep, mu 0.5", {}},
};

// What is noted of a step.
struct Solved {
  int sweeps = 0;
  double seconds = 0;
};

// Notes the sweeps and the time of another solver.
class Timed final : public Solver<3> {
 public:
  Timed(std::unique_ptr<Solver<3>> solver, std::vector<Solved>& steps)
      : solver_(std::move(solver)), steps_(steps) {}

 private:
  SolveReport solve_islands(const ContactProblem<3>& problem, const Islands<3>& islands,
                            Percussions<3>& p) override {
    const double begin = work_clock();
    SolveReport report = solver_->solve(problem, islands, p);
    steps_.push_back({report.sweeps, work_clock() - begin});
    return report;
  }

  std::unique_ptr<Solver<3>> solver_;
  std::vector<Solved>& steps_;
};

std::unique_ptr<Solver<3>> solver_named(const std::string& name, const SolveOptions& options) {
  if (name == "run") return std::make_unique<RunSolver<3>>(options);
  for (const MethodName& known : {MethodName{Method::automatic, "sweeps"},
                                  {Method::nsgs, "nsgs"},
                                  {Method::anderson, "anderson"},
                                  {Method::nncg, "nncg"},
                                  {Method::momentum, "momentum"},
                                  {Method::alternating, "alternating"}})
    if (name == known.name)
      return std::make_unique<SweepSolver<3>>(options, SweepOptions{.method = known.method});
  return nullptr;
}

// Of a plain sweep of all contacts [s].
double time_of_a_sweep(const ContactProblem<3>& problem, const Percussions<3>& p) {
  constexpr int sweeps = 20;
  const Islands<3> islands(problem);
  Sweep<3> sweep;
  sweep.load(problem, islands, p);
  const std::size_t count = sweep.islands().size();
  for (std::size_t island = 0; island < count; ++island) sweep.rebuild_velocities(island);
  return shortest_time(
             [&] {
               for (int k = 0; k < sweeps; ++k)
                 for (std::size_t island = 0; island < count; ++island)
                   sweep.sweep(island, Direction::forward);
             },
             5) /
         sweeps;
}

double mean(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, numbers.size()));
}

// The largest mean of a fifth of the run.
double worst_fifth(const std::vector<double>& numbers) {
  double worst = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    const auto at_share = [&](std::size_t share) {
      return numbers.begin() + static_cast<std::ptrdiff_t>(share * numbers.size() / 5);
    };
    worst = std::max(worst, mean({at_share(k), at_share(k + 1)}));
  }
  return worst;
}

struct Store {
  std::string folder;  // empty: nothing is stored
  int over = 1000;     // sweeps
};

void measure(const Case& which, const std::string& method, double tolerance,
             const std::optional<std::pair<std::int64_t, WorldState<3>>>& window,
             const Store& store) {
  const Scene<3> scene = which.scene(tolerance);
  const SolveOptions options{.tolerance = tolerance, .max_sweeps = scene.solver.max_sweeps};
  std::vector<Solved> steps;
  World<3> world(scene, std::make_unique<Timed>(solver_named(method, options), steps));
  if (window) world.restore(window->second);
  const std::int64_t last = window ? window->first : scene.last_step();

  int missed = 0;
  double worst_error = 0, sweep_time = 0;
  std::vector<double> sweeps, equivalents;
  constexpr std::size_t steps_between_timings = 25;
  while (world.steps() < last) {
    const std::size_t before = steps.size();
    const Certificate certificate = world.step();
    missed += !certificate.converged;
    worst_error = std::max(worst_error, certificate.error);
    if (steps.size() == before) continue;  // no contact yet
    if (before % steps_between_timings == 0)
      sweep_time = time_of_a_sweep(world.problem(), world.percussions());
    sweeps.push_back(steps.back().sweeps);
    equivalents.push_back(sweep_time > 0 ? steps.back().seconds / sweep_time : 0);
    if (!store.folder.empty() && steps.back().sweeps > store.over) {
      const std::string name =
          fmt::format("case{}-{}-step{}.hdf5", &which - cases, method, world.steps());
      write_fclib(std::filesystem::path(store.folder) / name, fclib_problem<3>(world.problem()),
                  true);
    }
  }
  double seconds = 0;
  for (const Solved& step : steps) seconds += step.seconds;
  fmt::print("{:31} {:>11} {:>8.0f} {:>8.0f} {:>8.0f} {:>8.0f} {:>4} of {:<4} {:>9.1e} {:>8.1f}\n",
             which.name, method, mean(sweeps), worst_fifth(sweeps), mean(equivalents),
             worst_fifth(equivalents), missed, steps.size(), worst_error, seconds);
  std::fflush(stdout);
}

std::string text_option(int argc, char** argv, const std::string& name, std::string otherwise) {
  for (int i = 1; i + 1 < argc; ++i)
    if (argv[i] == name) otherwise = argv[i + 1];
  return otherwise;
}

int run(int argc, char** argv) {
  set_threads(1);
  std::vector<int> all(std::size(cases));
  std::iota(all.begin(), all.end(), 0);
  const double tolerance = std::stod(text_option(argc, argv, "--tolerance", "1e-3"));
  const Store store{text_option(argc, argv, "--store", ""),
                    option(argc, argv, "--over", {1000}).front()};
  const std::vector<int> window = option(argc, argv, "--window", {});
  if (!store.folder.empty()) std::filesystem::create_directories(store.folder);
  std::vector<std::string> methods;
  std::istringstream names(text_option(argc, argv, "--methods", "run"));
  for (std::string name; std::getline(names, name, ',');) {
    if (!solver_named(name, {})) {
      fmt::print(stderr, "bench_heaps: no method '{}'\n{}\n", name, usage);
      return 2;
    }
    methods.push_back(name);
  }

  const std::vector<int> wanted = option(argc, argv, "--cases", all);
  for (const int number : wanted) {
    if (number >= 0 && number < static_cast<int>(std::size(cases))) continue;
    fmt::print(stderr, "bench_heaps: cases are numbered 0 to {}\n{}\n", std::size(cases) - 1,
               usage);
    return 2;
  }

  fmt::print("{:31} {:>11} {:>17} {:>17} {:>12} {:>9} {:>8}\n", "", "", "sweeps a step",
             "equivalents", "missed", "largest", "solver");
  fmt::print("{:31} {:>11} {:>8} {:>8} {:>8} {:>8} {:>12} {:>9} {:>8}\n", "case", "method", "all",
             "worst", "all", "worst", "steps", "error", "s");
  for (const int number : wanted) {
    const Case& which = cases[number];
    std::optional<std::pair<std::int64_t, WorldState<3>>> start;
    if (window.size() == 2) {
      World<3> world(which.scene(tolerance));
      while (world.steps() < window[0]) world.step();
      start.emplace(window[1], world.state());
    }
    for (const std::string& method : methods) measure(which, method, tolerance, start, store);
  }
  fmt::print("load {:.1f}\n", load_average());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_heaps: {}\n", error.what());
    return 2;
  }
}
