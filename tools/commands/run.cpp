// SPDX-License-Identifier: Apache-2.0
// `talus run`: builds a world from a scene, steps it to its end, writes the trajectory.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>
#include <new>
#include <optional>
#include <thread>

#include "engine/world.hpp"
#include "io/scene/joint_refusal.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/text/input_error.hpp"
#include "io/trajectory/checkpoint.hpp"
#include "io/trajectory/run_names.hpp"
#include "io/trajectory/scene_identity.hpp"
#include "io/trajectory/start_from.hpp"
#include "io/trajectory/trajectory_writer.hpp"
#include "solvers/math/parallel.hpp"
#include "tools/commands/bundled.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/dry_run.hpp"
#include "tools/commands/problem_saver.hpp"
#include "tools/commands/resume.hpp"
#include "tools/commands/run_signals.hpp"
#include "tools/commands/run_summary.hpp"
#include "tools/commands/stop_reason.hpp"
#include "tools/terminal/counted.hpp"
#include "tools/terminal/duration.hpp"
#include "tools/terminal/json.hpp"
#include "tools/terminal/number_option.hpp"
#include "tools/terminal/progress.hpp"

namespace talus {

namespace {

struct RunOptions {
  std::string scene;
  std::string output;
  double until = 0;
  int threads = 0;                                                       // 0: all cores
  double checkpoint_every = 60;                                          // wall time [s]
  double checkpoint_interval = std::numeric_limits<double>::infinity();  // simulated time [s]
  double stop_after = std::numeric_limits<double>::infinity();           // wall time [s]
  std::vector<std::string> overrides;
  std::vector<std::string> problems;  // to save: steps, or "unconverged"
  std::string start;                  // a saved state to begin from instead of the scene's
  std::string from;                   // RUN.h5@TIME of an earlier run to begin from
  ResumeFrom resume_from = ResumeFrom::start;
  bool resume = false, force = false, json = false, quiet = false;
  bool dry_run = false;
  bool tell_parent = false;  // progress, to `talus batch`
};

// Processor time of all threads since the start of the program [s].
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Saves the state before a step whose impacts could not be solved, so that the step can be repeated
// with `--start`. Only laws that act before the contact problem can fail in this way. Without
// `replace` an existing file is kept.
template <int D>
class FailedImpacts {
 public:
  FailedImpacts(const World<D>& world, std::filesystem::path trajectory, std::uint64_t scene_id,
                bool replace)
      : watches_(acts_before_contact(world.scene().impact_law)),
        trajectory_(std::move(trajectory)),
        scene_id_(scene_id),
        replace_(replace) {}

  void before_step(const World<D>& world) {
    if (watches_) state_ = world.state();
  }
  void after_step(const Certificate& certificate) {
    if (certificate.impact_failed == 0 || written_.size() + kept_.size() == most_files) return;
    const auto file = beside_run(trajectory_, fmt::format("step-{:06}.h5", certificate.step));
    if (has_checkpoint(file) && !replace_) {
      kept_.push_back(file);
      return;
    }
    remove_checkpoints(file);
    write_checkpoint<D>(file, state_, scene_id_);
    written_.push_back(file);
  }
  const std::vector<std::filesystem::path>& written() const { return written_; }
  const std::vector<std::filesystem::path>& kept() const { return kept_; }

