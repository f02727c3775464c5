// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/analysis_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace talus {

namespace {

constexpr std::size_t most_named = 20;

template <int D>
std::string body_name(const Scene<D>& scene, int body) {
  return body < 0 ? "world" : description<D>(scene, static_cast<std::size_t>(body)).name;
}

// What the contacts do in the motion that was found, if it is one.
std::string what_contacts_do(const WellPosedness& report) {
  const std::vector<ContactMode>* modes = nullptr;
  if (const FoundMotion* const found = found_motion(report))
    modes = &found->unilateral;
  else if (report.modes && report.modes->solutions.size() == 1)
    modes = &report.modes->solutions.front().unilateral;
  return modes == nullptr || modes->empty() ? "" : fmt::format(" ({})", mode_counts(*modes));
}

// The motion that was found for contacts at rest.
std::string motion_found(const WellPosedness& report) {
  const bool all_tried = report.modes && report.modes->complete;
  std::string text =
      all_tried ? fmt::format("the present loads leave one motion{}", what_contacts_do(report))
                : fmt::format("a motion was found{}; whether there is another is undecided",
                              what_contacts_do(report));
  if (!report.modes || report.modes->solutions.empty()) return text;
  const std::vector<ModeSolution>& solutions = report.modes->solutions;
  const bool families =
      solutions.size() > 1 || std::any_of(solutions.begin(), solutions.end(),
                                          [](const ModeSolution& one) { return one.freedom > 0; });
  const Ranks& ranks = report.ranks;
  if (families)
    text += all_tried ? ", and its forces are not unique" : "; its forces are not unique";
  else if (all_tried && ranks.hyperstatic() == 0 && ranks.hyperstatic_with_friction() == 0)
    text += ", with unique forces";
  return text;
}

// What the bounds say of contacts at rest.
std::string_view slip_to_come(const WellPosedness& report) {
  return report.bounds.largest < report.bounds.best
             ? "once all of them slip, forces and accelerations exist and are unique for all loads"
             : "for the slip that may come nothing is promised, friction is not below its bound";
}

std::string existence(const WellPosedness& report) {
  return report.ranks.hyperstatic() == 0
             ? "forces and accelerations exist and are unique"
             : "accelerations exist and are unique, and forces are not unique";
}

}  // namespace

const FoundMotion* found_motion(const WellPosedness& report) {
  if (report.modes && !report.modes->solutions.empty()) return nullptr;
  if (report.cones && report.cones->converged) return &report.cones->motion;
  const bool solved = report.lemke && report.lemke->end == LemkeEnd::solved;
  return solved ? &report.lemke->motion : nullptr;
}

std::string mode_counts(const std::vector<ContactMode>& modes) {
  const auto count = [&](ContactMode mode) { return std::count(modes.begin(), modes.end(), mode); };
  const auto stick = count(ContactMode::stick), detach = count(ContactMode::detach);
  return fmt::format("{} stick, {} slide, {} detach", stick,
                     static_cast<std::ptrdiff_t>(modes.size()) - stick - detach, detach);
}

template <int D>
std::vector<std::string> not_analysed(const Scene<D>& scene) {
  std::vector<std::string> words;
  if (!scene.has_inertia())
    words.emplace_back("that the scene has no inertia: bodies are taken with their masses");
  if (std::any_of(scene.bodies.begin(), scene.bodies.end(),
                  [](const BodyDescription<D>& body) { return !body.set.empty(); }))
    words.emplace_back("sets given by functions");
  if (scene.laws.any_passes_moments()) words.emplace_back("rolling and spinning friction");
  if (scene.laws.any_yields()) words.emplace_back("that contacts yield: all are taken as rigid");
  if (scene.cell) words.emplace_back("the flow of the periodic cell");
  if (std::any_of(scene.joints.begin(), scene.joints.end(), [](const Joint<D>& joint) {
        return joint.limits || joint.kind == JointKind::rope;
      }))
    words.emplace_back("ropes and stops, in what is said of impacts");
  return words;
}

