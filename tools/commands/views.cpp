// SPDX-License-Identifier: Apache-2.0
// `talus views`: the files that ParaView opens, made again.
#include "io/trajectory/views.hpp"

#include <fmt/format.h>

#include "tools/commands/commands.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

struct ViewsArguments {
  std::string run;
  bool json = false;
};

int views(const ViewsArguments& arguments) {
  const RebuiltViews rebuilt = rebuild_views(arguments.run);
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
      "views", "Rebuild what ParaView opens (.vtkhdf from 5.12 on, .xmf2 before) beside a run");
  const auto arguments = std::make_shared<ViewsArguments>();
  command->add_option("run", arguments->run, "Trajectory file (RUN.h5)")->required();
  command->add_flag("--json", arguments->json, "End standard output with one JSON object");
  command->footer("Example:  talus views wall.h5");
  command->callback([arguments, &action] { action = [arguments] { return views(*arguments); }; });
}

}  // namespace talus
