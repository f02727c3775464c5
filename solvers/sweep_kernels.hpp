// The kernels behind sweep_wide.hpp, local to the including file as lanes.hpp says.
//
// For each kind of packet: gather the bodies' lines, u = Hᵀv + b, solve the law, scatter
// v += M⁻¹H Δp. No two lanes of a packet move the same body.
#pragma once

#include "solvers/coulomb_wide.hpp"
#include "solvers/sweep_wide.hpp"

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
[[gnu::always_inline]] inline void store(double* p, const PlaneLanes& a) {
  store(p, a.x);
  store(p + 4, a.y);
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
[[gnu::always_inline]] inline Places<Number> places(Number* lines, const int (&index)[4],
                                                    std::ptrdiff_t length) {
  return {{lines + length * index[0], lines + length * index[1], lines + length * index[2],
           lines + length * index[3]}};
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

// ── balls ────────────────────────────────────────────────────────────────────────────────────

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

// W is diagonal: W_N = Σ 1/m and W_T = Σ (1 + arm²)/m.
struct BallInertia {
  Lanes W_N, W_T;
};
[[gnu::always_inline]] inline BallInertia inertia_of(const BallLanes& c, const SpaceBodies& a,
                                                     const SpaceBodies& b) {
  const Lanes W_N = a.inverse_mass + b.inverse_mass;
  return {W_N, W_N + (a.inverse_mass * (c.arm_a * c.arm_a) + b.inverse_mass * (c.arm_b * c.arm_b))};
}

[[gnu::always_inline]] inline void relax(const BallPacket& packet, double* p, double* lines,
                                         const double*) {
  const Lanes zero = broadcast(0), one = broadcast(1);
  const auto at_a = places(lines, packet.line_a, BallPacket::line);
  const auto at_b = places(lines, packet.line_b, BallPacket::line);
  SpaceBodies a = gather(at_a), b = gather(at_b);
  const BallLanes c = {load(packet.n), load(packet.arm_a), load(packet.arm_b)};
  const auto [W_N, W_T] = inertia_of(c, a, b);
  const Lanes inverse = one / (W_N * W_T);
  const Lanes W_N_inverse = W_T * inverse, W_T_inverse = W_N * inverse;

  const SpaceLanes u = relative_velocity(c, a, b) + load(packet.b);
  const SpaceLanes old = load_space(p);
  const Lanes u_N = dot(u, c.n), old_N = dot(old, c.n);
  // p_N ← max(0, p_N − u_N/W_N),  p_T ← proj(disc μ p_N)(p_T − u_T/W_T)
  const Lanes new_N = max(zero, old_N - u_N * W_N_inverse);
  const SpaceLanes t = old - W_T_inverse * u - (old_N - W_T_inverse * u_N) * c.n;
  const Lanes t_squared = dot(t, t);
  const Lanes bound = load(packet.mu) * new_N;
  const Mask sticks = t_squared <= bound * bound;
  const Lanes factor = select(sticks, one, bound / sqrt(select(sticks, one, t_squared)));
  const SpaceLanes next = new_N * c.n + factor * t;
  if (!differ(next, old)) return;
  store(p, next);
  kick(c, next - old, a, b);
  scatter(at_a, a);
  scatter(at_b, b);
}

[[gnu::always_inline]] inline void apply(const BallPacket& packet, const double* p, double* lines,
                                         const double*) {
  const auto at_a = places(lines, packet.line_a, BallPacket::line);
  const auto at_b = places(lines, packet.line_b, BallPacket::line);
  SpaceBodies a = gather(at_a), b = gather(at_b);
  kick({load(packet.n), load(packet.arm_a), load(packet.arm_b)}, load_space(p), a, b);
  scatter(at_a, a);
  scatter(at_b, b);
}

// ── bodies in space ──────────────────────────────────────────────────────────────────────────

struct SpaceFrame {
  SpaceLanes n, t1, t2;
};
[[gnu::always_inline]] inline SpaceFrame frame_of(const SpacePacket& packet) {
  const SpaceLanes n = load(packet.n), t1 = load(packet.t1);
  return {n, t1, cross(n, t1)};
}

struct InertiaLanes {
  Lanes xx, xy, xz, yy, yz, zz;
};
[[gnu::always_inline]] inline InertiaLanes gather_inertia(const double* inertia,
                                                          const int (&line)[4]) {
  const auto at = places(inertia, line, inertia_line);
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

[[gnu::always_inline]] inline void kick(const SpacePacket& packet, const SpaceFrame& frame,
                                        const SpaceLanes& p, const double* inertia, SpaceBodies& a,
                                        SpaceBodies& b) {
  const SpaceLanes impulse = p.x * frame.n + p.y * frame.t1 + p.z * frame.t2;
  a.v = a.v - a.inverse_mass * impulse;
  b.v = b.v + b.inverse_mass * impulse;
  a.spin = a.spin - gather_inertia(inertia, packet.line_a) * cross(load(packet.arm_a), impulse);
  b.spin = b.spin + gather_inertia(inertia, packet.line_b) * cross(load(packet.arm_b), impulse);
}

[[gnu::always_inline]] inline void relax(const SpacePacket& packet, double* p, double* lines,
                                         const double* inertia) {
  const auto at_a = places(lines, packet.line_a, SpacePacket::line);
  const auto at_b = places(lines, packet.line_b, SpacePacket::line);
  SpaceBodies a = gather(at_a), b = gather(at_b);
  const SpaceFrame frame = frame_of(packet);
  const SpaceLanes u = relative_velocity(packet, frame, a, b);
  const LocalLanes local = load(packet.local);
  const SpaceLanes old = load_space(p);
  // q = u − W p, with W_T = S + w wᵀ/W_N
  const Lanes along = old.x + (local.w1 * old.y + local.w2 * old.z) / local.W_N;
  const SpaceLanes q = {u.x - local.W_N * along, u.y - (local.w1 * along + local.s1 * old.y),
                        u.z - (local.w2 * along + local.s2 * old.z)};
  const SpaceLanes next = solve_coulomb(local, q);
  if (!differ(next, old)) return;
  store(p, next);
  kick(packet, frame, next - old, inertia, a, b);
  scatter(at_a, a);
  scatter(at_b, b);
}

[[gnu::always_inline]] inline void apply(const SpacePacket& packet, const double* p, double* lines,
                                         const double* inertia) {
  const auto at_a = places(lines, packet.line_a, SpacePacket::line);
  const auto at_b = places(lines, packet.line_b, SpacePacket::line);
  SpaceBodies a = gather(at_a), b = gather(at_b);
  kick(packet, frame_of(packet), load_space(p), inertia, a, b);
  scatter(at_a, a);
  scatter(at_b, b);
}

[[gnu::always_inline]] inline void prepare(SpacePacket& packet, const double* lines,
                                           const double* inertia) {
  const Lanes zero = broadcast(0), one = broadcast(1), half = broadcast(0.5);
  const SpaceFrame frame = frame_of(packet);
  const SpaceBodies a = gather(places(lines, packet.line_a, SpacePacket::line));
  const SpaceBodies b = gather(places(lines, packet.line_b, SpacePacket::line));
  const InertiaLanes J_a = gather_inertia(inertia, packet.line_a);
  const InertiaLanes J_b = gather_inertia(inertia, packet.line_b);
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
  const Lanes W_N = mass + turned(0, 0);
  const Lanes w1 = turned(0, 1), w2 = turned(0, 2);
  const Lanes W_11 = mass + turned(1, 1), W_22 = mass + turned(2, 2);
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
  const SpaceLanes t1 = cosine * frame.t1 + sine * frame.t2;
  store(packet.t1[0], t1.x);
  store(packet.t1[1], t1.y);
  store(packet.t1[2], t1.z);

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

// ── bodies in the plane ──────────────────────────────────────────────────────────────────────

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

[[gnu::always_inline]] inline void kick(const PlanePacket& packet, const PlaneLanes& n,
                                        const PlaneLanes& p, PlaneBodies& a, PlaneBodies& b) {
  const PlaneLanes impulse = p.x * n + p.y * tangent(n);
  a.v = a.v - load(packet.inverse_mass_a) * impulse;
  b.v = b.v + load(packet.inverse_mass_b) * impulse;
  a.omega = a.omega - load(packet.inverse_inertia_a) * moment(load(packet.arm_a), impulse);
  b.omega = b.omega + load(packet.inverse_inertia_b) * moment(load(packet.arm_b), impulse);
}

[[gnu::always_inline]] inline void relax(const PlanePacket& packet, double* p, double* lines,
                                         const double*) {
  const auto at_a = places(lines, packet.line_a, PlanePacket::line);
  const auto at_b = places(lines, packet.line_b, PlanePacket::line);
  PlaneBodies a = gather_plane(at_a), b = gather_plane(at_b);
  const PlaneLanes n = load(packet.n);
  const PlaneLanes u = relative_velocity(packet, n, a, b);
  const Lanes W_N = load(packet.W_N), w = load(packet.w), s = load(packet.s);
  const PlaneLanes old = load_plane(p);
  const Lanes along = old.x + w * old.y / W_N;
  const PlaneLanes q = {u.x - W_N * along, u.y - (w * along + s * old.y)};
  const PlaneLanes next = solve_coulomb(W_N, w, s, load(packet.mu), q);
  if (!differ(next, old)) return;
  store(p, next);
  kick(packet, n, next - old, a, b);
  scatter(at_a, a);
  scatter(at_b, b);
}

[[gnu::always_inline]] inline void apply(const PlanePacket& packet, const double* p, double* lines,
                                         const double*) {
  const auto at_a = places(lines, packet.line_a, PlanePacket::line);
  const auto at_b = places(lines, packet.line_b, PlanePacket::line);
  PlaneBodies a = gather_plane(at_a), b = gather_plane(at_b);
  kick(packet, load(packet.n), load_plane(p), a, b);
  scatter(at_a, a);
  scatter(at_b, b);
}

[[gnu::always_inline]] inline void prepare(PlanePacket& packet) {
  const PlaneLanes n = load(packet.n), t = tangent(n);
  const PlaneLanes arm_a = load(packet.arm_a), arm_b = load(packet.arm_b);
  const Lanes J_a = load(packet.inverse_inertia_a), J_b = load(packet.inverse_inertia_b);
  const Lanes mass = load(packet.inverse_mass_a) + load(packet.inverse_mass_b);
  const Lanes a_n = moment(arm_a, n), a_t = moment(arm_a, t);
  const Lanes b_n = moment(arm_b, n), b_t = moment(arm_b, t);
  const Lanes W_N = mass + (J_a * a_n * a_n + J_b * b_n * b_n);
  const Lanes w = J_a * a_n * a_t + J_b * b_n * b_t;
  const Lanes W_T = mass + (J_a * a_t * a_t + J_b * b_t * b_t);
  store(packet.W_N, W_N);
  store(packet.w, w);
  store(packet.s, max(W_T - w * w / W_N, broadcast(1e-15) * (W_N + W_T)));
}

// ── distance from the law ────────────────────────────────────────────────────────────────────

struct ErrorLanes {
  Lanes squares = broadcast(0), worst = broadcast(0);
};

// e² = ‖p − proj_K(p − r (û + μ‖û_T‖ n))‖²/r², tangential parts as vectors of either kind.
template <class Tangential>
[[gnu::always_inline]] inline void add_error(Lanes u_N, const Tangential& u_T, Lanes p_N,
                                             const Tangential& p_T, Lanes mu, Lanes r,
                                             ErrorLanes& error) {
  const Lanes zero = broadcast(0), one = broadcast(1);
  const Lanes z_N = p_N - r * (u_N + mu * sqrt(dot(u_T, u_T)));
  const Tangential z_T = p_T - r * u_T;
  const Lanes length = sqrt(dot(z_T, z_T));
  const Mask inside = length <= mu * z_N, polar = mu * length <= -z_N;
  const Lanes normal = (z_N + mu * length) / (one + mu * mu);
  const Lanes nearest = select(inside, z_N, select(polar, zero, normal));
  const Lanes shrink =
      select(inside, one, select(polar, zero, mu * normal / select(zero < length, length, one)));
  const Tangential change = p_T - shrink * z_T;
  const Lanes e_squared = ((p_N - nearest) * (p_N - nearest) + dot(change, change)) / (r * r);
  error.squares = error.squares + e_squared;
  error.worst = max(error.worst, e_squared);
}

[[gnu::always_inline]] inline void add_error(const BallPacket& packet, const double* p,
                                             const double* lines, ErrorLanes& error) {
  const SpaceBodies a = gather(places(lines, packet.line_a, BallPacket::line));
  const SpaceBodies b = gather(places(lines, packet.line_b, BallPacket::line));
  const BallLanes c = {load(packet.n), load(packet.arm_a), load(packet.arm_b)};
  const auto [W_N, W_T] = inertia_of(c, a, b);
  const SpaceLanes u = relative_velocity(c, a, b) + load(packet.b);
  const SpaceLanes all = load_space(p);
  const Lanes u_N = dot(u, c.n), p_N = dot(all, c.n);
  add_error(u_N, u - u_N * c.n, p_N, all - p_N * c.n, load(packet.mu),
            broadcast(1.5) / (W_N + W_T + W_T), error);
}

[[gnu::always_inline]] inline void add_error(const SpacePacket& packet, const double* p,
                                             const double* lines, ErrorLanes& error) {
  const SpaceBodies a = gather(places(lines, packet.line_a, SpacePacket::line));
  const SpaceBodies b = gather(places(lines, packet.line_b, SpacePacket::line));
  const SpaceLanes u = relative_velocity(packet, frame_of(packet), a, b);
  const SpaceLanes all = load_space(p);
  const LocalLanes local = load(packet.local);
  const Lanes trace =
      local.W_N + local.s1 + local.s2 + (local.w1 * local.w1 + local.w2 * local.w2) / local.W_N;
  add_error(u.x, PlaneLanes{u.y, u.z}, all.x, PlaneLanes{all.y, all.z}, local.mu,
            broadcast(1.5) / trace, error);
}

struct LineLanes {
  Lanes x;
};
[[gnu::always_inline]] inline LineLanes operator-(const LineLanes& a, const LineLanes& b) {
  return {a.x - b.x};
}
[[gnu::always_inline]] inline LineLanes operator*(Lanes k, const LineLanes& a) { return {k * a.x}; }
[[gnu::always_inline]] inline Lanes dot(const LineLanes& a, const LineLanes& b) {
  return a.x * b.x;
}

[[gnu::always_inline]] inline void add_error(const PlanePacket& packet, const double* p,
                                             const double* lines, ErrorLanes& error) {
  const PlaneBodies a = gather_plane(places(lines, packet.line_a, PlanePacket::line));
  const PlaneBodies b = gather_plane(places(lines, packet.line_b, PlanePacket::line));
  const PlaneLanes u = relative_velocity(packet, load(packet.n), a, b);
  const PlaneLanes all = load_plane(p);
  const Lanes W_N = load(packet.W_N), w = load(packet.w);
  const Lanes trace = W_N + load(packet.s) + w * w / W_N;
  add_error(u.x, LineLanes{u.y}, all.x, LineLanes{all.y}, load(packet.mu), broadcast(1) / trace,
            error);
}

// ── loops ────────────────────────────────────────────────────────────────────────────────────

// The bodies of a packet some way ahead, on their way to the cache: no processor foresees them.
constexpr std::size_t packets_ahead = 16;

template <class Packet>
[[gnu::always_inline]] inline void prefetch(const Packet& packet, const double* lines,
                                            const double* inertia) {
  const auto fetch = [&](const int(&line)[4]) {
    for (int lane = 0; lane < 4; ++lane) {
      __builtin_prefetch(lines + Packet::line * static_cast<std::ptrdiff_t>(line[lane]), 1);
      if constexpr (Packet::uses_inertia) {
        __builtin_prefetch(inertia + inertia_line * static_cast<std::ptrdiff_t>(line[lane]));
      }
    }
  };
  fetch(packet.line_a);
  fetch(packet.line_b);
}

template <class Packet>
void sweep(const Packet* packets, std::size_t count, double* p, double* lines,
           const double* inertia) {
  for (std::size_t k = 0; k < count; ++k) {
    if (k + packets_ahead < count) prefetch(packets[k + packets_ahead], lines, inertia);
    relax(packets[k], p + 4 * Packet::components * k, lines, inertia);
  }
}

template <class Packet>
void sweep_backward(const Packet* packets, std::size_t count, double* p, double* lines,
                    const double* inertia) {
  for (std::size_t k = count; k-- > 0;) {
    relax(packets[k], p + 4 * Packet::components * k, lines, inertia);
  }
}

template <class Packet>
void apply_all(const Packet* packets, std::size_t count, const double* p, double* lines,
               const double* inertia) {
  for (std::size_t k = 0; k < count; ++k) {
    apply(packets[k], p + 4 * Packet::components * k, lines, inertia);
  }
}

[[gnu::always_inline]] inline double sum(Lanes a) {
  alignas(32) double x[4];
  store(x, a);
  return (x[0] + x[1]) + (x[2] + x[3]);
}

template <class Packet>
ErrorSum error(const Packet* packets, std::size_t count, const double* p, const double* lines) {
  ErrorLanes total;
  for (std::size_t k = 0; k < count; ++k) {
    add_error(packets[k], p + 4 * Packet::components * k, lines, total);
  }
  alignas(32) double worst[4];
  store(worst, sqrt(total.worst));
  double largest = worst[0];
  for (const double x : worst) largest = largest < x ? x : largest;
  return {sum(total.squares), largest};
}

void prepare_space(SpacePacket* packets, std::size_t count, const double* lines,
                   const double* inertia) {
  for (std::size_t k = 0; k < count; ++k) prepare(packets[k], lines, inertia);
}

void prepare_plane(PlanePacket* packets, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) prepare(packets[k]);
}

void local_solve(const LocalBlocks* blocks, std::size_t count, const double* q, double* p) {
  for (std::size_t k = 0; k < count; ++k) {
    store(p + 12 * k, solve_coulomb(load(blocks[k]), load_space(q + 12 * k)));
  }
}

MeasureSums measure(const MeasureArguments& m, std::size_t first, std::size_t last) {
  Lanes ff = broadcast(0), dd = ff, df = ff, kept_f[max_window], kept_d[max_window];
  for (int j = 0; j < m.kept; ++j) kept_f[j] = kept_d[j] = ff;
  for (std::size_t i = first; i < last; i += 4) {
    const Lanes g = load(m.g + i);
    const Lanes f = load(m.weight + i) * (g - load(m.x + i));
    const Lanes change = f - load(m.f + i);
    store(m.df_new + i, change);
    store(m.dg_new + i, g - load(m.g_last + i));
    store(m.f + i, f);
    store(m.g_last + i, g);
    ff = ff + f * f;
    dd = dd + change * change;
    df = df + change * f;
    for (int j = 0; j < m.kept; ++j) {
      const Lanes kept = load(m.df[j] + i);
      kept_f[j] = kept_f[j] + kept * f;
      kept_d[j] = kept_d[j] + kept * change;
    }
  }
  MeasureSums sums{sum(ff), sum(dd), sum(df), {}, {}};
  for (int j = 0; j < m.kept; ++j) {
    sums.kept_f[j] = sum(kept_f[j]);
    sums.kept_d[j] = sum(kept_d[j]);
  }
  return sums;
}

void combine(double* p, double* x, const double* const* dp, const double* gamma, int kept,
             std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; i += 4) {
    Lanes next = load(p + i);
    for (int j = 0; j < kept; ++j) next = next - broadcast(gamma[j]) * load(dp[j] + i);
    store(p + i, next);
    store(x + i, next);
  }
}

void carry(double* v, double* v_last, double* dv_new, const double* const* dv, const double* gamma,
           int kept, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; i += 4) {
    Lanes next = load(v + i);
    store(dv_new + i, next - load(v_last + i));
    store(v_last + i, next);
    for (int j = 0; j < kept; ++j) next = next - broadcast(gamma[j]) * load(dv[j] + i);
    store(v + i, next);
  }
}

template <class Packet>
constexpr PacketKernels<Packet> packet_kernels = {sweep<Packet>, sweep_backward<Packet>,
                                                  apply_all<Packet>, error<Packet>};

constexpr WideKernels kernels_named(const char* name) {
  return {name,
          packet_kernels<BallPacket>,
          packet_kernels<SpacePacket>,
          packet_kernels<PlanePacket>,
          prepare_space,
          prepare_plane,
          local_solve,
          measure,
          combine,
          carry};
}

}  // namespace
}  // namespace talus