 private:
  static constexpr std::size_t most_files = 5;
  bool watches_;
  std::filesystem::path trajectory_;
  std::uint64_t scene_id_;
  bool replace_;
  WorldState<D> state_;
  std::vector<std::filesystem::path> written_, kept_;
};

// Runs `prepare`, the work before the first step. If memory runs out there, the scene is too large:
// InputError.
template <class F>
auto within_memory(const std::string& scene, F&& prepare) try {
  return prepare();
} catch (const std::bad_alloc&) {
  throw InputError(fmt::format("{}: takes more memory than there is", scene));
}

// Errors in the scene that show only when all bodies exist.
template <int D>
void refuse_overlaps(const SceneDocument& document, World<D>& world) {
  for (const Overlap& overlap : world.initial_overlaps()) {
    const auto& bodies = world.scene().bodies;
    throw document.error_at_body(
        overlap.b,
        fmt::format(
            "body '{}' overlaps '{}' by {:.3g} m at the start (allowed_overlap permits {:.3g} m)",
            bodies[static_cast<std::size_t>(overlap.b)].name,
            bodies[static_cast<std::size_t>(overlap.a)].name, overlap.depth, overlap.allowed));
  }
}

template <int D>
void refuse_blocked_emitter(const SceneDocument& document, const World<D>& world) {
  const Scene<D>& scene = world.scene();
  const auto blocked = blocked_emitter<D>(scene, world.bodies());
  if (!blocked) return;
  std::size_t first = scene.bodies.size();
  for (std::size_t e = 0; e < *blocked; ++e) first += scene.emitters[e].grains.size();
  throw document.error_at_body(
      static_cast<int>(first),
      fmt::format("emitter '{}': its largest grain finds no place in 'region' that is free of "
                  "fixed bodies",
                  scene.emitters[*blocked].name));
}

template <int D>
void print_summary(const RunSummary& summary, const World<D>& world, double wall,
                   const std::string& output) {
  const Certificate& last = summary.last();
  fmt::print(stderr, "{} to t = {:.6g} s in {:.3g} s; {} at the end, {} with a force\n",
             counted(summary.steps(), "step"), last.time, wall, counted(last.contacts, "contact"),
             last.sticking + last.sliding);
  fmt::print(stderr, "{}\n", summary.figures());
  if (world.scene().population_varies()) {
    fmt::print(stderr, "{} created, {} removed", counted(last.born, "body", "bodies"),
               last.removed);
    if (last.waiting > 0) fmt::print(stderr, "; {} are due and find no place", last.waiting);
    fmt::print(stderr, "\n");
  }
  for (const std::string& line : summary.watch().lines()) fmt::print(stderr, "{}\n", line);
  fmt::print(stderr, "wrote {}\n", output);
}

template <int D>
std::int64_t bodies_there(const World<D>& world) {
  const auto& id = world.bodies().id;
  return std::count_if(id.begin(), id.end(), [](std::int32_t i) { return i >= 0; });
}

// Opens the trajectory: a new file at the start, or an existing one, with the world restored from
// the last checkpoint or from the end of a shorter run.
template <int D>
TrajectoryWriter<D> open_trajectory(const RunOptions& options, std::optional<WriteClaim> claim,
                                    const RunInfo& info, std::uint64_t scene_id, World<D>& world) {
  if (options.resume_from == ResumeFrom::end) {
    world.restore(read_end_state<D>(options.output, scene_id, world.scene()));
    // The file will lose this state.
    write_checkpoint<D>(options.output, world.state(), scene_id);
  } else if (options.resume_from == ResumeFrom::checkpoint) {
    world.restore(read_checkpoint<D>(options.output, scene_id, world.scene()));
  }
  if (options.resume_from != ResumeFrom::start)
    return TrajectoryWriter<D>::resume(std::move(*claim), world.scene(), world.steps());
  std::optional<WorldState<D>> begin;
  if (world.scene().earlier) begin = world.state();
  const WorldState<D>* const kept = begin ? &*begin : nullptr;
  if (!options.start.empty())
    world.restore(read_checkpoint<D>(options.start, scene_id, world.scene()));
  auto writer = claim ? TrajectoryWriter<D>::create(std::move(*claim), world.scene(),
                                                    world.bodies(), info, options.force, kept)
                      : TrajectoryWriter<D>::create(options.output, world.scene(), world.bodies(),
                                                    info, options.force, kept);
  writer.append_frame(world.time(), world.steps(), world.bodies(), world.contacts(),
                      world.joint_reactions(), world.population());
  return writer;
}

template <int D>
int run(const SceneDocument& document, Scene<D>&& scene, const RunOptions& options,
        std::optional<WriteClaim> claim, const std::string& command_line) {
  if (options.until > 0) scene.end = options.until;
  const std::int64_t last_step = scene.last_step();
  World<D> world = within_memory(document.path, [&] { return World<D>(std::move(scene)); });
  const std::uint64_t scene_id =
      identity_of(document.text, document.overrides, document.records).hash();
  if (world.scene().earlier && options.resume_from != ResumeFrom::start)
    world.begin_from(read_start_state<D>(options.output, scene_id, world.scene()));
  else
    begin_from_earlier_run<D>(document, world);
  within_memory(document.path, [&] { refuse_overlaps(document, world); });
  refuse_blocked_emitter(document, world);
  refuse_contradicting_joints<D>(document, world.scene(), world.bodies());

  const RunInfo info{.scene_text = document.text,
                     .scene_file = document.path,
                     .overrides = document.overrides,
                     .records = document.records,
                     .scene_id = scene_id,
                     .command_line = command_line,
                     .solver = "auto",
                     .threads = threads()};
  ProblemSaver saver(options.problems, options.output, options.force);
  saver.check(world.scene());
  take_ending_signals();  // from here on the file exists, and a signal must end the run properly
  TrajectoryWriter<D> writer = open_trajectory<D>(options, std::move(claim), info, scene_id, world);

  FailedImpacts<D> failed_impacts(world, options.output, scene_id, options.force);
  RunSummary summary(world.scene().solver.tolerance, world.scene().certificate);
  Progress progress(world.steps(), last_step, {options.quiet, options.tell_parent});
  double stepping = 0;                    // processor time of the steps alone [s]
  double writing = 0, checkpointing = 0;  // wall time [s]
  int checkpoints = 0;
  const auto timed = [&](double& spent, const auto& work) {
    const double start = progress.wall_seconds();
    work();
    spent += progress.wall_seconds() - start;
  };
  double wall = 0, last_checkpoint = 0, last_checkpoint_time = world.time();
  const auto checkpoint = [&] {
    timed(writing, [&] { writer.flush(); });
    timed(checkpointing, [&] { write_checkpoint<D>(options.output, world.state(), scene_id); });
    timed(writing, [&] { writer.note_checkpoint(world.steps()); });
    ++checkpoints;
    last_checkpoint = wall;
    last_checkpoint_time = world.time();
  };
  const bool bounces = has_restitution<D>(world.scene());
  const auto ended = [&] { return world.steps() >= last_step || world.stopped(); };
  while (!ended() && ending_signal() == 0 && wall < options.stop_after) {
    failed_impacts.before_step(world);
    const double before = processor_seconds();
    const Certificate certificate = world.step();
    stepping += processor_seconds() - before;
    failed_impacts.after_step(certificate);
    const double now = progress.wall_seconds();
    timed(writing, [&] {
      writer.append_series(certificate, now - wall,
                           bounces ? world.impacts() : std::span<const ImpactedContact<D>>());
      writer.append_measures(world.measures(), world.steps(), world.time());
    });
    wall = now;
    summary.add(certificate);
    if (!std::isfinite(certificate.kinetic) || !std::isfinite(certificate.potential)) {
      writer.flush();
      throw std::runtime_error(
          fmt::format("{}: step {}, t = {:.6g} s: the motion is not finite (kinetic energy {} J); "
                      "the run ends here",
                      options.output, certificate.step, certificate.time, certificate.kinetic));
    }
    saver.look_at(world, certificate);
    progress.update(certificate);
    if (world.steps() % world.scene().save_every == 0 || ended()) {
      timed(writing, [&] {
        writer.append_frame(world.time(), world.steps(), world.bodies(), world.contacts(),
                            world.joint_reactions(), world.population());
      });
    }
    const bool due = wall - last_checkpoint > options.checkpoint_every ||
                     world.time() - last_checkpoint_time >= options.checkpoint_interval ||
                     checkpoint_wanted();
    if (due && !ended()) checkpoint();
  }
  const bool interrupted = !ended();
  const std::string stopped_by = stop_reason<D>(world);
  const int signal = interrupted ? ending_signal() : 0;
  if (interrupted) {
    checkpoint();
  } else {
    timed(writing, [&] { writer.close(world.state(), scene_id, stopped_by); });
  }

  progress.finish();
  for (const std::string& warning : summary.warnings()) fmt::print(stderr, "{}\n", warning);
  if (!options.quiet) {
    if (!stopped_by.empty())
      fmt::print(stderr, "stopped at t = {:.6g} s, {}\n", world.time(), stopped_by);
    print_summary(summary, world, wall, options.output);
    for (const std::filesystem::path& problem : saver.written())
      fmt::print(stderr, "wrote {}\n", problem.string());
    for (const std::filesystem::path& state : failed_impacts.written())
      fmt::print(stderr, "an impact was not solved: make the step again with --start {}\n",
                 state.string());
    for (const std::filesystem::path& state : failed_impacts.kept())
      fmt::print(stderr, "{}: a state is there already and was kept (--force replaces it)\n",
                 state.string());
  }
  if (signal != 0) fmt::print(stderr, "stopped by signal {}; go on with --resume\n", signal);
  if (interrupted && signal == 0 && !options.quiet)
    fmt::print(stderr, "stopped after {:.6g} s of wall time; go on with --resume\n", wall);
  if (options.json) {
    JsonObject json;
    json.add("scene", document.path)
        .add("steps", summary.steps())
        .add("time", world.time())
        .add("bodies", bodies_there(world))
        .add("born", summary.last().born)
        .add("removed", summary.last().removed)
        .add("contacts_last", summary.last().contacts)
        .add("wall_s", wall)
        .add("cpu_s", stepping)
        .add("writing_s", writing)
        .add("checkpoints", checkpoints)
        .add("checkpointing_s", checkpointing);
    summary.add_to(json);
    if (stopped_by.empty())
      json.raw("stopped_by", "null");
    else
      json.add("stopped_by", stopped_by);
    json.raw("warnings", json_list(document.warnings));
    json.add("output", options.output).add("interrupted", interrupted);
    fmt::print("{}\n", json.text());
  }
  return signal != 0 ? 128 + signal : 0;
}

int estimate_run(SceneDocument& document, const RunOptions& options) {
  int status = 0;
  parallel_team([&] {
    status = std::visit(
        [&]<int D>(Scene<D>&& scene) {
          if (options.until > 0) scene.end = options.until;
          return dry_run<D>(document, std::move(scene), {options.json, options.quiet});
        },
        std::move(document.scene));
  });
  return status;
}

// --until must satisfy the same conditions as `end` in the scene.
void refuse_end(const SceneDocument& document, double until) {
  const double h = std::visit([](const auto& scene) { return scene.h; }, document.scene);
  if (until < h)
    throw InputError(fmt::format("--until {}: is shorter than one step of {} s", until, h));
  if (until / h > max_steps)
    throw InputError(fmt::format("--until {}: takes {:.3g} steps of {} s, more than {:g}", until,
                                 until / h, h, max_steps));
}

int run_scene(RunOptions options, const std::string& command_line) {
  take_checkpoint_signal();
  if (options.output.empty())
    options.output = std::filesystem::path(options.scene).stem().string() + ".h5";
  set_threads(options.threads > 0
                  ? options.threads
                  : std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  refuse_missing_scene(options.scene);
  if (!options.from.empty())
    options.overrides.push_back(earlier_run_override(options.from, options.scene));
  SceneDocument document =
      within_memory(options.scene, [&] { return read_scene(options.scene, options.overrides); });
  if (options.until > 0) refuse_end(document, options.until);
  for (const std::string& warning : document.warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (options.dry_run)
    return within_memory(options.scene, [&] { return estimate_run(document, options); });
  std::optional<WriteClaim> claim;
  if (options.resume) {
    options.output = real_path(options.output);
    // Before anything is read, because another program that continues the run would change the
    // file.
    claim.emplace(options.output);
    const Resumption resumed = resumption(options.output, document, options.until);
    if (resumed.from == ResumeFrom::nothing) {
      fmt::print(stderr, "{} is complete{}: nothing to resume\n", options.output,
                 resumed.stopped_by.empty() ? "" : fmt::format(" ({})", resumed.stopped_by));
      return 0;
    }
    options.resume_from = resumed.from;
    options.until = resumed.end;
    options.force |= resumed.replaces;
    if (resumed.replaces && !options.quiet)
      fmt::print(stderr, "{}: ended before its first checkpoint, begins again\n", options.output);
  }
  int status = 0;
  parallel_team([&] {
    status = std::visit(
        [&](auto&& scene) {
          return run(document, std::move(scene), options, std::move(claim), command_line);
        },
        std::move(document.scene));
  });
  return status;
}

}  // namespace

void add_run(CLI::App& app, std::string command_line, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene and write its trajectory");
  command->add_option("SCENE", options->scene, "scene file (see scenes/README.md)")->required();
  command->add_option("-o,--output", options->output,
                      "trajectory file [the scene's name with .h5, in this folder]");
  command->add_option("--until", options->until, "end at this time [s] instead of the scene's")
      ->check(positive_number());
  command
      ->add_option("--threads", options->threads,
                   "number of threads; results do not depend on it [all cores]")
      ->check(whole_number(1, 1024));
  command
      ->add_option("--set", options->overrides,
                   "key=value: change any key of the scene, e.g. --set time.step=1e-4")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--save-problem", options->problems,
                   "keep the contact problem of a step (its number) or of every step that misses "
                   "the tolerance (`unconverged`) as an FCLib file beside the trajectory")
      ->take_all()
      ->expected(1);
  command->add_option(
      "--start", options->start,
      "start from the state saved before a step whose impact failed: RUN.step-000123.h5");
  command->add_option(
      "--from", options->from,
      "begin with the bodies as they are in a frame of another run: RUN.h5@TIME, or "
      "RUN.h5 for its last frame; from.add and from.drop of the scene say what "
      "need not match");
  command->add_flag("--resume", options->resume,
                    "go on with the same run: from the last checkpoint where it was stopped or "
                    "killed, or beyond its end with a later --until");
  command->add_option_function<std::string>(
      "--checkpoint-every",
      [options](const std::string& text) {
        options->checkpoint_every = parse_duration(text, "--checkpoint-every");
      },
      "wall time between checkpoints: 90, 30m, 2h [60]");
  command
      ->add_option("--checkpoint-interval", options->checkpoint_interval,
                   "also write a checkpoint after so much simulated time [s]")
      ->check(positive_number());
  command->add_option_function<std::string>(
      "--stop-after",
      [options](const std::string& text) {
        options->stop_after = parse_duration(text, "--stop-after");
      },
      "stop in good order, to be resumed, after this wall time: 11h50m");
  command->add_flag(
      "--dry-run", options->dry_run,
      "write nothing: estimate contacts, memory, time and file size, and warn of what "
      "will go wrong");
  command->add_flag("--force", options->force, "overwrite an existing trajectory");
  command->add_flag("--json", options->json,
                    "print the run's figures as one JSON object on the last line");
  command->add_flag("--quiet", options->quiet, "print errors and warnings only");
  command->add_flag("--tell-parent", options->tell_parent)->group("");  // for `talus batch`
  command->footer(
      "Writes RUN.h5 and, beside it, RUN.xmf2 and RUN.vtkhdf, which ParaView opens while the run "
      "goes on.\n"
      "Ctrl-C, SIGTERM, SIGHUP, SIGXCPU and SIGUSR2 finish the step, write a checkpoint and leave "
      "a "
      "valid\n"
      "file, exit code 128 + signal; SIGUSR1 writes a checkpoint and goes on; SIGQUIT ends at "
      "once. A step\n"
      "that misses the solver's tolerance is counted and shown at the end, exit code 0; `talus "
      "check RUN.h5`\n"
      "judges the whole run.\n"
      "Example:  talus run scenes/wall.toml -o fine.h5 --set time.step=5e-4 --until 3");
  command->callback([&action, options, command_line = std::move(command_line)] {
    action = [options, command_line] { return run_scene(*options, command_line); };
  });
}

}  // namespace talus
