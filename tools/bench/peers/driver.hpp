// SPDX-License-Identifier: Apache-2.0
// Common to the drivers of C++ engines: the table of a scene, the loop over its steps with the
// processor time of the steps alone, and the file of frames. Both file formats are described in
// scenes.py.
#pragma once
#include <sys/resource.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace peers {

using Triple = std::array<double, 3>;

struct Body {
  bool sphere = false;
  Triple half{};       // half sides; a sphere's radius three times [m]
  double density = 0;  // 0: fixed or driven [kg/m³]
  Triple position{};   // [m]
  Triple drive{};      // velocity of a driven body from `begin` to `finish` [m/s]
  double begin = 0, finish = 0;

  bool free() const { return density > 0; }
  bool driven() const { return finish > begin; }
  double mass() const {
    const double volume =
        sphere ? 4. / 3. * M_PI * std::pow(half[0], 3) : 8 * half[0] * half[1] * half[2];
    return density * volume;
  }
  Triple inertia() const {
    const auto [x, y, z] = half;
    const double m = mass();
    if (sphere) return {0.4 * m * x * x, 0.4 * m * x * x, 0.4 * m * x * x};
    return {m / 3 * (y * y + z * z), m / 3 * (x * x + z * z), m / 3 * (x * x + y * y)};
  }
  Triple velocity(double time) const {
    return driven() && time >= begin && time < finish ? drive : Triple{};
  }
};

struct Scene {
  double step = 0, end = 0, frame = 0;  // [s]
  Triple gravity{};
  double friction = 0, restitution = 0;
  std::vector<Body> bodies;
};

inline Scene read_scene(const char* path) {
  std::ifstream file(path);
  Scene scene;
  auto& g = scene.gravity;
  file >> scene.step >> scene.end >> scene.frame >> g[0] >> g[1] >> g[2] >> scene.friction >>
      scene.restitution;
  std::string kind;
  while (file >> kind) {
    Body body;
    body.sphere = kind == "sphere";
    for (double& side : body.half) file >> side;
    file >> body.density;
    for (double& x : body.position) file >> x;
    for (double& v : body.drive) file >> v;
    file >> body.begin >> body.finish;
    scene.bodies.push_back(body);
  }
  if (scene.bodies.empty()) {
    std::fprintf(stderr, "%s: no scene\n", path);
    std::exit(2);
  }
  return scene;
}

struct State {
  Triple position{};
  std::array<double, 4> orientation{1, 0, 0, 0};  // w x y z
  Triple velocity{}, spin{};                      // spin in world axes
};
static_assert(sizeof(State) == 13 * sizeof(double));

inline double seconds_by(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Arguments: scene, file of frames, limit on processor seconds, options of the engine. An engine
// has
//   Engine(const Scene&, options), step(time), states(vector<State>&), contacts().
template <class Engine>
int drive(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s SCENE FRAMES MOST_CPU_SECONDS [OPTION…]\n", argv[0]);
    return 2;
  }
  const Scene scene = read_scene(argv[1]);
  const double most_seconds = std::atof(argv[3]);
  Engine engine(scene, std::vector<std::string>(argv + 4, argv + argc));
  std::FILE* file = std::fopen(argv[2], "wb");
  if (!file) {
    std::perror(argv[2]);
    return 2;
  }

  std::vector<State> states(scene.bodies.size());
  double seconds = 0, wall = 0;
  const auto append_frame = [&](double time) {
    engine.states(states);
    const double head[] = {time, seconds};
    std::fwrite(head, sizeof(double), 2, file);
    std::fwrite(states.data(), sizeof(State), states.size(), file);
  };
  append_frame(0);

  const long steps = std::lround(scene.end / scene.step);
  const long frame_steps = std::max(1L, std::lround(scene.frame / scene.step));
  long done = 0;
  while (done < steps && seconds < most_seconds) {
    const double before = seconds_by(CLOCK_PROCESS_CPUTIME_ID),
                 wall_before = seconds_by(CLOCK_MONOTONIC);
    engine.step(static_cast<double>(done) * scene.step);
    seconds += seconds_by(CLOCK_PROCESS_CPUTIME_ID) - before;
    wall += seconds_by(CLOCK_MONOTONIC) - wall_before;
    ++done;
    if (done % frame_steps == 0 || done == steps || seconds >= most_seconds)
      append_frame(static_cast<double>(done) * scene.step);
  }
  std::fclose(file);
  rusage used;
  getrusage(RUSAGE_SELF, &used);  // ru_maxrss in KiB
  std::printf(
      "{\"steps\": %ld, \"time\": %.9g, \"cpu_s\": %.6f, \"wall_s\": %.6f, \"contacts\": %d, "
      "\"memory_mb\": %.1f}\n",
      done, static_cast<double>(done) * scene.step, seconds, wall, engine.contacts(),
      static_cast<double>(used.ru_maxrss) / 1024);
  return 0;
}

}  // namespace peers
