// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "io/scene/joint_refusal.hpp"
#include "io/text/input_error.hpp"
#include "io/trajectory/checkpoint.hpp"
#include "io/trajectory/run_names.hpp"
#include "io/trajectory/scene_identity.hpp"
#include "io/trajectory/start_from.hpp"
#include "io/trajectory/trajectory_writer.hpp"
#include "solvers/math/parallel.hpp"
#include "tools/commands/problem_saver.hpp"
#include "tools/commands/stop_reason.hpp"
#include "tools/terminal/commit.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

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

// Opens the trajectory: a new file at the start, or an existing one, with the world restored from
// the last checkpoint or from the end of a shorter run.
template <int D>
TrajectoryWriter<D> open_trajectory(RunPlan& plan, const RunInfo& info, World<D>& world) {
  const RunSettings& settings = plan.settings;
  std::optional<WriteClaim>& claim = plan.claim;
  const std::uint64_t scene_id = info.scene_id;
  if (plan.from == ResumeFrom::end) {
    world.restore(read_end_state<D>(settings.output, scene_id, world.scene()));
    // The file will lose this state.
    write_checkpoint<D>(settings.output, world.state(), scene_id);
  } else if (plan.from == ResumeFrom::checkpoint) {
    world.restore(read_checkpoint<D>(settings.output, scene_id, world.scene()));
  }
  if (plan.from != ResumeFrom::start)
    return TrajectoryWriter<D>::resume(std::move(*claim), world.scene(), world.steps());
  std::optional<WorldState<D>> begin;
  if (world.scene().earlier) begin = world.state();
  const WorldState<D>* const kept = begin ? &*begin : nullptr;
  if (!settings.start.empty())
    world.restore(read_checkpoint<D>(settings.start, scene_id, world.scene()));
  auto writer = claim ? TrajectoryWriter<D>::create(std::move(*claim), world.scene(),
                                                    world.bodies(), info, settings.force, kept)
                      : TrajectoryWriter<D>::create(settings.output, world.scene(), world.bodies(),
                                                    info, settings.force, kept);
  writer.append_frame(world.time(), world.steps(), world.bodies(), world.contacts(),
                      world.joint_reactions(), world.population(), world.contact_moments(),
                      world.bonds());
  return writer;
}

template <int D>
std::int64_t bodies_there(const World<D>& world) {
  const auto& id = world.bodies().id;
  return std::count_if(id.begin(), id.end(), [](std::int32_t i) { return i >= 0; });
}

// A run under way: the world, its file, and the checkpoints beside it.
template <int D>
class Runner {
 public:
  Runner(const RunSettings& settings, World<D>& world, TrajectoryWriter<D>& writer,
         ProblemSaver& saver, std::uint64_t scene_id, RunObserver<D>& observer)
      : settings_(settings),
        world_(world),
        writer_(writer),
        saver_(saver),
        scene_id_(scene_id),
        observer_(observer),
        failed_impacts_(world, settings.output, scene_id, settings.force),
        bounces_(has_restitution<D>(world.scene())),
        outcome_(RunSummary(world.scene().solver.tolerance, world.scene().certificate)),
        last_checkpoint_time_(world.time()) {}

  RunOutcome run() {
    observer_.begin(world_.steps(), world_.scene().last_step());
    while (!ended() && !observer_.stop() && outcome_.wall < settings_.stop_after) {
      step();
      if (world_.steps() % world_.scene().save_every == 0 || ended()) write_frame();
      if (checkpoint_due() && !ended()) write_checkpoint();
    }
    outcome_.interrupted = !ended();
    outcome_.stopped_by = stop_reason<D>(world_);
    if (outcome_.interrupted)
      write_checkpoint();
    else
      timed(outcome_.writing,
            [&] { writer_.close(world_.state(), scene_id_, outcome_.stopped_by); });
    outcome_.time = world_.time();
    outcome_.bodies = bodies_there(world_);
    outcome_.problems = saver_.written();
    outcome_.kept_problems = saver_.kept();
    outcome_.failed_impacts = failed_impacts_.written();
    outcome_.kept_impacts = failed_impacts_.kept();
    return std::move(outcome_);
  }

 private:
  bool ended() const { return world_.steps() >= world_.scene().last_step() || world_.stopped(); }

  void step() {
    failed_impacts_.before_step(world_);
    const double before = processor_seconds();
    const Certificate certificate = observer_.step(world_);
    outcome_.stepping += processor_seconds() - before;
    failed_impacts_.after_step(certificate);
    const double now = wall_seconds();
    timed(outcome_.writing, [&] {
      writer_.append_series(certificate, now - outcome_.wall,
                            bounces_ ? world_.impacts() : std::span<const ImpactedContact<D>>());
      writer_.append_measures(world_.measures(), world_.steps(), world_.time());
    });
    outcome_.wall = now;
    outcome_.summary.add(certificate);
    refuse_infinity(certificate);
    saver_.look_at(world_, certificate);
    observer_.after_step(world_, certificate);
  }

  void refuse_infinity(const Certificate& certificate) {
    if (std::isfinite(certificate.kinetic) && std::isfinite(certificate.potential)) return;
    writer_.flush();
    throw std::runtime_error(
        fmt::format("{}: step {}, t = {:.6g} s: the motion is not finite (kinetic energy {} J); "
                    "the run ends here",
                    settings_.output, certificate.step, certificate.time, certificate.kinetic));
  }

  void write_frame() {
    timed(outcome_.writing, [&] {
      writer_.append_frame(world_.time(), world_.steps(), world_.bodies(), world_.contacts(),
                           world_.joint_reactions(), world_.population(), world_.contact_moments(),
                           world_.bonds());
    });
    observer_.after_frame(world_);
  }

