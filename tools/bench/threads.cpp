// SPDX-License-Identifier: Apache-2.0
// Speed-up by threads in a whole run, without its files. A scene is run a few steps at a time. Each
// such stretch is computed by one thread and by several, in turn, from the same state, and the bits
// are compared. The quartiles show the uncertainty of the ratio; in short stretches the wake-up of
// threads counts. On a virtual machine with steal time, the second line has only the stretches
// without it.
//   bench_threads SCENE.toml [THREADS] [STEPS_A_TURN] [KEY=VALUE…]
#include <fmt/core.h>

#include <cstring>
#include <variant>

#include "engine/world.hpp"
#include "io/scene/scene_reader.hpp"
#include "tools/bench/measure.hpp"

using namespace talus;
using namespace talus::bench;

namespace {

struct Times {
  double alone = 0, together = 0;  // [s]
  int stretches = 0;

  void add(double on_one, double on_several) {
    alone += on_one;
    together += on_several;
    ++stretches;
  }
};

template <int D>
bool same_places(const WorldState<D>& a, const WorldState<D>& b) {
  return a.position.size() == b.position.size() &&
         std::memcmp(a.position.data(), b.position.data(), a.position.size() * sizeof(Vec<D>)) == 0;
}

template <int D>
int compare(const Scene<D>& scene, int many, int turn) {
  World<D> world(scene);
  const auto run = [&](int count, const WorldState<D>& start) {
    world.restore(start);
    set_threads(count);
    double seconds = 0;
    parallel_team([&] {
      world.step();  // warms up the caches after the restore
      const double begin = wall_clock();
      for (int k = 0; k < turn; ++k) world.step();
      seconds = wall_clock() - begin;
    });
    set_threads(1);
    return seconds;
  };
  Times all, undisturbed;
  std::vector<double> ratios;
  for (int stretch = 0; world.time() < scene.end; ++stretch) {
    const WorldState<D> start = world.state();
    const double stolen_before = stolen_time();
    double seconds[2];
    WorldState<D> reached[2];
    for (int k = 0; k < 2; ++k) {
      const bool first = (stretch + k) % 2 == 0;  // alternate who begins
      seconds[first ? 0 : 1] = run(first ? 1 : many, start);
      reached[k] = world.state();
    }
    if (!same_places(reached[0], reached[1])) {
      fmt::print("step {}: other bits on {} threads\n", start.steps, many);
      return 1;
    }
    const double stolen = stolen_time() - stolen_before;
    all.add(seconds[0], seconds[1]);
    if (stolen <= 0.01 * (seconds[0] + seconds[1])) undisturbed.add(seconds[0], seconds[1]);
    ratios.push_back(seconds[0] / seconds[1]);
  }
  std::sort(ratios.begin(), ratios.end());
  const auto part = [&](std::size_t quarters) {
    return ratios[quarters * (ratios.size() - 1) / 4];
  };
  fmt::print("{} bodies, {} contacts at the end, load {:.1f}\n", world.bodies().size(),
             world.contacts().size(), load_average());
  fmt::print("all stretches of {} steps:       {:6.2f} s on one thread, {:6.2f} s on {}: x{:.3f}\n",
             turn, all.alone, all.together, many, all.alone / all.together);
  if (undisturbed.stretches > 0)
    fmt::print("the {} of {} without theft: {:6.2f} s on one thread, {:6.2f} s on {}: x{:.3f}\n",
               undisturbed.stretches, all.stretches, undisturbed.alone, undisturbed.together, many,
               undisturbed.alone / undisturbed.together);
  fmt::print("median stretch x{:.3f} (quartiles {:.3f}, {:.3f})\n", part(2), part(1), part(3));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_threads SCENE.toml [THREADS] [STEPS_A_TURN] [KEY=VALUE…]\n");
    return 2;
  }
  const int many = argc > 2 ? std::atoi(argv[2]) : 2;
  const int turn = argc > 3 ? std::atoi(argv[3]) : 5;
  const std::vector<std::string> overrides(argv + std::min(argc, 4), argv + argc);
  const SceneDocument document = read_scene(argv[1], overrides);
  return std::visit([&](const auto& scene) { return compare(scene, many, turn); }, document.scene);
}
