// SPDX-License-Identifier: Apache-2.0
// `talus views`: the files that ParaView opens, made again, and a state that shows the run.
#include "io/trajectory/views.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/text/new_file.hpp"
#include "io/text/text_file.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "tools/commands/bundled.hpp"
#include "tools/commands/commands.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

struct ViewsArguments {
  std::string run, state;
  bool force = false, json = false;
};

// Ends of colour scales that suit all frames: the largest speed of the saved frames, and the force
// that one contact in a hundred exceeds.
struct Scales {
  double speed = 0, force = 0;
};

Scales scales_of(const TrajectoryReader& run) {
  Scales scales;
  std::vector<double> forces;
  for (std::size_t k = 0; k < run.frames().size(); ++k) {
    for (const Vec<3>& v : run.state(k).velocity) scales.speed = std::max(scales.speed, v.norm());
    for (const double f : run.contacts(k).normal_force) forces.push_back(f);
  }
  if (forces.empty()) return scales;
  const auto rank = forces.begin() + static_cast<std::ptrdiff_t>(forces.size() * 99 / 100);
  std::nth_element(forces.begin(), rank, forces.end());
  scales.force = *rank;
  return scales;
}

std::string python_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// A script of ParaView that opens the run and shows it.
std::string state_text(const std::filesystem::path& run) {
  const TrajectoryReader reader(run);
  const Scales scales = scales_of(reader);
  std::string text = read_text_file(templates_folder() / "paraview_state.py");
  const std::size_t begin = text.find("RUN, PLANE, SPEED, FORCE = ");
  text.replace(
      begin, text.find('\n', begin) - begin,
      fmt::format("RUN, PLANE, SPEED, FORCE = \"{}\", {}, {:.3g}, {:.3g}",
                  python_text(companion(std::filesystem::absolute(run), "").string()),
                  reader.header().dimension == 2 ? "True" : "False", scales.speed, scales.force));
  return text;
}

int views(const ViewsArguments& arguments) {
  const RebuiltViews rebuilt = rebuild_views(arguments.run);
  if (!arguments.state.empty())
    write_text_file(arguments.state, state_text(arguments.run), existing_files(arguments.force));
  std::FILE* const out = arguments.json ? stderr : stdout;
  fmt::print(out, "{}: {} frames\n", arguments.run, rebuilt.frames);
  std::string files;
  for (const std::filesystem::path& path : rebuilt.files) {
    fmt::print(out, "  {}\n", path.string());
    files += (files.empty() ? "" : ", ") + json_string(path.string());
  }
  if (arguments.json)
    fmt::print("{}\n", JsonObject()
                           .add("file", arguments.run)
                           .add("frames", rebuilt.frames)
                           .raw("views", "[" + files + "]")
                           .text());
  return 0;
}

}  // namespace

void add_views(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand(
      "views",
      "Rebuild what ParaView opens beside a run: RUN.vtkhdf (from 5.12 on), RUN.xmf2 (before)");
  const auto arguments = std::make_shared<ViewsArguments>();
  command->add_option("run", arguments->run, "Trajectory file (RUN.h5)")->required();
  command->add_option("--state", arguments->state,
                      "Also write a Python state that shows the run: ParaView, File > Load State");
  command->add_flag("--force", arguments->force, "Replace an existing state");
  command->add_flag("--json", arguments->json, "End standard output with one JSON object");
  command->footer("Example:  talus views wall.h5 --state wall.py --force");
  command->callback([arguments, &action] { action = [arguments] { return views(*arguments); }; });
}

}  // namespace talus
