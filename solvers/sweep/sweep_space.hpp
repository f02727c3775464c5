// SPDX-License-Identifier: Apache-2.0
// Four contacts of bodies in space. Local to the including file as lanes.hpp says.
#pragma once

#include <concepts>

#include "solvers/sweep/sweep_lanes.hpp"

namespace talus {
namespace {

template <class Packet>
concept AnyPacketInSpace =
    std::same_as<Packet, SpacePacket> || std::same_as<Packet, StretchedPacket>;

struct SpaceFrame {
  SpaceLanes n, t1, t2;
};
[[gnu::always_inline]] inline SpaceFrame frame_of(const SpacePacket& packet) {
  const SpaceLanes n = load(packet.n), t1 = load(packet.t1);
  return {n, t1, cross(n, t1)};
}
[[gnu::always_inline]] inline SpaceFrame frame_of(const StretchedPacket& packet) {
  return {load(packet.n), load(packet.t1), load(packet.t2)};
}

// ‖t‖² (1/m_a + 1/m_b) of both tangents, which are orthogonal before they are turned.
struct TangentialMasses {
  Lanes along_1, along_2;
};
[[gnu::always_inline]] inline TangentialMasses tangential_masses(const SpacePacket&,
                                                                 const SpaceFrame&, Lanes mass) {
  return {mass, mass};
}
[[gnu::always_inline]] inline TangentialMasses tangential_masses(const StretchedPacket&,
                                                                 const SpaceFrame& frame,
                                                                 Lanes mass) {
  return {dot(frame.t1, frame.t1) * mass, dot(frame.t2, frame.t2) * mass};
}

// Tangents turned by an angle: t₁ cos + t₂ sin, t₂ cos − t₁ sin.
[[gnu::always_inline]] inline void turn_tangents(const SpaceFrame& frame, Lanes cosine, Lanes sine,
                                                 SpacePacket& packet) {
  store(packet.t1, cosine * frame.t1 + sine * frame.t2);
}
[[gnu::always_inline]] inline void turn_tangents(const SpaceFrame& frame, Lanes cosine, Lanes sine,
                                                 StretchedPacket& packet) {
  store(packet.t1, cosine * frame.t1 + sine * frame.t2);
  store(packet.t2, cosine * frame.t2 - sine * frame.t1);
}

struct InertiaLanes {
  Lanes xx, xy, xz, yy, yz, zz;
};
[[gnu::always_inline]] inline InertiaLanes gather_inertia(const double* inertia,
                                                          const int (&where)[4]) {
  const auto at = places(inertia, where);
  const LanePair first = load_pairs(at, 0), second = load_pairs(at, 2), third = load_pairs(at, 4);
  return {first.first, first.second, second.first, second.second, third.first, third.second};
}
[[gnu::always_inline]] inline SpaceLanes operator*(const InertiaLanes& J, const SpaceLanes& r) {
  return {J.xx * r.x + J.xy * r.y + J.xz * r.z, J.xy * r.x + J.yy * r.y + J.yz * r.z,
          J.xz * r.x + J.yz * r.y + J.zz * r.z};
}

[[gnu::always_inline]] inline SpaceLanes relative_velocity(const SpacePacket& packet,
                                                           const SpaceFrame& frame,
                                                           const SpaceBodies& a,
                                                           const SpaceBodies& b) {
  const SpaceLanes u =
      (b.v + cross(b.spin, load(packet.arm_b))) - (a.v + cross(a.spin, load(packet.arm_a)));
  return SpaceLanes{dot(frame.n, u), dot(frame.t1, u), dot(frame.t2, u)} + load(packet.b);
}

// u + C p
[[gnu::always_inline]] inline SpaceLanes yielding(const SpaceLanes& u, const SpaceLanes& p,
                                                  const double* compliance) {
  if (compliance == nullptr) return u;
  const ComplianceLanes C = load_compliance(compliance);
  return {u.x + C.N * p.x, u.y + C.T * p.y, u.z + C.T * p.z};
}

[[gnu::always_inline]] inline void kick(const SpacePacket& packet, const SpaceFrame& frame,
                                        const SpaceLanes& p, const double* inertia, SpaceBodies& a,
                                        SpaceBodies& b) {
  const SpaceLanes impulse = p.x * frame.n + p.y * frame.t1 + p.z * frame.t2;
  a.v = a.v - a.inverse_mass * impulse;
  b.v = b.v + b.inverse_mass * impulse;
  a.spin = a.spin - gather_inertia(inertia, packet.at_a) * cross(load(packet.arm_a), impulse);
  b.spin = b.spin + gather_inertia(inertia, packet.at_b) * cross(load(packet.arm_b), impulse);
}

template <AnyPacketInSpace Packet>
[[gnu::always_inline]] inline Lanes relax(const Packet& packet, double* p, double* lines,
                                          const double* inertia, const double* compliance) {
  const auto at_a = places(lines, packet.at_a);
  const auto at_b = places(lines, packet.at_b);
  SpaceBodies a = gather(at_a), b = gather(at_b);
  const SpaceFrame frame = frame_of(packet);
  const LocalLanes local = load(packet.local);
  const SpaceLanes old = load_space(p);
  const SpaceLanes u = yielding(relative_velocity(packet, frame, a, b), old, compliance);
  // q = u − W p, with W_T = S + w wᵀ/W_N
  const Lanes along = old.x + (local.w1 * old.y + local.w2 * old.z) / local.W_N;
  const SpaceLanes q = {u.x - local.W_N * along, u.y - (local.w1 * along + local.s1 * old.y),
                        u.z - (local.w2 * along + local.s2 * old.z)};
  const SpaceLanes next = compliance == nullptr
                              ? solve_coulomb(local, q)
                              : solve_cohesive(local, load(compliance + cohesion_at), q);
  if (!differ(next, old)) return broadcast(0);
  store(p, next);
  const SpaceLanes change = next - old;
  kick(packet, frame, change, inertia, a, b);
  scatter(at_a, a);
  scatter(at_b, b);
  return local.W_N * dot(change, change);
}

template <AnyPacketInSpace Packet>
[[gnu::always_inline]] inline void apply(const Packet& packet, const double* p, double* lines,
                                         const double* inertia) {
  const auto at_a = places(lines, packet.at_a);
  const auto at_b = places(lines, packet.at_b);
  SpaceBodies a = gather(at_a), b = gather(at_b);
  kick(packet, frame_of(packet), load_space(p), inertia, a, b);
  scatter(at_a, a);
  scatter(at_b, b);
}

template <AnyPacketInSpace Packet>
[[gnu::always_inline]] inline void prepare(Packet& packet, const double* lines,
                                           const double* inertia, const double* compliance) {
  const Lanes zero = broadcast(0), one = broadcast(1), half = broadcast(0.5);
  const SpaceFrame frame = frame_of(packet);
  const SpaceBodies a = gather(places(lines, packet.at_a));
  const SpaceBodies b = gather(places(lines, packet.at_b));
  const InertiaLanes J_a = gather_inertia(inertia, packet.at_a);
  const InertiaLanes J_b = gather_inertia(inertia, packet.at_b);
  const SpaceLanes arm_a = load(packet.arm_a), arm_b = load(packet.arm_b);
  const SpaceLanes directions[3] = {frame.n, frame.t1, frame.t2};
  SpaceLanes m_a[3], m_b[3], r_a[3], r_b[3];
  for (int k = 0; k < 3; ++k) {
    m_a[k] = cross(arm_a, directions[k]);
    m_b[k] = cross(arm_b, directions[k]);
    r_a[k] = J_a * m_a[k];
    r_b[k] = J_b * m_b[k];
  }
  const auto turned = [&](int i, int j) { return dot(m_a[i], r_a[j]) + dot(m_b[i], r_b[j]); };
  const Lanes mass = a.inverse_mass + b.inverse_mass;
  const ComplianceLanes C =
      compliance == nullptr ? ComplianceLanes{zero, zero} : load_compliance(compliance);
  const Lanes W_N = mass + turned(0, 0) + C.N;
  const Lanes w1 = turned(0, 1), w2 = turned(0, 2);
  const auto [mass_1, mass_2] = tangential_masses(packet, frame, mass);
  const Lanes W_11 = mass_1 + turned(1, 1) + C.T, W_22 = mass_2 + turned(2, 2) + C.T;
  const Lanes S_11 = W_11 - w1 * w1 / W_N;
  const Lanes S_22 = W_22 - w2 * w2 / W_N;
  const Lanes S_12 = turned(1, 2) - w1 * w2 / W_N;

  // Eigenvectors (cos, sin) of S. The larger of cos and sin from the half angle, the other from
  // their product, so that neither loses digits.
  const Lanes difference = half * (S_11 - S_22);
  const Lanes radius = sqrt(difference * difference + S_12 * S_12);
  const Mask turn = zero < radius;
  const Lanes safe = select(turn, radius, one);
  const Lanes larger = sqrt(half * (one + abs(difference) / safe));
  const Lanes smaller = half * S_12 / (safe * larger);
  const Mask first = zero <= difference;
  const Lanes cosine = select(turn, select(first, larger, smaller), one);
  const Lanes sine = select(turn, select(first, smaller, larger), zero);
  turn_tangents(frame, cosine, sine, packet);

  // b was given in the frame before the turn.
  const Lanes b1 = load(packet.b[1]), b2 = load(packet.b[2]);
  store(packet.b[1], cosine * b1 + sine * b2);
  store(packet.b[2], cosine * b2 - sine * b1);

  const Lanes mean = half * (S_11 + S_22);
  const Lanes floor = broadcast(1e-15) * (W_N + W_11 + W_22);
  store(packet.local.W_N, W_N);
  store(packet.local.w1, cosine * w1 + sine * w2);
  store(packet.local.w2, cosine * w2 - sine * w1);
  store(packet.local.s1, max(mean + radius, floor));
  store(packet.local.s2, max(mean - radius, floor));
}

template <AnyPacketInSpace Packet>
[[gnu::always_inline]] inline void add_error(const Packet& packet, const double* p,
                                             const double* lines, const double* compliance,
                                             ErrorLanes& error) {
  const SpaceBodies a = gather(places(lines, packet.at_a));
  const SpaceBodies b = gather(places(lines, packet.at_b));
  const SpaceLanes all = load_space(p);
  const SpaceLanes u = yielding(relative_velocity(packet, frame_of(packet), a, b), all, compliance);
  const LocalLanes local = load(packet.local);
  const Lanes trace =
      local.W_N + local.s1 + local.s2 + (local.w1 * local.w1 + local.w2 * local.w2) / local.W_N;
  add_error(u.x, PlaneLanes{u.y, u.z}, all.x, PlaneLanes{all.y, all.z},
            {local.mu, load_cohesion(compliance)}, broadcast(1.5) / trace, error);
}

}  // namespace
}  // namespace talus
