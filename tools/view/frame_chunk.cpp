// SPDX-License-Identifier: Apache-2.0
#include "tools/view/frame_chunk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tools/view/packed_column.hpp"

namespace talus {

namespace {

// Nearest integer; what is no number or far outside is not trusted.
std::int32_t rounded(double value) {
  constexpr double most = 1 << 29;
  return std::isnan(value) ? 0
                           : static_cast<std::int32_t>(std::lround(std::clamp(value, -most, most)));
}

std::int32_t half_bits(double value) {
  return Eigen::numext::bit_cast<std::uint16_t>(
      Eigen::half(static_cast<float>(std::clamp(value, -65000.0, 65000.0))));
}

// Values of bodies, stored as the difference to the value that the body had in the frame before.
class BodyColumn {
 public:
  BodyColumn(std::size_t bodies, int width)
      : width_(static_cast<std::size_t>(width)), last_(bodies * width_) {}

  void add(std::size_t body, const std::int32_t* values) {
    for (std::size_t k = 0; k < width_; ++k) {
      std::int32_t& last = last_[body * width_ + k];
      changes_.push_back(values[k] - std::exchange(last, values[k]));
    }
  }
  std::string text() const { return packed(std::span(changes_)); }

 private:
  std::size_t width_;
  std::vector<std::int32_t> last_, changes_;
};

// The component that is largest, and the three others for the sign that makes it positive.
std::array<std::int32_t, 4> quantised(const Eigen::Quaterniond& q) {
  const Eigen::Vector4d v(q.w(), q.x(), q.y(), q.z());
  Eigen::Index largest = 0;
  v.cwiseAbs().maxCoeff(&largest);
  const double sign = v[largest] < 0 ? -4096 : 4096;
  std::array<std::int32_t, 4> values = {};
  for (int k = 0, out = 0; k < 4; ++k)
    if (k != largest) values[static_cast<std::size_t>(out++)] = rounded(sign * v[k]);
  values[3] = static_cast<std::int32_t>(largest);
  return values;
}

// Rotation about z, in parts of a turn.
std::int32_t quantised_angle(double x, double y) {
  return rounded(std::atan2(y, x) / (2 * M_PI) * 65536);
}

// A direction on the octahedron |x| + |y| + |z| = 1, unfolded to a square. (Meyer et al., On
// floating-point normal vectors, 2010)
std::array<std::int32_t, 2> octahedral(const Vec<3>& v) {
  const Vec<3> n = v / std::max(v.lpNorm<1>(), 1e-300);
  double x = n[0], y = n[1];
  if (n[2] < 0) {
    const double old_x = x;
    x = (1 - std::abs(y)) * (old_x < 0 ? -1 : 1);
    y = (1 - std::abs(old_x)) * (y < 0 ? -1 : 1);
  }
  return {rounded(127 * x), rounded(127 * y)};
}

struct BodyTexts {
  std::string rows, body, position, turn, velocity, spin;
};

BodyTexts body_columns(const TrajectoryReader& run, std::span<const std::size_t> frames,
                       double quantum) {
  const int dim = run.header().dimension;
  const std::size_t n = run.bodies().size();
  BodyColumn position(n, dim), turn(n, dim == 2 ? 1 : 4);
  std::vector<std::int32_t> rows, body, velocity, spin;
  std::vector<std::size_t> order;
  for (const std::size_t frame : frames) {
    const FrameState state = run.state_in_cell(frame);
    order.resize(state.body.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return state.body[a] < state.body[b]; });
    rows.push_back(static_cast<std::int32_t>(order.size()));
    std::int32_t last = -1;
    for (const std::size_t row : order) {
      const auto i = static_cast<std::size_t>(state.body[row]);
      body.push_back(state.body[row] - std::exchange(last, state.body[row]) - 1);
      const Vec<3>& x = state.position[row];
      const std::int32_t place[] = {rounded(x[0] / quantum), rounded(x[1] / quantum),
                                    rounded(x[2] / quantum)};
      position.add(i, place);
      const Eigen::Quaterniond& q = state.orientation[row];
      const auto turned = quantised(q);
      const std::int32_t angle = quantised_angle(1 - 2 * q.z() * q.z(), 2 * q.w() * q.z());
      turn.add(i, dim == 2 ? &angle : turned.data());
      for (int k = 0; k < dim; ++k) velocity.push_back(half_bits(state.velocity[row][k]));
      const Vec<3>& omega = state.angular_velocity[row];
      spin.push_back(half_bits(dim == 2 ? omega[2] : omega.norm()));
    }
  }
  return {packed(std::span<const std::int32_t>(rows)),
          packed(std::span<const std::int32_t>(body)),
          position.text(),
          turn.text(),
          packed(std::span<const std::int32_t>(velocity)),
          packed(std::span<const std::int32_t>(spin))};
}

// Rows of the strongest contacts of a frame, sorted by their bodies.
std::vector<std::size_t> shown_contacts(const FrameContacts& contacts, double share) {
  std::vector<std::size_t> order(contacts.size());
  std::iota(order.begin(), order.end(), 0);
  if (share < 1) {
    const auto kept =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(order.size())));
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(kept);
    std::nth_element(order.begin(), middle, order.end(), [&](std::size_t a, std::size_t b) {
      return contacts.force[a].squaredNorm() > contacts.force[b].squaredNorm();
    });
    order.erase(middle, order.end());
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(contacts.body_a[a], contacts.body_b[a]) <
           std::pair(contacts.body_a[b], contacts.body_b[b]);
  });
  return order;
}

