// SPDX-License-Identifier: Apache-2.0
// What the tolerance of the solver changes in what granular scenes are run for: solid fraction and
// distribution of forces of settled grains, run-out of a column. One thread; run it in the folder
// of the sources.
//     bench_tolerances [--seeds 4]
// Every figure is a mean over seeds, with its standard deviation: a difference between tolerances
// counts against that.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/world.hpp"
#include "io/scene/scene_reader.hpp"
#include "solvers/math/parallel.hpp"
#include "tools/bench/measure.hpp"

using namespace talus;
using namespace talus::bench;

namespace {

struct Run {
  World<3> world;
  double sweeps = 0;  // a step
  int missed = 0;     // steps

  Run(const std::string& scene, double tolerance, int seed)
      : world(std::get<Scene<3>>(
            read_scene(fmt::format("scenes/{}.toml", scene),
                       std::vector<std::string>{fmt::format("solver.tolerance={}", tolerance),
                                                fmt::format("packing.0.seed={}", seed)})
                .scene)) {
    while (world.steps() < world.scene().last_step()) {
      const Certificate certificate = world.step();
      sweeps += certificate.sweeps;
      missed += !certificate.converged;
    }
    sweeps /= static_cast<double>(world.steps());
  }

  bool is_grain(std::size_t body) const { return world.bodies().mass[body] > 0; }
};

// Of a bed with a flat top in a box of 5 by 5 cm, from the height of its centre of mass.
double solid_fraction(const Run& run) {
  constexpr double area = 0.05 * 0.05, density = 2500;
  double mass = 0, moment = 0;
  for (std::size_t i = 0; i < run.world.bodies().size(); ++i) {
    if (!run.is_grain(i)) continue;
    mass += run.world.bodies().mass[i];
    moment += run.world.bodies().mass[i] * run.world.bodies().position[i][2];
  }
  return mass / density / (area * 2 * moment / mass);
}

// Normal impulses of the contacts that carry more than a hundredth of the mean.
std::vector<double> forces(const Run& run) {
  std::vector<double> all;
  for (const ActiveContact<3>& active : run.world.contacts())
    if (active.percussion[0] > 0) all.push_back(active.percussion[0]);
  double mean = 0;
  for (const double force : all) mean += force / static_cast<double>(all.size());
  std::vector<double> carrying;
  for (const double force : all)
    if (force > 0.01 * mean) carrying.push_back(force / mean);
  return carrying;
}

double spread(const std::vector<double>& forces) {  // standard deviation over mean
  double sum = 0, squares = 0;
  for (const double force : forces) {
    sum += force;
    squares += force * force;
  }
  const double count = static_cast<double>(forces.size()), mean = sum / count;
  return std::sqrt(std::max(0.0, squares / count - mean * mean)) / mean;
}

double weak_share(const std::vector<double>& forces) {  // below half of the mean
  const auto weak = std::count_if(forces.begin(), forces.end(), [](double f) { return f < 0.5; });
  return static_cast<double>(weak) / static_cast<double>(forces.size());
}

// The distance from the axis within which 99 of 100 grains lie, beyond the foot of the column, in
// its radii.
double run_out(const Run& run) {
  constexpr double radius = 0.06;
  std::vector<double> distance;
  for (std::size_t i = 0; i < run.world.bodies().size(); ++i)
    if (run.is_grain(i)) distance.push_back(run.world.bodies().position[i].head<2>().norm());
  std::sort(distance.begin(), distance.end());
  return (distance[distance.size() * 99 / 100] - radius) / radius;
}

struct Figures {
  std::vector<double> values;

  void print(int digits) const {
    double mean = 0, squares = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double freedom = std::max(1.0, static_cast<double>(values.size()) - 1);
    fmt::print("{:>18}", fmt::format("{:.{}f} +- {:.{}f}", mean, digits,
                                     std::sqrt(squares / freedom), digits));
  }
};

}  // namespace

int main(int argc, char** argv) {
  set_threads(1);
  const int seeds = option(argc, argv, "--seeds", {4}).front();
  fmt::print("{:>9}{:>18}{:>18}{:>18}{:>18}{:>18}{:>18}{:>8}\n", "tolerance", "solid fraction",
             "force spread", "weak forces", "sweeps a step", "run-out", "sweeps a step", "missed");
  for (const double tolerance : {1e-2, 5e-3, 1e-3, 1e-4}) {
    Figures fraction, force_spread, weak, settle_sweeps, reach, column_sweeps;
    int missed = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      const Run settled("settle", tolerance, seed);
      const std::vector<double> carried = forces(settled);
      fraction.values.push_back(solid_fraction(settled));
      force_spread.values.push_back(spread(carried));
      weak.values.push_back(weak_share(carried));
      settle_sweeps.values.push_back(settled.sweeps);
      const Run column("column_collapse3d", tolerance, seed);
      reach.values.push_back(run_out(column));
      column_sweeps.values.push_back(column.sweeps);
      missed += settled.missed + column.missed;
    }
    fmt::print("{:>9}", tolerance);
    fraction.print(4);
    force_spread.print(3);
    weak.print(3);
    settle_sweeps.print(0);
    reach.print(3);
    column_sweeps.print(0);
    fmt::print("{:>8}\n", missed);
    std::fflush(stdout);
  }
  fmt::print("load {:.1f}\n", load_average());
}
