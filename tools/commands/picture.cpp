// SPDX-License-Identifier: Apache-2.0
// `talus picture`: an impact in a row of bodies as SVG: the velocity and the kinetic energy of
// every body before and after.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/text/printable.hpp"
#include "io/trajectory/run_names.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "tools/commands/commands.hpp"
#include "tools/terminal/number_option.hpp"

namespace talus {

namespace {

struct PictureArguments {
  std::string run, output;
  int from = 0;
  std::optional<int> to;
  bool force = false;
};

// A body as it is drawn.
struct Bead {
  std::string name;
  double place = 0, before = 0, after = 0;     // along the row [m], [m/s]
  double energy_before = 0, energy_after = 0;  // [J]
};

double kinetic_energy(const BodyTable& bodies, const FrameState& state, std::size_t row) {
  const auto i = static_cast<std::size_t>(state.body[row]);
  const Vec<3> spin = bodies.inertia_axes[i].conjugate() *
                      (state.orientation[row].conjugate() * state.angular_velocity[row]);
  return 0.5 * bodies.mass[i] * state.velocity[row].squaredNorm() +
         0.5 * spin.dot(bodies.inertia[i].cwiseProduct(spin));
}

constexpr double most_across = 0.2;  // largest width of a row, relative to its length

// The free bodies that are present in both frames, in order along the axis of their largest extent.
std::vector<Bead> beads(const TrajectoryReader& run, std::size_t from, std::size_t to) {
  const FrameState before = run.state(from), after = run.state(to);
  const BodyTable& bodies = run.bodies();
  std::vector<std::optional<std::size_t>> row_after(bodies.size());
  for (std::size_t row = 0; row < after.body.size(); ++row)
    row_after[static_cast<std::size_t>(after.body[row])] = row;
  const auto moves = [&](std::size_t i) { return bodies.fixed[i] == 0 && row_after[i]; };
  Vec<3> low = Vec<3>::Constant(INFINITY), high = -low;
  for (std::size_t row = 0; row < before.body.size(); ++row) {
    if (!moves(static_cast<std::size_t>(before.body[row]))) continue;
    low = low.cwiseMin(before.position[row]);
    high = high.cwiseMax(before.position[row]);
  }
  if (!((high - low).minCoeff() >= 0)) throw InputError("no body moves: nothing to draw");
  Eigen::Index axis = 0;
  const double length = (high - low).maxCoeff(&axis);
  Vec<3> across = high - low;
  across[axis] = 0;
  if (across.maxCoeff() > most_across * length)
    fmt::print(stderr,
               "warning: the bodies do not stand in a row; they are drawn in their order "
               "along the {} axis\n",
               "xyz"[axis]);
  std::vector<Bead> row;
  for (std::size_t k = 0; k < before.body.size(); ++k) {
    const auto i = static_cast<std::size_t>(before.body[k]);
    if (!moves(i)) continue;
    row.push_back({bodies.name[i], before.position[k][axis], before.velocity[k][axis],
                   after.velocity[*row_after[i]][axis], kinetic_energy(bodies, before, k),
                   kinetic_energy(bodies, after, *row_after[i])});
  }
  std::stable_sort(row.begin(), row.end(),
                   [](const Bead& a, const Bead& b) { return a.place < b.place; });
  return row;
}

std::string text(double x, double y, const std::string& words, const char* anchor = "start") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     xml_text(words));
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1,
                     x2, y2, style);
}

