// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/impact_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/terminal/json.hpp"

namespace talus {

namespace {

constexpr std::size_t most_clusters = 5, most_pairs = 8;
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

void print_outlook(std::FILE* out, const ImpactOutlook& outlook) {
  if (!outlook.independent) {
    fmt::print(out,
               "    normals that depend on each other: the propositions of RR-8158 ask for "
               "independent ones\n");
  } else {
    const RestitutionConditions& c = outlook.normal;
    fmt::print(out,
               "    without friction, Proposition 8: kinematic {}, kinetic {}, energetic {} "
               "(copositive, Proposition 2)\n",
               yes_no(c.kinematic), yes_no(c.kinetic), yes_no(c.energetic.copositive(1e-10)));
    fmt::print(out, "      for velocities of any sign the least loss is {:.4g}, Proposition 4\n",
               c.smallest_loss);
    if (c.symmetric)
      fmt::print(out, "      Proposition 5: spectral radius {:.4g}, at most 1: {}\n",
                 c.spectral_radius, yes_no(c.spectral_radius <= 1 + 1e-12));
    fmt::print(out, "      Proposition 6: largest singular value {:.4g}, at most {:.4g}: {}\n",
               c.sigma, c.sigma_bound, yes_no(c.sigma <= c.sigma_bound));
    fmt::print(out, "      Proposition 7: norm {:.4g}, below {:.4g}: {}\n", c.norm, c.norm_bound,
               yes_no(c.norm < c.norm_bound));
    if ((outlook.G - Eigen::MatrixXd::Identity(outlook.G.rows(), outlook.G.cols())).norm() < 1e-10)
      fmt::print(out, "      Proposition 3: orthogonal contacts; one coefficient e leaves e^2\n");
    if (outlook.full)
      fmt::print(out,
                 "    with tangential restitution, Proposition 9: norm {:.4g}, below {:.4g}: {}; "
                 "least loss {:.4g}\n",
                 outlook.full->norm, outlook.full->norm_bound,
                 yes_no(outlook.full->norm < outlook.full->norm_bound),
                 outlook.full->smallest_loss);
    if (outlook.sliding) {
      const SlidingConditions& s = *outlook.sliding;
      fmt::print(out,
                 "    with friction, Theorem 2: couplings small (Lemma 1) {}, (i) {:.4g} > {:.4g}: "
                 "{}, (ii) normal over tangential {:.4g}, at least {:.4g}: {}\n",
                 yes_no(s.lemma_1), s.smallest_M, s.largest_K, yes_no(s.coupling_small),
                 outlook.normal_ratio, s.normal_ratio,
                 yes_no(s.coupling_small && outlook.normal_ratio >= s.normal_ratio));
    }
  }
  fmt::print(out, "    Aghili, E Q E - Q: largest eigenvalue {:.4g} of Q's, not positive: {}\n",
             outlook.projection_gain, yes_no(outlook.projection_gain <= 1e-10));
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

bool is_newtonian(const ImpactLaw& law) {
  return !std::holds_alternative<PoissonLaw>(law) && !std::holds_alternative<LzbLaw>(law);
}

std::string_view promise(Verdict admissible) {
  if (admissible == Verdict::yes) return "proved to be admissible";
  if (admissible == Verdict::no) return "NOT ADMISSIBLE for some velocities of arrival";
  return "nothing is proved of it";
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
    if (forecast.outlook)
      print_outlook(out, *forecast.outlook);
    else if (forecast.bounds)
      print_bounds(out, forecast.contacts.size(), *forecast.bounds);
    else
      fmt::print(out, "    too many contacts beside joints to look at as a whole\n");
    std::string verdict(is_newtonian(scene.impact_law) ? "" : "under Newton's law ");
    verdict += promise(forecast.outlook  ? forecast.outlook->admissible
                       : forecast.bounds ? forecast.bounds->admissible
                                         : Verdict::unknown);
    if (forecast.judgement) {
      const std::string wrong = faults(*forecast.judgement);
      verdict += wrong.empty()
                     ? "; for the present velocities it is admissible"
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
      json.add("projection_gain", o.projection_gain).add("normal_over_tangential", o.normal_ratio);
      if (o.independent) {
        JsonObject c;
        c.add("kinematic", o.normal.kinematic).add("kinetic", o.normal.kinetic);
        c.add("energetic", yes_no(o.normal.energetic.copositive(1e-10)));
        c.add("least_loss", o.normal.smallest_loss).add("symmetric", o.normal.symmetric);
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
      if (o.sliding)
        json.raw("sliding", JsonObject()
                                .add("lemma_1", o.sliding->lemma_1)
                                .add("smallest_M", o.sliding->smallest_M)
                                .add("largest_K", o.sliding->largest_K)
                                .add("coupling_small", o.sliding->coupling_small)
                                .add("normal_ratio", o.sliding->normal_ratio)
                                .text());
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
