// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/still.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "io/text/input_error.hpp"

namespace talus {

namespace {

Colour from_hex(unsigned number) {
  return {(number >> 16 & 255) / 255.0, (number >> 8 & 255) / 255.0, (number & 255) / 255.0};
}

template <std::size_t N>
Colour along(const std::array<unsigned, N>& stops, double part) {
  const double place = std::clamp(std::isnan(part) ? 0 : part, 0.0, 1.0) * (N - 1);
  const std::size_t k = std::min(static_cast<std::size_t>(place), N - 2);
  const double f = place - static_cast<double>(k);
  return (1 - f) * from_hex(stops[k]) + f * from_hex(stops[k + 1]);
}

// The value that this part of the values does not exceed; 0 if there are none.
double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void include(Box& box, const Vec<3>& point, double radius) {
  box.low = box.low.cwiseMin(point - Vec<3>::Constant(radius));
  box.high = box.high.cwiseMax(point + Vec<3>::Constant(radius));
}

}  // namespace

std::string hex(const Colour& colour) {
  const auto byte = [&](int k) {
    return static_cast<int>(std::lround(255 * std::clamp(colour[k], 0.0, 1.0)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(0), byte(1), byte(2));
}

Colour category_colour(std::size_t number) {
  constexpr std::array<unsigned, 8> list = {0xc7b299, 0x6f9bbd, 0xc1846a, 0x84a97c,
                                            0xa68cbd, 0xd0ae4a, 0x6eb0a9, 0xc27f9a};
  return from_hex(list[number % list.size()]);
}

Colour speed_colour(double part) {
  return along<6>({0x5b5ea6, 0x4d80b8, 0x43a3ad, 0x6bbf86, 0xb3d35f, 0xf5df4d}, part);
}

Colour force_colour(double part) {
  return along<4>({0xd9c7a0, 0xe8963c, 0xcf3f2e, 0x7d1128}, part);
}

bool StillRun::has_half_space(std::size_t body) const {
  const std::int32_t shape = run.bodies().shape[body];
  if (shape < 0) return false;
  const auto& parts = shapes[static_cast<std::size_t>(shape)].parts;
  return std::any_of(parts.begin(), parts.end(),
                     [](const StoredPart& part) { return part.type == ShapeType::half_space; });
}

StillRun::StillRun(const TrajectoryReader& trajectory, ColourBy colours)
    : run(trajectory), shapes(run.shapes()), colour_by(colours) {
  if (colour_by == ColourBy::usual) colour_by = in_plane() ? ColourBy::material : ColourBy::speed;
  const BodyTable& bodies = run.bodies();
  const std::size_t last = run.frames().size() - 1;
  for (std::size_t k = 0; k <= 8; ++k) {
    const FrameState state = run.state_in_cell(k * last / 8);
    std::vector<double> speeds;
    for (std::size_t row = 0; row < state.body.size(); ++row)
      if (bodies.fixed[static_cast<std::size_t>(state.body[row])] == 0)
        speeds.push_back(state.velocity[row].norm());
    fastest = std::max(fastest, quantile(speeds, 0.995));
  }
  std::array<std::vector<double>, 3> lows, highs;
  const auto collect = [&](bool free_only) {
    for (const std::size_t frame : std::set<std::size_t>{0, last / 2, last}) {
      const FrameState state = run.state_in_cell(frame);
      for (std::size_t row = 0; row < state.body.size(); ++row) {
        const auto i = static_cast<std::size_t>(state.body[row]);
        if ((free_only && bodies.fixed[i] != 0) || has_half_space(i)) continue;
        for (int k = 0; k < 3; ++k) {
          lows[static_cast<std::size_t>(k)].push_back(state.position[row][k] - bodies.radius[i]);
          highs[static_cast<std::size_t>(k)].push_back(state.position[row][k] + bodies.radius[i]);
        }
      }
    }
  };
  collect(true);
  if (lows[0].empty()) collect(false);
  if (lows[0].empty()) return;
  const double cut = lows[0].size() > 300 ? 0.01 : 0;  // a body in a hundred may be outside
  for (int k = 0; k < 3; ++k) {
    box.low[k] = quantile(lows[static_cast<std::size_t>(k)], cut);
    box.high[k] = quantile(highs[static_cast<std::size_t>(k)], 1 - cut);
  }
  // Fixed bodies of finite size that stand by, whole.
  const double size = box.size().norm();
  const Box near{box.low - Vec<3>::Constant(0.35 * size), box.high + Vec<3>::Constant(0.35 * size)};
  const FrameState state = run.state_in_cell(0);
  for (std::size_t row = 0; row < state.body.size(); ++row) {
    const auto i = static_cast<std::size_t>(state.body[row]);
    const Vec<3>& x = state.position[row];
    if (bodies.fixed[i] == 0 || has_half_space(i) || bodies.radius[i] > 0.8 * size) continue;
    if ((x - near.low).minCoeff() <= 0 || (near.high - x).minCoeff() <= 0) continue;
    if (bodies.shape[i] < 0)
      include(box, x, bodies.radius[i]);
    else
      for (const Vec<3>& v : shapes[static_cast<std::size_t>(bodies.shape[i])].surface.vertices)
        include(box, x + state.orientation[row] * v, 0);
  }
  find_ways();
}

void StillRun::find_ways() {
  constexpr std::size_t most = 100;
  constexpr double point = 0.003;  // of the box
  const BodyTable& bodies = run.bodies();
  std::size_t free = 0;
  double largest = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.fixed[i] == 0) ++free, largest = std::max(largest, bodies.radius[i]);
  if (run.view_sizes().periodic || !in_plane() || run.header().population_varies() || free == 0 ||
      free > most || largest > point * box.size().norm())
    return;
  ways.resize(bodies.size());
  for (std::size_t k = 0; k < run.frames().size(); ++k) {
    const FrameState state = run.state_in_cell(k);
    for (std::size_t row = 0; row < state.body.size(); ++row) {
      const auto i = static_cast<std::size_t>(state.body[row]);
      if (bodies.fixed[i] != 0) continue;
      ways[i].push_back(state.position[row]);
      include(box, state.position[row], 0);
    }
  }
}

double StillRun::half_width(std::size_t body) const {
  const BodyTable& bodies = run.bodies();
  if (bodies.shape[body] < 0) return bodies.radius[body];
  const auto& vertices = shapes[static_cast<std::size_t>(bodies.shape[body])].surface.vertices;
  if (vertices.empty()) return bodies.radius[body];
  Box own{vertices[0], vertices[0]};
  for (const Vec<3>& v : vertices) include(own, v, 0);
  const Vec<3> half = 0.5 * own.size();
  return in_plane() ? half.head<2>().minCoeff() : half.minCoeff();
}

// Half of a body in a heap; less where few bodies fill the picture, or where they are slender.
double StillRun::widest_chain(const Still& still) const {
  const double picture = box.size().norm();
  const double body = std::min(0.44 * still.body_size, 0.88 * still.half_width);
  return std::clamp(body, 0.004 * picture, 0.015 * picture);
}

std::vector<std::array<Vec<3>, 2>> StillRun::cell_borders(const Still& still) const {
  std::vector<std::array<Vec<3>, 2>> borders;
  if (!still.state.cell || !in_plane()) return borders;
  // Images lie in the upright box of the diagonal of A: A is upper triangular.
  const auto& cell = *still.state.cell;
  for (const int axis : {0, 1}) {
    const int across = 1 - axis;
    if (!cell.periodic[static_cast<std::size_t>(axis)]) continue;
    const bool closed = cell.periodic[static_cast<std::size_t>(across)];
    for (const double at : {0.0, cell.A(axis, axis)}) {
      Vec<3> from = Vec<3>::Zero(), to = Vec<3>::Zero();
      from[axis] = to[axis] = at;
      from[across] = closed ? 0 : box.low[across];
      to[across] = closed ? cell.A(across, across) : box.high[across];
      borders.push_back({from, to});
    }
  }
  return borders;
}

// What the tolerance of the solver leaves is less.
constexpr double least_damage = 1e-3;

std::vector<CrackLine> crack_map(const FrameBonds& bonds) {
  std::vector<CrackLine> cracks;
  for (std::size_t i = 0; i + 1 < bonds.size(); ++i) {
    if (bonds.body_a[i] != bonds.body_a[i + 1] || bonds.body_b[i] != bonds.body_b[i + 1]) continue;
    const double damage = std::min(bonds.damage[i], bonds.damage[i + 1]);
    if (damage > least_damage) cracks.push_back({bonds.point[i], bonds.point[i + 1], damage >= 1});
  }
  return cracks;
}

Still StillRun::at(std::size_t frame) const {
  const BodyTable& bodies = run.bodies();
  Still still;
  still.state = run.state_in_cell(frame);
  still.time = run.frames()[frame].time();
  still.cracks = crack_map(run.bonds(frame));
  std::vector<std::ptrdiff_t> row_of(bodies.size(), -1);
  std::vector<double> sizes, half_widths, forces;
  for (std::size_t row = 0; row < still.state.body.size(); ++row) {
    const auto i = static_cast<std::size_t>(still.state.body[row]);
    row_of[i] = static_cast<std::ptrdiff_t>(row);
    if (bodies.fixed[i] != 0) continue;
    sizes.push_back(bodies.radius[i]);
    half_widths.push_back(half_width(i));
  }
  still.body_size = sizes.empty() ? 0.05 * box.size().norm() : quantile(sizes, 0.5);
  still.half_width = sizes.empty() ? still.body_size : quantile(half_widths, 0.5);
  const FrameContacts contacts = run.contacts(frame);
  still.load.assign(still.state.body.size(), 0);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const double force = contacts.force[k].norm();
    if (force > 0) forces.push_back(force);
    for (const std::int32_t body : {contacts.body_a[k], contacts.body_b[k]}) {
      const std::ptrdiff_t row = row_of[static_cast<std::size_t>(body)];
      if (row < 0) continue;
      double& load = still.load[static_cast<std::size_t>(row)];
      load = std::max(load, force);
    }
  }
  still.reference_force = reference_force.value_or(quantile(forces, 0.98));
  if (still.reference_force == 0) return still;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const auto end = [&](std::int32_t body) -> Vec<3> {
      const auto i = static_cast<std::size_t>(body);
      return bodies.fixed[i] == 0 && row_of[i] >= 0
                 ? still.state.position[static_cast<std::size_t>(row_of[i])]
                 : contacts.point[k];
    };
    const double part = std::min(1.0, contacts.force[k].norm() / still.reference_force);
    if (!(part > 0)) continue;
    const Vec<3> from = end(contacts.body_a[k]);
    Vec<3> to = end(contacts.body_b[k]);
    if (const auto& cell = still.state.cell)  // the image that touches
      to -= cell->A * cell->nearest_image(to - from);
    still.forces.push_back({from, to, part});
  }
  std::stable_sort(still.forces.begin(), still.forces.end(),
                   [](const ForceLine& a, const ForceLine& b) { return a.part < b.part; });
  return still;
}

