// SPDX-License-Identifier: Apache-2.0
// Time of a step of a small scene in C++, for comparison with Python (tools/bench/python.py).
// Prints the least mean of several stretches [µs].
//   bench_step SCENE.toml [STEPS] [STRETCHES]
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <variant>

#include "engine/world.hpp"
#include "io/scene/scene_reader.hpp"
#include "tools/bench/measure.hpp"

using namespace talus;
using namespace talus::bench;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 20000;
  const int stretches = argc > 3 ? std::atoi(argv[3]) : 7;
  std::visit(
      [&]<int D>(const Scene<D>& scene) {
        double least = std::numeric_limits<double>::infinity();
        for (int stretch = 0; stretch < stretches; ++stretch) {
          World<D> world(scene);
          const double begin = wall_clock();
          for (int k = 0; k < steps; ++k) world.step();
          least = std::min(least, (wall_clock() - begin) / steps);
        }
        fmt::print("{:.4f}\n", 1e6 * least);
      },
      read_scene(argv[1]).scene);
}
