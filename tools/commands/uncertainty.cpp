// SPDX-License-Identifier: Apache-2.0
// `talus uncertainty`: error bars of a scene's results, from runs with half the step, a tighter
// tolerance and other packings.
#include "io/study/uncertainty.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "tools/commands/bundled.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/study_runner.hpp"
#include "tools/draw/error_bar_plot.hpp"
#include "tools/terminal/json.hpp"
#include "tools/terminal/number_option.hpp"

namespace talus {

namespace {

struct UncertaintyOptions : StudyRun {
  std::string scene;
  std::vector<std::string> set;
  int seeds = 5;
  bool seeds_given = false, json = false, plot = false;
};

// The centre with its digits down to those of the half width.
std::string range_text(const ErrorBar& range) {
  if (!std::isfinite(range.low)) return "-";
  const double centre = 0.5 * (range.low + range.high), half = 0.5 * (range.high - range.low);
  const double ratio = half > 0 && centre != 0 ? std::abs(centre) / half : 1e5;
  const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(ratio))) + 2, 2, 12);
  return fmt::format("{:.{}g} ± {:.2g}", centre, digits, half);
}

bool differs(const UncertainQuantity& q) {
  return q.value != 0 || q.step.low != 0 || q.step.high != 0 || (q.seeds > 1 && q.mean != 0);
}

// Quantities that are zero in every run are left out.
void print_table(const std::vector<UncertainQuantity>& table) {
  std::size_t width = std::string_view("quantity").size();
  for (const UncertainQuantity& q : table)
    if (differs(q)) width = std::max(width, q.name.size());
  fmt::print(stderr, "{:<{}}  {:>11}  {:>25}  {:>25}  {:>25}\n", "quantity", width, "value", "step",
             "solver", "packing (mean, 95 %)");
  for (const UncertainQuantity& q : table)
    if (differs(q))
      fmt::print(stderr, "{:<{}}  {:>11.5g}  {:>25}  {:>25}  {:>25}\n", q.name, width, q.value,
                 range_text(q.step), range_text(q.solver), range_text(q.packing));
}

std::string json(const UncertaintyOptions& options, const std::vector<UncertainQuantity>& table) {
  const auto range = [](const ErrorBar& r) {
    return JsonObject().add("low", r.low).add("high", r.high).text();
  };
  std::string list;
  for (const UncertainQuantity& q : table)
    list += fmt::format("{}{}", list.empty() ? "" : ", ",
                        JsonObject()
                            .add("name", q.name)
                            .add("value", q.value)
                            .raw("step", range(q.step))
                            .raw("solver", range(q.solver))
                            .add("seeds", q.seeds)
                            .add("mean", q.mean)
                            .add("deviation", q.deviation)
                            .raw("packing", range(q.packing))
                            .text());
  return JsonObject()
      .add("scene", options.scene)
      .add("folder", options.folder)
      .raw("quantities", "[" + list + "]")
      .text();
}

void write_plot(const UncertaintyOptions& options, const std::vector<UncertainQuantity>& table) {
  std::vector<UncertainQuantity> shown;
  std::copy_if(table.begin(), table.end(), std::back_inserter(shown), differs);
  const std::filesystem::path place = std::filesystem::path(options.folder) / "uncertainty.svg";
  write_text_file(place, error_bar_plot(shown), Existing::replace);
  fmt::print(stderr, "wrote {}\n", place.string());
}

int uncertainty(UncertaintyOptions options) {
  if (options.folder.empty())
    options.folder = std::filesystem::path(options.scene).stem().string() + "-uncertainty";
  const Study study = uncertainty_study(options.scene, options.set, options.seeds, options.folder);
  constexpr std::size_t without_seeds = 3;
  if (study.size() == without_seeds && options.seeds > 1) {
    if (options.seeds_given)
      throw InputError(fmt::format(
          "{}: --seeds {}: the scene has nothing random: no packing, column, emitter or jitter",
          options.scene, options.seeds));
    fmt::print(stderr, "the scene has nothing random: no interval of packings\n");
  }
  claim_folder(study, options.folder);
  const int status = run_cases(study, options);
  const std::vector<CaseFigures> cases = all_figures(study, options.folder);
  const int summary = summarise(study, cases, options.folder);
  if (status != 0 || summary == failed_code) return status != 0 ? status : summary;

  const std::vector<UncertainQuantity> table = uncertainties(cases);
  write_uncertainties(table, options.folder);
  print_table(table);
  fmt::print(stderr, "wrote {}\n",
             (std::filesystem::path(options.folder) / "uncertainty.csv").string());
  if (options.plot) write_plot(options, table);
  if (options.json) fmt::print("{}\n", json(options, table));
  return summary;
}

}  // namespace

void add_uncertainty(CLI::App& app, Action& action) {
  auto options = std::make_shared<UncertaintyOptions>();
  CLI::App* command = app.add_subcommand(
      "uncertainty", "Error bars of a scene's results: step, solver tolerance, packing");
  command->add_option("SCENE", options->scene, "scene file, or the name of a bundled scene")
      ->required();
  command
      ->add_option_function<int>(
          "--seeds",
          [options](int count) {
            options->seeds = count;
            options->seeds_given = true;
          },
          "packings, the scene's own included [5]")
      ->check(whole_number(1, 10000));
  command->add_option("--set", options->set, "changes a key of the scene: key=value");
  command->add_option("-o,--output", options->folder,
                      "folder for the runs and their summary [SCENE-uncertainty, in this folder]");
  add_study_options(*command, *options);
  command->add_flag("--plot", options->plot, "draw the intervals, too: uncertainty.svg");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Runs the scene as it is, with half the step, with a tenth of the tolerance, and with other "
      "seeds.\n"
      "Every measure, energy and work gets three intervals: step, solver and packing\n"
      "(scenes/README.md, Studies). Run the same command again after a stop: what is complete is "
      "kept.\n"
      "Exit codes: as talus batch.\n"
      "Example:  talus uncertainty scenes/column.toml --seeds 8 --plot");
  command->callback([&action, options] {
    action = [options] {
      options->scene = scene_file(options->scene);
      return uncertainty(*options);
    };
  });
}

}  // namespace talus
