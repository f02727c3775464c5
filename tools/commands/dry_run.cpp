// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/dry_run.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "engine/outlook/outlook.hpp"
#include "engine/world.hpp"
#include "io/trajectory/start_from.hpp"
#include "io/trajectory/trajectory_writer.hpp"
#include "tools/commands/sampled_steps.hpp"
#include "tools/terminal/counted.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

constexpr double patience = 1.0;        // [s] for steps of the scene; half of it for the heap
constexpr double rough_patience = 4.0;  // [s] for the rough run
constexpr std::size_t most_rough_bodies =
    50'000;  // of a rough run, which needs the memory of a second one
constexpr int most_steps_tried = 50;
constexpr int least_steps = 4;  // fewer give no reliable time
constexpr std::size_t sample_size = 200;
constexpr double most_of_a_radius = 0.1;    // travel of the fastest body per step without a warning
constexpr double bytes_per_contact = 1500;  // in all arrays of a step, with spare capacity
constexpr double bytes_to_write = 13e6;     // memory of the libraries that write the file

double resident_bytes() {
  long pages = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

struct Trial {
  int steps = 0;
  double seconds = 0;   // per step
  double contacts = 0;  // of the last step
  double loaded = 0;    // fraction of them that carries a force
};

// Times a few steps. The first is not typical, because it allocates all arrays.
template <int D>
Trial try_steps(World<D>& world, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const Clock::time_point start = Clock::now();
  std::vector<double> times;
  Trial trial;
  while (times.empty() || (since(start) < seconds && times.size() < most_steps_tried)) {
    const Clock::time_point before = Clock::now();
    const Certificate step = world.step();
    times.push_back(since(before));
    trial.contacts = step.contacts;
    trial.loaded =
        step.contacts > 0 ? static_cast<double>(step.sticking + step.sliding) / step.contacts : 1;
  }
  const auto typical = times.size() > 1 ? times.begin() + 1 : times.begin();
  trial.seconds =
      std::accumulate(typical, times.end(), 0.0) / static_cast<double>(times.end() - typical);
  trial.steps = static_cast<int>(times.size());
  return trial;
}

struct Estimate {
  std::size_t bodies = 0, moving = 0;  // including those that emitters will create
  double contacts_start = 0, contacts = 0;
  double memory = 0;                // [bytes]
  double step_start = 0, step = 0;  // [s], at the start and on average
  SampledSteps sampled;
  std::int64_t steps = 0, frames = 0;
  bool may_stop = false;
  double total = 0;  // [s]
  double file = 0;   // [bytes]
  std::vector<std::string> warnings;
};

std::string readable_bytes(double bytes) {
  const char* const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  int k = 0;
  for (; bytes >= 1000 && k < 5; ++k) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[k]);
}

std::string readable_seconds(double seconds) {
  if (seconds < 1) return fmt::format("{:.3g} ms", 1000 * seconds);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  return seconds < 7200 ? fmt::format("{:.3g} min", seconds / 60)
                        : fmt::format("{:.3g} h", seconds / 3600);
}

template <int D>
std::vector<std::string> find_overlaps(const SceneDocument& document, World<D>& world) {
  std::vector<std::string> warnings;
  const std::vector<Overlap> overlaps = world.initial_overlaps();
  if (overlaps.empty()) return warnings;
  const Overlap& first = overlaps.front();
  const auto name = [&](int body) {
    return world.scene().bodies[static_cast<std::size_t>(body)].name;
  };
  warnings.push_back(fmt::format(
      "{}: {} bodies overlap at the start, '{}' and '{}' by {:.3g} m: "
      "the run will be refused",
      document.place_of_body(first.b), overlaps.size(), name(first.b), name(first.a), first.depth));
  return warnings;
}

template <int D>
void add_warnings(const SceneDocument& document, const Scene<D>& scene, const Outlook& outlook,
                  std::vector<std::string>& warnings) {
  const double covered = outlook.fastest * scene.h;
  if (outlook.smallest > 0 && covered > most_of_a_radius * outlook.smallest) {
    warnings.push_back(fmt::format(
        "time.step = {:g}: bodies may reach {:.3g} m/s and cover {:.2g} of the smallest "
        "radius in a step; {:.2g} s or less keeps impacts sharp",
        scene.h, outlook.fastest, covered / outlook.smallest,
        most_of_a_radius * outlook.smallest / outlook.fastest));
  }
  if (outlook.floorless > 0) {
    warnings.push_back(fmt::format(
        "{}: {}, the first is '{}', not directly above a fixed body: they fall out of the "
        "scene unless other bodies carry them",
        document.place_of_body(outlook.first_floorless),
        counted(outlook.floorless, "body", "bodies"),
        scene.bodies[static_cast<std::size_t>(outlook.first_floorless)].name));
  }
}

// Expected number of contacts in a heap: for balls as in the sample, for others an empirical value.
template <int D>
double contacts_in_heap(const Scene<D>& scene, double contacts_per_ball) {
  double contacts = 0;
  for (std::size_t id = 0; id < total_bodies(scene); ++id) {
    const BodyDescription<D>& body = description(scene, id);
    if (body.fixed || !body.drives.empty()) continue;
    const bool is_round = std::all_of(body.shapes.begin(), body.shapes.end(), [](const auto& s) {
      return !std::holds_alternative<Polytope<D>>(s);
    });
    contacts += is_round ? contacts_per_ball : contacts_per_angular_body<D>();
  }
  return contacts;
}

