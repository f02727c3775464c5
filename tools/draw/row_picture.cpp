// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/row_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/text/input_error.hpp"
#include "tools/draw/svg.hpp"

namespace talus {

namespace {

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

constexpr double row_left = 70, row_width = 660, row_top = 50, panel_height = 220,
                 panel_gap = 60;     // [px]
constexpr double most_across = 0.2;  // largest width of a row, relative to its length

// Free bodies that are present in both frames: their rows in each.
struct Movers {
  FrameState before, after;
  std::vector<std::optional<std::size_t>> row_after;  // by body

  Movers(const TrajectoryReader& run, std::size_t from, std::size_t to)
      : before(run.state_in_cell(from)),
        after(run.state_in_cell(to)),
        row_after(run.bodies().size()) {
    for (std::size_t row = 0; row < after.body.size(); ++row) {
      const auto i = static_cast<std::size_t>(after.body[row]);
      if (run.bodies().fixed[i] == 0) row_after[i] = row;
    }
  }
};

// Extents of the bodies in a frame that are present in both; negative if there are none.
Vec<3> extents(const Movers& movers, const FrameState& state) {
  std::vector<char> present(movers.row_after.size());
  for (const std::int32_t body : movers.before.body) present[static_cast<std::size_t>(body)] = 1;
  Vec<3> low = Vec<3>::Constant(INFINITY), high = -low;
  for (std::size_t row = 0; row < state.body.size(); ++row) {
    const auto i = static_cast<std::size_t>(state.body[row]);
    if (!movers.row_after[i] || !present[i]) continue;
    low = low.cwiseMin(state.position[row]);
    high = high.cwiseMax(state.position[row]);
  }
  return high - low;
}

bool narrow(Vec<3> extents) {
  Eigen::Index axis = 0;
  const double length = extents.maxCoeff(&axis);
  extents[axis] = 0;
  return length >= 0 && extents.maxCoeff() <= most_across * length;
}

// In order along the axis of their largest extent.
std::vector<Bead> beads(const TrajectoryReader& run, std::size_t from, std::size_t to) {
  const Movers movers(run, from, to);
  const auto& [before, after, row_after] = movers;
  const BodyTable& bodies = run.bodies();
  const auto moves = [&](std::size_t i) { return movers.row_after[i].has_value(); };
  const Vec<3> size = extents(movers, before);
  if (!(size.minCoeff() >= 0)) throw InputError("no body moves: nothing to draw");
  if (!narrow(size))
    throw InputError(
        "the bodies do not stand in a row, which is what --from and --to are for; --at draws the "
        "scene at a time");
  Eigen::Index axis = 0;
  size.maxCoeff(&axis);
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

// Velocities before and after, in the order of the row.
void draw_velocities(Svg& svg, const std::vector<Bead>& row, const std::string& title,
                     double t_from, double t_to) {
  double lowest = 0, highest = 0;
  for (const Bead& bead : row) {
    lowest = std::min({lowest, bead.before, bead.after});
    highest = std::max({highest, bead.before, bead.after});
  }
  if (highest == lowest) highest = lowest + 1;
  const double slot = row_width / static_cast<double>(row.size());
  const auto at = [&](std::size_t i, double v) {
    return Vec<2>(row_left + slot * (static_cast<double>(i) + 0.5),
                  row_top + panel_height * (highest - v) / (highest - lowest));
  };
  svg.text({row_left, 22}, title);
  svg.text({row_left, 40},
           fmt::format("velocities along the row [m/s]: open before (t = {:.4g} s), full after "
                       "(t = {:.4g} s)",
                       t_from, t_to));
  svg.line({row_left, at(0, 0)[1]}, {row_left + row_width, at(0, 0)[1]}, "stroke='#999'");
  for (const double v : {lowest, 0.0, highest})
    svg.text({row_left - 6, at(0, v)[1] + 4}, fmt::format("{:.3g}", v), at_end);
  const double radius = std::clamp(slot / 4, 1.5, 7.0);
  for (std::size_t i = 0; i < row.size(); ++i) {
    svg.line(at(i, row[i].before), at(i, row[i].after), "stroke='#bbb'");
    svg.circle(at(i, row[i].before), radius, "fill='none' stroke='#1f77b4'");
    svg.circle(at(i, row[i].after), radius, "fill='#d62728'");
  }
}

// Energies, relative to the energy before, on one scale.
void draw_energies(Svg& svg, const std::vector<Bead>& row) {
  double energy = 0, left_over = 0;
  for (const Bead& bead : row) {
    energy += bead.energy_before;
    left_over += bead.energy_after;
  }
  const double foot = row_top + panel_height + panel_gap + panel_height,
               whole = std::max(energy, left_over);
  constexpr double shown = 5e-5;  // relative energy; smaller ones would be shown as 0.00 %
  const std::string change =
      energy > 0
          ? fmt::format(", {} {:.2f} %", left_over > (1 + shown) * energy ? "gained" : "lost",
                        100 * std::abs(energy - left_over) / energy)
          : "";
  svg.text({row_left, row_top + panel_height + panel_gap - 12},
           fmt::format("kinetic energy of each body: {:.4g} J before, {:.4g} J after", energy,
                       left_over) +
               change);
  svg.line({row_left, foot}, {row_left + row_width, foot}, "stroke='#999'");
  const double slot = row_width / static_cast<double>(row.size());
  const auto bar = [&](double x, double e, std::string_view style) {
    const double height = whole > 0 ? panel_height * e / whole : 0;
    svg.rectangle({x, foot - height}, {slot * 0.35, height}, style);
  };
  const std::size_t every = std::max<std::size_t>(1, row.size() / 20);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double x = row_left + slot * (static_cast<double>(i) + 0.5);
    bar(x - slot * 0.38, row[i].energy_before, "fill='none' stroke='#1f77b4'");
    bar(x + slot * 0.03, row[i].energy_after, "fill='#d62728'");
    if (i % every == 0) svg.text({x, foot + 18}, row[i].name, middle);
  }
}

}  // namespace

bool is_row(const TrajectoryReader& run, std::size_t from, std::size_t to) {
  const Movers movers(run, from, to);
  return narrow(extents(movers, movers.before)) && narrow(extents(movers, movers.after));
}

std::string row_picture(const TrajectoryReader& run, std::size_t from, std::size_t to,
                        const std::string& title) {
  const std::vector<Bead> row = beads(run, from, to);
  Svg svg(800, 640);
  draw_velocities(svg, row, title, run.frames()[from].time(), run.frames()[to].time());
  draw_energies(svg, row);
  return svg.finished();
}

}  // namespace talus
