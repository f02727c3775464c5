// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/analysis_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tools/commands/analysis_words.hpp"
#include "tools/commands/blow_report.hpp"
#include "tools/commands/impact_report.hpp"
#include "tools/commands/motion_report.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

constexpr std::size_t most_listed = 20;
constexpr Eigen::Index most_in_json = 40;  // largest number of constraints for full matrices
constexpr double degree = std::numbers::pi / 180;

std::string bound_text(double bound) {
  return std::isfinite(bound) ? fmt::format("{:.6g}", bound) : "any friction";
}

struct NamedBound {
  const char* key;
  const char* words;
  std::optional<double> FrictionBounds::*member;
};
constexpr NamedBound named_bounds[] = {
    {"proposition_9", "Proposition 9 (bilateral)", &FrictionBounds::proposition_9},
    {"proposition_10", "Proposition 10 (bilateral)", &FrictionBounds::proposition_10},
    {"proposition_11", "Proposition 11 (partly smooth)", &FrictionBounds::proposition_11},
    {"proposition_12", "Proposition 12 (unilateral)", &FrictionBounds::proposition_12},
    {"proposition_13", "Proposition 13 (mixed)", &FrictionBounds::proposition_13},
    {"proposition_13_printed", "Proposition 13, as in its example",
     &FrictionBounds::proposition_13_printed},
    {"proposition_14", "Proposition 14 (smooth joints)", &FrictionBounds::proposition_14},
    {"kinetic_symmetric", "RR-8158 Propositions 12, 13", &FrictionBounds::kinetic_symmetric},
    {"kinetic_statement", "RR-8158 Proposition 14, as stated", &FrictionBounds::kinetic_statement},
    {"kinetic_proof", "RR-8158 Proposition 14, its proof", &FrictionBounds::kinetic_proof},
    {"kinetic_spectral_statement", "  as stated, spectral norms",
     &FrictionBounds::kinetic_spectral_statement},
    {"kinetic_spectral_proof", "  its proof, spectral norms",
     &FrictionBounds::kinetic_spectral_proof},
};

// Of an ellipse its radii, least first; the bounds below are for the round cone it is stretched to.
template <int D>
std::string friction_text(const ActiveConstraint<D>& c) {
  const double turned = c.friction * c.stretch, other = c.friction / c.stretch;
  return c.stretch == 1 ? fmt::format("friction {:.4g}", c.friction)
                        : fmt::format("friction {:.4g} to {:.4g}, by its direction",
                                      std::min(turned, other), std::max(turned, other));
}

template <int D>
void print_constraints(std::FILE* out, const Scene<D>& scene, const Analysis<D>& analysis) {
  const auto& active = analysis.active;
  fmt::print(out, "constraints\n");
  fmt::print(out, "  {} bilateral, {} unilateral; {} degrees of freedom of the bodies they hold\n",
             active.bilateral.size(), active.unilateral.size(), analysis.report.freedoms);
  const auto line = [&](const ActiveConstraint<D>& c) {
    std::string motion = c.friction > 0 ? friction_text<D>(c) : "smooth";
    if (c.slip > 0 && c.friction > 0) motion += fmt::format(", slips at {:.3g} m/s", c.slip);
    fmt::print(out, "    {:<28} {}\n", label<D>(scene, c), motion);
  };
  std::size_t listed = 0;
  for (const auto* list : {&active.bilateral, &active.unilateral})
    for (const ActiveConstraint<D>& c : *list)
      if (listed++ < most_listed) line(c);
  if (listed > most_listed) fmt::print(out, "    … and {} more\n", listed - most_listed);
  if (analysis.report.massless > 0)
    fmt::print(
        out, "  {} freedoms without mass: the joints {} (BBB16, (6))\n", analysis.report.massless,
        analysis.report.massless_determined ? "determine their accelerations"
                                            : "do not determine their accelerations; contacts may");
  if (active.impacts > 0)
    fmt::print(out, "  {} of them close: an impact comes before any force\n", active.impacts);
}

