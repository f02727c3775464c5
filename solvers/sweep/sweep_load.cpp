// SPDX-License-Identifier: Apache-2.0
// Loading a sweep: packets and lines from a problem, percussions into and out of their order.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <type_traits>

#include "solvers/math/parallel.hpp"
#include "solvers/sweep/sweep.hpp"

namespace talus {

namespace {

constexpr std::size_t chunk_packets = 256;  // that a thread takes at a time

bool is_ball(const MassBlock<3>& mass) {
  const SpinMat<3>& J = mass.inverse_inertia;
  const double size = J.trace() / 3;
  return mass.inverse_mass > 0 &&
         (J - size * SpinMat<3>::Identity()).cwiseAbs().maxCoeff() <= 1e-12 * size;
}

// Contact points are computed from positions, so an arm along the normal is so to the rounding of
// the position against the radius.
template <int D>
bool along(const Vec<D>& arm, const Vec<D>& n) {
  return (arm - arm.dot(n) * n).squaredNorm() <= 1e-20 * arm.squaredNorm();
}

// Columns from a percussion as the packet keeps it to world axes.
Mat<3> packet_frame(const BallPacket&, int) { return Mat<3>::Identity(); }
Mat<3> packet_frame(const SpacePacket& packet, int lane) {
  Mat<3> frame;
  for (int k = 0; k < 3; ++k) frame(k, 0) = packet.n[k][lane], frame(k, 1) = packet.t1[k][lane];
  frame.col(2) = frame.col(0).cross(frame.col(1));
  return frame;
}
Mat<3> packet_frame(const StretchedPacket& packet, int lane) {
  Mat<3> frame = packet_frame(static_cast<const SpacePacket&>(packet), lane);
  for (int k = 0; k < 3; ++k) frame(k, 2) = packet.t2[k][lane];
  return frame;
}
Mat<2> packet_frame(const PlanePacket& packet, int lane) {
  const double x = packet.n[0][lane], y = packet.n[1][lane];
  return Mat<2>{{x, -y}, {y, x}};
}

// Coefficients in a frame, which is orthonormal but for stretched packets.
template <class Packet, int D>
Vec<D> in_frame(const Mat<D>& frame, const Vec<D>& world) {
  if constexpr (std::is_same_v<Packet, StretchedPacket>) {
    return frame.inverse() * world;
  } else {
    return frame.transpose() * world;
  }
}

// x × n + (x·n) n, as RollingBallPacket keeps moments and spins.
Vec<3> half_turned(const Vec<3>& x, const Vec<3>& n) { return x.cross(n) + x.dot(n) * n; }

template <int N>
void put_triangle(const Mat<N>& block, int lane, double (*out)[4]) {
  for (int i = 0, k = 0; i < N; ++i)
    for (int j = 0; j <= i; ++j, ++k) out[k][lane] = block(i, j);
}

// 1/k, k the radius of gyration of a ball.
double inverse_gyration(const MassBlock<3>& mass) {
  return mass.inverse_mass > 0 ? std::sqrt(mass.inverse_inertia(0, 0) / mass.inverse_mass) : 0;
}

}  // namespace

// The moving bodies of every contact and row; true when all of them are balls, with round cones.
template <int D>
bool Sweep<D>::find_pairs(const ContactProblem<D>& problem) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  kinds_.resize(W.bodies.size());
  parallel_for(W.bodies.size(), [&](std::size_t i) {
    kinds_[i] = W.bodies[i].moves() ? BodyKind::general : BodyKind::fixed;
    if constexpr (D == 3) {
      if (is_ball(W.bodies[i])) kinds_[i] = BodyKind::ball;
    }
  });
  const auto moving = [&](int body) { return kinds_[at(body)] == BodyKind::fixed ? -1 : body; };
  const auto rolls = [&](int body) { return body < 0 || kinds_[at(body)] == BodyKind::ball; };
  std::atomic<bool> balls = D == 3 && balls_allowed_ && !problem.has_cohesion(), stretched = false;
  contact_pairs_.resize(W.contacts.size());
  parallel_for(W.contacts.size(), [&](std::size_t i) {
    const ContactRow<D>& row = W.contacts[i];
    const Link pair = {moving(row.a), moving(row.b)};
    contact_pairs_[i] = pair;
    if constexpr (D == 3) {
      const Vec<3> n = row.frame.col(0);
      const bool rolling = rolls(pair.a) && rolls(pair.b) &&
                           (pair.a < 0 || along<3>(row.arm_a, n)) &&
                           (pair.b < 0 || along<3>(row.arm_b, n));
      if (!rolling && balls) balls = false;  // written once, not by every thread at every contact
      if (row.stretch != 1 && !stretched) stretched = true;
    }
  });
  stretched_ = stretched;
  if (stretched) balls = false;
  row_pairs_.resize(problem.rows.size());
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    row_pairs_[i] = {moving(problem.rows[i].a), moving(problem.rows[i].b)};
    if (!rolls(row_pairs_[i].a) || !rolls(row_pairs_[i].b)) balls = false;
  }
  return balls;
}

