// SPDX-License-Identifier: Apache-2.0
// Vectors of four contacts, the lines of their bodies, and the distance of their percussions from
// the law. Local to the including file as lanes.hpp says.
#pragma once

#include "solvers/sweep/coulomb_wide.hpp"
#include "solvers/sweep/packet.hpp"

namespace talus {
namespace {

[[gnu::always_inline]] inline SpaceLanes load(const double (&x)[3][4]) {
  return {load(x[0]), load(x[1]), load(x[2])};
}
[[gnu::always_inline]] inline SpaceLanes operator+(const SpaceLanes& a, const SpaceLanes& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[gnu::always_inline]] inline SpaceLanes operator-(const SpaceLanes& a, const SpaceLanes& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[gnu::always_inline]] inline SpaceLanes operator*(Lanes k, const SpaceLanes& a) {
  return {k * a.x, k * a.y, k * a.z};
}
[[gnu::always_inline]] inline Lanes dot(const SpaceLanes& a, const SpaceLanes& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[gnu::always_inline]] inline SpaceLanes cross(const SpaceLanes& a, const SpaceLanes& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[gnu::always_inline]] inline bool differ(const SpaceLanes& a, const SpaceLanes& b) {
  return any((a.x != b.x) | (a.y != b.y) | (a.z != b.z));
}

[[gnu::always_inline]] inline PlaneLanes load(const double (&x)[2][4]) {
  return {load(x[0]), load(x[1])};
}
[[gnu::always_inline]] inline PlaneLanes operator+(const PlaneLanes& a, const PlaneLanes& b) {
  return {a.x + b.x, a.y + b.y};
}
[[gnu::always_inline]] inline PlaneLanes operator-(const PlaneLanes& a, const PlaneLanes& b) {
  return {a.x - b.x, a.y - b.y};
}
[[gnu::always_inline]] inline PlaneLanes operator*(Lanes k, const PlaneLanes& a) {
  return {k * a.x, k * a.y};
}
[[gnu::always_inline]] inline Lanes dot(const PlaneLanes& a, const PlaneLanes& b) {
  return a.x * b.x + a.y * b.y;
}
[[gnu::always_inline]] inline PlaneLanes spin_velocity(Lanes omega, const PlaneLanes& r) {
  return {-(omega * r.y), omega * r.x};
}
[[gnu::always_inline]] inline Lanes moment(const PlaneLanes& r, const PlaneLanes& f) {
  return r.x * f.y - r.y * f.x;
}
[[gnu::always_inline]] inline bool differ(const PlaneLanes& a, const PlaneLanes& b) {
  return any((a.x != b.x) | (a.y != b.y));
}

// p and b of a packet: components × 4 numbers.
[[gnu::always_inline]] inline SpaceLanes load_space(const double* p) {
  return {load(p), load(p + 4), load(p + 8)};
}
[[gnu::always_inline]] inline PlaneLanes load_plane(const double* p) {
  return {load(p), load(p + 4)};
}
[[gnu::always_inline]] inline void store(double* p, const SpaceLanes& a) {
  store(p, a.x);
  store(p + 4, a.y);
  store(p + 8, a.z);
}
[[gnu::always_inline]] inline void store(double (&x)[3][4], const SpaceLanes& a) {
  store(x[0], a.x);
  store(x[1], a.y);
  store(x[2], a.z);
}
[[gnu::always_inline]] inline void store(double* p, const PlaneLanes& a) {
  store(p, a.x);
  store(p + 4, a.y);
}

// C of four contacts.
struct ComplianceLanes {
  Lanes N, T;
};
[[gnu::always_inline]] inline ComplianceLanes load_compliance(const double* compliance) {
  return {load(compliance), load(compliance + 4)};
}

// The lines of four bodies of eight numbers: v, 1/m, spin, 0.
struct SpaceBodies {
  SpaceLanes v, spin;
  Lanes inverse_mass, rest;
};

template <class Number>
struct Places {
  Number* x[4];
};

template <class Number>
[[gnu::always_inline]] inline Places<Number> places(Number* lines, const int (&at)[4]) {
  return {{lines + at[0], lines + at[1], lines + at[2], lines + at[3]}};
}

template <class Number>
[[gnu::always_inline]] inline LanePair load_pairs(const Places<Number>& at, int offset) {
  return load_pairs(at.x[0] + offset, at.x[1] + offset, at.x[2] + offset, at.x[3] + offset);
}
[[gnu::always_inline]] inline void store_pairs(const Places<double>& at, int offset, Lanes first,
                                               Lanes second) {
  store_pairs(at.x[0] + offset, at.x[1] + offset, at.x[2] + offset, at.x[3] + offset, first,
              second);
}

template <class Number>
[[gnu::always_inline]] inline SpaceBodies gather(const Places<Number>& at) {
  const LanePair vxy = load_pairs(at, 0), vz_m = load_pairs(at, 2);
  const LanePair sxy = load_pairs(at, 4), sz_0 = load_pairs(at, 6);
  return {{vxy.first, vxy.second, vz_m.first},
          {sxy.first, sxy.second, sz_0.first},
          vz_m.second,
          sz_0.second};
}
[[gnu::always_inline]] inline void scatter(const Places<double>& at, const SpaceBodies& body) {
  store_pairs(at, 0, body.v.x, body.v.y);
  store_pairs(at, 2, body.v.z, body.inverse_mass);
  store_pairs(at, 4, body.spin.x, body.spin.y);
  store_pairs(at, 6, body.spin.z, body.rest);
}

[[gnu::always_inline]] inline double sum(Lanes a) {
  alignas(32) double x[4];
  store(x, a);
  return (x[0] + x[1]) + (x[2] + x[3]);
}

struct ErrorLanes {
  Lanes squares = broadcast(0), worst = broadcast(0);
};

struct LawLanes {
  Lanes mu, cohesion;
};
[[gnu::always_inline]] inline Lanes load_cohesion(const double* compliance) {
  return compliance == nullptr ? broadcast(0) : load(compliance + cohesion_at);
}

// e² = ‖p − proj_K(p − r (û + μ‖û_T‖ n))‖²/r², tangential parts as vectors of either kind.
template <class Tangential>
[[gnu::always_inline]] inline void add_error(Lanes u_N, const Tangential& u_T, Lanes p_N,
                                             const Tangential& p_T, const LawLanes& law, Lanes r,
                                             ErrorLanes& error) {
  const Lanes mu = law.mu;
  const Lanes zero = broadcast(0), one = broadcast(1);
  const Lanes z_N = p_N - r * (u_N + mu * sqrt(dot(u_T, u_T)));
  const Tangential z_T = p_T - r * u_T;
  const Lanes length = sqrt(dot(z_T, z_T));
  const Mask inside = length <= mu * z_N, polar = mu * length <= -z_N;
  const Lanes normal = (z_N + mu * length) / (one + mu * mu);
  // At μ = 0 both may hold: an open contact without sliding is in the polar cone.
  const Lanes safe = select(zero < length, length, one);
  Lanes nearest = select(polar, zero, select(inside, z_N, normal));
  Lanes shrink = select(polar, zero, select(inside, one, mu * normal / safe));
  if (const Mask coheres = zero < law.cohesion; any(coheres)) {  // the cone is cut off at p_N = 0
    const Mask within = (zero <= z_N) & (length <= mu * z_N + law.cohesion);
    const Lanes foot = max((z_N + mu * (length - law.cohesion)) / (one + mu * mu), zero);
    const Lanes foot_N = select(within, z_N, foot);
    const Lanes most = mu * foot_N + law.cohesion;
    nearest = select(coheres, foot_N, nearest);
    shrink = select(coheres, select(length <= most, one, most / safe), shrink);
  }
  const Tangential change = p_T - shrink * z_T;
  const Lanes e_squared = ((p_N - nearest) * (p_N - nearest) + dot(change, change)) / (r * r);
  error.squares = error.squares + e_squared;
  error.worst = max(error.worst, e_squared);
}

}  // namespace
}  // namespace talus