template <int D>
void print_ranks(std::FILE* out, const Scene<D>& scene, const Analysis<D>& analysis) {
  const WellPosedness& report = analysis.report;
  const Ranks& ranks = report.ranks;
  fmt::print(out, "ranks\n");
  fmt::print(out, "  bilateral gradients {} of {}, unilateral {} of {}, together {} of {}\n",
             ranks.bilateral, analysis.active.bilateral.size(), ranks.unilateral,
             analysis.active.unilateral.size(), ranks.all, ranks.constraints);
  fmt::print(out, "  Delassus matrices have the ranks of their gradients");
  if (!analysis.active.unilateral.empty())
    fmt::print(out, "; that of the contacts{} is {}",
               analysis.active.bilateral.empty() ? "" : ", distorted by the joints,",
               report.distorted_definite ? "positive definite" : "singular");
  fmt::print(out, "\n");
  if (ranks.hyperstatic() == 0) {
    fmt::print(out,
               "  independent: without friction every load has a solution, with unique forces "
               "(Propositions 1, 3, 7)\n");
  } else {
    fmt::print(out,
               "  hyperstatic, degree {}: without friction accelerations are unique and forces are "
               "not (Propositions 1, 3, 5, 7)\n",
               ranks.hyperstatic());
    fmt::print(out, "    without friction the present loads {}\n",
               report.frictionless == Verdict::yes  ? "have a solution"
               : report.frictionless == Verdict::no ? "have no solution"
                                                    : "were not tried: too many constraints");
    if (!report.free_bilateral.empty())
      fmt::print(out,
                 "    joint forces not unique ({} of {}), at {}; least-norm ones are returned\n",
                 report.free_bilateral.size(), analysis.active.bilateral.size(),
                 names_of<D>(scene, analysis.active.bilateral, report.free_bilateral));
    if (!report.free_unilateral.empty())
      fmt::print(out, "    contact forces not unique ({} of {}), at {}\n",
                 report.free_unilateral.size(), analysis.active.unilateral.size(),
                 names_of<D>(scene, analysis.active.unilateral, report.free_unilateral));
  }
  if (ranks.constraints_with_friction > ranks.constraints) {
    fmt::print(out, "  with friction, while those at rest stick: {} of {}, ", ranks.with_friction,
               ranks.constraints_with_friction);
    if (ranks.hyperstatic_with_friction() > 0) {
      const std::string joints = names_of<D>(scene, analysis.active.bilateral,
                                             report.free_bilateral_with_friction),
                        contacts = names_of<D>(scene, analysis.active.unilateral,
                                               report.free_unilateral_with_friction);
      fmt::print(out, "indeterminate, degree {}: forces not unique at {}{}{}\n",
                 ranks.hyperstatic_with_friction(), joints,
                 joints.empty() || contacts.empty() ? "" : ", ", contacts);
    } else {
      fmt::print(out, "forces unique\n");
    }
  }
  if (report.angles.pairs > 0)
    fmt::print(out, "  kinetic angles of {} coupled pairs between {:.4g}° and {:.4g}°\n",
               report.angles.pairs, report.angles.least / degree, report.angles.largest / degree);
}

void print_matrix(std::FILE* out, const Eigen::MatrixXd& M) {
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    fmt::print(out, "   ");
    for (Eigen::Index j = 0; j < M.cols(); ++j) fmt::print(out, " {:>10.5g}", M(i, j));
    fmt::print(out, "\n");
  }
}

// −cos of the kinetic angles, joints first.
Eigen::MatrixXd normalised_delassus_of(const ContactSystem& system) {
  Eigen::MatrixXd rows(system.size(), system.unilateral.normal.cols());
  rows << Eigen::MatrixXd(system.bilateral.normal), Eigen::MatrixXd(system.unilateral.normal);
  return Eigen::MatrixXd(normalised_delassus(rows.sparseView(1, 0)));
}

// Printed only if it fits on a screen.
void print_delassus(std::FILE* out, const ContactSystem& system) {
  if (system.size() == 0 || system.size() > 8) return;
  fmt::print(out, "  normalised Delassus matrix\n");
  print_matrix(out, normalised_delassus_of(system));
}

