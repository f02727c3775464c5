// `talus run`: builds a world from a scene, steps it to its end, writes the trajectory.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <thread>

#include "engine/world.hpp"
#include "io/checkpoint.hpp"
#include "io/scene_reader.hpp"
#include "io/trajectory_writer.hpp"
#include "solvers/parallel.hpp"
#include "tools/commands.hpp"
#include "tools/json.hpp"
#include "tools/progress.hpp"

namespace talus {

namespace {

struct RunOptions {
  std::string scene;
  std::string output;
  double until = 0;
  int threads = 1;
  std::vector<std::string> overrides;
  bool resume = false, force = false, json = false, quiet = false;
};

std::atomic<int> caught_signal = 0;

// While one of these lives, SIGINT and SIGTERM wait for the step to end.
class SignalGuard {
 public:
  SignalGuard() {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int caught) { caught_signal = caught; });
  }
  ~SignalGuard() {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  }
};

// What the whole run certifies.
struct Summary {
  std::int64_t steps = 0, unconverged = 0, first_unconverged = 0;
  double max_error = 0, max_penetration = 0, max_defect = 0;  // defect: of the energy turned over in its step
  Certificate last;

  void add(const Certificate& c) {
    ++steps;
    if (!c.converged && ++unconverged == 1) first_unconverged = c.step;
    max_error = std::max(max_error, c.error);
    max_penetration = std::max(max_penetration, c.max_penetration);
    if (c.turnover > 0) max_defect = std::max(max_defect, std::abs(c.defect) / c.turnover);
    last = c;
  }
};