void StillRun::share_reference_force(std::span<const std::size_t> frames) {
  constexpr std::size_t most_sampled = 30;
  const std::size_t stride = std::max<std::size_t>(1, frames.size() / most_sampled);
  std::vector<double> forces;
  for (std::size_t k = 0; k < frames.size(); k += stride)
    for (const Vec<3>& force : run.contacts(frames[k]).force)
      if (force.norm() > 0) forces.push_back(force.norm());
  reference_force = quantile(forces, 0.98);
}

Colour StillRun::colour_of(const Still& still, std::size_t row) const {
  const auto body = static_cast<std::size_t>(still.state.body[row]);
  const auto part = [](double value, double high) { return high > 0 ? value / high : 0; };
  const auto category = [&](std::size_t number) -> Colour {  // pale in the plane, below the chains
    return in_plane() ? Colour(0.35 * category_colour(number) + Colour::Constant(0.65))
                      : category_colour(number);
  };
  switch (colour_by) {
    case ColourBy::material:
      return category(static_cast<std::size_t>(run.bodies().material[body]));
    case ColourBy::body:
      return category(body);
    case ColourBy::force:
      return speed_colour(part(still.load[row], still.reference_force));
    default:
      return speed_colour(part(still.state.velocity[row].norm(), fastest));
  }
}

std::optional<ColourScale> colour_scale(const StillRun& run, const Still& still) {
  if (run.colour_by == ColourBy::speed && run.fastest > 0)
    return ColourScale{"speed [m/s]", run.fastest};
  if (run.colour_by == ColourBy::force && still.reference_force > 0)
    return ColourScale{"largest contact force [N]", still.reference_force};
  return std::nullopt;
}

std::size_t frame_at(const TrajectoryReader& run, double time) {
  const std::vector<Frame>& frames = run.frames();
  const double margin = 1e-9 * std::max(1.0, std::abs(frames.back().time()));
  if (time < frames.front().time() - margin || time > frames.back().time() + margin)
    throw InputError(fmt::format("--at {}: the run has frames from {} s to {} s", time,
                                 frames.front().time(), frames.back().time()));
  const auto nearer = [&](const Frame& a, const Frame& b) {
    return std::abs(a.time() - time) < std::abs(b.time() - time);
  };
  return static_cast<std::size_t>(std::min_element(frames.begin(), frames.end(), nearer) -
                                  frames.begin());
}

}  // namespace talus
