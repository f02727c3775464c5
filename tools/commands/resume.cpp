// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/resume.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "io/text/input_error.hpp"
#include "io/trajectory/checkpoint.hpp"
#include "io/trajectory/integrity.hpp"
#include "io/trajectory/scene_identity.hpp"
#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

namespace {

std::int64_t last_step(const SceneDocument& document, double end) {
  return std::visit(
      [&](auto scene) {
        scene.end = end;
        return scene.last_step();
      },
      document.scene);
}

SceneIdentity identity_in(const TrajectoryReader& run, const std::string& name) try {
  return identity_of_run(run.header());
} catch (const SceneError&) {
  throw InputError(fmt::format("{}: is damaged: its scene cannot be read", name));
}

// A run that was killed before its first checkpoint begins again. A run that had checkpoints is
// refused if they are missing, so that it does not lose its frames.
void refuse_without_checkpoints(const std::filesystem::path& output, const RunHeader& header) {
  if (header.complete || header.checkpoint_step == no_checkpoint || has_checkpoint(output)) return;
  const auto missing = checkpoint_paths(output);
  throw InputError(
      fmt::format("{}: was stopped, but its checkpoints {} and {} are missing: put one back, or "
                  "begin again with --force instead of --resume",
                  output.string(), missing[0].string(), missing[1].string()));
}

// Whether the run has a frame at this step, so that it can end there. A run that was stopped
// between two frames has no frame at its last step.
bool ends_with_frame(const TrajectoryReader& run, std::int64_t step) {
  return !run.frames().empty() && run.frames().back().step == step;
}

}  // namespace

Resumption resumption(const std::filesystem::path& output, const SceneDocument& document,
                      double until) {
  if (!std::filesystem::exists(output)) return {ResumeFrom::start, until, false};
  const TrajectoryReader run(output);
  refuse_damaged(output);
  const RunHeader& header = run.header();
  const std::string name = output.string();
  if (const auto differs = difference(
          identity_in(run, name), identity_of(document.text, document.overrides, document.records)))
    throw InputError(fmt::format("{}: holds a run of another scene: {}", name, *differs));
  refuse_without_checkpoints(output, header);
  const Resumption onward{header.complete          ? ResumeFrom::end
                          : has_checkpoint(output) ? ResumeFrom::checkpoint
                                                   : ResumeFrom::start,
                          until > 0 ? until : header.end,
                          !header.complete && !has_checkpoint(output)};
  const Series series = run.series();
  const auto steps = static_cast<std::int64_t>(series.steps.size());
  const std::int64_t wanted = last_step(document, onward.end);
  const bool stopped = !header.stopped_by.empty() && wanted >= steps;  // whatever the end
  if (stopped || (wanted == steps && header.complete))
    return {ResumeFrom::nothing, onward.end, false, header.stopped_by};
  // Cut off between its last step and that step's frame, a run goes back to its checkpoint.
  const bool ends = ends_with_frame(run, steps) || header.checkpoint_step < steps;
  if (wanted < steps || (wanted == steps && !ends))
    throw InputError(fmt::format("{}: has come to t = {:.6g} s already, --until has to lie beyond",
                                 name, series.steps.back().time));
  return onward;
}

}  // namespace talus