std::string draw(const std::vector<Bead>& row, const std::string& title, double t_from,
                 double t_to) {
  constexpr double row_left = 70, row_width = 660, row_top = 50, panel = 220, gap = 60;
  const double slot = row_width / static_cast<double>(row.size());
  const auto x_of = [&](std::size_t i) { return row_left + slot * (static_cast<double>(i) + 0.5); };
  double lowest = 0, highest = 0, energy = 0, left_over = 0;
  for (const Bead& bead : row) {
    lowest = std::min({lowest, bead.before, bead.after});
    highest = std::max({highest, bead.before, bead.after});
    energy += bead.energy_before;
    left_over += bead.energy_after;
  }
  if (highest == lowest) highest = lowest + 1;
  const auto y_of = [&](double v) { return row_top + panel * (highest - v) / (highest - lowest); };

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"640\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"800\" height=\"640\" "
      "fill=\"white\"/>\n");
  svg += text(row_left, 22, title);
  svg += text(row_left, 40,
              fmt::format("velocities along the row [m/s]: open before (t = {:.4g} s), full after "
                          "(t = {:.4g} s)",
                          t_from, t_to));
  svg += line(row_left, y_of(0), row_left + row_width, y_of(0), "stroke=\"#999\"");
  for (const double v : {lowest, 0.0, highest})
    svg += text(row_left - 6, y_of(v) + 4, fmt::format("{:.3g}", v), "end");
  const double radius = std::clamp(slot / 4, 1.5, 7.0);
  for (std::size_t i = 0; i < row.size(); ++i) {
    svg += line(x_of(i), y_of(row[i].before), x_of(i), y_of(row[i].after), "stroke=\"#bbb\"");
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"none\" stroke=\"#1f77b4\"/>\n",
        x_of(i), y_of(row[i].before), radius);
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"#d62728\"/>\n",
                       x_of(i), y_of(row[i].after), radius);
  }

  // Energies, relative to the energy before, on one scale.
  const double foot = row_top + panel + gap + panel;
  const double whole = std::max(energy, left_over);
  constexpr double shown = 5e-5;  // relative energy; smaller ones would be shown as 0.00 %
  const auto height_of = [&](double e) { return whole > 0 ? panel * e / whole : 0; };
  const std::string change =
      energy > 0
          ? fmt::format(", {} {:.2f} %", left_over > (1 + shown) * energy ? "gained" : "lost",
                        100 * std::abs(energy - left_over) / energy)
          : "";
  svg += text(row_left, row_top + panel + gap - 12,
              fmt::format("kinetic energy of each body: {:.4g} J before, {:.4g} J after", energy,
                          left_over) +
                  change);
  svg += line(row_left, foot, row_left + row_width, foot, "stroke=\"#999\"");
  const auto bar = [&](double x, double e, const char* fill) {
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n",
                       x, foot - height_of(e), slot * 0.35, height_of(e), fill);
  };
  const std::size_t every = std::max<std::size_t>(1, row.size() / 20);
  for (std::size_t i = 0; i < row.size(); ++i) {
    svg += bar(x_of(i) - slot * 0.38, row[i].energy_before, "fill=\"none\" stroke=\"#1f77b4\"");
    svg += bar(x_of(i) + slot * 0.03, row[i].energy_after, "fill=\"#d62728\"");
    if (i % every == 0) svg += text(x_of(i), foot + 18, row[i].name, "middle");
  }
  return svg + "</svg>\n";
}

int picture(PictureArguments arguments) {
  const TrajectoryReader run(arguments.run);
  const int frames = static_cast<int>(run.frames().size());
  if (frames < 2) throw InputError(fmt::format("{}: has fewer than two frames", arguments.run));
  const int last = arguments.to.value_or(frames - 1);
  for (const int frame : {arguments.from, last})
    if (frame < 0 || frame >= frames)
      throw InputError(
          fmt::format("{}: has frames 0 to {}, not {}", arguments.run, frames - 1, frame));
  if (arguments.output.empty()) arguments.output = beside_run(arguments.run, "svg").string();
  const Existing existing = existing_files(arguments.force);
  refuse_existing(arguments.output, existing);

  const auto from = static_cast<std::size_t>(arguments.from), to = static_cast<std::size_t>(last);
  write_text_file(arguments.output,
                  draw(beads(run, from, to), std::filesystem::path(arguments.run).stem().string(),
                       run.frames()[from].time(), run.frames()[to].time()),
                  existing);
  fmt::print(stderr, "wrote {}\n", arguments.output);
  return 0;
}

}  // namespace

void add_picture(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand(
      "picture", "Draw velocities and energies of bodies in a row, before and after, as SVG");
  const auto arguments = std::make_shared<PictureArguments>();
  command->add_option("run", arguments->run, "Trajectory file (RUN.h5)")->required();
  command->add_option("-o,--output", arguments->output, "picture [RUN.svg]");
  command->add_option("--from", arguments->from, "frame before [0]")->check(whole_number(0));
  command->add_option("--to", arguments->to, "frame after [the last]")->check(whole_number(0));
  command->add_flag("--force", arguments->force, "overwrite an existing picture");
  command->footer("Example:  talus run scenes/row.toml && talus picture row.h5");
  command->callback([arguments, &action] { action = [arguments] { return picture(*arguments); }; });
}

}  // namespace talus
