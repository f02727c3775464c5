// SPDX-License-Identifier: Apache-2.0
// `talus limit`: the largest live load for which forces in the friction cones exist, and the
// mechanism by which bodies collapse beyond it.
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "io/check/world_at.hpp"
#include "io/text/finite_number.hpp"
#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "tools/commands/bundled.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/limit_report.hpp"
#include "tools/commands/limit_sweep.hpp"
#include "tools/draw/mechanism_picture.hpp"
#include "tools/terminal/number_option.hpp"

namespace talus {

namespace {

struct LimitArguments {
  std::string source;
  std::optional<double> at;
  std::vector<std::string> overrides;
  LoadOptions load;
  std::optional<double> forces_at;
  bool dynamic = false;
  LimitRunOptions runs;
  std::vector<std::string> sweeps;
  std::string picture, table;
  bool json = false, force = false;
};

// RUN.h5@TIME is RUN.h5 --at TIME, unless a file has that name.
void split_time(LimitArguments& arguments) {
  const std::size_t split = arguments.source.rfind('@');
  std::error_code ignored;
  if (split == std::string::npos || std::filesystem::exists(arguments.source, ignored)) return;
  const auto time = finite_number(std::string_view(arguments.source).substr(split + 1));
  if (!time)
    throw InputError(fmt::format("{}: '{}' is no time; write RUN.h5@0.5", arguments.source,
                                 arguments.source.substr(split + 1)));
  if (arguments.at)
    throw InputError(fmt::format("{}: gives a time, as --at does", arguments.source));
  arguments.at = time;
  arguments.source.resize(split);
}

template <int D>
std::string picture_of(const World<D>& world, const LimitReport<D>& report) {
  if (!report.largest || report.largest->verdict != ConeVerdict::solved)
    throw InputError(fmt::format("{}: there is no mechanism to draw", report.source));
  return mechanism_picture<D>(world.bodies(), report.largest->mechanism, report.pairs,
                              limit_title<D>(report));
}

// `told` hears of every run with Coulomb's law.
template <int D>
LimitReport<D> examine(const LimitArguments& arguments, const World<D>& world, double time,
                       const LimitAnalysis<D>& analysis,
                       const std::function<void(double, bool)>& told) {
  LiveLoad<D> live = live_load<D>(arguments.load, world);
  if (live.question == Question::settle && arguments.dynamic)
    throw InputError("--dynamic: a support that yields is a run; give it a `drive`");
  if (live.question == Question::tilt) require_gravity_alone<D>(world, analysis);
  LimitReport<D> report = limit_report<D>(world, analysis, std::move(live));
  report.source = arguments.source;
  report.time = time;
  if (arguments.dynamic && report.outcome == LimitOutcome::bounded)
    report.runs =
        bisect_runs<D>(world, report.live, report.largest->multiplier, arguments.runs, told);
  return report;
}

template <int D>
void require_inertia(const World<D>& world, const std::string& source) {
  if (!world.scene().has_inertia())
    throw InputError(fmt::format(
        "{}: bodies without inertia feel no force; dynamics = \"second-order\"", source));
}

template <int D>
SweptLimit swept_limit(const LimitArguments& arguments, const World<D>& world, double time) {
  require_inertia<D>(world, arguments.source);
  const LimitAnalysis<D> analysis(world.scene(), world.bodies(), world.time());
  const LimitReport<D> report = examine<D>(arguments, world, time, analysis, [](double, bool) {});
  SweptLimit limit;
  limit.outcome = outcome_word(report.outcome);
  if (report.largest && report.largest->verdict == ConeVerdict::solved) {
    limit.largest = report.largest->multiplier;
    limit.dual = report.largest->dual;
  }
  if (report.runs && !report.runs->falls_alone) {
    limit.stood = report.runs->stood;
    limit.gave_way = report.runs->gave_way;
  }
  if (arguments.json) limit.json = limit_json<D>(world, analysis, report);
  return limit;
}

int sweep(const LimitArguments& arguments) {
  const auto refuse = [](const char* option) {
    throw InputError(fmt::format("{}: is of one configuration; give it without --sweep", option));
  };
  if (!arguments.picture.empty()) refuse("--picture");
  if (arguments.forces_at) refuse("--forces");
  if (!arguments.table.empty()) refuse_existing(arguments.table, existing_files(arguments.force));
  SweepTable table;
  table.runs = arguments.dynamic;
  table.quantity = arguments.load.settle.empty() ? "lambda_static" : "pressing_least";
  for (const std::string& text : arguments.sweeps) {
    table.keys.push_back(parse_swept_key(text));
    for (std::size_t k = 0; k + 1 < table.keys.size(); ++k)
      if (table.keys[k].key == table.keys.back().key)
        throw InputError(fmt::format("--sweep {}: is given twice", table.keys.back().key));
  }
  const std::size_t count = combinations(table.keys);
  // Every value is tried before anything is solved.
  const auto source_of = [&](const std::vector<std::string>& values) {
    std::vector<std::string> overrides = arguments.overrides;
    for (std::size_t i = 0; i < values.size(); ++i)
      overrides.push_back(fmt::format("{}={}", table.keys[i].key, values[i]));
    AnalysisSource source(arguments.source, overrides);
    if (source.is_run())
      throw InputError(fmt::format("--sweep: varies a scene, and {} is a run", arguments.source));
    return source;
  };
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    std::vector<std::string> values = combination(table.keys, 0);
    for (const std::string& value : table.keys[i].values) {
      values[i] = value;
      source_of(values);
    }
  }
  bool open = false;
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<std::string> values = combination(table.keys, k);
    const WorldAt moment = source_of(values).at(arguments.at);
    table.rows.push_back(std::visit(
        [&]<int D>(const World<D>& world) { return swept_limit<D>(arguments, world, moment.time); },
        moment.world));
    table.rows.back().values = values;
    open = open || table.rows.back().outcome == outcome_word(LimitOutcome::open);
    print_row(arguments.json ? stderr : stdout, table, k);
  }
  if (!arguments.table.empty()) {
    write_text_file(arguments.table, table.csv(), existing_files(arguments.force));
    fmt::print(stderr, "wrote {}\n", arguments.table);
  }
  if (arguments.json) fmt::print("{}\n", table.json());
  return open ? 3 : 0;
}

