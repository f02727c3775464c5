// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/limit_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "io/text/input_error.hpp"
#include "tools/commands/analysis_words.hpp"
#include "tools/commands/motion_report.hpp"
#include "tools/commands/vector_text.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

constexpr std::size_t most_joints = 20, most_bodies = 8;
constexpr double no_load = 1e-7;  // of the dead load: a live load that small counts as none
constexpr double moving = 1e-3;   // speed in a mechanism whose fastest point has 1

double degrees_of(double tangent) { return 180 / std::numbers::pi * std::atan(tangent); }

template <int D>
double load_size(const std::vector<BodyLoad<D>>& loads, const Bodies<D>& bodies) {
  double sum = 0;
  for (std::size_t i = 0; i < loads.size(); ++i)
    if (bodies.moves_freely(i))
      sum += loads[i].force.norm() + loads[i].torque.norm() / bodies.geometry_of(i).size;
  return sum;
}

template <int D>
std::size_t free_bodies(const Bodies<D>& bodies) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) count += bodies.moves_freely(i);
  return count;
}

template <int D>
std::string name_at(const World<D>& world, int body) {
  const auto& bodies = world.bodies();
  const bool known = at(body) < bodies.size() && bodies.id[at(body)] >= 0;
  return known ? description<D>(world.scene(), at(bodies.id[at(body)])).name : "world";
}

template <int D>
std::string body_names(const World<D>& world, const std::vector<int>& bodies) {
  std::vector<std::string> names;
  for (const int i : bodies) {
    if (names.size() == most_bodies && bodies.size() > most_bodies + 1) break;
    names.push_back(name_at<D>(world, i));
  }
  const std::size_t more = bodies.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

// Bodies that the mechanism moves, fixed ones left out.
template <int D>
std::vector<int> moving_bodies(const World<D>& world, const LimitState<D>& state) {
  std::vector<int> list;
  const Bodies<D>& bodies = world.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Twist<D>& twist = state.mechanism[i];
    if (!bodies.moves_freely(i)) continue;
    if (twist.v.norm() + bodies.geometry_of(i).bounding_radius * twist.omega.norm() > moving)
      list.push_back(static_cast<int>(i));
  }
  return list;
}

std::string_view question_word(Question question) {
  switch (question) {
    case Question::push:
      return "push";
    case Question::load:
      return "load";
    case Question::tilt:
      return "tilt";
    case Question::settle:
      break;
  }
  return "settle";
}

template <int D>
std::string live_words(const World<D>& world, const LiveLoad<D>& live) {
  switch (live.question) {
    case Question::push:
      return fmt::format("λ times the weight of {}, along {}", body_names<D>(world, live.bodies),
                         vector_text<D>(live.direction, 0));
    case Question::load:
      return fmt::format("λ times the forces on {}", body_names<D>(world, live.bodies));
    case Question::tilt:
      return fmt::format("gravity turns towards {}, λ = tan of the angle",
                         vector_text<D>(live.direction, 0));
    case Question::settle:
      break;
  }
  return fmt::format("none; {} yields along {}", name_at<D>(world, live.support),
                     vector_text<D>(live.direction, 0));
}

template <int D>
LimitOutcome limit_outcome(const World<D>& world, const LimitAnalysis<D>& analysis,
                           const LimitReport<D>& report) {
  const auto verdict = report.largest->verdict;
  if (verdict == ConeVerdict::infeasible) return LimitOutcome::falls;
  if (verdict == ConeVerdict::unbounded) return LimitOutcome::unbounded;
  if (verdict == ConeVerdict::open) return LimitOutcome::open;
  if (report.live.question == Question::settle) return LimitOutcome::bounded;
  const double dead = load_size<D>(analysis.dead(), world.bodies()),
               live = load_size<D>(report.live.load, world.bodies());
  const double none = no_load * dead / live;
  const bool upwards =
      report.least->verdict == ConeVerdict::solved && report.least->multiplier > none;
  if (report.largest->multiplier < -none || upwards) return LimitOutcome::needs_load;
  return report.largest->multiplier <= none ? LimitOutcome::not_resisted : LimitOutcome::bounded;
}

