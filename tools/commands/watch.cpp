// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/watch.hpp"

#include <fmt/core.h>

#include "engine/outlook/monitor.hpp"
#include "solvers/climb/second_solution.hpp"

namespace talus {

void Watch::Steps::add(const Certificate& step) {
  if (++count > 1) return;
  first = step.step;
  first_time = step.time;
}

void Watch::add(const Certificate& step) {
  const auto region = static_cast<ContactRegion>(step.region);
  if (region != ContactRegion::not_watched) watched_.add(step);
  if (region == ContactRegion::not_unique) not_unique_.add(step);
  if (region == ContactRegion::paradoxical) paradoxical_.add(step);
  const auto solutions = static_cast<Solutions>(step.solutions);
  if (solutions != Solutions::not_looked_at) solved_again_.add(step);
  if (solutions == Solutions::several) several_.add(step);
  if (solutions == Solutions::undecided) undecided_.add(step);
  keep_largest(largest_difference_, step.solution_difference);
}

std::vector<std::string> Watch::lines() const {
  std::vector<std::string> lines;
  if (watched_.count > 0) {
    lines.push_back(
        fmt::format("watched {} steps: {} where the motion need not be unique, {} paradoxical",
                    watched_.count, not_unique_.count, paradoxical_.count));
    if (paradoxical_.count > 0)
      lines.back() += fmt::format(", the first is {}", paradoxical_.first);
  }
  if (solved_again_.count == 0) return lines;
  std::string line = fmt::format("solved {} steps again: ", solved_again_.count);
  if (several_.count > 0) {
    line += fmt::format(
        "{} have several solutions, the first is {} (t = {:.6g} s), with velocities up to {:.2g} "
        "m/s apart",
        several_.count, several_.first, several_.first_time, largest_difference_);
  } else {
    line += "no second solution was found";
  }
  if (undecided_.count > 0)
    line +=
        fmt::format("; {} undecided: too large, or not solved to 1e-10 twice", undecided_.count);
  lines.push_back(line);
  return lines;
}

void Watch::add_to(JsonObject& json) const {
  json.add("watched_steps", watched_.count).add("not_unique_steps", not_unique_.count);
  json.add("paradoxical_steps", paradoxical_.count);
  json.add("steps_solved_again", solved_again_.count);
  json.add("steps_with_several_solutions", several_.count);
  json.add("steps_undecided", undecided_.count);
}

}  // namespace talus