template <int D>
void Sweep<D>::fill_lines(const RigidOperator<D>& W) {
  const std::span<const int> bodies = order_.line_body();
  lines_.resize(bodies.size() * line_length);
  if (D == 3 && !balls_) inertia_.resize(bodies.size() * inertia_line);
  parallel_for(bodies.size(), [&](std::size_t k) {
    double* const line = lines_.data() + k * line_length;
    std::fill(line, line + line_length, 0.0);
    if constexpr (D == 3) {
      const double share = order_.line_share()[k];
      const int body = bodies[k];
      // Lanes without a contact push against a unit mass, with nothing.
      line[mass_at] = body >= 0 ? W.bodies[at(body)].inverse_mass / share
                                : (body == SweepOrder::no_contact ? 1.0 : 0.0);
      if (balls_) return;
      double* const out = inertia_.data() + k * inertia_line;
      std::fill(out, out + inertia_line, 0.0);
      if (body < 0) return;
      const SpinMat<3>& J = W.bodies[at(body)].inverse_inertia;
      const double entries[6] = {J(0, 0), J(0, 1), J(0, 2), J(1, 1), J(1, 2), J(2, 2)};
      for (int i = 0; i < 6; ++i) out[i] = entries[i] / share;
    }
  });
}

template <int D>
void Sweep<D>::fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order,
                           BallPacket& out) {
  if constexpr (D == 3) {
    const auto& W = std::get<RigidOperator<D>>(problem.W);
    for (int lane = 0; lane < 4; ++lane) {
      out.at_a[lane] = order.line_a[lane] * line_length;
      out.at_b[lane] = order.line_b[lane] * line_length;
      Vec<3> n = Vec<3>::Zero(), b = Vec<3>::Zero();
      double arm_a = 0, arm_b = 0, mu = 0;
      if (order.contact[lane] >= 0) {
        const std::size_t i = at(order.contact[lane]);
        const ContactRow<D>& row = W.contacts[i];
        n = row.frame.col(0);
        b = row.frame * problem.b[i];
        arm_a = row.arm_a.dot(n) * inverse_gyration(W.bodies[at(row.a)]);
        arm_b = -row.arm_b.dot(n) * inverse_gyration(W.bodies[at(row.b)]);
        mu = problem.law[i].mu;
      }
      for (int k = 0; k < 3; ++k) {
        out.n[k][lane] = n[k];
        out.b[k][lane] = b[k];
      }
      out.arm_a[lane] = arm_a;
      out.arm_b[lane] = arm_b;
      out.mu[lane] = mu;
    }
  }
}

template <int D>
void Sweep<D>::fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order,
                           SpacePacket& out) {
  if constexpr (D == 3) {
    const auto& W = std::get<RigidOperator<D>>(problem.W);
    for (int lane = 0; lane < 4; ++lane) {
      out.at_a[lane] = order.line_a[lane] * line_length;
      out.at_b[lane] = order.line_b[lane] * line_length;
      Mat<3> frame = Mat<3>::Zero();
      Vec<3> arm_a = Vec<3>::Zero(), arm_b = Vec<3>::Zero(), b = Vec<3>::Zero();
      double mu = 0;
      if (order.contact[lane] >= 0) {
        const std::size_t i = at(order.contact[lane]);
        const ContactRow<D>& row = W.contacts[i];
        frame = row.frame;
        arm_a = row.arm_a;
        arm_b = row.arm_b;
        b = problem.b[i];
        // The kernels take t₂ = n × t₁.
        if (frame.col(0).cross(frame.col(1)).dot(frame.col(2)) < 0) b[2] = -b[2];
        mu = problem.law[i].mu;
      }
      for (int k = 0; k < 3; ++k) {
        out.n[k][lane] = frame(k, 0);
        out.t1[k][lane] = frame(k, 1);
        out.arm_a[k][lane] = arm_a[k];
        out.arm_b[k][lane] = arm_b[k];
        out.b[k][lane] = b[k];
      }
      out.local.mu[lane] = mu;
    }
  }
}

