// SPDX-License-Identifier: Apache-2.0
// Four contacts of balls. Local to the including file as lanes.hpp says.
#pragma once

#include "solvers/sweep/sweep_lanes.hpp"

namespace talus {
namespace {

struct BallLanes {
  SpaceLanes n;
  Lanes arm_a, arm_b;
};

[[gnu::always_inline]] inline SpaceLanes relative_velocity(const BallLanes& c, const SpaceBodies& a,
                                                           const SpaceBodies& b) {
  return b.v - a.v - cross(c.arm_a * a.spin + c.arm_b * b.spin, c.n);
}

[[gnu::always_inline]] inline void kick(const BallLanes& c, const SpaceLanes& impulse,
                                        SpaceBodies& a, SpaceBodies& b) {
  const SpaceLanes twist = cross(c.n, impulse);
  a.v = a.v - a.inverse_mass * impulse;
  b.v = b.v + b.inverse_mass * impulse;
  a.spin = a.spin - (a.inverse_mass * c.arm_a) * twist;
  b.spin = b.spin - (b.inverse_mass * c.arm_b) * twist;
}

// û and W, which is diagonal: W_N = Σ 1/m + C_N and W_T = Σ (1 + arm²)/m + C_T.
struct BallContact {
  SpaceLanes u;
  Lanes W_N, W_T;
};
[[gnu::always_inline]] inline BallContact contact_of(const BallPacket& packet, const BallLanes& c,
                                                     const SpaceBodies& a, const SpaceBodies& b,
                                                     const SpaceLanes& p, Lanes p_N,
                                                     const double* compliance) {
  BallContact contact;
  contact.u = relative_velocity(c, a, b) + load(packet.b);
  contact.W_N = a.inverse_mass + b.inverse_mass;
  contact.W_T =
      contact.W_N + (a.inverse_mass * (c.arm_a * c.arm_a) + b.inverse_mass * (c.arm_b * c.arm_b));
  if (compliance != nullptr) {
    const ComplianceLanes C = load_compliance(compliance);
    contact.u = contact.u + C.T * p + ((C.N - C.T) * p_N) * c.n;
    contact.W_N = contact.W_N + C.N;
    contact.W_T = contact.W_T + C.T;
  }
  return contact;
}

[[gnu::always_inline]] inline Lanes relax(const BallPacket& packet, double* p, double* lines,
                                          const double*, const double* compliance) {
  const Lanes zero = broadcast(0), one = broadcast(1);
  const auto at_a = places(lines, packet.at_a);
  const auto at_b = places(lines, packet.at_b);
  SpaceBodies a = gather(at_a), b = gather(at_b);
  const BallLanes c = {load(packet.n), load(packet.arm_a), load(packet.arm_b)};
  const SpaceLanes old = load_space(p);
  const Lanes old_N = dot(old, c.n);
  const auto [u, W_N, W_T] = contact_of(packet, c, a, b, old, old_N, compliance);
  const Lanes inverse = one / (W_N * W_T);
  const Lanes W_N_inverse = W_T * inverse, W_T_inverse = W_N * inverse;
  const Lanes u_N = dot(u, c.n);
  // p_N ← max(0, p_N − u_N/W_N),  p_T ← proj(disc μ p_N)(p_T − u_T/W_T)
  const Lanes new_N = max(zero, old_N - u_N * W_N_inverse);
  const SpaceLanes t = old - W_T_inverse * u - (old_N - W_T_inverse * u_N) * c.n;
  const Lanes t_squared = dot(t, t);
  const Lanes bound = load(packet.mu) * new_N;
  const Mask sticks = t_squared <= bound * bound;
  const Lanes factor = select(sticks, one, bound / sqrt(select(sticks, one, t_squared)));
  const SpaceLanes next = new_N * c.n + factor * t;
  if (!differ(next, old)) return zero;
  store(p, next);
  const SpaceLanes change = next - old;
  kick(c, change, a, b);
  scatter(at_a, a);
  scatter(at_b, b);
  return W_N * dot(change, change);
}

[[gnu::always_inline]] inline void apply(const BallPacket& packet, const double* p, double* lines,
                                         const double*) {
  const auto at_a = places(lines, packet.at_a);
  const auto at_b = places(lines, packet.at_b);
  SpaceBodies a = gather(at_a), b = gather(at_b);
  kick({load(packet.n), load(packet.arm_a), load(packet.arm_b)}, load_space(p), a, b);
  scatter(at_a, a);
  scatter(at_b, b);
}

[[gnu::always_inline]] inline void add_error(const BallPacket& packet, const double* p,
                                             const double* lines, const double* compliance,
                                             ErrorLanes& error) {
  const SpaceBodies a = gather(places(lines, packet.at_a));
  const SpaceBodies b = gather(places(lines, packet.at_b));
  const BallLanes c = {load(packet.n), load(packet.arm_a), load(packet.arm_b)};
  const SpaceLanes all = load_space(p);
  const Lanes p_N = dot(all, c.n);
  const auto [u, W_N, W_T] = contact_of(packet, c, a, b, all, p_N, compliance);
  const Lanes u_N = dot(u, c.n);
  add_error(u_N, u - u_N * c.n, p_N, all - p_N * c.n, {load(packet.mu), broadcast(0)},
            broadcast(1.5) / (W_N + W_T + W_T), error);
}

}  // namespace
}  // namespace talus