void print_joint_friction(std::FILE* out, double ratio) {
  fmt::print(out, "friction of pins, hinges and joints in space\n");
  if (std::isinf(ratio))
    fmt::print(out,
               "  beside contacts or more than {} such joints nothing is proved for all loads\n",
               most_rough_joints);
  else
    fmt::print(
        out, "  it changes the forces that bound it by up to {:.6g} of them: {}\n", ratio,
        ratio < 1
            ? fmt::format("one motion for every load, up to {:.6g} times this friction", 1 / ratio)
            : "not below 1, nothing is proved for all loads");
}

template <int D>
void print_friction(std::FILE* out, const Scene<D>& scene, const Analysis<D>& analysis) {
  const WellPosedness& report = analysis.report;
  if (report.joint_friction_ratio) print_joint_friction(out, *report.joint_friction_ratio);
  if (report.bounds.largest == 0) return;
  fmt::print(
      out, "friction, {:.6g} at most{}{}\n", report.bounds.largest,
      std::any_of(analysis.active.unilateral.begin(), analysis.active.unilateral.end(),
                  [](const ActiveConstraint<D>& c) { return c.stretch != 1; })
          ? " (ellipses count by the mean √(μ₁ μ₂), along axes that make them circles)"
          : "",
      report.rests ? "; contacts at rest, so that bounds are those of the slip to come" : "");
  for (const NamedBound& bound : named_bounds)
    if (const std::optional<double>& value = report.bounds.*bound.member)
      fmt::print(out, "  {:<36} below {}\n", bound.words, bound_text(*value));
  if (report.slides)
    fmt::print(out,
               "  matrix of the sliding problem: P {}, positive definite {}, copositive {}{}\n",
               word(report.P), report.positive_definite ? "yes" : "no", word(report.copositive),
               report.matrix_exact ? "" : " (by bounds)");
  if (report.slides && report.load_admissible != Verdict::unknown)
    fmt::print(
        out,
        "  Corollary 2, RR-8158 Proposition 15: couplings not positive {}; load does no work on "
        "idle forces {}{}\n",
        report.couplings_nonpositive ? "yes" : "no", word(report.load_admissible),
        report.copositive == Verdict::yes && report.load_admissible == Verdict::yes
            ? ": a solution exists"
            : "");
  if (report.slides && report.sliding.rows() <= 8) print_matrix(out, report.sliding);
  std::vector<std::size_t> order;
  for (Eigen::Index i = 0; i < report.painleve.ratio.size(); ++i)
    if (report.painleve.ratio[i] > 0) order.push_back(static_cast<std::size_t>(i));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return report.painleve.ratio[static_cast<Eigen::Index>(i)] >
           report.painleve.ratio[static_cast<Eigen::Index>(j)];
  });
  for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 5); ++k) {
    const auto i = static_cast<Eigen::Index>(order[k]);
    fmt::print(out, "  Painlevé ratio of {}: {:.6g}, critical friction {:.7g}{}\n",
               label<D>(scene, analysis.active.unilateral[order[k]]), report.painleve.ratio[i],
               report.painleve.critical[i], report.painleve.ratio[i] >= 1 ? "  <-- beyond" : "");
  }
}

void print_mode(std::FILE* out, const std::string& label, ContactMode mode, double normal) {
  fmt::print(out, "    {:<28} {}, {:.6g} N\n", label, name_of(mode), normal);
}

void print_rest(std::FILE* out, std::size_t size) {
  if (size > most_listed) fmt::print(out, "    … and {} more\n", size - most_listed);
}

template <int D>
void print_found(std::FILE* out, const Scene<D>& scene, const Analysis<D>& analysis,
                 const FoundMotion& found) {
  fmt::print(out, "finds a motion: {}\n", mode_counts(found.unilateral));
  print_motion<D>(out, scene, analysis.active, with_bilateral(analysis.active.system, found));
}

