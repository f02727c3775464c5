// SPDX-License-Identifier: Apache-2.0
// `talus limit`: the largest live load for which forces in the friction cones exist, and the
// mechanism by which bodies collapse beyond it.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "io/check/world_at.hpp"
#include "io/text/finite_number.hpp"
#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "tools/commands/bundled.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/limit_report.hpp"
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
  std::string picture;
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

int limit(LimitArguments arguments) {
  split_time(arguments);
  const Existing existing = existing_files(arguments.force);
  if (!arguments.picture.empty()) refuse_existing(arguments.picture, existing);
  arguments.source = scene_file(arguments.source);
  const WorldAt moment = AnalysisSource(arguments.source, arguments.overrides).at(arguments.at);
  return std::visit(
      [&]<int D>(const World<D>& world) {
        if (!world.scene().has_inertia())
          throw InputError(
              fmt::format("{}: bodies without inertia feel no force; dynamics = \"second-order\"",
                          arguments.source));
        LiveLoad<D> live = live_load<D>(arguments.load, world);
        const LimitAnalysis<D> analysis(world.scene(), world.bodies(), world.time());
        if (live.question == Question::settle && arguments.dynamic)
          throw InputError("--dynamic: a support that yields is a run; give it a `drive`");
        if (live.question == Question::tilt) require_gravity_alone<D>(world, analysis);
        LimitReport<D> report = limit_report<D>(world, analysis, std::move(live));
        report.source = arguments.source;
        report.time = moment.time;
        if (arguments.forces_at && report.largest)
          find_ranges<D>(analysis, *arguments.forces_at, report);
        if (arguments.dynamic && report.outcome == LimitOutcome::bounded)
          report.runs = bisect_runs<D>(world, report.live, report.largest->multiplier,
                                       arguments.runs, [](double multiplier, bool stands) {
                                         fmt::print(stderr, "a run with λ = {:.6g}: {}\n",
                                                    multiplier, stands ? "stands" : "gives way");
                                       });
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
  command->add_option("--picture", arguments->picture, "Draw the mechanism as SVG: OUT.svg");
  command->add_flag("--force", arguments->force, "Overwrite an existing picture");
  command->add_flag("--json", arguments->json, "End standard output with one JSON object");
  command->footer(
      "Give one of --push, --load, --tilt and --settle. λ_static is an upper bound on the "
      "strength: "
      "friction\nis associated in the cone programme, and is not in a run.\n"
      "Example:  talus limit scenes/arch.toml --push '[1,0]' --picture arch.limit.svg");
  command->callback([arguments, &action] { action = [arguments] { return limit(*arguments); }; });
}

}  // namespace talus