template <int D>
void Sweep<D>::fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order,
                           StretchedPacket& out) {
  if constexpr (D == 3) {
    fill_packet(problem, order, static_cast<SpacePacket&>(out));
    const auto& W = std::get<RigidOperator<D>>(problem.W);
    for (int lane = 0; lane < 4; ++lane) {
      Vec<3> t2 = Vec<3>::Zero();
      if (order.contact[lane] >= 0) {
        const Mat<3>& frame = W.contacts[at(order.contact[lane])].frame;
        t2 = frame.col(2);
        if (frame.col(0).cross(frame.col(1)).dot(t2) < 0) t2 = -t2;  // as b[2]
      }
      for (int k = 0; k < 3; ++k) out.t2[k][lane] = t2[k];
    }
  }
}

template <int D>
void Sweep<D>::fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order,
                           PlanePacket& out) {
  if constexpr (D == 2) {
    const auto& W = std::get<RigidOperator<D>>(problem.W);
    for (int lane = 0; lane < 4; ++lane) {
      out.at_a[lane] = order.line_a[lane] * line_length;
      out.at_b[lane] = order.line_b[lane] * line_length;
      Vec<2> n = Vec<2>::Zero(), b = Vec<2>::Zero(), arm_a = Vec<2>::Zero(), arm_b = arm_a;
      double mu = 0, mass_a = 0, mass_b = 1, inertia_a = 0, inertia_b = 0;
      if (order.contact[lane] >= 0) {
        const std::size_t i = at(order.contact[lane]);
        const ContactRow<D>& row = W.contacts[i];
        n = row.frame.col(0);
        b = problem.b[i];
        // The kernels take t = (−n_y, n_x).
        if (n[0] * row.frame(1, 1) - n[1] * row.frame(0, 1) < 0) b[1] = -b[1];
        arm_a = row.arm_a;
        arm_b = row.arm_b;
        mu = problem.law[i].mu;
        const double share_a = order_.line_share()[at(order.line_a[lane])];
        const double share_b = order_.line_share()[at(order.line_b[lane])];
        mass_a = W.bodies[at(row.a)].inverse_mass / share_a;
        mass_b = W.bodies[at(row.b)].inverse_mass / share_b;
        inertia_a = W.bodies[at(row.a)].inverse_inertia(0, 0) / share_a;
        inertia_b = W.bodies[at(row.b)].inverse_inertia(0, 0) / share_b;
      }
      for (int k = 0; k < 2; ++k) {
        out.n[k][lane] = n[k];
        out.arm_a[k][lane] = arm_a[k];
        out.arm_b[k][lane] = arm_b[k];
        out.b[k][lane] = b[k];
      }
      out.inverse_mass_a[lane] = mass_a;
      out.inverse_mass_b[lane] = mass_b;
      out.inverse_inertia_a[lane] = inertia_a;
      out.inverse_inertia_b[lane] = inertia_b;
      out.mu[lane] = mu;
    }
  }
}

// As its lines have it: a copy of a hub has a share of the body's mass.
template <int D>
MassBlock<D> Sweep<D>::mass_of_line(const RigidOperator<D>& W, int body, int line) const {
  const MassBlock<D>& mass = W.bodies[at(body)];
  const double share = order_.line_share()[at(line)];
  return {mass.inverse_mass / share, mass.inverse_inertia / share};
}

template <int D>
void Sweep<D>::find_units(const ContactProblem<D>& problem, const Islands<D>& islands) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  unit_.resize(moments_ ? problem.size() : 0);
  parallel_for(unit_.size(), [&](std::size_t i) {
    unit_[i] = moment_unit<D>(W.contacts[i], islands.trace(i), W.bodies);
  });
}