template <int D>
void print_value(std::FILE* out, const World<D>& world, const LimitReport<D>& report) {
  const LimitState<D>& state = *report.largest;
  if (report.live.question == Question::settle) {
    fmt::print(out,
               "pressing      {:.9g} N at least on {}, along its motion ({:.9g} by the dual)\n",
               state.multiplier, name_at<D>(world, report.live.support), state.dual);
    return;
  }
  fmt::print(out, "λ_static      {:.9g} (dual {:.9g}, apart by {:.1e}; {} iterations)\n",
             state.multiplier, state.dual, std::abs(state.multiplier - state.dual),
             state.iterations);
  if (report.live.question == Question::tilt)
    fmt::print(out, "angle         {:.6g} degrees\n", degrees_of(state.multiplier));
  fmt::print(out,
             "              no larger load is carried. An upper bound: friction is associated in "
             "the programme\n              (what slides dilates), Coulomb's is not, and may "
             "give way before\n");
  if (report.least->verdict == ConeVerdict::solved)
    fmt::print(out, "the other way {:.9g}\n", report.least->multiplier);
  if (report.least->verdict == ConeVerdict::unbounded) fmt::print(out, "the other way unbounded\n");
}

template <int D>
void print_runs(std::FILE* out, const LimitReport<D>& report) {
  const LimitRuns& runs = *report.runs;
  if (runs.falls_alone) {
    fmt::print(out, "λ_dynamic     none: in a run of {:.3g} s the bodies give way under λ = 0\n",
               runs.seconds);
    return;
  }
  fmt::print(out, "λ_dynamic     between {:.6g} and {:.6g}", runs.stood, runs.gave_way);
  if (report.live.question == Question::tilt)
    fmt::print(out, ", {:.5g} to {:.5g} degrees", degrees_of(runs.stood),
               degrees_of(runs.gave_way));
  fmt::print(
      out,
      "\n              by {} runs of {:.3g} s with Coulomb's law, from rest, the load applied "
      "at once\n",
      runs.runs, runs.seconds);
}

std::string force_range_text(const ForceRange& range) {
  if (!range.known) return "not found";
  if (range.is_unique()) return fmt::format("{:.6g} N", range.largest);
  return fmt::format("{:.6g} to {} N", range.least,
                     std::isinf(range.largest) ? "any" : fmt::format("{:.6g}", range.largest));
}

template <int D>
void print_ranges(std::FILE* out, const World<D>& world, const LimitAnalysis<D>& analysis,
                  const LimitReport<D>& report) {
  std::size_t joints = 0, contacts = 0;
  for (const ForceRange& range : report.joint_ranges) joints += range.is_unique();
  for (const ForceRange& range : report.contact_ranges) contacts += range.is_unique();
  fmt::print(out, "normal forces at λ = {:.6g}: unique at {} of {} joints and {} of {} contacts\n",
             report.ranges_at, joints, report.joint_ranges.size(), contacts,
             report.contact_ranges.size());
  for (std::size_t k = 0; k < report.pairs.size(); ++k) {
    const TouchingPair<D>& pair = report.pairs[k];
    fmt::print(out, "  {:<28} {}\n", contact_label<D>(world.scene(), pair.a, pair.b),
               force_range_text(report.joint_ranges[k]));
    if (pair.contacts.size() == 1) continue;
    for (const int i : pair.contacts)
      fmt::print(out, "    at {:<24} {}\n",
                 vector_text<D>(analysis.active().unilateral[at(i)].point, 1e-12),
                 force_range_text(report.contact_ranges[at(i)]));
  }
}

std::string range_json(const ForceRange& range) {
  JsonObject json;
  if (range.known) json.add("least", range.least).add("largest", range.largest);
  return json.text();
}

// What the programme leaves out of the strength.
template <int D>
std::vector<std::string> left_out(const World<D>& world) {
  const auto& joints = world.scene().joints;
  std::vector<std::string> words;
  if (std::any_of(joints.begin(), joints.end(), [](const Joint<D>& j) { return j.friction > 0; }))
    words.emplace_back("friction of joints");
  if (world.scene().laws.any_passes_moments()) words.emplace_back("rolling and spinning friction");
  return words;
}

