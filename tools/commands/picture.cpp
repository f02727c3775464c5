// SPDX-License-Identifier: Apache-2.0
// `talus picture`: a frame of a run, a plot of its series, or an impact in a row of bodies.
#include <fmt/format.h>

#include <optional>

#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/trajectory/run_names.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/drawing_options.hpp"
#include "tools/draw/frame_image.hpp"
#include "tools/draw/plane_picture.hpp"
#include "tools/draw/row_picture.hpp"
#include "tools/draw/series_plot.hpp"
#include "tools/terminal/number_option.hpp"

namespace talus {

namespace {

struct PictureArguments {
  std::string run, output, plot;
  std::optional<int> from, to;
  std::optional<double> at;
  DrawingOptions drawing{1200, 900};
  bool force = false;
};

bool asks_for_pixels(const PictureArguments& arguments) {
  return std::filesystem::path(arguments.output).extension() == ".png";
}

std::string row_text(const TrajectoryReader& run, const PictureArguments& arguments) {
  const int frames = static_cast<int>(run.frames().size());
  if (frames < 2) throw InputError(fmt::format("{}: has fewer than two frames", arguments.run));
  const int first = arguments.from.value_or(0), last = arguments.to.value_or(frames - 1);
  for (const int frame : {first, last})
    if (frame >= frames)
      throw InputError(
          fmt::format("{}: has frames 0 to {}, not {}", arguments.run, frames - 1, frame));
  return row_picture(run, static_cast<std::size_t>(first), static_cast<std::size_t>(last),
                     std::filesystem::path(arguments.run).stem().string());
}

std::string frame_picture(const TrajectoryReader& run, const PictureArguments& arguments) {
  const std::size_t frame = arguments.at ? frame_at(run, *arguments.at) : run.frames().size() - 1;
  const StillRun still(run, arguments.drawing.colour_by);
  if (asks_for_pixels(arguments))
    return png(frame_image(still, frame, arguments.drawing.width, arguments.drawing.height));
  if (arguments.drawing.sized)
    throw InputError(fmt::format("{}: --size is for pixels: -o NAME.png", arguments.output));
  if (run.header().dimension == 2) return plane_picture(still, frame);
  throw InputError(
      fmt::format("{}: bodies in space are drawn as PNG: -o NAME.png", arguments.output));
}

// A run is a row of bodies if it stands in one before and after, and nothing else was asked for.
bool draws_row(const TrajectoryReader& run, const PictureArguments& arguments) {
  if (arguments.from || arguments.to) return true;
  const std::size_t frames = run.frames().size();
  const bool usual = arguments.drawing.colour_by == ColourBy::usual;
  return !arguments.at && usual && !asks_for_pixels(arguments) && frames > 1 &&
         is_row(run, 0, frames - 1);
}

std::string drawn(const TrajectoryReader& run, const PictureArguments& arguments) {
  if (!arguments.plot.empty()) return series_plot(run, arguments.plot);
  if (run.frames().empty()) throw InputError(fmt::format("{}: has no frames yet", arguments.run));
  if (draws_row(run, arguments)) return row_text(run, arguments);
  return frame_picture(run, arguments);
}

int picture(PictureArguments arguments) {
  const TrajectoryReader run(arguments.run);
  if (arguments.output.empty()) {
    const bool pixels = arguments.plot.empty() && run.header().dimension == 3 &&
                        !run.frames().empty() && !draws_row(run, arguments);
    const std::string ending = !arguments.plot.empty() ? arguments.plot + ".svg"
                               : pixels                ? "png"
                                                       : "svg";
    arguments.output = beside_run(arguments.run, ending).string();
  }
  const Existing existing = existing_files(arguments.force);
  refuse_existing(arguments.output, existing);
  write_text_file(arguments.output, drawn(run, arguments), existing);
  fmt::print(stderr, "wrote {}\n", arguments.output);
  return 0;
}

}  // namespace

void add_picture(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand(
      "picture", "Draw a frame of a run, its series, or an impact in a row of bodies");
  const auto arguments = std::make_shared<PictureArguments>();
  command->add_option("run", arguments->run, "Trajectory file (RUN.h5)")->required();
  command->add_option("-o,--output", arguments->output,
                      "picture: SVG in the plane, PNG in space [RUN.svg, RUN.png]");
  CLI::Option* const at = command->add_option("--at", arguments->at, "time of the frame [the last]")
                              ->check(any_finite_number());
  CLI::Option* const plot = command->add_option(
      "--plot", arguments->plot, "energies, error, measure.NAME or measure.NAME.COLUMN over time");
  for (CLI::Option* const option :
       {command->add_option("--from", arguments->from,
                            "in a row of bodies: frame before the impact [0]"),
        command->add_option("--to", arguments->to,
                            "in a row of bodies: frame after it [the last]")})
    option->check(whole_number(0))->excludes(at)->excludes(plot);
  plot->excludes(at);
  add_drawing_options(*command, arguments->drawing);
  command->add_flag("--force", arguments->force, "overwrite an existing picture");
  command->footer(
      "Bodies that stand in a row are drawn with their velocities and energies before and after.\n"
      "Example:  talus picture wall.h5 -o wall.svg");
  command->callback([arguments, &action] { action = [arguments] { return picture(*arguments); }; });
}

}  // namespace talus