std::string contact_columns(const TrajectoryReader& run, std::span<const std::size_t> frames,
                            double share) {
  const int dim = run.header().dimension;
  const BodyTable& bodies = run.bodies();
  std::vector<FrameContacts> contacts;
  double strongest = 0;
  for (const std::size_t frame : frames) {
    contacts.push_back(run.contacts(frame));
    for (const Vec<3>& force : contacts.back().force)
      if (std::isfinite(force.norm())) strongest = std::max(strongest, force.norm());
  }
  std::vector<std::int32_t> rows, a, b, force, direction, point, status;
  std::vector<std::int32_t> row_of(bodies.size());
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const FrameContacts& in = contacts[f];
    const FrameState state = run.state_in_cell(frames[f]);
    for (std::size_t row = 0; row < state.body.size(); ++row)
      row_of[static_cast<std::size_t>(state.body[row])] = static_cast<std::int32_t>(row);
    const std::vector<std::size_t> order = shown_contacts(in, share);
    rows.push_back(static_cast<std::int32_t>(order.size()));
    std::int32_t last_a = 0;
    for (const std::size_t i : order) {
      a.push_back(in.body_a[i] - std::exchange(last_a, in.body_a[i]));
      b.push_back(in.body_b[i] - in.body_a[i]);
      // Square roots, so that weak forces keep their digits.
      force.push_back(rounded(65535 * std::sqrt(in.force[i].norm() / std::max(strongest, 1e-300))));
      if (dim == 2) {
        direction.push_back(quantised_angle(in.force[i][0], in.force[i][1]) / 64);
      } else {
        const auto d = octahedral(in.force[i]);
        direction.insert(direction.end(), d.begin(), d.end());
      }
      const auto ia = static_cast<std::size_t>(in.body_a[i]),
                 ib = static_cast<std::size_t>(in.body_b[i]);
      const std::size_t smaller = bodies.radius[ia] < bodies.radius[ib] ? ia : ib;
      const auto row = static_cast<std::size_t>(row_of[smaller]);
      const Vec<3> centre = row < state.position.size() ? state.position[row] : in.point[i];
      Vec<3> way = in.point[i] - centre;
      if (state.cell) way -= state.cell->A * state.cell->nearest_image(way);
      const Vec<3> arm = way * (100 / std::max(bodies.radius[smaller], 1e-300));
      for (int k = 0; k < dim; ++k) point.push_back(rounded(arm[k]));
      status.push_back(in.status[i]);
    }
  }
  const auto text = [](const std::vector<std::int32_t>& column) {
    return packed(std::span(column));
  };
  return fmt::format(
      R"({{"rows": {}, "strongest": {}, "a": {}, "b": {}, "force": {}, "direction": {}, "point": {}, )"
      R"("status": {}}})",
      text(rows), strongest, text(a), text(b), text(force), text(direction), text(point),
      text(status));
}

// Points, forces and torques of all joints, frame by frame.
std::string joint_columns(const TrajectoryReader& run, std::span<const std::size_t> frames) {
  std::vector<float> values;
  for (const std::size_t frame : frames) {
    const FrameJoints joints = run.joints(frame);
    for (std::size_t j = 0; j < joints.size(); ++j)
      for (const Vec<3>* v : {&joints.point[j], &joints.force[j], &joints.torque[j]})
        for (const double x : *v) values.push_back(static_cast<float>(x));
  }
  return packed(std::span<const float>(values));
}

// Points and damage of all bonds, and the number of the pair of bodies that they join, frame by
// frame.
std::string bond_columns(const TrajectoryReader& run, std::span<const std::size_t> frames) {
  std::vector<float> values;
  for (const std::size_t frame : frames) {
    const FrameBonds bonds = run.bonds(frame);
    int pair = 0;
    for (std::size_t i = 0; i < bonds.size(); ++i) {
      pair += i > 0 &&
              (bonds.body_a[i] != bonds.body_a[i - 1] || bonds.body_b[i] != bonds.body_b[i - 1]);
      for (const double x : bonds.point[i]) values.push_back(static_cast<float>(x));
      values.push_back(static_cast<float>(bonds.damage[i]));
      values.push_back(static_cast<float>(pair));
    }
  }
  return packed(std::span<const float>(values));
}

}  // namespace

double position_quantum(const TrajectoryReader& run) {
  const BodyTable& bodies = run.bodies();
  double smallest = INFINITY;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.fixed[i] == 0 && bodies.radius[i] > 0)
      smallest = std::min(smallest, bodies.radius[i]);
  return (std::isfinite(smallest) ? smallest : 1) / 1000;
}

ChunkText frame_chunk(const TrajectoryReader& run, std::span<const std::size_t> frames,
                      double quantum, double contact_share) {
  std::vector<double> time;
  std::vector<std::int64_t> step;
  for (const std::size_t frame : frames) {
    const double t = run.frames()[frame].time();
    time.push_back(std::isfinite(t) ? t : 0);
    step.push_back(run.frames()[frame].step);
  }
  const BodyTexts bodies = body_columns(run, frames, quantum);
  const std::string contacts = contact_columns(run, frames, contact_share);
  const std::string joints = run.header().joints > 0 ? joint_columns(run, frames) : "null";
  const std::string bonds = run.header().bonds > 0 ? bond_columns(run, frames) : "null";
  return {fmt::format(R"({{"time": [{}], "step": [{}], "rows": {}, "body": {}, "position": {}, )"
                      R"("turn": {}, "velocity": {}, "spin": {}, "contacts": {}, "joints": {}, )"
                      R"("bonds": {}}})",
                      fmt::join(time, ", "), fmt::join(step, ", "), bodies.rows, bodies.body,
                      bodies.position, bodies.turn, bodies.velocity, bodies.spin, contacts, joints,
                      bonds),
          contacts.size()};
}

}  // namespace talus