template <int D>
Estimate estimate(const SceneDocument& document, Scene<D> scene) {
  Estimate e;
  e.steps = scene.last_step();
  e.may_stop = !scene.stops.empty();
  e.frames = 1 + (e.steps + scene.save_every - 1) / scene.save_every;
  e.bodies = total_bodies(scene);
  for (std::size_t id = 0; id < e.bodies; ++id) {
    const BodyDescription<D>& body = description(scene, id);
    e.moving += !body.fixed && body.drives.empty();
  }

  World<D> world(std::move(scene));
  begin_from_earlier_run<D>(document, world);
  e.warnings = find_overlaps(document, world);
  const Outlook outlook = look_ahead<D>(world.scene(), world.bodies());
  add_warnings<D>(document, world.scene(), outlook, e.warnings);
  Scene<D> heap_scene = sample_heap<D>(world.scene(), sample_size);

  const WorldState<D> start = world.state();
  const Trial now = try_steps<D>(world, patience);
  e.contacts_start = e.contacts = now.contacts;
  e.step_start = e.step = now.seconds;
  double loaded = now.loaded;
  const double resident = resident_bytes();
  if (world.bodies().size() <= most_rough_bodies) {
    world.restore(start);
    e.sampled = sample_steps<D>(world, outlook, rough_patience);
    e.step = e.sampled.mean;
    if (e.sampled.contacts > e.contacts) {
      e.contacts = e.sampled.contacts;
      loaded = e.sampled.loaded;
    }
  }
  // What the rough run did not reach is taken for a heap.
  const double open = 1 - e.sampled.until;
  if (open > 0 && !heap_scene.bodies.empty()) {
    World<D> heap(std::move(heap_scene));
    const auto balls =
        static_cast<double>(std::count_if(heap.bodies().mass.begin(), heap.bodies().mass.end(),
                                          [](double mass) { return mass > 0; }));
    const Trial lying = try_steps<D>(heap, patience / 2);
    e.contacts = std::max(e.contacts, contacts_in_heap<D>(world.scene(), lying.contacts / balls));
    loaded = lying.loaded;
    // The first step of a heap takes far longer, because it has no guess from an earlier step.
    double later = e.sampled.moments > 0 ? e.sampled.last : now.steps >= least_steps ? e.step : 0;
    if (lying.contacts > 0) later = std::max(later, lying.seconds / lying.contacts * e.contacts);
    e.step = e.sampled.until * e.sampled.mean + open * later;
  }
  // The number of contacts grows while bodies fall.
  const double gathering = std::min(1.0, outlook.longest_fall / world.scene().end) / 2;
  const double mean_contacts = e.contacts - gathering * (e.contacts - e.contacts_start);
  e.file = TrajectoryWriter<D>::expected_bytes(world.scene(), world.bodies(),
                                               {e.steps, e.frames, loaded * mean_contacts});
  // A frame is buffered before it is written.
  const double frame = e.file / static_cast<double>(e.frames);
  e.memory =
      resident + bytes_to_write + bytes_per_contact * (e.contacts - e.contacts_start) + frame;
  e.total = e.step * static_cast<double>(e.steps);
  return e;
}

// What the average time of a step rests on.
std::string how_known(const Estimate& e) {
  const std::string rough =
      fmt::format("steps at {} of a rough run", counted(e.sampled.moments, "moment", "moments"));
  if (e.sampled.until >= 1) return rough;
  if (e.sampled.moments == 0) return "a guess: as many contacts as in a heap of such bodies";
  return fmt::format("{} through {:.2g} % of the time; a guess for the rest, as in a heap", rough,
                     100 * e.sampled.until);
}

void print(const Estimate& e) {
  fmt::print(stderr, "bodies         {}, of which {} move\n", e.bodies, e.moving);
  fmt::print(stderr, "contacts       {:.0f} at the start, about {:.0f} expected\n",
             e.contacts_start, e.contacts);
  fmt::print(stderr, "memory         {}\n", readable_bytes(e.memory));
  fmt::print(stderr, "time per step  {} at the start, {} on average\n",
             readable_seconds(e.step_start), readable_seconds(e.step));
  fmt::print(stderr, "               {}\n", how_known(e));
  fmt::print(stderr, "whole run      {} steps, about {}{}\n", e.steps, readable_seconds(e.total),
             e.may_stop ? "; a stop condition may end it before" : "");
  fmt::print(stderr, "trajectory     {} in {} frames\n", readable_bytes(e.file), e.frames);
}

}  // namespace

template <int D>
int dry_run(const SceneDocument& document, Scene<D> scene, const DryRunOptions& options) {
  const Estimate e = estimate<D>(document, std::move(scene));
  if (!options.quiet) print(e);
  for (const std::string& warning : e.warnings) fmt::print(stderr, "warning: {}\n", warning);
  std::vector<std::string> warnings = document.warnings;  // printed when the scene was read
  warnings.insert(warnings.end(), e.warnings.begin(), e.warnings.end());
  if (options.json) {
    fmt::print("{}\n", JsonObject()
                           .add("scene", document.path)
                           .add("bodies", e.bodies)
                           .add("moving_bodies", e.moving)
                           .add("contacts_start", e.contacts_start)
                           .add("contacts_expected", std::round(e.contacts))
                           .add("memory_bytes", std::round(e.memory))
                           .add("step_start_s", e.step_start)
                           .add("step_s", e.step)
                           .add("sampled_moments", e.sampled.moments)
                           .add("sampled_until", e.sampled.until)
                           .add("steps", e.steps)
                           .add("total_s", e.total)
                           .add("frames", e.frames)
                           .add("file_bytes", std::round(e.file))
                           .raw("warnings", json_list(warnings))
                           .text());
  }
  return 0;
}

template int dry_run<2>(const SceneDocument&, Scene<2>, const DryRunOptions&);
template int dry_run<3>(const SceneDocument&, Scene<3>, const DryRunOptions&);

}  // namespace talus