template <int D>
void print_words(std::FILE* out, const World<D>& world, const LimitReport<D>& report) {
  switch (report.outcome) {
    case LimitOutcome::no_effect:
      fmt::print(out,
                 "no effect: the live load does no work in any motion of the bodies that contacts "
                 "or joints hold ({})\n",
                 body_names<D>(world, report.live.bodies));
      return;
    case LimitOutcome::held_by_nothing:
      fmt::print(out, "does not stand: no contact and no joint holds {}\n",
                 body_names<D>(world, report.unheld));
      return;
    case LimitOutcome::unbounded:
      if (report.live.question == Question::settle)
        fmt::print(out, "unbounded: {} may be pulled any which way by bodies that are wedged\n",
                   name_at<D>(world, report.live.support));
      else
        fmt::print(out, "unbounded: every multiple of the live load on {} is carried{}\n",
                   body_names<D>(world, report.live.bodies),
                   report.live.question == Question::tilt ? ", at any angle below 90 degrees" : "");
      return;
    case LimitOutcome::falls:
      fmt::print(out,
                 "does not stand: no forces within the friction cones carry the dead load{}. These "
                 "bodies fall: {}\n",
                 report.live.question == Question::settle ? "" : ", whatever the live load",
                 body_names<D>(world, moving_bodies<D>(world, *report.largest)));
      return;
    case LimitOutcome::open:
      fmt::print(out, "open: the cone programme was solved to {:.1e} only, after {} iterations\n",
                 report.largest->error, report.largest->iterations);
      return;
    case LimitOutcome::needs_load:
      fmt::print(out,
                 "does not stand under its dead load alone: only with λ between {} and {:.9g}\n",
                 report.least->verdict == ConeVerdict::solved
                     ? fmt::format("{:.9g}", report.least->multiplier)
                     : "any below",
                 report.largest->multiplier);
      return;
    case LimitOutcome::not_resisted:
      fmt::print(out, "not resisted: any multiple of the live load on {} moves bodies\n",
                 body_names<D>(world, report.live.bodies));
      return;
    case LimitOutcome::bounded:
      return;
  }
}

template <int D>
void print_mechanism(std::FILE* out, const World<D>& world, const LimitReport<D>& report) {
  const Scene<D>& scene = world.scene();
  std::size_t counts[4] = {};
  for (const auto& pair : report.pairs) ++counts[static_cast<int>(pair.motion)];
  const auto count = [&](JointMotion motion) { return counts[static_cast<int>(motion)]; };
  fmt::print(out, "mechanism     {} bodies move; {} hinges, {} joints slide, {} open, {} stay\n",
             moving_bodies<D>(world, *report.largest).size(), count(JointMotion::hinge),
             count(JointMotion::slide), count(JointMotion::part), count(JointMotion::none));
  std::size_t listed = 0, more = 0;
  for (const auto& pair : report.pairs) {
    if (pair.motion == JointMotion::none) continue;
    if (listed == most_joints) {
      ++more;
      continue;
    }
    ++listed;
    fmt::print(out, "  {:<7}     {:<28} at {}{}\n", word(pair.motion),
               contact_label<D>(scene, pair.a, pair.b), vector_text<D>(pair.place, 1e-12),
               pair.motion == JointMotion::slide ? fmt::format(", slip {:.3g}", pair.slip) : "");
  }
  if (more > 0) fmt::print(out, "  … and {} more\n", more);
}

template <int D>
void print_thrust(std::FILE* out, const World<D>& world, const LimitReport<D>& report) {
  const TouchingPair<D>*eccentric = nullptr, *rough = nullptr;
  for (const auto& pair : report.pairs) {
    if (std::isnan(pair.eccentricity)) continue;
    if (!eccentric || pair.eccentricity > eccentric->eccentricity) eccentric = &pair;
    if (!rough || pair.friction_used > rough->friction_used) rough = &pair;
  }
  if (!eccentric) return;
  const Scene<D>& scene = world.scene();
  fmt::print(out, "thrust        farthest from the middle at {}: {:.4g} of the way to the edge\n",
             contact_label<D>(scene, eccentric->a, eccentric->b), eccentric->eccentricity);
  fmt::print(out, "friction      most of it at {}: {:.4g} of what it can bear\n",
             contact_label<D>(scene, rough->a, rough->b), rough->friction_used);
}

template <int D>
std::string pair_json(const World<D>& world, const TouchingPair<D>& pair) {
  JsonObject json;
  json.add("joint", contact_label<D>(world.scene(), pair.a, pair.b));
  json.add("motion", word(pair.motion));
  json.raw("place", numbers_json(pair.place)).raw("centre", numbers_json(pair.centre));
  json.raw("normal", numbers_json(pair.normal)).raw("force", numbers_json(pair.force));
  json.add("normal_force", pair.normal_force).add("shear", pair.shear);
  json.raw("action", numbers_json(pair.action)).add("eccentricity", pair.eccentricity);
  json.add("friction_used", pair.friction_used).add("slip", pair.slip);
  return json.raw("turn", numbers_json(pair.turn)).text();
}

