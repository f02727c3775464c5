// SPDX-License-Identifier: Apache-2.0
// Gauss–Seidel sweeps of a rigid problem, four contacts at a time, in the order of ordering.hpp.
//
// Percussions and the velocities v = M⁻¹H p they give the bodies are kept side by side in the order
// of the sweep; an island owns a stretch of each. Balls are recognised (arms along the normal,
// isotropic inertia) and take a shorter way; where some friction is elliptic, tangents are
// stretched.
#pragma once

#include <span>
#include <vector>

#include "solvers/math/aligned.hpp"
#include "solvers/problem/contact_problem.hpp"
#include "solvers/problem/islands.hpp"
#include "solvers/sweep/ordering.hpp"
#include "solvers/sweep/sweep_wide.hpp"

namespace talus {

// A scalar row on the lines of its bodies:  u = jacobian·lines + bias + compliance p,
// lines += response Δp.
struct PreparedRow {
  int line_a, line_b;
  double jacobian_a[8], jacobian_b[8], response_a[8], response_b[8];
  double compliance, bias, W_inverse;
};

enum class Direction { forward, backward };

// What momentum does between two sweeps, x_last ← x and x ← x + β (x − x_last), for percussions and
// for velocities. The next sweep does it as it goes along, where it has the numbers in its cache.
struct Push {
  double beta = 0;
  double *p_last = nullptr, *v_last = nullptr;  // null: nothing is to be done
};

template <int D>
class Sweep {
 public:
  static constexpr int line_length = D == 2 ? PlanePacket::line : SpacePacket::line;

  // Orders the problem and takes p as the start; velocities follow with rebuild_velocities.
  void load(const ContactProblem<D>& problem, const Islands<D>& islands, const Percussions<D>& p);
  void store(Percussions<D>& p);

  std::span<const Island> islands() const { return order_.islands(); }
  const SweepOrder& order() const { return order_; }
  bool balls() const { return balls_; }
  void allow_balls(bool yes) { balls_allowed_ = yes; }  // false: the general way, for comparison

  // Returns Σ W_N‖Δp‖². The push comes first.
  double sweep(std::size_t island, Direction direction, const Push& push = {});
  void push(std::size_t island, const Push& push);  // by itself
  void rebuild_velocities(std::size_t island);      // v = M⁻¹H p
  ErrorSum error(std::size_t island);               // of p, with v in step with it

  // An island's part of percussions() and weights(), and of velocities().
  const PercussionGroups& percussion_groups(std::size_t island) const { return groups_[island]; }
  Range velocity_range(std::size_t island) const;
  std::size_t percussion_count() const { return percussion_count_; }
  std::size_t velocity_count() const { return order_.line_body().size() * line_length; }
  double* percussions() { return p_.data(); }
  double* velocities() { return lines_.data(); }
  const double* weights() const { return weights_.data(); }  // √W_N, four a group

 private:
  template <class F>
  auto with_packets(F f) {
    if constexpr (D == 2) {
      return moments_ ? f(rolling_plane_packets_, wide_kernels().rolling_plane)
                      : f(plane_packets_, wide_kernels().plane);
    } else if (moments_) {
      return balls_ ? f(rolling_ball_packets_, wide_kernels().rolling_ball)
                    : f(rolling_space_packets_, wide_kernels().rolling_space);
    } else {
      return balls_       ? f(ball_packets_, wide_kernels().ball)
             : stretched_ ? f(stretched_packets_, wide_kernels().stretched)
                          : f(space_packets_, wide_kernels().space);
    }
  }
  // Numbers of a contact: of its percussion, and of its moment where there are any.
  int components() const { return moments_ ? wrench_dim<D> : D; }
  bool find_pairs(const ContactProblem<D>& problem);
  void fill_lines(const RigidOperator<D>& W);
  void fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order, BallPacket& out);
  void fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order, SpacePacket& out);
  void fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order,
                   StretchedPacket& out);
  void fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order, PlanePacket& out);
  void fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order,
                   RollingBallPacket& out);
  void fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order,
                   RollingSpacePacket& out);
  void fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order,
                   RollingPlanePacket& out);
  MassBlock<D> mass_of_line(const RigidOperator<D>& W, int body, int line) const;
  void find_units(const ContactProblem<D>& problem, const Islands<D>& islands);
  void fill_compliance(const ContactProblem<D>& problem);
  void fill_rows(const ContactProblem<D>& problem, const Percussions<D>& p);

  void push_percussions(const Push& push, const double* first, const double* last);
  void push_lines(const Push& push, Range lines);
  void spread_hubs(const Island& island);
  void merge_hubs(const Island& island);
  template <class AtBlock, class AtPiece, class AtRows>
  void walk(const Island& island, Direction direction, AtBlock at_block, AtPiece at_piece,
            AtRows at_rows_between);
  double sweep_rows(const Island& island, Range rows, Direction direction);
  double row_velocity(const PreparedRow& row, double p) const;
  void kick(const PreparedRow& row, double change);

  const PercussionGroups& groups_of(const Island& island) const {
    return groups_[static_cast<std::size_t>(&island - order_.islands().data())];
  }
  double* packet_percussion(const Island& island, std::size_t packet) {
    return p_.data() + groups_of(island).first +
           4 * at(components()) * (packet - island.packets.first);
  }
  double* packet_weight(const Island& island, std::size_t packet) {
    return weights_.data() + groups_of(island).first_weight + 4 * (packet - island.packets.first);
  }
  double* packet_compliance(std::size_t packet) {  // null where every contact is rigid
    return compliance_.data() == nullptr ? nullptr : compliance_.data() + compliances * packet;
  }
  double* row_percussion(const Island& island, std::size_t row) {
    return packet_percussion(island, island.packets.last) + (row - island.rows.first);
  }

  const ContactProblem<D>* problem_ = nullptr;
  SweepOrder order_;
  enum class BodyKind : unsigned char { fixed, general, ball };
  std::vector<BodyKind> kinds_;
  std::vector<Link> contact_pairs_, row_pairs_;
  bool balls_ = false, balls_allowed_ = true;
  bool moments_ = false;      // contacts pass moments
  std::vector<double> unit_;  // ℓ of each contact, if they do
  bool stretched_ = false;    // some contact has elliptic friction
  std::vector<BallPacket> ball_packets_;
  std::vector<SpacePacket> space_packets_;
  std::vector<StretchedPacket> stretched_packets_;
  std::vector<PlanePacket> plane_packets_;
  std::vector<RollingBallPacket> rolling_ball_packets_;
  std::vector<RollingSpacePacket> rolling_space_packets_;
  std::vector<RollingPlanePacket> rolling_plane_packets_;
  std::vector<PreparedRow> rows_;
  std::vector<PercussionGroups> groups_;
  std::size_t percussion_count_ = 0;
  AlignedNumbers p_, weights_, lines_, inertia_, compliance_;
  std::vector<ErrorSum> partial_;
  std::vector<double> moved_;  // by block, then by piece
};

}  // namespace talus