template <int D>
void print_modes(std::FILE* out, const Scene<D>& scene, const Analysis<D>& analysis) {
  const WellPosedness& report = analysis.report;
  fmt::print(out, "possible motions\n");
  if (analysis.active.unilateral.empty() && !analysis.active.bilateral.empty() && !report.modes) {
    fmt::print(out, "  nothing touches; {}\n",
               report.bounds.largest == 0 ? "joints leave one way (Proposition 1)"
                                          : "too many joints with friction to try all modes");
    if (report.lemke)
      print_motion<D>(out, scene, analysis.active,
                      with_bilateral(analysis.active.system, report.lemke->motion));
  }
  if (report.modes) {
    const std::vector<ModeSolution>& solutions = report.modes->solutions;
    const char* const open = report.modes->complete
                                 ? ""
                                 : "; the search was stopped at its limit, whether there are more "
                                   "is undecided";
    if (solutions.empty())
      fmt::print(out, "{}\n",
                 report.modes->complete ? "  no solution"
                                        : "  undecided: no solution up to the limit of the search");
    if (solutions.size() == 1)
      fmt::print(out, "  one solution{}{}{}\n", report.modes->complete ? "" : " found",
                 solutions[0].freedom == 0 ? ""
                 : report.massless > 0 && !report.massless_determined
                     ? ", with forces or accelerations without mass that are one choice of "
                       "infinitely many"
                     : ", with forces that are one choice of infinitely many",
                 open);
    if (solutions.size() > 1)
      fmt::print(out, "  several solutions: {}, {}{}\n", solutions.size(),
                 one_acceleration(*report.modes) ? "all of one acceleration"
                                                 : "of different accelerations",
                 open);
    for (std::size_t s = 0; s < std::min<std::size_t>(solutions.size(), 8); ++s) {
      fmt::print(out, "    motion {}\n", s + 1);
      print_motion<D>(out, scene, analysis.active, solutions[s]);
    }
  }
  const char* const why_not = report.modes ? "  " : "  too many contacts to try all modes; ";
  const bool tried = report.modes && !report.modes->solutions.empty();
  if (report.cones && !tried && !analysis.active.unilateral.empty()) {
    fmt::print(out, "{}the contact solver ", why_not);
    if (report.cones->converged)
      print_found<D>(out, scene, analysis, report.cones->motion);
    else
      fmt::print(out, "ends at an error of {:.2g}: no motion was found\n", report.cones->error);
  } else if (report.lemke && !analysis.active.unilateral.empty()) {
    fmt::print(out, "{}Lemke's method ", why_not);
    if (report.lemke->end == LemkeEnd::solved)
      print_found<D>(out, scene, analysis, report.lemke->motion);
    else
      fmt::print(out, "{}\n",
                 report.lemke->end == LemkeEnd::ray ? "ends on a ray: it finds no solution"
                                                    : "did not reach its tolerance");
  } else if (analysis.next_step) {
    const NextStep& next = *analysis.next_step;
    const bool rough_joints =
        std::any_of(analysis.active.bilateral.begin(), analysis.active.bilateral.end(),
                    [](const ActiveConstraint<D>& c) { return c.friction > 0; });
    fmt::print(out, "  too many contacts to try all modes, and {}:\n",
               rough_joints ? "Lemke's method has no form for friction in joints"
                            : fmt::format("{} unknowns{} are too many for Lemke's method",
                                          report.lemke_unknowns,
                                          analysis.active.bilateral.empty() ? "" : " and joints"));
    std::vector<ContactMode> modes;
    for (const NextStep::Contact& contact : next.contacts) modes.push_back(contact.mode);
    fmt::print(out, "  the contact solver {} the next time step: {}\n",
               next.converged ? "has this solution of" : "does not reach its tolerance in",
               mode_counts(modes));
    for (std::size_t i = 0; i < std::min(next.contacts.size(), most_listed); ++i)
      print_mode(out, contact_label<D>(scene, next.contacts[i].a, next.contacts[i].b), modes[i],
                 next.contacts[i].normal);
    print_rest(out, next.contacts.size());
  } else if (!report.modes && analysis.active.bilateral.empty()) {
    fmt::print(out, "  nothing touches\n");
  }
}