std::string list_json(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

template <int D>
std::string ranges_json(const World<D>& world, const LimitAnalysis<D>& analysis,
                        const LimitReport<D>& report) {
  std::vector<std::string> joints;
  for (std::size_t k = 0; k < report.pairs.size(); ++k) {
    std::vector<std::string> contacts;
    for (const int i : report.pairs[k].contacts) {
      JsonObject contact;
      contact.raw("point", numbers_json(analysis.active().unilateral[at(i)].point));
      contacts.push_back(
          contact.raw("normal_force", range_json(report.contact_ranges[at(i)])).text());
    }
    JsonObject joint;
    joint.add("joint", contact_label<D>(world.scene(), report.pairs[k].a, report.pairs[k].b));
    joint.raw("normal_force", range_json(report.joint_ranges[k]));
    joints.push_back(joint.raw("contacts", list_json(contacts)).text());
  }
  JsonObject json;
  return json.add("lambda", report.ranges_at).raw("joints", list_json(joints)).text();
}

}  // namespace

std::string_view outcome_word(LimitOutcome outcome) {
  switch (outcome) {
    case LimitOutcome::bounded:
      return "bounded";
    case LimitOutcome::unbounded:
      return "unbounded";
    case LimitOutcome::no_effect:
      return "no effect";
    case LimitOutcome::not_resisted:
      return "not resisted";
    case LimitOutcome::falls:
      return "falls";
    case LimitOutcome::needs_load:
      return "needs the live load";
    case LimitOutcome::held_by_nothing:
      return "held by nothing";
    case LimitOutcome::open:
      break;
  }
  return "open";
}

template <int D>
LimitReport<D> limit_report(const World<D>& world, const LimitAnalysis<D>& analysis,
                            LiveLoad<D> live) {
  LimitReport<D> report;
  report.live = std::move(live);
  report.unheld = analysis.held_by_nothing(report.live.load);
  if (!report.unheld.empty()) {
    report.outcome = LimitOutcome::held_by_nothing;
    return report;
  }
  if (report.live.question == Question::settle) {
    report.largest = analysis.settle(report.live.support, {report.live.direction, {}});
  } else {
    if (!analysis.has_effect(report.live.load)) {
      report.outcome = LimitOutcome::no_effect;
      return report;
    }
    report.largest = analysis.largest(report.live.load);
    report.least = analysis.least(report.live.load);
  }
  report.outcome = limit_outcome<D>(world, analysis, report);
  report.pairs = touching_pairs<D>(analysis, *report.largest);
  return report;
}

template <int D>
void find_ranges(const LimitAnalysis<D>& analysis, double multiplier, LimitReport<D>& report) {
  const bool settles = report.live.question == Question::settle;
  const bool low = report.least && report.least->verdict == ConeVerdict::solved &&
                   multiplier < report.least->multiplier;
  const bool high = report.largest->verdict == ConeVerdict::solved && !settles &&
                    multiplier > report.largest->multiplier;
  if (low || high || report.outcome == LimitOutcome::falls)
    throw InputError(fmt::format("--forces {}: no forces within the friction cones carry this load",
                                 multiplier));
  report.ranges_at = multiplier;
  report.contact_ranges.resize(analysis.active().unilateral.size());
  for (const TouchingPair<D>& pair : report.pairs) {
    report.joint_ranges.push_back(
        analysis.normal_force(pair.contacts, report.live.load, multiplier));
    for (const int contact : pair.contacts)
      report.contact_ranges[at(contact)] =
          pair.contacts.size() == 1
              ? report.joint_ranges.back()
              : analysis.normal_force({&contact, 1}, report.live.load, multiplier);
  }
}

template <int D>
std::string limit_title(const LimitReport<D>& report) {
  const double value = report.largest->multiplier;
  const std::string name = std::filesystem::path(report.source).filename().string();
  if (report.live.question == Question::settle)
    return fmt::format("{}: pressing {:.6g} N on the support that yields", name, value);
  const std::string angle = report.live.question == Question::tilt
                                ? fmt::format(", {:.5g} degrees", degrees_of(value))
                                : "";
  return fmt::format("{}: λ_static = {:.6g}{}", name, value, angle);
}