  bool checkpoint_due() {
    return outcome_.wall - last_checkpoint_ > settings_.checkpoint_every ||
           world_.time() - last_checkpoint_time_ >= settings_.checkpoint_interval ||
           observer_.wants_checkpoint();
  }

  void write_checkpoint() {
    timed(outcome_.writing, [&] { writer_.flush(); });
    timed(outcome_.checkpointing,
          [&] { talus::write_checkpoint<D>(settings_.output, world_.state(), scene_id_); });
    timed(outcome_.writing, [&] { writer_.note_checkpoint(world_.steps()); });
    ++outcome_.checkpoints;
    last_checkpoint_ = outcome_.wall;
    last_checkpoint_time_ = world_.time();
  }

  double wall_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  template <class Work>
  void timed(double& spent, const Work& work) {
    const double start = wall_seconds();
    work();
    spent += wall_seconds() - start;
  }

  const RunSettings& settings_;
  World<D>& world_;
  TrajectoryWriter<D>& writer_;
  ProblemSaver& saver_;
  std::uint64_t scene_id_;
  RunObserver<D>& observer_;
  FailedImpacts<D> failed_impacts_;
  bool bounces_;
  RunOutcome outcome_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double last_checkpoint_ = 0, last_checkpoint_time_;  // wall time, simulated time [s]
};

std::uint64_t identity_hash(const SceneDocument& document) {
  return identity_of(document.text, document.overrides, document.records).hash();
}

}  // namespace

void refuse_end(const SceneDocument& document, double until) {
  const double h = std::visit([](const auto& scene) { return scene.h; }, document.scene);
  if (until < h)
    throw InputError(fmt::format("--until {}: is shorter than one step of {} s", until, h));
  if (until / h > max_steps)
    throw InputError(fmt::format("--until {}: takes {:.3g} steps of {} s, more than {:g}", until,
                                 until / h, h, max_steps));
}

RunPlan plan_run(const SceneDocument& document, RunSettings settings) {
  if (settings.until > 0) refuse_end(document, settings.until);
  RunPlan plan{std::move(settings), ResumeFrom::start, {}};
  if (!plan.settings.resume) return plan;
  plan.settings.output = real_path(plan.settings.output);
  // Before anything is read, because another program that continues the run would change the file.
  plan.claim.emplace(plan.settings.output);
  const Resumption resumed = resumption(plan.settings.output, document, plan.settings.until);
  plan.from = resumed.from;
  plan.stopped_by = resumed.stopped_by;
  plan.begins_again = resumed.replaces;
  if (resumed.from == ResumeFrom::nothing) return plan;
  plan.settings.until = resumed.end;
  plan.settings.force |= resumed.replaces;
  return plan;
}

template <int D>
World<D> world_of_scene(const SceneDocument& document, Scene<D> scene,
                        const std::filesystem::path& earlier) {
  World<D> world = within_memory(document.path, [&] { return World<D>(std::move(scene)); });
  if (world.scene().earlier && !earlier.empty())
    world.begin_from(read_start_state<D>(earlier, identity_hash(document), world.scene()));
  else
    begin_from_earlier_run<D>(document, world);
  within_memory(document.path, [&] { refuse_overlaps(document, world); });
  refuse_blocked_emitter(document, world);
  refuse_contradicting_joints<D>(document, world.scene(), world.bodies());
  return world;
}

template <int D>
RunOutcome run_world(const SceneDocument& document, World<D>& world, RunPlan plan,
                     const std::string& command_line, RunObserver<D>& observer) {
  const RunSettings settings = plan.settings;
  const RunInfo info{.scene_text = document.text,
                     .scene_file = document.path,
                     .overrides = document.overrides,
                     .records = document.records,
                     .scene_id = identity_hash(document),
                     .command_line = command_line,
                     .solver = "auto",
                     .threads = threads(),
                     .steered = settings.steered,
                     .commit = commit()};
  ProblemSaver saver(settings.problems, settings.output, settings.force);
  saver.check(world.scene());
  observer.before_file();
  TrajectoryWriter<D> writer = open_trajectory<D>(plan, info, world);
  writer.let_frames_wait(settings.frames_wait);
  return Runner<D>(settings, world, writer, saver, info.scene_id, observer).run();
}

std::string figures_json(const SceneDocument& document, const std::string& output,
                         const RunOutcome& outcome) {
  const Certificate& last = outcome.summary.last();
  JsonObject json;
  json.add("scene", document.path)
      .add("steps", outcome.summary.steps())
      .add("time", outcome.time)
      .add("bodies", outcome.bodies)
      .add("born", last.born)
      .add("removed", last.removed)
      .add("contacts_last", last.contacts)
      .add("wall_s", outcome.wall)
      .add("cpu_s", outcome.stepping)
      .add("writing_s", outcome.writing)
      .add("checkpoints", outcome.checkpoints)
      .add("checkpointing_s", outcome.checkpointing);
  outcome.summary.add_to(json);
  if (outcome.stopped_by.empty())
    json.raw("stopped_by", "null");
  else
    json.add("stopped_by", outcome.stopped_by);
  json.raw("warnings", json_list(document.warnings));
  json.add("output", output).add("interrupted", outcome.interrupted);
  return json.text();
}

#define TALUS_INSTANTIATE(D)                                                                     \
  template World<D> world_of_scene<D>(const SceneDocument&, Scene<D>,                            \
                                      const std::filesystem::path&);                             \
  template RunOutcome run_world<D>(const SceneDocument&, World<D>&, RunPlan, const std::string&, \
                                   RunObserver<D>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
