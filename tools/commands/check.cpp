// SPDX-License-Identifier: Apache-2.0
// `talus check`: the certificate of a whole run.
#include <fmt/format.h>

#include "io/check/check_text.hpp"
#include "tools/commands/check_json.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/watch.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

struct CheckArguments {
  std::string run;
  bool json = false;
  CheckOptions options;
};

std::string json_of(const Criterion& criterion) {
  JsonObject json;
  json.add("name", criterion.name).add("passed", criterion.passed());
  json.add("worst", criterion.worst).add("limit", criterion.limit);
  json.add("checked", criterion.checked).add("violations", criterion.violations);
  if (criterion.first_bad_step)
    json.add("first_bad_step", *criterion.first_bad_step);
  else
    json.raw("first_bad_step", "null");
  return json.text();
}

std::string json_of(const TrajectoryReader& run, const RunCheck& result, const Integrity& integrity,
                    const Series& series) {
  const double time = series.steps.empty() ? 0 : series.steps.back().time;
  Watch watch;
  for (const Certificate& step : series.steps) watch.add(step);
  std::string criteria, skipped;
  for (const Criterion& criterion : result.criteria) {
    criteria += (criteria.empty() ? "" : ", ") + json_of(criterion);
    if (criterion.checked > 0) continue;
    skipped += (skipped.empty() ? "" : ", ") +
               JsonObject().add("name", criterion.name).add("reason", criterion.skipped).text();
  }
  JsonObject json;
  json.add("file", run.path()).add("passed", result.passed() && integrity.sound());
  json.add("complete", run.header().complete).add("steps", series.steps.size());
  json.add("time", time).add("frames", run.frames().size());
  json.add("bodies", run.bodies().size()).add("tolerance", run.header().tolerance);
  json.add("checksums", !integrity.skipped.empty() ? "skipped"
                        : integrity.sound()        ? "match"
                                                   : "differ");
  json.add("max_error", result.max_error).add("worst_contact_error", result.worst_contact_error);
  json.add("unconverged_steps", result.unconverged_steps);
  json.add("energy_defect", result.energy_defect);
  json.add("max_penetration", result.max_penetration);
  json.add("max_penetration_step", result.max_penetration_step);
  json.add("max_relative_penetration", result.max_relative_penetration);
  json.add("max_relative_penetration_step", result.max_relative_penetration_step);
  watch.add_to(json);
  const auto first = result.first_bad_step();
  json.raw("first_bad_step", first ? fmt::format("{}", *first) : "null");
  json.add("impacts", result.impacts).add("impact_work", result.impact_work);
  json.add("impacts_not_admissible", result.inadmissible_impacts);
  json.add("impacts_not_solved", result.failed_impacts);
  json.raw("criteria", "[" + criteria + "]");
  json.raw("skipped", "[" + skipped + "]");
  return json.text();
}

int check(const CheckArguments& arguments) {
  const TrajectoryReader run(arguments.run);
  const RunCheck result = check_run(run, arguments.options);
  const Series series = run.series();
  const double time = series.steps.empty() ? 0 : series.steps.back().time;
  const Integrity integrity = check_integrity(arguments.run);
  const bool passed = result.passed() && integrity.sound();

  std::FILE* const out = arguments.json ? stderr : stdout;
  fmt::print(out, "{}: {} steps to t = {} s, {} frames, {} bodies{}\n", arguments.run,
             series.steps.size(), time, run.frames().size(), run.bodies().size(),
             run.header().complete ? "" : "; still running, or stopped before its end");
  for (const std::string& line : certificate_lines(result, integrity))
    fmt::print(out, "{}\n", line);
  fmt::print(out, "  contact error {:.3e}, of the worst contact {:.3e}\n", result.max_error,
             result.worst_contact_error);
  fmt::print(out, "  deepest penetration {:.3e} m", result.max_penetration);
  if (result.max_penetration > 0)
    fmt::print(out, " at step {}; relative to the thinner body {:.3e} at step {}",
               result.max_penetration_step, result.max_relative_penetration,
               result.max_relative_penetration_step);
  fmt::print(out, "\n");
  if (result.impacts > 0) {
    const std::int64_t bad = result.inadmissible_impacts;
    fmt::print(
        out, "  {} {}, work {:.4g} J, {}{}\n", result.impacts,
        result.impacts == 1 ? "impact" : "impacts", result.impact_work,
        bad == 0 ? "all admissible" : fmt::format("{} not admissible", bad),
        result.failed_impacts == 0 ? "" : fmt::format(", {} not solved", result.failed_impacts));
  }
  Watch watch;
  for (const Certificate& step : series.steps) watch.add(step);
  for (const std::string& line : watch.lines()) fmt::print(out, "  {}\n", line);
  fmt::print(out, "{}: {}\n", arguments.run, verdict(result, integrity));

  if (arguments.json) fmt::print("{}\n", json_of(run, result, integrity, series));
  return passed ? 0 : 3;
}

}  // namespace

std::string check_json(const TrajectoryReader& run, const CheckOptions& options) {
  return json_of(run, check_run(run, options), check_integrity(run.path()), run.series());
}

void add_check(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand(
      "check", "Certify a run: every step solved, energy and momentum balanced; exit 3 if not");
  const auto arguments = std::make_shared<CheckArguments>();
  command->add_option("run", arguments->run, "Trajectory file (RUN.h5)")->required();
  command
      ->add_option(
          "--penetration", arguments->options.penetration,
          "Largest allowed overlap, relative to the half width of the thinner body, instead "
          "of the scene's certificate.penetration")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", arguments->json, "End standard output with one JSON object");
  command->footer(
      "Exit codes: 0 certified, 2 bad usage or input, 3 not certified\n"
      "Example:  talus check wall.h5");
  command->callback([arguments, &action] { action = [arguments] { return check(*arguments); }; });
}

}  // namespace talus