template <int D>
void Sweep<D>::fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order,
                           RollingBallPacket& out) {
  fill_packet(problem, order, static_cast<BallPacket&>(out));
  if constexpr (D == 3) {
    const auto& W = std::get<RigidOperator<D>>(problem.W);
    for (int lane = 0; lane < 4; ++lane) {
      Vec<3> y = Vec<3>::Zero();
      double turn_a = 0, turn_b = 0, rolling = 0, spinning = 0;
      if (order.contact[lane] >= 0) {
        const std::size_t i = at(order.contact[lane]);
        const ContactRow<D>& row = W.contacts[i];
        const double unit = unit_[i];
        y = unit * half_turned(row.frame * problem.rolling[i].omega, row.frame.col(0));
        turn_a = unit * inverse_gyration(W.bodies[at(row.a)]);
        turn_b = unit * inverse_gyration(W.bodies[at(row.b)]);
        rolling = problem.rolling[i].friction.rolling / unit;
        spinning = problem.rolling[i].friction.spinning / unit;
      }
      for (int k = 0; k < 3; ++k) out.y[k][lane] = y[k];
      out.turn_a[lane] = turn_a;
      out.turn_b[lane] = turn_b;
      out.rolling[lane] = rolling;
      out.spinning[lane] = spinning;
    }
  }
}

template <int D>
void Sweep<D>::fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order,
                           RollingSpacePacket& out) {
  fill_packet(problem, order, static_cast<SpacePacket&>(out));
  if constexpr (D == 3) {
    const auto& W = std::get<RigidOperator<D>>(problem.W);
    for (int lane = 0; lane < 4; ++lane) {
      Wrench<3> law = Wrench<3>::Zero();  // ω, ℓ, r/ℓ, s/ℓ
      WrenchMat<3> block = WrenchMat<3>::Identity();
      if (order.contact[lane] >= 0) {
        const std::size_t i = at(order.contact[lane]);
        const ContactRow<D>& row = W.contacts[i];
        const double unit = unit_[i];
        const Mat<3> frame = packet_frame(out, lane);
        const RollingTerm<3>& term = problem.rolling[i];
        law << unit * (frame.transpose() * (row.frame * term.omega)), unit,
            term.friction.rolling / unit, term.friction.spinning / unit;
        block = wrench_block<3>(row, frame, unit, mass_of_line(W, row.a, order.line_a[lane]),
                                mass_of_line(W, row.b, order.line_b[lane]));
      }
      for (int k = 0; k < 3; ++k) out.omega[k][lane] = law[k];
      out.unit[lane] = law[3];
      out.rolling[lane] = law[4];
      out.spinning[lane] = law[5];
      put_triangle<6>(block, lane, out.W);
    }
  }
}

template <int D>
void Sweep<D>::fill_packet(const ContactProblem<D>& problem, const OrderedPacket& order,
                           RollingPlanePacket& out) {
  fill_packet(problem, order, static_cast<PlanePacket&>(out));
  if constexpr (D == 2) {
    const auto& W = std::get<RigidOperator<D>>(problem.W);
    for (int lane = 0; lane < 4; ++lane) {
      out.omega[lane] = out.unit[lane] = out.rolling[lane] = 0;
      WrenchMat<2> block = WrenchMat<2>::Identity();
      if (order.contact[lane] >= 0) {
        const std::size_t i = at(order.contact[lane]);
        const ContactRow<D>& row = W.contacts[i];
        const double unit = unit_[i];
        const Mat<2> frame = packet_frame(out, lane);
        out.omega[lane] = unit * problem.rolling[i].omega[0];
        out.unit[lane] = unit;
        out.rolling[lane] = problem.rolling[i].friction.rolling / unit;
        const MassBlock<2> a = mass_of_line(W, row.a, order.line_a[lane]);
        const MassBlock<2> b = mass_of_line(W, row.b, order.line_b[lane]);
        block = wrench_block<2>(row, frame, unit, a, b);
        const auto round = [&](const MassBlock<2>& mass, const Vec<2>& arm) {
          return mass.inverse_inertia.isZero(0) || along<2>(arm, frame.col(0));
        };
        if (round(a, row.arm_a) && round(b, row.arm_b)) block(1, 0) = block(2, 0) = 0;
      }
      put_triangle<3>(block, lane, out.W);
    }
  }
}

