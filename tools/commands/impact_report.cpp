// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/impact_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tools/terminal/json.hpp"

namespace talus {

namespace {

constexpr std::size_t most_clusters = 5, most_pairs = 8, most_modes = 8;
constexpr Eigen::Index most_components = 12;
constexpr double negligible = 1e-6;  // tolerance for impacts: the least of `talus check`

std::string_view law_name(const ImpactLaw& law) {
  constexpr std::string_view names[] = {"moreau", "matrix", "poisson", "lzb", "projection"};
  static_assert(std::variant_size_v<ImpactLaw> == std::size(names));
  return names[law.index()];
}

std::string_view yes_no(bool holds) { return holds ? "yes" : "no"; }

std::string_view yes_no(Verdict verdict) {
  return verdict == Verdict::unknown ? "not known" : yes_no(verdict == Verdict::yes);
}

template <int D>
std::vector<std::string> pair_names(const Scene<D>& scene, const ImpactForecast<D>& forecast) {
  std::vector<std::string> names;
  for (const auto& [a, b] : forecast.bodies)
    names.push_back(fmt::format("{} on {}", description<D>(scene, at(b)).name,
                                description<D>(scene, at(a)).name));
  return names;
}

// The faults of a computed impact; empty if there are none.
std::string faults(const ImpactJudgement& judgement) {
  std::vector<std::string> faults;
  if (!judgement.kinematic(negligible)) faults.push_back("a contact closes after it");
  if (!judgement.kinetic(negligible)) faults.push_back("an impulse is outside its friction cone");
  if (!judgement.energetic(negligible)) faults.push_back("it gains energy");
  return fmt::format("{}", fmt::join(faults, ", "));
}

// What a law of restitution does where there is no friction.
void print_frictionless(std::FILE* out, const ImpactOutlook& outlook) {
  if (outlook.rule == RestitutionRule::letter) {
    fmt::print(out, "    the law is taken by the letter: Proposition 8 decides\n");
    return;
  }
  fmt::print(
      out,
      "    without friction: percussions push and what closes parts, by construction; energy "
      "never grows where no contact opens: {}, where touching contacts open, too: {}\n",
      yes_no(outlook.frictionless.closing), yes_no(outlook.frictionless.opening));
}

std::string_view unique_words(Verdict U) {
  if (U == Verdict::yes) return "this matrix is the only one (U-property)";
  return U == Verdict::no ? "other matrices do that, too (no U-property)"
                          : "whether other matrices do that is not known";
}

void print_conditions(std::FILE* out, const ImpactOutlook& outlook) {
  const RestitutionConditions& c = outlook.normal;
  fmt::print(out,
             "    {}Proposition 8: kinematic {}, kinetic {}, energetic {} (copositive, Proposition "
             "2)\n",
             outlook.rule == RestitutionRule::letter ? "" : "the same coefficients by the letter, ",
             yes_no(c.kinematic), yes_no(c.kinetic), yes_no(c.energetic.copositive(1e-10)));
  fmt::print(out, "      for velocities of any sign the least loss is {:.4g}, Proposition 4\n",
             c.smallest_loss);
  if (std::isfinite(c.epsilon_star))  // not for E_nn = 0
    fmt::print(out, "      positive for E_nn^T G^-1 E_nn up to {:.4g} times as large\n",
               c.epsilon_star);
  if (c.conservative)
    fmt::print(out, "      Corollary 1: no arrival loses energy; {}\n",
               unique_words(has_U_property(outlook.G)));
  if (c.symmetric)
    fmt::print(out, "      Proposition 5: spectral radius {:.4g}, at most 1: {}\n",
               c.spectral_radius, yes_no(c.spectral_radius <= 1 + 1e-12));
  fmt::print(out, "      Proposition 6: largest singular value {:.4g}, at most {:.4g}: {}\n",
             c.sigma, c.sigma_bound, yes_no(c.sigma <= c.sigma_bound));
  fmt::print(out, "      Proposition 7: norm {:.4g}, below {:.4g}: {}\n", c.norm, c.norm_bound,
             yes_no(c.norm < c.norm_bound));
  if ((outlook.G - Eigen::MatrixXd::Identity(outlook.G.rows(), outlook.G.cols())).norm() < 1e-10)
    fmt::print(out, "      Proposition 3: orthogonal contacts; one coefficient e leaves e^2\n");
}

void print_sliding(std::FILE* out, const SlidingOutlook& sliding, double ratio) {
  const SlidingConditions& s = sliding.conditions;
  fmt::print(out,
             "    with friction, Theorem 2 for this arrival, {} rough contact{}, all ways to slide "
             "or stick {}:\n",
             sliding.rough, sliding.rough == 1 ? "" : "s",
             sliding.way_by_way ? "by their corners" : "at once, by norms");
  fmt::print(out,
             "      couplings small (Lemma 1) {}; percussions push {}; (i) {:.4g} > {:.4g}: {}; "
             "(ii) normal over tangential {:.4g}, at least {:.4g}: {}\n",
             yes_no(s.lemma_1), yes_no(s.pushes), s.smallest_M, s.largest_K,
             yes_no(s.coupling_small), ratio, s.normal_ratio,
             yes_no(s.coupling_small && ratio >= s.normal_ratio));
}

void print_outlook(std::FILE* out, const ImpactOutlook& outlook) {
  if (!outlook.full) print_frictionless(out, outlook);
  if (!outlook.independent)
    fmt::print(out,
               "    normals that depend on each other: the propositions of RR-8158 ask for "
               "independent ones\n");
  else
    print_conditions(out, outlook);
  if (outlook.full)
    fmt::print(out,
               "    with tangential restitution, Proposition 9: norm {:.4g}, below {:.4g}: {}; "
               "least loss {:.4g}\n",
               outlook.full->norm, outlook.full->norm_bound,
               yes_no(outlook.full->norm < outlook.full->norm_bound), outlook.full->smallest_loss);
  if (outlook.one_restitution)
    fmt::print(out,
               "    with friction: restitution and tangential restitution are one value, so energy "
               "never grows, whatever arrives\n");
  if (outlook.walls_apart)
    fmt::print(out,
               "    with friction: walls move against each other, which Theorem 2 does not "
               "cover\n");
  if (outlook.sliding) print_sliding(out, *outlook.sliding, outlook.normal_ratio);
  fmt::print(out, "    Aghili, E Q E - Q: largest eigenvalue {:.4g} of Q's, not positive: {}{}\n",
             outlook.projection_gain, yes_no(outlook.projection_gain <= 1e-10),
             std::isfinite(outlook.projection_scale)
                 ? fmt::format("; E may be up to {:.6g} times as large", outlook.projection_scale)
                 : "");
}

// The arrival in normal velocities, the fastest 1 m/s.
Eigen::VectorXd normal_speeds(const ShownArrival& arrival, const Eigen::VectorXd& norms) {
  const Eigen::VectorXd u = norms.cwiseProduct(arrival.q_minus);
  return (u / u.cwiseAbs().maxCoeff()).array() + 0.0;  // no −0
}

std::string component_list(const Eigen::VectorXd& x) {
  return x.size() <= most_components ? fmt::format("({:.6g})", fmt::join(x, ", "))
                                     : fmt::format("({} components)", x.size());
}

void print_quasi(std::FILE* out, std::string_view when, const QuasiState& state) {
  fmt::print(out, "    quasi-velocities {} [sqrt(J)]: normal {}, tangential {}\n", when,
             component_list(state.normal), component_list(state.tangential));
  fmt::print(out, "      kinetic energy {:.6g} J quasi-normal, {:.6g} J quasi-tangential\n",
             state.normal_energy, state.tangential_energy);
}

// γ = K⁺/K⁻ [A05, (35)]
template <int D>
double energy_ratio(const ImpactForecast<D>& forecast) {
  const auto energy = [](const QuasiState& state) {
    return state.normal_energy + state.tangential_energy;
  };
  return energy(*forecast.quasi_after) / energy(*forecast.quasi_before);
}

std::string_view word_of(ContactMode mode) {
  switch (mode) {
    case ContactMode::detach:
      return "detach";
    case ContactMode::stick:
      return "stick";
    case ContactMode::slip_plus:
      return "slide +";
    case ContactMode::slip_minus:
      return "slide -";
    case ContactMode::slip:
      return "slide";
    default:
      return "push";  // without friction
  }
}

std::vector<std::string_view> words_of(const ModeSolution& mode) {
  std::vector<std::string_view> words;
  for (const ContactMode m : mode.unilateral) words.push_back(word_of(m));
  return words;
}

void print_impact_modes(std::FILE* out, const ModeList& modes) {
  const std::size_t count = modes.solutions.size();
  const std::string_view unfinished = modes.complete ? "" : "; the search was broken off";
  if (count == 0) {
    fmt::print(out, "    modes of the impact: none{}\n", unfinished);
    return;
  }
  const bool one = one_acceleration(modes);
  const bool unique = count == 1 && modes.solutions.front().freedom == 0;
  fmt::print(out, "    modes of the impact: {}{}{}\n",
             one ? "one motion" : fmt::format("several, {}", count),
             one && !unique ? "; its percussions are not unique" : "", unfinished);
  for (std::size_t k = 0; k < std::min(count, most_modes); ++k)
    fmt::print(out, "      {}\n", fmt::join(words_of(modes.solutions[k]), ", "));
  if (count > most_modes) fmt::print(out, "      … and {} more\n", count - most_modes);
}

void print_all_slide(std::FILE* out, const SlidingMode& mode) {
  fmt::print(out, "    all slide on as they arrive (Propositions 10, 11): {}\n",
             mode.exists    ? "this mode exists"
             : mode.pushes  ? "no, a slip would reverse"
             : mode.regular ? "no, a percussion would pull"
                            : "no, the matrix is singular");
}

void print_refutation(std::FILE* out, const ImpactOutlook& outlook) {
  if (!outlook.frictionless.refuted_by || outlook.sliding || outlook.one_restitution) return;
  const ShownArrival& arrival = *outlook.frictionless.refuted_by;
  const Eigen::VectorXd u = normal_speeds(arrival, outlook.norms);
  fmt::print(out, "    refuted by the arrival u_N = ({:.4g}) m/s: {}\n", fmt::join(u, ", "),
             arrival.gain > 0 ? fmt::format("it gains {:.3g} of its energy", arrival.gain)
                              : fmt::format("a contact pulls with {:.3g} of the largest percussion",
                                            arrival.pull));
}

void print_bounds(std::FILE* out, std::size_t contacts, const RestitutionBounds& b) {
  fmt::print(out,
             "    {} contacts: norm and spectral bounds alone; copositivity, least losses, "
             "tangential blocks{} are left out\n",
             contacts, b.frictionless ? "" : " and Theorem 2");
  if (!b.independent) {
    fmt::print(out,
               "    normals that depend on each other: the propositions of RR-8158 ask for "
               "independent ones\n");
    return;
  }
  fmt::print(out, "      eigenvalues of G between {:.4g} and {:.4g}\n", b.smallest_G, b.largest_G);
  fmt::print(out, "      without friction: kinematic {}, kinetic {}\n", yes_no(b.kinematic),
             yes_no(b.kinetic));
  if (b.one_coefficient)
    fmt::print(out, "      Proposition 5: one coefficient {:.4g}, at most 1: {}\n",
               b.spectral_radius, yes_no(b.spectral_radius <= 1 + 1e-12));
  fmt::print(out, "      Proposition 6: largest singular value {:.4g}, at most {:.4g}: {}\n",
             b.sigma, b.sigma_bound, b.sigma <= b.sigma_bound ? "yes" : "not known");
  fmt::print(out, "      Proposition 7: norm {:.4g}, below {:.4g}: {}\n", b.norm, b.norm_bound,
             b.norm < b.norm_bound ? "yes" : "not known");
}

std::string refutation_json(const ImpactOutlook& outlook) {
  const ShownArrival& arrival = *outlook.frictionless.refuted_by;
  const Eigen::VectorXd u = normal_speeds(arrival, outlook.norms);
  return JsonObject()
      .raw("normal_velocities", fmt::format("[{}]", fmt::join(u, ", ")))
      .add("gain", arrival.gain)
      .add("pull", arrival.pull)
      .text();
}

std::string sliding_json(const SlidingOutlook& sliding) {
  const SlidingConditions& s = sliding.conditions;
  return JsonObject()
      .add("rough_contacts", sliding.rough)
      .add("way_by_way", sliding.way_by_way)
      .add("lemma_1", s.lemma_1)
      .add("pushes", s.pushes)
      .add("smallest_M", s.smallest_M)
      .add("largest_K", s.largest_K)
      .add("coupling_small", s.coupling_small)
      .add("normal_ratio", s.normal_ratio)
      .text();
}

std::string quasi_json(const QuasiState& state) {
  return JsonObject()
      .raw("normal", fmt::format("[{}]", fmt::join(state.normal, ", ")))
      .raw("tangential", fmt::format("[{}]", fmt::join(state.tangential, ", ")))
      .add("normal_energy", state.normal_energy)
      .add("tangential_energy", state.tangential_energy)
      .text();
}

std::string impact_modes_json(const ModeList& modes) {
  std::vector<std::string> solutions;
  for (const ModeSolution& solution : modes.solutions) {
    std::vector<std::string> words;
    for (const std::string_view word : words_of(solution)) words.push_back(json_string(word));
    solutions.push_back(JsonObject()
                            .raw("contacts", fmt::format("[{}]", fmt::join(words, ", ")))
                            .add("freedom", solution.freedom)
                            .text());
  }
  return JsonObject()
      .add("complete", modes.complete)
      .add("one_motion", one_acceleration(modes))
      .raw("solutions", fmt::format("[{}]", fmt::join(solutions, ", ")))
      .text();
}

bool is_newtonian(const ImpactLaw& law) {
  return !std::holds_alternative<PoissonLaw>(law) && !std::holds_alternative<LzbLaw>(law);
}

std::string_view promise(Verdict admissible, Verdict opening) {
  if (admissible == Verdict::no) return "NOT ADMISSIBLE for some velocities of arrival";
  if (admissible == Verdict::unknown) return "nothing is proved of it";
  if (opening == Verdict::yes) return "proved to be admissible";
  return opening == Verdict::no
             ? "proved to be admissible where no contact opens on arrival, NOT where one does"
             : "proved to be admissible where no contact opens on arrival";
}

template <int D>
std::string promise(const ImpactForecast<D>& forecast) {
  if (forecast.outlook) {
    const ImpactOutlook& o = *forecast.outlook;
    if (o.one_restitution) return std::string(promise(o.admissible, Verdict::yes));
    if (o.walls_apart) return "nothing is proved of it";
    if (!o.sliding) return std::string(promise(o.admissible, o.frictionless.opening));
    return o.admissible == Verdict::yes ? "proved to be admissible for the present velocities"
                                        : "nothing is proved of it";
  }
  if (!forecast.bounds) return "nothing is proved of it";
  const RestitutionBounds& b = *forecast.bounds;
  const bool rough = !b.frictionless && b.rule == RestitutionRule::complementarity;
  return std::string(promise(b.admissible, rough ? b.admissible : b.opening));
}

}  // namespace

template <int D>
void print_impacts(std::FILE* out, const Scene<D>& scene,
                   std::span<const ImpactForecast<D>> forecasts) {
  if (forecasts.empty()) return;
  fmt::print(out, "impacts, law \"{}\"{}\n", law_name(scene.impact_law),
             is_newtonian(scene.impact_law)
                 ? ""
                 : ": conditions of Newton's law with the same coefficients");
  for (std::size_t k = 0; k < std::min(forecasts.size(), most_clusters); ++k) {
    const ImpactForecast<D>& forecast = forecasts[k];
    std::vector<std::string> names = pair_names<D>(scene, forecast);
    if (names.size() > most_pairs) {
      const std::size_t more = names.size() - most_pairs;
      names.resize(most_pairs);
      names.push_back(fmt::format("… and {} more", more));
    }
    fmt::print(out, "  {}: {}\n", forecast.closes ? "closing" : "touching", fmt::join(names, ", "));
    if (forecast.outlook) {
      print_outlook(out, *forecast.outlook);
      print_refutation(out, *forecast.outlook);
    } else if (forecast.bounds) {
      print_bounds(out, forecast.contacts.size(), *forecast.bounds);
    } else {
      fmt::print(out, "    too many contacts beside joints to look at as a whole\n");
    }
    if (forecast.quasi_before) print_quasi(out, "before", *forecast.quasi_before);
    if (forecast.quasi_forces)
      fmt::print(out, "      F_norm {}, F_tan {} sqrt(J)/s\n",
                 component_list(forecast.quasi_forces->normal),
                 component_list(forecast.quasi_forces->tangential));
    if (forecast.quasi_after) {
      print_quasi(out, "after", *forecast.quasi_after);
      fmt::print(out, "      the impact leaves {:.6g} of the kinetic energy\n",
                 energy_ratio(forecast));
    }
    if (forecast.modes) print_impact_modes(out, *forecast.modes);
    if (forecast.all_slide) print_all_slide(out, *forecast.all_slide);
    std::string verdict(is_newtonian(scene.impact_law) ? "" : "under Newton's law ");
    verdict += promise<D>(forecast);
    if (forecast.judgement) {
      const std::string wrong = faults(*forecast.judgement);
      const bool proved_now = verdict.ends_with("for the present velocities");
      verdict +=
          wrong.empty()
              ? fmt::format("{} admissible", proved_now ? ", and as computed it is"
                                                        : "; for the present velocities it is")
              : fmt::format("; for the present velocities NOT ADMISSIBLE: {}", wrong);
      if (forecast.judgement->gain > negligible)
        verdict += fmt::format(" ({:.3g} J)", forecast.judgement->work);
    } else if (forecast.left_out) {
      verdict += "; too large to be computed for the present velocities";
    } else if (forecast.closes) {
      verdict += "; for the present velocities the law has no answer";
    }
    fmt::print(out, "    in short: {}\n", verdict);
  }
  if (forecasts.size() > most_clusters)
    fmt::print(out, "  … and {} more clusters\n", forecasts.size() - most_clusters);
}

template <int D>
std::string impacts_json(const Scene<D>& scene, std::span<const ImpactForecast<D>> forecasts) {
  std::vector<std::string> items;
  for (const ImpactForecast<D>& forecast : forecasts) {
    JsonObject json;
    std::vector<std::string> pairs;
    for (const std::string& name : pair_names<D>(scene, forecast))
      pairs.push_back(json_string(name));
    json.add("law", law_name(scene.impact_law)).add("closes", forecast.closes);
    json.raw("contacts", fmt::format("[{}]", fmt::join(pairs, ", ")));
    if (forecast.outlook) {
      const ImpactOutlook& o = *forecast.outlook;
      json.add("independent", o.independent).add("proved_admissible", yes_no(o.admissible));
      json.add("law_by", o.rule == RestitutionRule::letter ? "letter" : "complementarity");
      json.add("one_restitution", o.one_restitution);
      json.add("no_gain_where_contacts_open", yes_no(o.frictionless.opening));
      if (o.frictionless.refuted_by) json.raw("refuted_by", refutation_json(o));
      json.add("projection_scale", o.projection_scale);
      json.add("projection_gain", o.projection_gain).add("normal_over_tangential", o.normal_ratio);
      if (o.independent) {
        JsonObject c;
        c.add("kinematic", o.normal.kinematic).add("kinetic", o.normal.kinetic);
        c.add("energetic", yes_no(o.normal.energetic.copositive(1e-10)));
        c.add("least_loss", o.normal.smallest_loss).add("symmetric", o.normal.symmetric);
        c.add("epsilon_star", o.normal.epsilon_star).add("conservative", o.normal.conservative);
        c.add("U_property", yes_no(has_U_property(o.G)));
        c.add("spectral_radius", o.normal.spectral_radius);
        c.add("sigma", o.normal.sigma).add("sigma_bound", o.normal.sigma_bound);
        c.add("norm", o.normal.norm).add("norm_bound", o.normal.norm_bound);
        json.raw("normal", c.text());
      }
      if (o.full)
        json.raw("full", JsonObject()
                             .add("norm", o.full->norm)
                             .add("norm_bound", o.full->norm_bound)
                             .add("least_loss", o.full->smallest_loss)
                             .text());
      if (o.sliding) json.raw("sliding", sliding_json(*o.sliding));
    }
    if (forecast.bounds) {
      const RestitutionBounds& b = *forecast.bounds;
      json.add("independent", b.independent).add("proved_admissible", yes_no(b.admissible));
      json.raw("bounds", JsonObject()
                             .add("smallest_G", b.smallest_G)
                             .add("largest_G", b.largest_G)
                             .add("kinematic", b.kinematic)
                             .add("kinetic", yes_no(b.kinetic))
                             .add("one_coefficient", b.one_coefficient)
                             .add("spectral_radius", b.spectral_radius)
                             .add("sigma", b.sigma)
                             .add("sigma_bound", b.sigma_bound)
                             .add("norm", b.norm)
                             .add("norm_bound", b.norm_bound)
                             .text());
    }
    if (forecast.quasi_before) json.raw("before", quasi_json(*forecast.quasi_before));
    if (forecast.quasi_forces) {
      const QuasiForces& F = *forecast.quasi_forces;
      json.raw("F_norm", fmt::format("[{}]", fmt::join(F.normal, ", ")));
      json.raw("F_tan", fmt::format("[{}]", fmt::join(F.tangential, ", ")));
    }
    if (forecast.quasi_after) {
      json.raw("after", quasi_json(*forecast.quasi_after));
      json.add("energy_ratio", energy_ratio(forecast));
    }
    if (forecast.modes) json.raw("modes", impact_modes_json(*forecast.modes));
    if (forecast.all_slide) json.add("all_slide", forecast.all_slide->exists);
    if (forecast.judgement) {
      const ImpactJudgement& j = *forecast.judgement;
      json.raw("as_it_comes", JsonObject()
                                  .add("admissible", faults(j).empty())
                                  .add("closing", j.closing)
                                  .add("cone", j.cone)
                                  .add("gain", j.gain)
                                  .add("work", j.work)
                                  .text());
    }
    items.push_back(json.text());
  }
  return fmt::format("[{}]", fmt::join(items, ", "));
}

#define TALUS_INSTANTIATE(D)                                                                       \
  template void print_impacts<D>(std::FILE*, const Scene<D>&, std::span<const ImpactForecast<D>>); \
  template std::string impacts_json<D>(const Scene<D>&, std::span<const ImpactForecast<D>>);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