std::string matrix_json(const Eigen::MatrixXd& M) {
  std::vector<std::string> rows;
  for (Eigen::Index i = 0; i < M.rows(); ++i) rows.push_back(numbers_json(M.row(i)));
  return fmt::format("[{}]", fmt::join(rows, ", "));
}

template <int D>
std::string labels_json(const Scene<D>& scene, const std::vector<ActiveConstraint<D>>& list) {
  std::vector<std::string> items;
  for (const ActiveConstraint<D>& c : list) items.push_back(json_string(label<D>(scene, c)));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

}  // namespace

template <int D>
void print_analysis(std::FILE* out, const Scene<D>& scene, const Bodies<D>& bodies,
                    const Analysis<D>& analysis) {
  print_constraints<D>(out, scene, analysis);
  for (const std::string& words : not_analysed<D>(scene))
    fmt::print(out, "  left out of what follows: {}\n", words);
  if (analysis.active.system.size() > 0) print_ranks<D>(out, scene, analysis);
  print_delassus(out, analysis.active.system);
  print_friction<D>(out, scene, analysis);
  print_modes<D>(out, scene, analysis);
  print_impacts<D>(out, scene, analysis.impacts);
  if (analysis.response) print_blows<D>(out, scene, bodies, analysis.blows, *analysis.response);
  if (analysis.active.unilateral.empty() && analysis.active.bilateral.empty())
    fmt::print(out, "in short: no contact and no joint acts at this moment{}\n",
               analysis.impacts.empty() ? "" : "; see the impacts above");
  else
    fmt::print(out, "in short: {}: {}{}\n", word(analysis.report.advice),
               conclusion(analysis.report),
               analysis.active.impacts > 0 ? "; an impact comes before these forces" : "");
}

