// SPDX-License-Identifier: Apache-2.0
// `talus info`: what is in a trajectory file.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <numeric>

#include "io/text/printable.hpp"
#include "io/trajectory/format_version.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "tools/commands/commands.hpp"
#include "tools/terminal/counted.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

struct InfoArguments {
  std::string run;
  bool json = false;
};

struct ShapeCount {
  const char* key;
  const char *one, *many;
  int count = 0;
};

// Numbers of bodies of each shape.
std::array<ShapeCount, 5> count_shapes(const TrajectoryReader& run) {
  const bool plane = run.header().dimension == 2;
  std::array<ShapeCount, 5> counts = {
      {{"balls", plane ? "disk" : "sphere", plane ? "disks" : "spheres"},
       {"polytopes", plane ? "polygon" : "polyhedron", plane ? "polygons" : "polyhedra"},
       {"capsules", "capsule", "capsules"},
       {"compounds", "compound", "compounds"},
       {"half_spaces", "half-space", "half-spaces"}}};
  for (std::uint8_t type : run.bodies().shape_type)
    if (type < counts.size()) ++counts[type].count;
  return counts;
}

std::string megabytes(std::uintmax_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

int info(const InfoArguments& arguments) {
  const TrajectoryReader run(arguments.run);
  const RunHeader& header = run.header();
  const Series series = run.series();
  const std::vector<MeasureSeries> measures = run.measures();
  const std::uintmax_t bytes = std::filesystem::file_size(arguments.run);
  const double wall = std::accumulate(series.wall_seconds.begin(), series.wall_seconds.end(), 0.0);
  const double time = series.steps.empty() ? 0 : series.steps.back().time;
  const auto shapes = count_shapes(run);
  std::int64_t fixed = 0, driven = 0, contacts = 0;
  for (std::uint8_t kind : run.bodies().fixed) {
    fixed += kind == 1;
    driven += kind == 2;
  }
  if (!run.frames().empty()) contacts = run.frames().back().rows.contact_count;

  std::FILE* const out = arguments.json ? stderr : stdout;
  fmt::print(out, "{}: trajectory in {} dimensions, {}, {}\n", arguments.run, header.dimension,
             megabytes(bytes), header.complete ? "complete" : "not (yet) complete");
  fmt::print(out, "  made      {} by talus {}{}, format {}.{}: {}\n", header.created,
             header.version,
             header.commit.empty() ? "" : fmt::format(" (commit {})", header.commit), format_major,
             header.format_minor, header.command_line);
  std::string kinds;
  for (const ShapeCount& shape : shapes)
    if (shape.count > 0)
      kinds += (kinds.empty() ? "" : ", ") + counted(shape.count, shape.one, shape.many);
  fmt::print(out, "  bodies    {}: {}; {} fixed, {} driven\n", run.bodies().size(), kinds, fixed,
             driven);
  fmt::print(out, "  materials {}\n", fmt::join(run.materials(), ", "));
  const Certificate last = series.steps.empty() ? Certificate{} : series.steps.back();
  if (header.population_varies())
    fmt::print(
        out,
        "  population {} present at the end, {} created ({:.6g} kg), {} removed ({:.6g} kg), "
        "{} waiting\n",
        last.bodies, last.born, last.born_mass, last.removed, last.removed_mass, last.waiting);
  if (run.frames().empty())
    fmt::print(out, "  frames    none\n");
  else
    fmt::print(out, "  frames    {}, from t = {} s to {} s; {} with a force in the last\n",
               run.frames().size(), run.frames().front().time(), run.frames().back().time(),
               counted(contacts, "contact"));
  fmt::print(out, "  steps     {} of {} s to t = {} s (of {} s), {:.3g} s of computing\n",
             series.steps.size(), header.h, time, header.end, wall);
  if (!header.stopped_by.empty()) fmt::print(out, "  stopped   {}\n", header.stopped_by);
  fmt::print(out, "  scheme    {}, theta {}, gravity ({})\n", header.dynamics, header.theta,
             fmt::join(header.gravity, ", "));
  fmt::print(out, "  solver    {}, tolerance {}, at most {} iterations, {}\n", header.solver,
             header.tolerance, header.max_iterations, counted(header.threads, "thread"));
  for (const MeasureSeries& measure : measures)
    fmt::print(out, "  measure   {}: {}, every {}: {}\n", measure.name,
               counted(measure.rows(), "row"), counted(measure.every, "step"),
               fmt::join(measure.columns, ", "));
  if (!header.overrides.empty())
    fmt::print(out, "  changed   {}\n",
               printable(fmt::format("{}", fmt::join(header.overrides, ", "))));

  if (arguments.json) {
    JsonObject json, kinds_json;
    for (const ShapeCount& shape : shapes) kinds_json.add(shape.key, shape.count);
    json.add("file", arguments.run).add("bytes", bytes).add("complete", header.complete);
    json.add("format", fmt::format("{}.{}", format_major, header.format_minor));
    json.add("dimension", header.dimension).add("version", header.version);
    json.add("commit", header.commit);
    if (header.stopped_by.empty())
      json.raw("stopped_by", "null");
    else
      json.add("stopped_by", header.stopped_by);
    json.add("created", header.created).add("command_line", header.command_line);
    json.add("bodies", run.bodies().size()).raw("shapes", kinds_json.text());
    json.add("fixed", fixed).add("driven", driven).add("frames", run.frames().size());
    json.add("steps", series.steps.size()).add("time", time).add("end", header.end);
    json.add("h", header.h).add("theta", header.theta).add("dynamics", header.dynamics);
    json.add("solver", header.solver).add("tolerance", header.tolerance);
    json.add("emitters", header.emitters).add("outlets", header.outlets);
    json.add("present", last.bodies).add("born", last.born).add("removed", last.removed);
    JsonObject measures_json;  // the last row of each
    for (const MeasureSeries& measure : measures) {
      JsonObject last_row;
      last_row.add("every", measure.every).add("rows", measure.rows());
      for (std::size_t k = 0; k < measure.columns.size() && measure.rows() > 0; ++k)
        last_row.add(measure.columns[k], measure.values[k].back());
      measures_json.raw(measure.name, last_row.text());
    }
    json.raw("measures", measures_json.text());
    json.add("contacts_last", contacts).add("wall_s", wall).add("threads", header.threads);
    fmt::print("{}\n", json.text());
  }
  return 0;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand("info", "Say what is in a trajectory file");
  const auto arguments = std::make_shared<InfoArguments>();
  command->add_option("run", arguments->run, "Trajectory file (RUN.h5)")->required();
  command->add_flag("--json", arguments->json, "End standard output with one JSON object");
  command->footer("Example:  talus info wall.h5");
  command->callback([arguments, &action] { action = [arguments] { return info(*arguments); }; });
}

}  // namespace talus