template <int D>
void Sweep<D>::fill_compliance(const ContactProblem<D>& problem) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  const bool rigid =
      std::all_of(W.contacts.begin(), W.contacts.end(),
                  [](const ContactRow<D>& row) { return row.compliance.is_rigid(); });
  if (rigid && !problem.has_cohesion()) {
    compliance_.resize(0);
    return;
  }
  compliance_.resize(order_.packets().size() * compliances);
  parallel_for(order_.packets().size(), [&](std::size_t k) {
    for (int lane = 0; lane < 4; ++lane) {
      const int contact = order_.packets()[k].contact[lane];
      const Compliance C = contact < 0 ? Compliance{} : W.contacts[at(contact)].compliance;
      packet_compliance(k)[lane] = C.normal;
      packet_compliance(k)[4 + lane] = C.tangential;
      packet_compliance(k)[cohesion_at + lane] =
          contact < 0 ? 0 : problem.law[at(contact)].cohesion;
    }
  });
}

namespace {

// W_N of four contacts.
void normal_inertia(const RollingSpacePacket& packet, const double*, const double*, double* W_N) {
  std::copy(packet.W[0], packet.W[0] + 4, W_N);
}
void normal_inertia(const RollingPlanePacket& packet, const double*, const double*, double* W_N) {
  std::copy(packet.W[0], packet.W[0] + 4, W_N);
}
void normal_inertia(const BallPacket& packet, const double* lines, const double* compliance,
                    double* W_N) {
  for (int lane = 0; lane < 4; ++lane) {
    W_N[lane] = lines[packet.at_a[lane] + mass_at] + lines[packet.at_b[lane] + mass_at] +
                (compliance == nullptr ? 0 : compliance[lane]);
  }
}
void normal_inertia(const SpacePacket& packet, const double*, const double*, double* W_N) {
  std::copy(packet.local.W_N, packet.local.W_N + 4, W_N);
}
void normal_inertia(const PlanePacket& packet, const double*, const double*, double* W_N) {
  std::copy(packet.W_N, packet.W_N + 4, W_N);
}

// A moment in world axes as the packet keeps it, and back; in units of ℓ.
Vec<3> kept_moment(const RollingBallPacket& packet, int lane, const Spin<3>& m) {
  return half_turned(m, Vec<3>(packet.n[0][lane], packet.n[1][lane], packet.n[2][lane]));
}
Vec<3> world_moment(const RollingBallPacket& packet, int lane, const Vec<3>& w) {
  const Vec<3> n(packet.n[0][lane], packet.n[1][lane], packet.n[2][lane]);
  return n.cross(w) + n.dot(w) * n;
}
Vec<3> kept_moment(const RollingSpacePacket& packet, int lane, const Spin<3>& m) {
  return packet_frame(packet, lane).transpose() * m;
}
Vec<3> world_moment(const RollingSpacePacket& packet, int lane, const Vec<3>& m) {
  return packet_frame(packet, lane) * m;
}
Spin<2> kept_moment(const RollingPlanePacket&, int, const Spin<2>& m) { return m; }
Spin<2> world_moment(const RollingPlanePacket&, int, const Spin<2>& m) { return m; }

template <class Packet>
constexpr bool passes_moments =
    std::is_same_v<Packet, RollingBallPacket> || std::is_same_v<Packet, RollingSpacePacket> ||
    std::is_same_v<Packet, RollingPlanePacket>;

// Most packets are ready when they are filled.
template <class Packet>
void prepare(std::vector<Packet>&, std::size_t, std::size_t, const double*, const double*,
             const double*) {}
void prepare(std::vector<SpacePacket>& packets, std::size_t first, std::size_t last,
             const double* lines, const double* inertia, const double* compliance) {
  wide_kernels().prepare_space(packets.data() + first, last - first, lines, inertia, compliance);
}
void prepare(std::vector<StretchedPacket>& packets, std::size_t first, std::size_t last,
             const double* lines, const double* inertia, const double* compliance) {
  wide_kernels().prepare_stretched(packets.data() + first, last - first, lines, inertia,
                                   compliance);
}
void prepare(std::vector<PlanePacket>& packets, std::size_t first, std::size_t last, const double*,
             const double*, const double* compliance) {
  wide_kernels().prepare_plane(packets.data() + first, last - first, compliance);
}

}  // namespace

