// SPDX-License-Identifier: Apache-2.0
// Four contacts of bodies in the plane. Local to the including file as lanes.hpp says.
#pragma once

#include "solvers/sweep/sweep_lanes.hpp"

namespace talus {
namespace {

struct PlaneBodies {
  PlaneLanes v;
  Lanes omega, rest;
};

template <class Number>
[[gnu::always_inline]] inline PlaneBodies gather_plane(const Places<Number>& at) {
  const LanePair v = load_pairs(at, 0), spin = load_pairs(at, 2);
  return {{v.first, v.second}, spin.first, spin.second};
}
[[gnu::always_inline]] inline void scatter(const Places<double>& at, const PlaneBodies& body) {
  store_pairs(at, 0, body.v.x, body.v.y);
  store_pairs(at, 2, body.omega, body.rest);
}

[[gnu::always_inline]] inline PlaneLanes tangent(const PlaneLanes& n) { return {-n.y, n.x}; }

[[gnu::always_inline]] inline PlaneLanes relative_velocity(const PlanePacket& packet,
                                                           const PlaneLanes& n,
                                                           const PlaneBodies& a,
                                                           const PlaneBodies& b) {
  const PlaneLanes u = (b.v + spin_velocity(b.omega, load(packet.arm_b))) -
                       (a.v + spin_velocity(a.omega, load(packet.arm_a)));
  return PlaneLanes{dot(n, u), dot(tangent(n), u)} + load(packet.b);
}

// u + C p
[[gnu::always_inline]] inline PlaneLanes yielding(const PlaneLanes& u, const PlaneLanes& p,
                                                  const double* compliance) {
  if (compliance == nullptr) return u;
  const ComplianceLanes C = load_compliance(compliance);
  return {u.x + C.N * p.x, u.y + C.T * p.y};
}

[[gnu::always_inline]] inline void kick(const PlanePacket& packet, const PlaneLanes& n,
                                        const PlaneLanes& p, PlaneBodies& a, PlaneBodies& b) {
  const PlaneLanes impulse = p.x * n + p.y * tangent(n);
  a.v = a.v - load(packet.inverse_mass_a) * impulse;
  b.v = b.v + load(packet.inverse_mass_b) * impulse;
  a.omega = a.omega - load(packet.inverse_inertia_a) * moment(load(packet.arm_a), impulse);
  b.omega = b.omega + load(packet.inverse_inertia_b) * moment(load(packet.arm_b), impulse);
}

[[gnu::always_inline]] inline Lanes relax(const PlanePacket& packet, double* p, double* lines,
                                          const double*, const double* compliance) {
  const auto at_a = places(lines, packet.at_a);
  const auto at_b = places(lines, packet.at_b);
  PlaneBodies a = gather_plane(at_a), b = gather_plane(at_b);
  const PlaneLanes n = load(packet.n);
  const Lanes W_N = load(packet.W_N), w = load(packet.w), s = load(packet.s);
  const PlaneLanes old = load_plane(p);
  const PlaneLanes u = yielding(relative_velocity(packet, n, a, b), old, compliance);
  const Lanes along = old.x + w * old.y / W_N;
  const PlaneLanes q = {u.x - W_N * along, u.y - (w * along + s * old.y)};
  const Lanes mu = load(packet.mu);
  const PlaneLanes next = compliance == nullptr
                              ? solve_coulomb(W_N, w, s, mu, q)
                              : solve_cohesive(W_N, w, s, mu, load(compliance + cohesion_at), q);
  if (!differ(next, old)) return broadcast(0);
  store(p, next);
  const PlaneLanes change = next - old;
  kick(packet, n, change, a, b);
  scatter(at_a, a);
  scatter(at_b, b);
  return W_N * dot(change, change);
}

[[gnu::always_inline]] inline void apply(const PlanePacket& packet, const double* p, double* lines,
                                         const double*) {
  const auto at_a = places(lines, packet.at_a);
  const auto at_b = places(lines, packet.at_b);
  PlaneBodies a = gather_plane(at_a), b = gather_plane(at_b);
  kick(packet, load(packet.n), load_plane(p), a, b);
  scatter(at_a, a);
  scatter(at_b, b);
}

[[gnu::always_inline]] inline void prepare(PlanePacket& packet, const double* compliance) {
  const PlaneLanes n = load(packet.n), t = tangent(n);
  const PlaneLanes arm_a = load(packet.arm_a), arm_b = load(packet.arm_b);
  const Lanes J_a = load(packet.inverse_inertia_a), J_b = load(packet.inverse_inertia_b);
  const Lanes mass = load(packet.inverse_mass_a) + load(packet.inverse_mass_b);
  const Lanes a_n = moment(arm_a, n), a_t = moment(arm_a, t);
  const Lanes b_n = moment(arm_b, n), b_t = moment(arm_b, t);
  const Lanes zero = broadcast(0);
  const ComplianceLanes C =
      compliance == nullptr ? ComplianceLanes{zero, zero} : load_compliance(compliance);
  const Lanes W_N = mass + (J_a * a_n * a_n + J_b * b_n * b_n) + C.N;
  const Lanes w = J_a * a_n * a_t + J_b * b_n * b_t;
  const Lanes W_T = mass + (J_a * a_t * a_t + J_b * b_t * b_t) + C.T;
  store(packet.W_N, W_N);
  store(packet.w, w);
  store(packet.s, max(W_T - w * w / W_N, broadcast(1e-15) * (W_N + W_T)));
}

struct LineLanes {
  Lanes x;
};
[[gnu::always_inline]] inline LineLanes operator+(const LineLanes& a, const LineLanes& b) {
  return {a.x + b.x};
}
[[gnu::always_inline]] inline LineLanes operator-(const LineLanes& a, const LineLanes& b) {
  return {a.x - b.x};
}
[[gnu::always_inline]] inline LineLanes operator*(Lanes k, const LineLanes& a) { return {k * a.x}; }
[[gnu::always_inline]] inline Lanes dot(const LineLanes& a, const LineLanes& b) {
  return a.x * b.x;
}

[[gnu::always_inline]] inline void add_error(const PlanePacket& packet, const double* p,
                                             const double* lines, const double* compliance,
                                             ErrorLanes& error) {
  const PlaneBodies a = gather_plane(places(lines, packet.at_a));
  const PlaneBodies b = gather_plane(places(lines, packet.at_b));
  const PlaneLanes all = load_plane(p);
  const PlaneLanes u = yielding(relative_velocity(packet, load(packet.n), a, b), all, compliance);
  const Lanes W_N = load(packet.W_N), w = load(packet.w);
  const Lanes trace = W_N + load(packet.s) + w * w / W_N;
  add_error(u.x, LineLanes{u.y}, all.x, LineLanes{all.y},
            {load(packet.mu), load_cohesion(compliance)}, broadcast(1) / trace, error);
}

}  // namespace
}  // namespace talus