template <int D>
void print_limit(std::FILE* out, const World<D>& world, const LimitAnalysis<D>& analysis,
                 const LimitReport<D>& report) {
  fmt::print(out, "{} at t = {:.6g} s\n", report.source, report.time);
  fmt::print(out, "dead load     {:.6g} N on {} bodies; {} contacts, {} constraints of joints\n",
             load_size<D>(analysis.dead(), world.bodies()), free_bodies<D>(world.bodies()),
             analysis.active().unilateral.size(), analysis.active().bilateral.size());
  fmt::print(out, "live load     {}\n", live_words<D>(world, report.live));
  print_words<D>(out, world, report);
  if (!report.largest) return;
  const bool has_value = report.largest->verdict == ConeVerdict::solved;
  if (has_value) print_value<D>(out, world, report);
  if (report.runs) print_runs<D>(out, report);
  if (has_value) {
    print_mechanism<D>(out, world, report);
    print_thrust<D>(out, world, report);
  }
  if (!report.joint_ranges.empty()) print_ranges<D>(out, world, analysis, report);
  if (const auto words = left_out<D>(world); !words.empty())
    fmt::print(out, "left out: {}, which can make the strength larger than λ_static\n",
               fmt::join(words, " and "));
}

template <int D>
std::string limit_json(const World<D>& world, const LimitAnalysis<D>& analysis,
                       const LimitReport<D>& report) {
  JsonObject json;
  json.add("source", report.source).add("time", report.time).add("dimension", D);
  JsonObject live;
  live.add("kind", question_word(report.live.question));
  if (report.live.question != Question::load)
    live.raw("direction", numbers_json(report.live.direction));
  std::vector<std::string> names;
  for (const int i : report.live.bodies) names.push_back(name_at<D>(world, i));
  live.raw("bodies", json_list(names));
  if (report.live.support >= 0) live.add("support", name_at<D>(world, report.live.support));
  json.raw("live", live.text());
  json.add("outcome", outcome_word(report.outcome));
  json.add("contacts", analysis.active().unilateral.size());
  names.clear();
  for (const int i : report.unheld) names.push_back(name_at<D>(world, i));
  if (!names.empty()) json.raw("held_by_nothing", json_list(names));
  json.raw("left_out", json_list(left_out<D>(world)));
  if (!report.largest) return json.text();

  const LimitState<D>& state = *report.largest;
  json.add("error", state.error).add("iterations", state.iterations);
  if (state.verdict == ConeVerdict::solved) {
    const bool settles = report.live.question == Question::settle;
    json.add(settles ? "pressing_least" : "lambda_static", state.multiplier);
    json.add(settles ? "pressing_dual" : "lambda_dual", state.dual);
    if (report.live.question == Question::tilt)
      json.add("angle_degrees", degrees_of(state.multiplier));
    if (report.runs) {
      JsonObject runs;
      runs.add("stood", report.runs->stood).add("gave_way", report.runs->gave_way);
      runs.add("falls_alone", report.runs->falls_alone).add("runs", report.runs->runs);
      json.raw("lambda_dynamic", runs.add("seconds", report.runs->seconds).text());
    }
    if (report.least && report.least->verdict == ConeVerdict::solved)
      json.add("lambda_least", report.least->multiplier);
  }
  if (!report.joint_ranges.empty()) json.raw("forces", ranges_json<D>(world, analysis, report));
  if (state.verdict == ConeVerdict::unbounded) return json.text();
  std::vector<std::string> joints, bodies;
  for (const auto& pair : report.pairs) joints.push_back(pair_json<D>(world, pair));
  if (state.verdict == ConeVerdict::solved) json.raw("joints", list_json(joints));
  for (const int i : moving_bodies<D>(world, state)) {
    JsonObject item;
    item.add("body", name_at<D>(world, i));
    item.raw("velocity", numbers_json(state.mechanism[at(i)].v));
    bodies.push_back(item.raw("spin", numbers_json(state.mechanism[at(i)].omega)).text());
  }
  return json.raw("mechanism", list_json(bodies)).text();
}

#define TALUS_INSTANTIATE(D)                                                                      \
  template LimitReport<D> limit_report<D>(const World<D>&, const LimitAnalysis<D>&, LiveLoad<D>); \
  template void find_ranges<D>(const LimitAnalysis<D>&, double, LimitReport<D>&);                 \
  template void print_limit<D>(std::FILE*, const World<D>&, const LimitAnalysis<D>&,              \
                               const LimitReport<D>&);                                            \
  template std::string limit_title<D>(const LimitReport<D>&);                                     \
  template std::string limit_json<D>(const World<D>&, const LimitAnalysis<D>&,                    \
                                     const LimitReport<D>&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