template <int D>
std::string analysis_json(const std::string& source, double time, const Scene<D>& scene,
                          const Bodies<D>& bodies, const Analysis<D>& analysis) {
  const WellPosedness& report = analysis.report;
  JsonObject ranks, bounds, json;
  ranks.add("bilateral", report.ranks.bilateral).add("unilateral", report.ranks.unilateral);
  ranks.add("all", report.ranks.all).add("with_friction", report.ranks.with_friction);
  for (const NamedBound& bound : named_bounds)
    if (const std::optional<double>& value = report.bounds.*bound.member)
      bounds.add(bound.key, *value);
  json.add("source", source).add("time", time).add("dimension", D);
  json.add("bilateral", analysis.active.bilateral.size());
  json.add("unilateral", analysis.active.unilateral.size()).add("freedoms", report.freedoms);
  json.add("massless_freedoms", report.massless);
  json.add("massless_determined", report.massless_determined);
  json.add("impacts", analysis.active.impacts).raw("ranks", ranks.text());
  json.add("hyperstatic", report.ranks.hyperstatic());
  json.add("hyperstatic_with_friction", report.ranks.hyperstatic_with_friction());
  json.raw("not_unique_bilateral", fmt::format("[{}]", fmt::join(report.free_bilateral, ", ")));
  json.raw("not_unique_unilateral", fmt::format("[{}]", fmt::join(report.free_unilateral, ", ")));
  json.raw("not_unique_with_friction",
           fmt::format("[{}]", fmt::join(report.free_unilateral_with_friction, ", ")));
  json.raw("not_unique_bilateral_with_friction",
           fmt::format("[{}]", fmt::join(report.free_bilateral_with_friction, ", ")));
  json.add("least_kinetic_angle", report.angles.least);
  json.add("largest_kinetic_angle", report.angles.largest);
  if (const ContactSystem& system = analysis.active.system;
      system.size() > 0 && system.size() <= most_in_json) {
    json.raw("normalised_delassus", matrix_json(normalised_delassus_of(system)));
    if (report.slides) json.raw("sliding_matrix", matrix_json(report.sliding));
  }
  json.add("frictionless_solvable", word(report.frictionless));
  json.add("distorted_definite", report.distorted_definite);
  if (report.joint_friction_ratio) json.add("joint_friction_ratio", *report.joint_friction_ratio);
  json.add("friction", report.bounds.largest).add("friction_bound", report.bounds.best);
  json.raw("bounds", bounds.text());
  json.add("P_matrix", word(report.P)).add("positive_definite", report.positive_definite);
  json.add("copositive", word(report.copositive));
  json.add("couplings_nonpositive", report.couplings_nonpositive);
  json.add("load_admissible", word(report.load_admissible));
  json.raw("painleve_critical", numbers_json(report.painleve.critical));
  json.raw("painleve_ratio", numbers_json(report.painleve.ratio));
  json.raw("joints", labels_json<D>(scene, analysis.active.bilateral));
  json.raw("contacts", labels_json<D>(scene, analysis.active.unilateral));
  if (report.modes) {
    std::vector<std::string> solutions;
    for (const ModeSolution& solution : report.modes->solutions)
      solutions.push_back(motion_json<D>(scene, analysis.active, solution));
    json.raw("solutions", fmt::format("[{}]", fmt::join(solutions, ", ")));
    json.add("all_modes_tried", report.modes->complete);
    json.add("one_acceleration", one_acceleration(*report.modes));
  }
  json.add("lemke_unknowns", report.lemke_unknowns);
  if (report.lemke) {
    JsonObject lemke;
    lemke.add("solved", report.lemke->end == LemkeEnd::solved);
    lemke.raw("unilateral", modes_json(report.lemke->motion.unilateral));
    lemke.raw("normal_unilateral", numbers_json(with_adhesion<D>(analysis.active.unilateral,
                                                                 report.lemke->motion.normal_u)));
    json.raw("lemke", lemke.text());
  }
  if (report.cones) {
    const ConeMotion& found = *report.cones;
    JsonObject cones;
    cones.add("solved", found.converged).add("error", found.error);
    cones.raw("unilateral", modes_json(found.motion.unilateral));
    cones.raw("normal_unilateral",
              numbers_json(with_adhesion<D>(analysis.active.unilateral, found.motion.normal_u)));
    cones.raw("tangential_unilateral",
              numbers_json(unstretched<D>(analysis.active.unilateral, found.motion.tangent_u)));
    json.raw("round_cones", cones.text());
  }
  if (const FoundMotion* const found = found_motion(report))
    json.raw("motion", motion_json<D>(scene, analysis.active,
                                      with_bilateral(analysis.active.system, *found)));
  if (analysis.next_step) {
    JsonObject next;
    std::vector<std::string> labels;
    std::vector<ContactMode> modes;
    Eigen::VectorXd normal(static_cast<Eigen::Index>(analysis.next_step->contacts.size()));
    for (const NextStep::Contact& contact : analysis.next_step->contacts) {
      normal[static_cast<Eigen::Index>(modes.size())] = contact.normal;
      modes.push_back(contact.mode);
      labels.push_back(json_string(contact_label<D>(scene, contact.a, contact.b)));
    }
    next.add("converged", analysis.next_step->converged);
    next.raw("contacts", fmt::format("[{}]", fmt::join(labels, ", ")));
    next.raw("unilateral", modes_json(modes));
    next.raw("normal_unilateral", numbers_json(normal));
    json.raw("next_step", next.text());
  }
  json.raw("impact_conditions", impacts_json<D>(scene, analysis.impacts));
  if (analysis.response) json.raw("blow", blows_json<D>(scene, bodies, *analysis.response));
  std::vector<std::string> left_out;
  for (const std::string& words : not_analysed<D>(scene)) left_out.push_back(json_string(words));
  json.raw("left_out", fmt::format("[{}]", fmt::join(left_out, ", ")));
  json.add("advice", word(report.advice));
  return json.text();
}

#define TALUS_INSTANTIATE(D)                                                         \
  template void print_analysis<D>(std::FILE*, const Scene<D>&, const Bodies<D>&,     \
                                  const Analysis<D>&);                               \
  template std::string analysis_json<D>(const std::string&, double, const Scene<D>&, \
                                        const Bodies<D>&, const Analysis<D>&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