template <int D>
void Sweep<D>::load(const ContactProblem<D>& problem, const Islands<D>& islands,
                    const Percussions<D>& p) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  problem_ = &problem;
  balls_ = find_pairs(problem);
  moments_ = problem.has_moments();
  find_units(problem, islands);
  order_.build(islands.root_of_body(), contact_pairs_, row_pairs_, W.body_order);
  fill_lines(W);
  fill_compliance(problem);

  groups_.clear();
  percussion_count_ = 0;
  std::size_t weights = 0;
  for (const Island& island : order_.islands()) {
    groups_.push_back({components(), percussion_count_, weights, island.packets.size(),
                       (island.rows.size() + 3) / 4});
    percussion_count_ += groups_.back().numbers().size();
    weights += 4 * (groups_.back().contacts + groups_.back().rows);
  }
  p_.resize(percussion_count_);
  weights_.resize(weights);

  with_packets([&]<class Packet>(std::vector<Packet>& packets, const auto&) {
    packets.resize(order_.packets().size());
    for (const Island& island : order_.islands()) {
      parallel_chunks(
          island.packets.size(),
          [&](std::size_t, std::size_t begin, std::size_t end) {
            const std::size_t first = island.packets.first + begin;
            const std::size_t last = island.packets.first + end;
            for (std::size_t k = first; k < last; ++k) {
              fill_packet(problem, order_.packets()[k], packets[k]);
            }
            prepare(packets, first, last, lines_.data(), inertia_.data(), packet_compliance(first));
            double* out = packet_percussion(island, first);
            double* weight = packet_weight(island, first);
            for (std::size_t k = first; k < last; ++k) {
              double W_N[4];
              normal_inertia(packets[k], lines_.data(), packet_compliance(k), W_N);
              for (int lane = 0; lane < 4; ++lane) {
                const int contact = order_.packets()[k].contact[lane];
                Vec<D> percussion = Vec<D>::Zero();
                if (contact >= 0) {
                  const Vec<D> world = W.contacts[at(contact)].frame * p.contact[at(contact)];
                  percussion = in_frame<Packet, D>(packet_frame(packets[k], lane), world);
                }
                for (int c = 0; c < D; ++c) out[4 * c + lane] = percussion[c];
                if constexpr (passes_moments<std::decay_t<decltype(packets[k])>>) {
                  Spin<D> own = Spin<D>::Zero();
                  if (contact >= 0)
                    own = kept_moment(
                        packets[k], lane,
                        spin_from<D>(W.contacts[at(contact)].frame, p.moment[at(contact)]) /
                            unit_[at(contact)]);
                  for (int c = 0; c < spin_dim<D>; ++c) out[4 * (D + c) + lane] = own[c];
                }
                weight[lane] = std::sqrt(W_N[lane]);
              }
              out += 4 * components();
              weight += 4;
            }
          },
          chunk_packets);
    }
  });
  fill_rows(problem, p);
}

