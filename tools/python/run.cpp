// SPDX-License-Identifier: Apache-2.0
// Runs from a scene to a file, with the runner of the program.
#include <fmt/format.h>

#include <chrono>

#include "solvers/math/parallel.hpp"
#include "tools/commands/runner.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/scene_handle.hpp"
#include "tools/python/world_handle.hpp"

namespace talus {

namespace {

// Functions that a run calls; None where there is none.
struct RunCallbacks {
  py::object on_step;   // (world, certificate) → true: stop here
  py::object on_frame;  // (world, frame)
  py::object progress;  // (step, last step, certificate), some times a second
};

// A run that Python watches. What a function raises stops the run in good order, as Ctrl-C does,
// and is raised again when the file is closed.
template <int D>
class PythonObserver final : public RunObserver<D> {
 public:
  PythonObserver(RunCallbacks callbacks, std::shared_ptr<World<D>> world)
      : callbacks_(std::move(callbacks)),
        handle_(std::make_shared<WorldHandle>(std::move(world), 1, true)) {}
  ~PythonObserver() override { handle_->end_run(); }

  void begin(std::int64_t step, std::int64_t last_step) override {
    begin_ = step;
    last_step_ = last_step;
  }

  bool stop() override {
    if (!thrown_ && PyErr_CheckSignals() != 0) thrown_ = current_python_error();
    return stopped_ || thrown_ != nullptr;
  }

  Certificate step(World<D>& world) override {
    const py::gil_scoped_release others_may_run;
    return world.step();
  }

  void after_step(World<D>&, const Certificate& certificate) override {
    if (!callbacks_.on_step.is_none())
      guarded([&] { stopped_ |= py::bool_(callbacks_.on_step(handle_, certificate)); });
    if (callbacks_.progress.is_none()) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_progress_ && certificate.step < last_step_) return;
    next_progress_ = now + std::chrono::milliseconds(200);
    guarded([&] { callbacks_.progress(certificate.step, begin_, last_step_, certificate); });
  }

  void after_frame(World<D>& world) override {
    if (callbacks_.on_frame.is_none()) return;
    guarded([&] { callbacks_.on_frame(handle_, world.steps()); });
  }

  void raise_again() {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  static std::exception_ptr current_python_error() {
    try {
      throw py::error_already_set();
    } catch (...) {
      return std::current_exception();
    }
  }

  template <class F>
  void guarded(F f) {
    if (thrown_) return;
    try {
      f();
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  RunCallbacks callbacks_;
  std::shared_ptr<WorldHandle> handle_;
  std::int64_t begin_ = 0, last_step_ = 0;
  std::chrono::steady_clock::time_point next_progress_{};
  bool stopped_ = false;
  std::exception_ptr thrown_;
};

using RunTold = std::pair<std::string, std::vector<std::string>>;  // figures as JSON, warnings

template <int D>
RunTold run_scene_of(const SceneHandle& handle, const Scene<D>& described, RunPlan plan,
                     const RunCallbacks& callbacks) {
  const SceneDocument& document = handle.document;
  const std::string output = plan.settings.output;
  Scene<D> scene = described;
  if (plan.settings.until > 0) scene.end = plan.settings.until;
  const auto world = in_words_of(handle.made, document.text, [&] {
    return std::make_shared<World<D>>(world_of_scene<D>(
        document, std::move(scene), plan.from == ResumeFrom::start ? "" : output));
  });
  PythonObserver<D> observer(callbacks, world);
  const RunOutcome outcome =
      run_world<D>(document, *world, std::move(plan), "talus.run (Python)", observer);
  observer.raise_again();
  return {figures_json(document, output, outcome), outcome.summary.warnings()};
}

// Nothing if the run was complete already.
std::optional<RunTold> run_scene_to_file(const SceneHandle& handle, RunSettings settings,
                                         int threads, const RunCallbacks& callbacks) {
  if (threads < 1) throw InputError(fmt::format("threads = {}: expected at least 1", threads));
  settings.steered = !callbacks.on_step.is_none() || !callbacks.on_frame.is_none();
  if (!callbacks.on_frame.is_none()) settings.frames_wait = 0;  // it may read the frame
  RunPlan plan = plan_run(handle.document, std::move(settings));
  if (plan.from == ResumeFrom::nothing) return {};
  const ThreadCount count(threads);
  RunTold told;
  parallel_team([&] {
    told = std::visit(
        [&](const auto& scene) { return run_scene_of(handle, scene, std::move(plan), callbacks); },
        handle.document.scene);
  });
  return told;
}

void require_positive(double x, const char* what) {
  if (!(x > 0)) throw InputError(fmt::format("{} = {}: expected more than 0", what, x));
}

}  // namespace

void bind_run(py::module_& module) {
  module.def(
      "run",
      [](const SceneHandle& scene, const std::string& output, int threads,
         std::optional<double> until, double checkpoint_every,
         std::optional<double> checkpoint_interval, std::optional<double> stop_after, bool resume,
         bool force, const std::vector<std::string>& save_problems, py::object on_step,
         py::object on_frame, py::object progress) {
        RunSettings settings;
        settings.output = output;
        if (until) require_positive(settings.until = *until, "until");
        require_positive(settings.checkpoint_every = checkpoint_every, "checkpoint_every");
        if (checkpoint_interval)
          require_positive(settings.checkpoint_interval = *checkpoint_interval,
                           "checkpoint_interval");
        if (stop_after) require_positive(settings.stop_after = *stop_after, "stop_after");
        settings.resume = resume;
        settings.force = force;
        settings.problems = save_problems;
        return run_scene_to_file(scene, std::move(settings), threads,
                                 {std::move(on_step), std::move(on_frame), std::move(progress)});
      },
      py::arg("scene"), py::arg("output"), py::kw_only(), py::arg("threads"), py::arg("until"),
      py::arg("checkpoint_every"), py::arg("checkpoint_interval"), py::arg("stop_after"),
      py::arg("resume"), py::arg("force"), py::arg("save_problems"), py::arg("on_step"),
      py::arg("on_frame"), py::arg("progress"));
}

}  // namespace talus
