// SPDX-License-Identifier: Apache-2.0
// `talus analyze`: is the contact problem of a configuration well posed, how much friction may it
// have, and are the impacts that are about to happen admissible?
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "engine/outlook/active_constraints.hpp"
#include "io/text/finite_number.hpp"
#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "solvers/analysis/well_posedness.hpp"
#include "tools/commands/analysis_json.hpp"
#include "tools/commands/analysis_report.hpp"
#include "tools/commands/blow_report.hpp"
#include "tools/commands/body_index.hpp"
#include "tools/commands/bundled.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/friction_plot.hpp"
#include "tools/terminal/number_option.hpp"

namespace talus {

namespace {

struct AnalyzeArguments : AnalysisOptions {
  std::string source;
  std::optional<double> at;
  std::vector<std::string> overrides;
  std::string plot;
  std::vector<std::string> sweeps;
  bool json = false, force = false;
};

template <int D>
NextStep next_step(World<D>& world) {
  NextStep next;
  next.converged = world.step().converged;
  for (const ActiveContact<D>& active : world.contacts()) {
    const ContactMode mode = active.slides()    ? ContactMode::slide
                             : active.presses() ? ContactMode::stick
                                                : ContactMode::detach;
    next.contacts.push_back({world.bodies().id[at(active.contact.key.a)],
                             world.bodies().id[at(active.contact.key.b)], mode,
                             active.percussion[0] / world.scene().h});
  }
  return next;
}

template <int D>
void analyse(World<D>& world, const MasslessBodies& massless, double seconds,
             Analysis<D>& analysis) {
  analysis.active =
      active_constraints<D>(world.scene(), world.bodies(), world.time(), {}, massless);
  analysis.report = well_posedness(
      analysis.active.system, {.most_visits = std::numeric_limits<int>::max(), .seconds = seconds});
  if (!massless.empty()) return;  // impacts and steps need masses
  analysis.impacts = forecast_impacts<D>(world.scene(), world.bodies(), world.time());
  const WellPosedness& report = analysis.report;
  if (!report.modes && !report.lemke && !report.cones && !analysis.active.unilateral.empty()) {
    analysis.next_step = next_step<D>(world);
    if (analysis.next_step->converged && analysis.report.advice == Advice::undecided)
      analysis.report.advice = Advice::resting;
  }
}

template <int D>
std::vector<int> indices(const World<D>& world, const std::vector<std::string>& names) {
  std::vector<int> indices;
  for (const std::string& name : names) indices.push_back(body_index<D>(world, name));
  return indices;
}

template <int D>
Analysis<D> analyse(World<D>& world, const AnalysisOptions& options) {
  const MasslessBodies massless{indices<D>(world, options.massless),
                                indices<D>(world, options.particles)};
  Analysis<D> analysis;
  for (const std::string& text : options.blows)
    analysis.blows.push_back(parse_blow<D>(text, world));
  if (!analysis.blows.empty())
    analysis.response = strike<D>(world.scene(), world.bodies(), analysis.blows);
  analyse<D>(world, massless, options.seconds, analysis);
  return analysis;
}

// The friction bound and the friction of the scene, for one point of the plot.
PlottedBound bound_of(const WorldAt& moment, double x) {
  return std::visit(
      [&]<int D>(const World<D>& world) {
        const ActiveConstraints<D> active =
            active_constraints<D>(world.scene(), world.bodies(), world.time());
        const WellPosedness report =
            well_posedness(active.system, {.most_contacts = 0, .most_unknowns = 0});
        return PlottedBound{x, report.bounds.best, report.bounds.largest};
      },
      moment.world);
}

constexpr int most_sweep_values = 10'000;  // more than a plot can show

struct Sweep {
  std::string key;
  double from = 0, to = 0;
  int count = 0;
};

Sweep parse_sweep(const std::string& text) {
  const auto fail = [&]() -> Sweep {
    throw InputError(
        fmt::format("--sweep {}: expected KEY=FROM:TO:COUNT with FROM < TO and a count of 2 to {}",
                    text, most_sweep_values));
  };
  const std::size_t equals = text.find('='), first = text.find(':'), last = text.rfind(':');
  if (equals == std::string::npos || first == std::string::npos || first == last) return fail();
  const std::string_view words(text);
  const auto from = finite_number(words.substr(equals + 1, first - equals - 1)),
             to = finite_number(words.substr(first + 1, last - first - 1)),
             count = finite_number(words.substr(last + 1));
  const bool understood = equals > 0 && equals < first && from && to && *from < *to && count &&
                          *count >= 2 && *count <= most_sweep_values &&
                          *count == std::floor(*count);
  if (!understood) return fail();
  return {text.substr(0, equals), *from, *to, static_cast<int>(*count)};
}

MapAxis values_of(const Sweep& sweep) {
  MapAxis axis{sweep.key, {}};
  for (int k = 0; k < sweep.count; ++k)
    axis.values.push_back(sweep.from + (sweep.to - sweep.from) * k / (sweep.count - 1));
  return axis;
}

// The source with some keys of its scene changed.
WorldAt with(const AnalyzeArguments& arguments,
             const std::vector<std::pair<std::string, double>>& values) {
  std::vector<std::string> overrides = arguments.overrides;
  for (const auto& [key, value] : values) overrides.push_back(fmt::format("{}={}", key, value));
  return AnalysisSource(arguments.source, overrides).at(arguments.at);
}

std::string map_over_two_keys(const AnalyzeArguments& arguments) {
  const MapAxis x = values_of(parse_sweep(arguments.sweeps[0])),
                y = values_of(parse_sweep(arguments.sweeps[1]));
  std::vector<Advice> advice;
  for (const double v : y.values) {
    for (const double u : x.values) {
      const WorldAt moment = with(arguments, {{x.name, u}, {y.name, v}});
      advice.push_back(std::visit(
          [&]<int D>(const World<D>& world) {
            return well_posedness(
                       active_constraints<D>(world.scene(), world.bodies(), world.time()).system)
                .advice;
          },
          moment.world));
    }
  }
  return advice_map(x, y, advice);
}

std::string curve_of_bound(const AnalyzeArguments& arguments) {
  std::vector<PlottedBound> curve;
  std::string axis = "time [s]";
  if (!arguments.sweeps.empty()) {
    const MapAxis sweep = values_of(parse_sweep(arguments.sweeps[0]));
    axis = sweep.name;
    for (const double x : sweep.values)
      curve.push_back(bound_of(with(arguments, {{sweep.name, x}}), x));
  } else {
    const AnalysisSource source(arguments.source, arguments.overrides);
    if (!source.is_run())
      throw InputError(fmt::format(
          "{}: is a scene: plot a run of it, or give --sweep KEY=FROM:TO:COUNT", arguments.source));
    for (const double time : source.times()) curve.push_back(bound_of(source.at(time), time));
  }
  return bound_plot(axis, curve);
}

int plot(const AnalyzeArguments& arguments) {
  if (arguments.sweeps.size() > 2) throw InputError("a plot has one --sweep or two");
  const Existing existing = existing_files(arguments.force);
  refuse_existing(arguments.plot, existing);
  const std::string svg =
      arguments.sweeps.size() == 2 ? map_over_two_keys(arguments) : curve_of_bound(arguments);
  write_text_file(arguments.plot, svg, existing);
  fmt::print(stderr, "wrote {}\n", arguments.plot);
  return 0;
}

int analyze(const AnalyzeArguments& arguments) {
  if (!arguments.plot.empty()) return plot(arguments);
  if (!arguments.sweeps.empty()) throw InputError("--sweep goes with --plot OUT.svg");
  WorldAt moment = AnalysisSource(arguments.source, arguments.overrides).at(arguments.at);
  std::visit(
      [&]<int D>(World<D>& world) {
        const Analysis<D> analysis = analyse<D>(world, arguments);
        std::FILE* const out = arguments.json ? stderr : stdout;
        fmt::print(out, "{} at t = {:.6g} s\n", arguments.source, moment.time);
        print_analysis<D>(out, world.scene(), world.bodies(), analysis);
        if (arguments.json)
          fmt::print("{}\n", analysis_json<D>(arguments.source, moment.time, world.scene(),
                                              world.bodies(), analysis));
      },
      moment.world);
  return 0;
}

}  // namespace

std::string analysis_json(const std::string& source, WorldAt& moment,
                          const AnalysisOptions& options) {
  return std::visit(
      [&]<int D>(World<D>& world) {
        const Analysis<D> analysis = analyse<D>(world, options);
        return analysis_json<D>(source, moment.time, world.scene(), world.bodies(), analysis);
      },
      moment.world);
}

void add_analyze(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand(
      "analyze",
      "Say whether contacts of a scene or of a run are well posed, and impacts admissible");
  const auto arguments = std::make_shared<AnalyzeArguments>();
  command
      ->add_option("source", arguments->source,
                   "Scene (.toml, or the name of a bundled one) or trajectory (.h5)")
      ->required();
  command->add_option("--at", arguments->at, "Time [s]; default: the start")
      ->check(any_finite_number());
  command
      ->add_option("--seconds", arguments->seconds,
                   "Longest search for ways to stick, slide and detach [s]; default: 5")
      ->check(positive_number());
  command
      ->add_option("--massless", arguments->massless,
                   "NAME: a body to take without mass and inertia; may be given again")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--particle", arguments->particles,
                   "NAME: a body to take without inertia; may be given again")
      ->take_all()
      ->expected(1);
  command
      ->add_option(
          "--blow", arguments->blows,
          "BODY:[px,py,pz]@[x,y,z]: strike a body with an impulse [N s] at a point [m], by "
          "default its mass centre; may be given again, for blows at once")
      ->take_all()
      ->expected(1);
  command->add_option("--set", arguments->overrides, "key=value: change the scene")
      ->take_all()
      ->expected(1);
  command->add_option("--plot", arguments->plot,
                      "Draw the friction bound along a run or over --sweep, or a map, as SVG");
  command
      ->add_option("--sweep", arguments->sweeps,
                   "KEY=FROM:TO:COUNT, a key of the scene; given twice: a map over two keys")
      ->take_all()
      ->expected(1);
  command->add_flag("--force", arguments->force, "Overwrite an existing plot");
  command->add_flag("--json", arguments->json, "End standard output with one JSON object");
  command->footer(
      "Example:  talus analyze scenes/ladder.toml --plot map.svg \\\n"
      "              --sweep joint.wall.friction=0:2:41 --sweep contact.0.friction=0:2:41");
  command->callback([arguments, &action] {
    action = [arguments] {
      arguments->source = scene_file(arguments->source);
      return analyze(*arguments);
    };
  });
}

}  // namespace talus