template <int D>
void Sweep<D>::fill_rows(const ContactProblem<D>& problem, const Percussions<D>& p) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  rows_.resize(order_.rows().size());
  // Where v and ω stand in a line.
  constexpr int spin_at = D == 2 ? 2 : 4;
  const auto fill = [&](int line, const Vec<D>& direction, const Spin<D>& moment, double sign,
                        double* jacobian, double* response) {
    std::fill(jacobian, jacobian + 8, 0.0);
    std::fill(response, response + 8, 0.0);
    const int body = order_.line_body()[at(line)];
    if (body < 0) return 0.0;
    const MassBlock<D>& mass = W.bodies[at(body)];
    const double share = order_.line_share()[at(line)];
    Spin<D> lever = sign * moment;
    Spin<D> turned = mass.inverse_inertia * lever;
    if constexpr (D == 3) {
      if (balls_) {  // the line holds z = k ω
        lever *= inverse_gyration(mass);
        turned = mass.inverse_mass * lever;
      }
    }
    double W_ii = 0;
    for (int k = 0; k < D; ++k) {
      jacobian[k] = sign * direction[k];
      response[k] = mass.inverse_mass * sign * direction[k] / share;
      W_ii += jacobian[k] * response[k];
    }
    for (int k = 0; k < spin_dim<D>; ++k) {
      jacobian[spin_at + k] = lever[k];
      response[spin_at + k] = turned[k] / share;
      W_ii += jacobian[spin_at + k] * response[spin_at + k];
    }
    return W_ii;
  };
  for (const Island& island : order_.islands()) {
    double* const out = row_percussion(island, island.rows.first);
    double* const weight = packet_weight(island, island.packets.last);
    std::fill(out, out + (island.rows.size() + 3) / 4 * 4, 0.0);
    std::fill(weight, weight + (island.rows.size() + 3) / 4 * 4, 0.0);
    for (std::size_t k = island.rows.first; k < island.rows.last; ++k) {
      const auto [number, line_a, line_b] = order_.rows()[k];
      const LinearRow<D>& row = problem.rows[at(number)];
      PreparedRow& prepared = rows_[k];
      prepared.line_a = line_a;
      prepared.line_b = line_b;
      const double W_ii =
          fill(line_a, row.direction, row.moment_a, -1, prepared.jacobian_a, prepared.response_a) +
          fill(line_b, row.direction, row.moment_b, 1, prepared.jacobian_b, prepared.response_b) +
          row.compliance;
      prepared.compliance = row.compliance;
      prepared.bias = row.bias;
      prepared.W_inverse = W_ii > 0 ? 1 / W_ii : 0;
      out[k - island.rows.first] = p.row[at(number)];
      weight[k - island.rows.first] = std::sqrt(W_ii);
    }
  }
}

template <int D>
void Sweep<D>::store(Percussions<D>& p) {
  const auto& W = std::get<RigidOperator<D>>(problem_->W);
  // What moves nothing is not part of the order: a contact passes nothing, a row what its own
  // compliance asks for.
  for (std::size_t i = 0; i < contact_pairs_.size(); ++i) {
    if (contact_pairs_[i].a >= 0 || contact_pairs_[i].b >= 0) continue;
    p.contact[i].setZero();
    if (moments_) p.moment[i].setZero();
  }
  for (std::size_t i = 0; i < row_pairs_.size(); ++i) {
    const LinearRow<D>& row = problem_->rows[i];
    if (row_pairs_[i].a < 0 && row_pairs_[i].b < 0) {
      p.row[i] = row.compliance > 0 ? -row.bias / row.compliance : 0;
    }
  }
  with_packets([&]<class Packet>(std::vector<Packet>& packets, const auto&) {
    for (const Island& island : order_.islands()) {
      parallel_chunks(
          island.packets.size(),
          [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t k = island.packets.first + begin; k < island.packets.first + end;
                 ++k) {
              const double* const in = packet_percussion(island, k);
              for (int lane = 0; lane < 4; ++lane) {
                const int contact = order_.packets()[k].contact[lane];
                if (contact < 0) continue;
                Vec<D> percussion;
                for (int c = 0; c < D; ++c) percussion[c] = in[4 * c + lane];
                p.contact[at(contact)] = in_frame<Packet, D>(
                    W.contacts[at(contact)].frame, packet_frame(packets[k], lane) * percussion);
                if constexpr (passes_moments<std::decay_t<decltype(packets[k])>>) {
                  Spin<D> own;
                  for (int c = 0; c < spin_dim<D>; ++c) own[c] = in[4 * (D + c) + lane];
                  p.moment[at(contact)] =
                      unit_[at(contact)] * spin_along<D>(W.contacts[at(contact)].frame,
                                                         world_moment(packets[k], lane, own));
                }
              }
            }
          },
          chunk_packets);
      for (std::size_t k = island.rows.first; k < island.rows.last; ++k) {
        p.row[at(order_.rows()[k].row)] = *row_percussion(island, k);
      }
    }
  });
}

template void Sweep<2>::load(const ContactProblem<2>&, const Islands<2>&, const Percussions<2>&);
template void Sweep<3>::load(const ContactProblem<3>&, const Islands<3>&, const Percussions<3>&);
template void Sweep<2>::store(Percussions<2>&);
template void Sweep<3>::store(Percussions<3>&);

}  // namespace talus
