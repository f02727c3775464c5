// SPDX-License-Identifier: Apache-2.0
// `talus snapshot`: a copy of a run as it is now.
#include "io/trajectory/snapshot.hpp"

#include <fmt/format.h>

#include "io/trajectory/trajectory_reader.hpp"
#include "tools/commands/commands.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

struct SnapshotArguments {
  std::string run, copy;
  bool force = false, json = false;
};

int snapshot(const SnapshotArguments& arguments) {
  write_snapshot(arguments.run, arguments.copy, existing_files(arguments.force));
  const TrajectoryReader copy(arguments.copy);
  const double time = copy.frames().empty() ? 0 : copy.frames().back().time();
  std::FILE* const out = arguments.json ? stderr : stdout;
  fmt::print(out, "{}: {} frames to t = {:.6g} s{}\n", arguments.copy, copy.frames().size(), time,
             copy.header().complete ? "" : ", of a run that is not complete");
  if (arguments.json)
    fmt::print("{}\n", JsonObject()
                           .add("file", arguments.copy)
                           .add("frames", copy.frames().size())
                           .add("time", time)
                           .add("complete", copy.header().complete)
                           .text());
  return 0;
}

}  // namespace

void add_snapshot(CLI::App& app, Action& action) {
  CLI::App* const command =
      app.add_subcommand("snapshot", "Copy the present state of a run, also while it is running");
  const auto arguments = std::make_shared<SnapshotArguments>();
  command->add_option("run", arguments->run, "Trajectory file (RUN.h5)")->required();
  command->add_option("copy", arguments->copy, "File to write")->required();
  command->add_flag("--force", arguments->force, "Replace an existing file");
  command->add_flag("--json", arguments->json, "End standard output with one JSON object");
  command->footer("Example:  talus snapshot wall.h5 now.h5");
  command->callback(
      [arguments, &action] { action = [arguments] { return snapshot(*arguments); }; });
}

}  // namespace talus