template <int D>
std::string contact_label(const Scene<D>& scene, int a, int b) {
  return fmt::format("{} on {}", body_name<D>(scene, b), body_name<D>(scene, a));
}

template <int D>
std::string label(const Scene<D>& scene, const ActiveConstraint<D>& constraint) {
  using Kind = typename ActiveConstraint<D>::Kind;
  if (constraint.kind == Kind::contact) return contact_label<D>(scene, constraint.a, constraint.b);
  const std::string& name = scene.joints[static_cast<std::size_t>(constraint.joint)].name;
  if (constraint.kind == Kind::stop) return fmt::format("stop of {}", name);
  return constraint.direction.isZero(0) ? fmt::format("{} (torque)", name) : name;
}

template <int D>
std::string names_of(const Scene<D>& scene, const std::vector<ActiveConstraint<D>>& constraints,
                     const std::vector<int>& which) {
  std::vector<std::string> names;
  std::size_t more = 0;
  for (const int i : which) {
    const std::string name = label<D>(scene, constraints[static_cast<std::size_t>(i)]);
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.size() < most_named ? names.push_back(name) : void(++more);
  }
  if (more > 0) names.push_back(fmt::format("… and {} more", more));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string_view word(Verdict verdict) {
  return verdict == Verdict::yes ? "yes" : verdict == Verdict::no ? "no" : "not known";
}

std::string_view word(Advice advice) {
  switch (advice) {
    case Advice::frictionless:
      return "frictionless";
    case Advice::safe:
      return "safe";
    case Advice::inside:
      return "inside the bound";
    case Advice::beyond:
      return "beyond the bound, still a P-matrix";
    case Advice::resting:
      return "at rest";
    case Advice::rough_joints:
      return "friction in joints";
    case Advice::not_unique:
      return "not guaranteed";
    case Advice::undecided:
      return "undecided";
    case Advice::paradoxical:
      break;
  }
  return "paradoxical";
}

std::string conclusion(const WellPosedness& report) {
  switch (report.advice) {
    case Advice::frictionless:
      return report.ranks.hyperstatic() == 0
                 ? "no friction: every load has one acceleration and one set of forces"
                 : "no friction: a solution has one acceleration, whatever the loads, and forces "
                   "that are not unique";
    case Advice::safe:
      return fmt::format("friction is less than half of what is proved harmless: for all loads {}",
                         existence(report));
    case Advice::inside:
      return fmt::format("friction is below the bound: for all loads {}", existence(report));
    case Advice::beyond:
      return "friction exceeds the bound, and yet every load has exactly one solution while the "
             "slips stay as they are";
    case Advice::resting:
      return fmt::format("rough contacts may stick: {}; {}", motion_found(report),
                         slip_to_come(report));
    case Advice::rough_joints:
      return *report.joint_friction_ratio < 1
                 ? fmt::format("every load has one motion{}",
                               report.ranks.hyperstatic() > 0
                                   ? ", with the joint forces of least norm in place of those "
                                     "that are not unique"
                                   : "")
                 : motion_found(report);
    case Advice::not_unique:
      return "friction exceeds what is proved harmless: forces, or for other loads even motions, "
             "may not be unique or not exist";
    case Advice::undecided:
      return "no motion was found within the limits of the search, which proves nothing";
    case Advice::paradoxical:
      break;
  }
  if (report.modes && !report.modes->solutions.empty())
    return "several motions with different accelerations are possible: which one follows, these "
           "laws do not say";
  return report.bounds.largest > 0 || report.joint_friction_ratio
             ? "no forces fit this configuration and its loads: expect jamming or an impact "
               "without collision"
             : "no forces fit this configuration and its loads: the constraints contradict each "
               "other";
}

#define TALUS_INSTANTIATE(D)                                                                 \
  template std::vector<std::string> not_analysed<D>(const Scene<D>&);                        \
  template std::string contact_label<D>(const Scene<D>&, int, int);                          \
  template std::string label<D>(const Scene<D>&, const ActiveConstraint<D>&);                \
  template std::string names_of<D>(const Scene<D>&, const std::vector<ActiveConstraint<D>>&, \
                                   const std::vector<int>&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
