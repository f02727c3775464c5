// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/problem_saver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/fclib/fclib.hpp"
#include "io/fclib/rolling_step.hpp"
#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/trajectory/run_names.hpp"

namespace talus {

namespace {

// What FCLib's form for rolling friction has no place for.
template <int D>
void refuse_beside_rolling_friction(const Scene<D>& scene) {
  const auto refuse = [](std::string_view what) {
    throw InputError(fmt::format(
        "--save-problem: {}: FCLib has no form for that beside rolling friction", what));
  };
  if (scene.laws.any_resists_spinning())
    throw InputError("--save-problem: spinning friction: FCLib has no form for that");
  if (scene.laws.any_yields()) refuse("contacts that yield");
  if (!scene.springs.empty()) refuse("springs");
  for (const Joint<D>& joint : scene.joints)
    if (joint.kind == JointKind::rope || joint.limits)
      refuse(fmt::format("joint '{}' {}", joint.name,
                         joint.limits ? "has limits" : "is a rope, which only pulls"));
}

}  // namespace

ProblemSaver::ProblemSaver(const std::vector<std::string>& wishes, const std::string& trajectory,
                           bool replace)
    : trajectory_(trajectory), replace_(replace) {
  for (const std::string& wish : wishes) {
    if (wish == "unconverged") {
      unconverged_ = true;
      continue;
    }
    std::int64_t step = 0;
    const char* end = wish.data() + wish.size();
    const auto [stop, error] = std::from_chars(wish.data(), end, step);
    if (error != std::errc() || stop != end || step < 1)
      throw InputError(fmt::format(
          "--save-problem {}: expected a step's number from 1 on, or 'unconverged'", wish));
    refuse_existing(path_of(step), existing_files(replace_));
    steps_.push_back(step);
  }
}

std::filesystem::path ProblemSaver::path_of(std::int64_t step) const {
  return beside_run(trajectory_, fmt::format("step-{:06}.hdf5", step));
}

template <int D>
void ProblemSaver::check(const Scene<D>& scene) const {
  if (steps_.empty() && !unconverged_) return;
  for (const Joint<D>& joint : scene.joints) {
    const bool limited = joint.motor && std::isfinite(joint.motor->limit);
    if (joint.friction > 0 || limited)
      throw InputError(fmt::format(
          "--save-problem: joint '{}' has {}, a percussion bounded from both sides: FCLib has no "
          "form for that",
          joint.name, joint.friction > 0 ? "friction" : "a motor with a limit"));
  }
  if (scene.laws.any_bonds())
    throw InputError("--save-problem: bonds, whose cones are cut off: FCLib has no form for that");
  if (scene.laws.any_passes_moments()) refuse_beside_rolling_friction<D>(scene);
}

template <int D>
void ProblemSaver::look_at(const World<D>& world, const Certificate& certificate) {
  const bool wanted = std::find(steps_.begin(), steps_.end(), certificate.step) != steps_.end();
  if (!wanted && !(unconverged_ && !certificate.converged)) return;
  const std::filesystem::path place = path_of(certificate.step);
  if (!wanted && !replace_ && std::filesystem::exists(place)) {
    kept_.push_back(place);
    return;
  }
  const ContactProblem<D>& problem = world.problem();
  FclibFile file = problem.has_moments() ? fclib_rolling_step<D>(problem, world.percussions())
                                         : fclib_problem<D>(problem);
  file.title = fmt::format("{}, step {}", trajectory_.stem().string(), certificate.step);
  file.description = fmt::format("t = {:.9g} s, h = {:.9g} s, error of the stored solution {:.3e}",
                                 certificate.time, world.scene().h, certificate.error);
  if (!file.solution) file.solution = fclib_step_solution<D>(problem, world.percussions());
  write_fclib(place, file, replace_);
  written_.push_back(place);
}

template void ProblemSaver::check(const Scene<2>&) const;
template void ProblemSaver::check(const Scene<3>&) const;
template void ProblemSaver::look_at(const World<2>&, const Certificate&);
template void ProblemSaver::look_at(const World<3>&, const Certificate&);

}  // namespace talus
