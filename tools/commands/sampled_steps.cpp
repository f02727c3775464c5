// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/sampled_steps.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <vector>

namespace talus {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int moments = 10;
constexpr std::size_t steps_at_moment = 20;
constexpr std::int64_t rough_steps = 400;
constexpr double looser = 5;  // tolerance of the rough run
constexpr int rough_sweeps = 500;
constexpr double most_of_a_rough_step = 0.5;  // travel of the fastest body, in smallest radii

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Steps of the run in one of the rough run.
template <int D>
std::int64_t steps_together(const Scene<D>& scene, const Outlook& outlook) {
  std::int64_t together = std::max<std::int64_t>(1, scene.last_step() / rough_steps);
  const double travel = outlook.fastest * scene.h;
  if (travel > 0 && outlook.smallest > 0)
    together = std::min(
        together,
        std::max<std::int64_t>(1, std::llround(most_of_a_rough_step * outlook.smallest / travel)));
  return together;
}

// The state in which the run itself goes on from the rough one.
template <int D>
WorldState<D> state_for_run(WorldState<D> state, std::int64_t together) {
  state.steps *= together;
  const auto share = 1 / static_cast<double>(together);
  for (auto& stored : state.percussions) stored.percussion *= share;
  for (auto& moment : state.moments) moment *= share;
  return state;
}

}  // namespace

template <int D>
SampledSteps sample_steps(World<D>& world, const Outlook& outlook, double seconds) {
  const std::int64_t together = steps_together<D>(world.scene(), outlook);
  const std::int64_t total = std::max<std::int64_t>(1, world.scene().last_step() / together);
  Scene<D> rough_scene = world.scene();
  rough_scene.h *= static_cast<double>(together);
  rough_scene.solver.tolerance *= looser;
  rough_scene.solver.max_sweeps = std::min(rough_scene.solver.max_sweeps, rough_sweeps);
  rough_scene.monitor = {};
  World<D> rough(std::move(rough_scene));
  rough.restore(world.state());

  SampledSteps sampled;
  const auto sample = [&] {
    world.restore(state_for_run<D>(rough.state(), together));
    // The first steps repair what is rough in the state: the second half counts.
    std::vector<double> times;
    Certificate step;
    for (const Clock::time_point start = Clock::now();
         times.size() < 3 ||
         (times.size() < steps_at_moment && since(start) < seconds / moments);) {
      const Clock::time_point before = Clock::now();
      step = world.step();
      times.push_back(since(before));
    }
    const auto typical = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    sampled.last =
        std::accumulate(typical, times.end(), 0.0) / static_cast<double>(times.end() - typical);
    sampled.mean += (sampled.last - sampled.mean) / ++sampled.moments;
    if (step.contacts >= sampled.contacts) {
      sampled.contacts = step.contacts;
      sampled.loaded =
          step.contacts > 0 ? static_cast<double>(step.sticking + step.sliding) / step.contacts : 1;
    }
  };
  const Clock::time_point start = Clock::now();
  std::int64_t made = 0;
  for (bool late = false; made < total && !late;) {
    const Certificate step = rough.step();
    if (!std::isfinite(step.kinetic)) break;
    ++made;
    late = since(start) > seconds;
    if (made * moments >= (sampled.moments + 1) * total || late) sample();
  }
  sampled.until = static_cast<double>(made) / static_cast<double>(total);
  return sampled;
}

template SampledSteps sample_steps<2>(World<2>&, const Outlook&, double);
template SampledSteps sample_steps<3>(World<3>&, const Outlook&, double);

}  // namespace talus
