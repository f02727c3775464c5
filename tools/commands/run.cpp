// SPDX-License-Identifier: Apache-2.0
// `talus run`: builds a world from a scene, steps it to its end, writes the trajectory.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "io/text/input_error.hpp"
#include "io/trajectory/start_from.hpp"
#include "solvers/math/parallel.hpp"
#include "tools/commands/bundled.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/dry_run.hpp"
#include "tools/commands/run_signals.hpp"
#include "tools/commands/runner.hpp"
#include "tools/terminal/counted.hpp"
#include "tools/terminal/duration.hpp"
#include "tools/terminal/number_option.hpp"
#include "tools/terminal/progress.hpp"

namespace talus {

namespace {

struct RunOptions : RunSettings {
  std::string scene;
  int threads = 0;  // 0: all cores
  std::vector<std::string> overrides;
  std::string from;  // RUN.h5@TIME of an earlier run to begin from
  bool json = false, quiet = false;
  bool dry_run = false;
  bool tell_parent = false;  // progress, to `talus batch`
};

// A run that is watched on a terminal and stopped by signals.
template <int D>
class ProgramObserver final : public RunObserver<D> {
 public:
  explicit ProgramObserver(Progress::Options options) : options_(options) {}

  void before_file() override { take_ending_signals(); }
  void begin(std::int64_t step, std::int64_t last_step) override {
    progress_.emplace(step, last_step, options_);
  }
  bool stop() override { return ending_signal() != 0; }
  bool wants_checkpoint() override { return checkpoint_wanted(); }
  void after_step(World<D>&, const Certificate& certificate) override {
    progress_->update(certificate);
  }
  void finish() {
    if (progress_) progress_->finish();
  }

 private:
  Progress::Options options_;
  std::optional<Progress> progress_;
};

void print_summary(const RunOutcome& outcome, bool population_varies, const std::string& output) {
  const RunSummary& summary = outcome.summary;
  const Certificate& last = summary.last();
  if (!outcome.stopped_by.empty())
    fmt::print(stderr, "stopped at t = {:.6g} s, {}\n", outcome.time, outcome.stopped_by);
  fmt::print(stderr, "{} to t = {:.6g} s in {:.3g} s; {} at the end, {} with a force\n",
             counted(summary.steps(), "step"), last.time, outcome.wall,
             counted(last.contacts, "contact"), last.sticking + last.sliding);
  fmt::print(stderr, "{}\n", summary.figures());
  if (population_varies) {
    fmt::print(stderr, "{} created, {} removed", counted(last.born, "body", "bodies"),
               last.removed);
    if (last.waiting > 0) fmt::print(stderr, "; {} are due and find no place", last.waiting);
    fmt::print(stderr, "\n");
  }
  for (const std::string& line : summary.watch().lines()) fmt::print(stderr, "{}\n", line);
  fmt::print(stderr, "wrote {}\n", output);
  for (const std::filesystem::path& problem : outcome.problems)
    fmt::print(stderr, "wrote {}\n", problem.string());
  for (const std::filesystem::path& problem : outcome.kept_problems)
    fmt::print(stderr, "{}: exists already and was kept (--force replaces it)\n", problem.string());
  for (const std::filesystem::path& state : outcome.failed_impacts)
    fmt::print(stderr, "an impact was not solved: make the step again with --start {}\n",
               state.string());
  for (const std::filesystem::path& state : outcome.kept_impacts)
    fmt::print(stderr, "{}: a state is there already and was kept (--force replaces it)\n",
               state.string());
}

template <int D>
int run(const SceneDocument& document, Scene<D>&& scene, const RunOptions& options, RunPlan plan,
        const std::string& command_line) {
  const std::string output = plan.settings.output;
  if (plan.settings.until > 0) scene.end = plan.settings.until;
  World<D> world =
      world_of_scene<D>(document, std::move(scene), plan.from == ResumeFrom::start ? "" : output);
  ProgramObserver<D> observer({options.quiet, options.tell_parent});
  const RunOutcome outcome = run_world<D>(document, world, std::move(plan), command_line, observer);
  observer.finish();
  const int signal = outcome.interrupted ? ending_signal() : 0;
  for (const std::string& warning : outcome.summary.warnings()) fmt::print(stderr, "{}\n", warning);
  if (!options.quiet) print_summary(outcome, world.scene().population_varies(), output);
  if (signal != 0) fmt::print(stderr, "stopped by signal {}; go on with --resume\n", signal);
  if (outcome.interrupted && signal == 0 && !options.quiet)
    fmt::print(stderr, "stopped after {:.6g} s of wall time; go on with --resume\n", outcome.wall);
  if (options.json) fmt::print("{}\n", figures_json(document, output, outcome));
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

int run_scene(RunOptions options, const std::string& command_line) {
  take_checkpoint_signal();
  if (options.output.empty())
    options.output = std::filesystem::path(options.scene).stem().string() + ".h5";
  set_threads(options.threads > 0
                  ? options.threads
                  : std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  options.scene = scene_file(options.scene);
  if (!options.from.empty())
    options.overrides.push_back(earlier_run_override(options.from, options.scene));
  SceneDocument document =
      within_memory(options.scene, [&] { return read_scene(options.scene, options.overrides); });
  if (options.until > 0) refuse_end(document, options.until);
  for (const std::string& warning : document.warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (options.dry_run)
    return within_memory(options.scene, [&] { return estimate_run(document, options); });
  RunPlan plan = plan_run(document, options);
  if (plan.from == ResumeFrom::nothing) {
    fmt::print(stderr, "{} is complete{}: nothing to resume\n", plan.settings.output,
               plan.stopped_by.empty() ? "" : fmt::format(" ({})", plan.stopped_by));
    return 0;
  }
  if (plan.begins_again && !options.quiet)
    fmt::print(stderr, "{}: ended before its first checkpoint, begins again\n",
               plan.settings.output);
  int status = 0;
  parallel_team([&] {
    status = std::visit(
        [&](auto&& scene) {
          return run(document, std::move(scene), options, std::move(plan), command_line);
        },
        std::move(document.scene));
  });
  return status;
}

}  // namespace

void add_run(CLI::App& app, std::string command_line, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene and write its trajectory");
  command
      ->add_option("SCENE", options->scene,
                   "scene file (see scenes/README.md), or the name of a bundled scene (talus "
                   "scenes)")
      ->required();
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