int limit(LimitArguments arguments) {
  split_time(arguments);
  const Existing existing = existing_files(arguments.force);
  if (!arguments.picture.empty()) refuse_existing(arguments.picture, existing);
  arguments.source = scene_file(arguments.source);
  if (!arguments.sweeps.empty()) return sweep(arguments);
  if (!arguments.table.empty()) throw InputError("--table: is of a --sweep");
  const WorldAt moment = AnalysisSource(arguments.source, arguments.overrides).at(arguments.at);
  return std::visit(
      [&]<int D>(const World<D>& world) {
        require_inertia<D>(world, arguments.source);
        const LimitAnalysis<D> analysis(world.scene(), world.bodies(), world.time());
        LimitReport<D> report =
            examine<D>(arguments, world, moment.time, analysis, [](double multiplier, bool stands) {
              fmt::print(stderr, "a run with λ = {:.6g}: {}\n", multiplier,
                         stands ? "stands" : "gives way");
            });
        if (arguments.forces_at && report.largest)
          find_ranges<D>(analysis, *arguments.forces_at, report);
        const std::string svg = arguments.picture.empty() ? "" : picture_of<D>(world, report);
        print_limit<D>(arguments.json ? stderr : stdout, world, analysis, report);
        if (!arguments.picture.empty()) {
          write_text_file(arguments.picture, svg, existing);
          fmt::print(stderr, "wrote {}\n", arguments.picture);
        }
        if (arguments.json) fmt::print("{}\n", limit_json<D>(world, analysis, report));
        return report.outcome == LimitOutcome::open ? 3 : 0;
      },
      moment.world);
}

}  // namespace

void add_limit(CLI::App& app, Action& action) {
  CLI::App* const command =
      app.add_subcommand("limit", "Find the load at which blocks collapse, and how they do");
  const auto arguments = std::make_shared<LimitArguments>();
  command
      ->add_option(
          "source", arguments->source,
          "Scene (.toml, or the name of a bundled one) or trajectory (RUN.h5, RUN.h5@TIME)")
      ->required();
  command->add_option("--at", arguments->at, "Time [s]; default: the start")
      ->check(any_finite_number());
  LoadOptions& load = arguments->load;
  command->add_option("--push", load.push,
                      "[x,y] or [x,y,z]: push bodies in this direction, by λ times their weight");
  command
      ->add_option("--on", load.on,
                   "NAME or pattern such as 'wall.*': bodies to push; may be given again; default: "
                   "all that move freely")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--load", load.loads,
                   "BODY:[fx,fy]@[x,y]: λ times a force [N] at a point [m], by default the mass "
                   "centre; may be given again")
      ->take_all()
      ->expected(1);
  command->add_option("--tilt", load.tilt,
                      "[x,y]: turn gravity towards this direction, as on a tilting table");
  command->add_option("--settle", load.settle, "BODY:[x,y]: let a support yield in this direction");
  command->add_option("--set", arguments->overrides, "key=value: change the scene")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--forces", arguments->forces_at,
                   "λ: also find the least and the largest normal force of every joint and contact "
                   "under this load, among all states in equilibrium; 0 for the dead load")
      ->check(any_finite_number());
  CLI::Option* const dynamic = command->add_flag(
      "--dynamic", arguments->dynamic,
      "Also find λ_dynamic by bisecting runs with Coulomb's law itself, which does not dilate");
  command
      ->add_option("--within", arguments->runs.within,
                   "Width of the interval of λ_dynamic, relative to λ_static; default: 0.01")
      ->check(positive_number(1))
      ->needs(dynamic);
  command
      ->add_option("--seconds", arguments->runs.seconds,
                   "Length of each of these runs [s]; default: 10 √(size of a body/gravity)")
      ->check(positive_number())
      ->needs(dynamic);
  command
      ->add_option("--sweep", arguments->sweeps,
                   "KEY=FROM:TO:COUNT or KEY=VALUE,VALUE,…: the limit as a function of a key of "
                   "the scene; may be given again, for all combinations")
      ->take_all()
      ->expected(1);
  command->add_option("--table", arguments->table, "Write the table of a --sweep: OUT.csv");
  command->add_option("--picture", arguments->picture, "Draw the mechanism as SVG: OUT.svg");
  command->add_flag("--force", arguments->force, "Overwrite an existing picture or table");
  command->add_flag("--json", arguments->json, "End standard output with one JSON object");
  command->footer(
      "Give one of --push, --load, --tilt and --settle. λ_static is an upper bound on the "
      "strength: "
      "friction\nis associated in the cone programme, and is not in a run.\n"
      "Example:  talus limit scenes/arch.toml --push '[1,0]' --picture arch.limit.svg\n"
      "          talus limit scenes/arch.toml --push '[1,0]' --sweep "
      "arch.0.thickness=0.15:0.35:5");
  command->callback([arguments, &action] { action = [arguments] { return limit(*arguments); }; });
}

}  // namespace talus
