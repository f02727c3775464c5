// SPDX-License-Identifier: Apache-2.0
// Four contacts with rolling and spinning friction. Local to the including file as lanes.hpp says.
#pragma once

#include "solvers/sweep/sweep_balls.hpp"
#include "solvers/sweep/sweep_plane.hpp"
#include "solvers/sweep/sweep_space.hpp"

namespace talus {
namespace {

// Sliding and rolling at a given normal percussion, where they are coupled isotropically: the
// minimum of ½ W_T‖x_T‖² + c x_T·x_M + ½ W_M‖x_M‖² + g_T·x_T + g_M·x_M over ‖x_T‖ ≤ R_T, ‖x_M‖ ≤
// R_M. With the multipliers α, β ≥ 0 of the discs, a = 1/(W_T + α) and b = 1/(W_M + β),
//     x_T = −a (g_T + c x_M) = −a (g_T − c b g_M)/(1 − c² a b),   x_M alike,
// and each multiplier has a closed form given the other:
//     a = min(1/W_T, R_T/(‖g_T − c b g_M‖ + c² b R_T)),   b alike.
// In turn they are coordinate ascent in the concave dual problem, by which errors fall by
// c²/(W_T W_M) or faster, 5/7 for a ball on a plane; Newton on a ↦ b ↦ a starts from the a of the
// last sweep and mostly needs one round or two.
template <class Tangential>
struct TwoDiscs {
  Lanes free_T, free_M, c;  // 1/W_T, 1/W_M
  Tangential g_T, g_M;
  Lanes R_T, R_M;
};

// A multiplier as 1/(W + α), and its derivative with respect to the other one.
struct Bounded {
  Lanes value, slope;
};

template <class Tangential>
[[gnu::always_inline]] inline Bounded bounded(Lanes free, Lanes c, Lanes other, Lanes radius,
                                              const Tangential& own, const Tangential& coupled) {
  const Lanes zero = broadcast(0), one = broadcast(1), tiny = broadcast(1e-300);
  const Tangential rest = own - (c * other) * coupled;
  const Lanes length = sqrt(max(dot(rest, rest), tiny));
  const Lanes sum = length + c * c * other * radius;
  const Lanes inverse = one / (length * sum);
  const Lanes value = radius * length * inverse;                                 // radius/sum
  const Lanes change = c * c * radius - c * dot(rest, coupled) * sum * inverse;  // of the sum
  const Mask sticks = free <= value;
  return {select(sticks, free, value), select(sticks, zero, -(value * change * length * inverse))};
}

// x: in the answer of the last sweep, out the new one.
template <class Tangential>
[[gnu::always_inline]] inline void solve_two_discs(const TwoDiscs<Tangential>& p, Mask acting,
                                                   Tangential& x_T, Tangential& x_M) {
  const Lanes zero = broadcast(0), one = broadcast(1), tiny = broadcast(1e-300);
  const auto a_of = [&](Lanes b) { return bounded(p.free_T, p.c, b, p.R_T, p.g_T, p.g_M); };
  const auto b_of = [&](Lanes a) { return bounded(p.free_M, p.c, a, p.R_M, p.g_M, p.g_T); };

  const Tangential rest = p.g_T + p.c * x_M;
  const Lanes x_squared = dot(x_T, x_T);
  const Lanes last = sqrt(x_squared / max(dot(rest, rest), tiny));
  Lanes a = select(zero < x_squared, min(last, p.free_T), p.free_T), b = zero;
  Mask pending = acting;
  constexpr int most_newton = 24, most_rounds = 400;
  constexpr double never = -1e300;
  for (int i = 0; i < most_rounds && any(pending); ++i) {
    const Bounded other = b_of(a), next = a_of(other.value);
    const Lanes change = next.value - a;
    const Lanes slope = next.slope * other.slope;
    // Newton squares the error: from 1e-8 the step just taken was the last one needed.
    const Mask newton = slope < broadcast(i < most_newton ? 0.95 : never);
    const Lanes step = select(newton, change / (one - select(newton, slope, zero)), change);
    const Mask settled = abs(change) <= select(newton, broadcast(1e-8), broadcast(1e-16)) * a;
    const Lanes a_new = min(max(a + step, zero), p.free_T);
    const Lanes b_new = other.value + other.slope * (a_new - a);
    b = select(pending, min(max(b_new, zero), p.free_M), b);
    a = select(pending, a_new, a);
    pending = pending & ~settled;
  }
  a = select(acting, a, zero);
  const Lanes share = one / (one - p.c * p.c * a * b);
  x_T = (-(a * share)) * (p.g_T - (p.c * b) * p.g_M);
  x_M = (-(b * share)) * (p.g_M - (p.c * a) * p.g_T);
}

// Into the disc, if outside by what the solution has left or by far.
template <class Tangential>
[[gnu::always_inline]] inline Lanes shrink_into(Lanes radius, const Tangential& x) {
  const Lanes one = broadcast(1);
  const Lanes squares = dot(x, x);
  const Mask inside = squares <= radius * radius;
  return select(inside, one, radius / sqrt(select(inside, one, squares)));
}

[[gnu::always_inline]] inline Lanes clamp(Lanes x, Lanes bound) {
  return min(max(x, -bound), bound);
}

[[gnu::always_inline]] inline SpaceLanes select(Mask m, const SpaceLanes& yes,
                                                const SpaceLanes& no) {
  return {select(m, yes.x, no.x), select(m, yes.y, no.y), select(m, yes.z, no.z)};
}

// The same from the answer of the last sweep, one disc after the other, where the normal percussion
// has nearly settled and the discs are coupled so weakly that a sweep leaves a tenth of an error at
// most. All other contacts are solved at once.
[[gnu::always_inline]] inline void solve_two_discs_in_turn(const TwoDiscs<SpaceLanes>& p,
                                                           Mask settled, Mask acting,
                                                           SpaceLanes& x_T, SpaceLanes& x_M) {
  const Mask weak = settled & (p.c * p.c * p.free_T * p.free_M <= broadcast(0.1));
  SpaceLanes at_once_T = x_T, at_once_M = x_M;
  x_M = (-p.free_M) * (p.g_M + p.c * x_T);
  x_M = shrink_into(p.R_M, x_M) * x_M;
  x_T = (-p.free_T) * (p.g_T + p.c * x_M);
  x_T = shrink_into(p.R_T, x_T) * x_T;
  if (const Mask strong = acting & ~weak; any(strong)) {
    solve_two_discs(p, strong, at_once_T, at_once_M);
    x_T = select(strong, shrink_into(p.R_T, at_once_T) * at_once_T, x_T);
    x_M = select(strong, shrink_into(p.R_M, at_once_M) * at_once_M, x_M);
  }
}

// The nearest point of the cone of wrenches has the normal part x for which
//     x − z_N − Σ c_k max(0, ‖z_k‖ − c_k x) = 0:
// piecewise linear and concave, so Newton from 0 needs one step more than there are discs.
template <int discs>
[[gnu::always_inline]] inline Lanes nearest_normal(Lanes z_N, const Lanes (&coefficient)[discs],
                                                   const Lanes (&length)[discs]) {
  const Lanes zero = broadcast(0), one = broadcast(1);
  Lanes normal = zero;
  for (int i = 0; i <= discs; ++i) {
    Lanes sum = z_N, slope = one;
    for (int k = 0; k < discs; ++k) {
      const Mask outside = coefficient[k] * normal < length[k];
      sum = sum + select(outside, coefficient[k] * length[k], zero);
      slope = slope + select(outside, coefficient[k] * coefficient[k], zero);
    }
    normal = max(normal, sum / slope);
  }
  return normal;
}

// û and y of a wrench, and the wrench, with their parts.
template <class Tangential>
struct WrenchParts {
  Lanes N, S;  // along the normal: of the percussion and, in space, of the moment
  Tangential T, M;
};

// e² = ‖x − proj_K(x − r ỹ)‖²/r² as RollingCoulomb::residual_squared has it.
template <class Tangential>
[[gnu::always_inline]] inline void add_wrench_error(const WrenchParts<Tangential>& y,
                                                    const WrenchParts<Tangential>& x, Lanes mu,
                                                    Lanes rolling, Lanes spinning, Lanes r,
                                                    ErrorLanes& error) {
  const Lanes opening =
      y.N + mu * sqrt(dot(y.T, y.T)) + rolling * sqrt(dot(y.M, y.M)) + spinning * abs(y.S);
  const Lanes z_N = x.N - r * opening, z_S = x.S - r * y.S;
  const Tangential z_T = x.T - r * y.T, z_M = x.M - r * y.M;
  const Lanes coefficient[3] = {mu, rolling, spinning};
  const Lanes length[3] = {sqrt(dot(z_T, z_T)), sqrt(dot(z_M, z_M)), abs(z_S)};
  const Lanes normal = nearest_normal(z_N, coefficient, length);
  const auto left = [&](const Tangential& own, const Tangential& z, Lanes bound) {
    const Tangential change = own - shrink_into(bound, z) * z;
    return dot(change, change);
  };
  const Lanes off_N = x.N - normal, off_S = x.S - clamp(z_S, spinning * normal);
  const Lanes e_squared = (off_N * off_N + off_S * off_S + left(x.T, z_T, mu * normal) +
                           left(x.M, z_M, rolling * normal)) /
                          (r * r);
  error.squares = error.squares + e_squared;
  error.worst = max(error.worst, e_squared);
}

// ---- balls ----

struct BallTurns {
  Lanes a, b;  // ℓ/k
};

[[gnu::always_inline]] inline SpaceLanes turned_spin(const RollingBallPacket& packet,
                                                     const BallTurns& turns, const SpaceLanes& n,
                                                     const SpaceBodies& a, const SpaceBodies& b) {
  const SpaceLanes spin = turns.b * b.spin - turns.a * a.spin;
  return cross(spin, n) + dot(spin, n) * n + load(packet.y);
}

[[gnu::always_inline]] inline void kick(const BallLanes& c, const BallTurns& turns,
                                        const SpaceLanes& impulse, const SpaceLanes& w,
                                        SpaceBodies& a, SpaceBodies& b) {
  const SpaceLanes twist = cross(c.n, impulse);
  const SpaceLanes moment = cross(c.n, w) + dot(c.n, w) * c.n;
  a.v = a.v - a.inverse_mass * impulse;
  b.v = b.v + b.inverse_mass * impulse;
  a.spin = a.spin - a.inverse_mass * (c.arm_a * twist + turns.a * moment);
  b.spin = b.spin - b.inverse_mass * (c.arm_b * twist - turns.b * moment);
}

// W_M and the coupling c.
struct BallTurning {
  Lanes W_M, c;
};
[[gnu::always_inline]] inline BallTurning turning_of(const BallLanes& contact,
                                                     const BallTurns& turns, const SpaceBodies& a,
                                                     const SpaceBodies& b) {
  const Lanes share_a = a.inverse_mass * turns.a, share_b = b.inverse_mass * turns.b;
  return {share_a * turns.a + share_b * turns.b, share_a * contact.arm_a - share_b * contact.arm_b};
}

[[gnu::always_inline]] inline Lanes relax(const RollingBallPacket& packet, double* p, double* lines,
                                          const double*, const double* compliance) {
  const Lanes zero = broadcast(0), one = broadcast(1);
  const auto at_a = places(lines, packet.at_a);
  const auto at_b = places(lines, packet.at_b);
  SpaceBodies a = gather(at_a), b = gather(at_b);
  const BallLanes contact = {load(packet.n), load(packet.arm_a), load(packet.arm_b)};
  const BallTurns turns = {load(packet.turn_a), load(packet.turn_b)};
  const SpaceLanes& n = contact.n;
  const SpaceLanes old = load_space(p), old_w = load_space(p + 12);
  const Lanes old_N = dot(old, n), old_S = dot(old_w, n);
  const auto [u, W_N, W_T] = contact_of(packet, contact, a, b, old, old_N, compliance);
  const auto [W_M, c] = turning_of(contact, turns, a, b);
  const SpaceLanes y = turned_spin(packet, turns, n, a, b);
  const Lanes u_N = dot(u, n), y_S = dot(y, n);

  const Mask turns_at_all = zero < W_M;
  const Lanes W_M_or_one = select(turns_at_all, W_M, one);
  const Lanes W_N_W_T = W_N * W_T, inverse = one / (W_N_W_T * W_M_or_one);
  const Lanes W_M_inverse = select(turns_at_all, W_N_W_T * inverse, zero);

  // Along the normal nothing is coupled: p_N ← max(0, p_N − u_N/W_N), then m_S within s p_N.
  const Lanes new_N = max(zero, old_N - u_N * (W_T * W_M_or_one * inverse));
  const Lanes new_S = clamp(old_S - y_S * W_M_inverse, load(packet.spinning) * new_N);

  SpaceLanes t = old - old_N * n, m = old_w - old_S * n;
  TwoDiscs<SpaceLanes> discs{W_N * W_M_or_one * inverse, W_M_inverse, c, {}, {}, {}, {}};
  discs.g_T = u - u_N * n - W_T * t - c * m;
  discs.g_M = y - y_S * n - W_M * m - c * t;
  discs.R_T = load(packet.mu) * new_N;
  discs.R_M = load(packet.rolling) * new_N;
  solve_two_discs_in_turn(discs, abs(new_N - old_N) <= broadcast(0.01) * old_N, zero < new_N, t, m);
  const SpaceLanes next = new_N * n + t;
  const SpaceLanes next_w = new_S * n + m;
  if (!differ(next, old) && !differ(next_w, old_w)) return zero;
  store(p, next);
  store(p + 12, next_w);
  const SpaceLanes change = next - old, change_w = next_w - old_w;
  kick(contact, turns, change, change_w, a, b);
  scatter(at_a, a);
  scatter(at_b, b);
  return W_N * (dot(change, change) + dot(change_w, change_w));
}

[[gnu::always_inline]] inline void apply(const RollingBallPacket& packet, const double* p,
                                         double* lines, const double*) {
  const auto at_a = places(lines, packet.at_a);
  const auto at_b = places(lines, packet.at_b);
  SpaceBodies a = gather(at_a), b = gather(at_b);
  kick({load(packet.n), load(packet.arm_a), load(packet.arm_b)},
       {load(packet.turn_a), load(packet.turn_b)}, load_space(p), load_space(p + 12), a, b);
  scatter(at_a, a);
  scatter(at_b, b);
}

[[gnu::always_inline]] inline void add_error(const RollingBallPacket& packet, const double* p,
                                             const double* lines, const double* compliance,
                                             ErrorLanes& error) {
  const SpaceBodies a = gather(places(lines, packet.at_a));
  const SpaceBodies b = gather(places(lines, packet.at_b));
  const BallLanes contact = {load(packet.n), load(packet.arm_a), load(packet.arm_b)};
  const BallTurns turns = {load(packet.turn_a), load(packet.turn_b)};
  const SpaceLanes& n = contact.n;
  const SpaceLanes all = load_space(p), w = load_space(p + 12);
  const Lanes p_N = dot(all, n), m_S = dot(w, n);
  const auto [u, W_N, W_T] = contact_of(packet, contact, a, b, all, p_N, compliance);
  const SpaceLanes y = turned_spin(packet, turns, n, a, b);
  const Lanes u_N = dot(u, n), y_S = dot(y, n);
  add_wrench_error<SpaceLanes>(
      {u_N, y_S, u - u_N * n, y - y_S * n}, {p_N, m_S, all - p_N * n, w - m_S * n}, load(packet.mu),
      load(packet.rolling), load(packet.spinning), broadcast(1.5) / (W_N + W_T + W_T), error);
}

// ---- any bodies, contact by contact ----

// x of four contacts with y = W x + q, q = y − W x_old. Of those that `lanes` has bits of.
template <int dim, class Solve>
[[gnu::always_inline]] inline void solve_wrenches(int lanes, const double (*W)[4], const Lanes* y,
                                                  const double* old, double* next, Solve solve) {
  alignas(32) double velocity[dim][4];
  for (int k = 0; k < dim; ++k) store(velocity[k], y[k]);
  for (int lane = 0; lane < 4; ++lane) {
    if (!(lanes & (1 << lane))) continue;
    double W_lane[dim * (dim + 1) / 2], q[dim], x[dim];
    for (int k = 0; k < dim * (dim + 1) / 2; ++k) W_lane[k] = W[k][lane];
    for (int i = 0; i < dim; ++i) {
      q[i] = velocity[i][lane];
      for (int j = 0; j < dim; ++j) {
        const int high = i < j ? j : i, low = i < j ? i : j;
        q[i] -= W_lane[high * (high + 1) / 2 + low] * old[4 * j + lane];
      }
    }
    solve(lane, W_lane, q, x);
    for (int k = 0; k < dim; ++k) next[4 * k + lane] = x[k];
  }
}

// Along n, t₁, t₂.
struct SpaceWrench {
  SpaceLanes p, m;
};
[[gnu::always_inline]] inline SpaceWrench wrench_velocity(const RollingSpacePacket& packet,
                                                          const SpaceFrame& frame,
                                                          const SpaceBodies& a,
                                                          const SpaceBodies& b, const SpaceLanes& p,
                                                          const double* compliance) {
  const SpaceLanes spin = load(packet.unit) * (b.spin - a.spin);
  return {yielding(relative_velocity(packet, frame, a, b), p, compliance),
          SpaceLanes{dot(frame.n, spin), dot(frame.t1, spin), dot(frame.t2, spin)} +
              load(packet.omega)};
}

[[gnu::always_inline]] inline void kick(const RollingSpacePacket& packet, const SpaceFrame& frame,
                                        const SpaceWrench& x, const double* inertia, SpaceBodies& a,
                                        SpaceBodies& b) {
  kick(static_cast<const SpacePacket&>(packet), frame, x.p, inertia, a, b);
  const SpaceLanes moment =
      load(packet.unit) * (x.m.x * frame.n + x.m.y * frame.t1 + x.m.z * frame.t2);
  a.spin = a.spin - gather_inertia(inertia, packet.at_a) * moment;
  b.spin = b.spin + gather_inertia(inertia, packet.at_b) * moment;
}

[[gnu::always_inline]] inline Lanes relax(const RollingSpacePacket& packet, double* p,
                                          double* lines, const double* inertia,
                                          const double* compliance) {
  const auto at_a = places(lines, packet.at_a);
  const auto at_b = places(lines, packet.at_b);
  SpaceBodies a = gather(at_a), b = gather(at_b);
  const SpaceFrame frame = frame_of(packet);
  const SpaceWrench old = {load_space(p), load_space(p + 12)};
  const auto [u, omega] = wrench_velocity(packet, frame, a, b, old.p, compliance);
  const Lanes y[6] = {u.x, u.y, u.z, omega.x, omega.y, omega.z};
  alignas(32) double answer[24];
  solve_wrenches<6>(
      15, packet.W, y, p, answer, [&](int lane, const double* W, const double* q, double* x) {
        const double law[3] = {packet.local.mu[lane], packet.rolling[lane], packet.spinning[lane]};
        solve_space_wrench(W, law, q, x);
      });
  const SpaceWrench next = {load_space(answer), load_space(answer + 12)};
  if (!differ(next.p, old.p) && !differ(next.m, old.m)) return broadcast(0);
  store(p, next.p);
  store(p + 12, next.m);
  const SpaceWrench change = {next.p - old.p, next.m - old.m};
  kick(packet, frame, change, inertia, a, b);
  scatter(at_a, a);
  scatter(at_b, b);
  return load(packet.W[0]) * (dot(change.p, change.p) + dot(change.m, change.m));
}

[[gnu::always_inline]] inline void apply(const RollingSpacePacket& packet, const double* p,
                                         double* lines, const double* inertia) {
  const auto at_a = places(lines, packet.at_a);
  const auto at_b = places(lines, packet.at_b);
  SpaceBodies a = gather(at_a), b = gather(at_b);
  kick(packet, frame_of(packet), {load_space(p), load_space(p + 12)}, inertia, a, b);
  scatter(at_a, a);
  scatter(at_b, b);
}

[[gnu::always_inline]] inline void add_error(const RollingSpacePacket& packet, const double* p,
                                             const double* lines, const double* compliance,
                                             ErrorLanes& error) {
  const SpaceBodies a = gather(places(lines, packet.at_a));
  const SpaceBodies b = gather(places(lines, packet.at_b));
  const SpaceLanes all = load_space(p), m = load_space(p + 12);
  const auto [u, omega] = wrench_velocity(packet, frame_of(packet), a, b, all, compliance);
  const Lanes trace = load(packet.W[0]) + load(packet.W[2]) + load(packet.W[5]);
  add_wrench_error<PlaneLanes>({u.x, omega.x, {u.y, u.z}, {omega.y, omega.z}},
                               {all.x, m.x, {all.y, all.z}, {m.y, m.z}}, load(packet.local.mu),
                               load(packet.rolling), load(packet.spinning), broadcast(1.5) / trace,
                               error);
}

// ---- bodies in the plane ----

struct PlaneWrench {
  PlaneLanes p;
  Lanes m;
};
[[gnu::always_inline]] inline PlaneWrench load_wrench(const double* p) {
  return {load_plane(p), load(p + 8)};
}
[[gnu::always_inline]] inline PlaneWrench wrench_velocity(const RollingPlanePacket& packet,
                                                          const PlaneBodies& a,
                                                          const PlaneBodies& b, const PlaneLanes& p,
                                                          const double* compliance) {
  return {yielding(relative_velocity(packet, load(packet.n), a, b), p, compliance),
          load(packet.unit) * (b.omega - a.omega) + load(packet.omega)};
}

[[gnu::always_inline]] inline void kick(const RollingPlanePacket& packet, const PlaneWrench& x,
                                        PlaneBodies& a, PlaneBodies& b) {
  kick(packet, load(packet.n), x.p, a, b);
  const Lanes moment = load(packet.unit) * x.m;
  a.omega = a.omega - load(packet.inverse_inertia_a) * moment;
  b.omega = b.omega + load(packet.inverse_inertia_b) * moment;
}

[[gnu::always_inline]] inline Lanes relax(const RollingPlanePacket& packet, double* p,
                                          double* lines, const double*, const double* compliance) {
  const Lanes zero = broadcast(0), one = broadcast(1);
  const auto at_a = places(lines, packet.at_a);
  const auto at_b = places(lines, packet.at_b);
  PlaneBodies a = gather_plane(at_a), b = gather_plane(at_b);
  const PlaneWrench old = load_wrench(p);
  const auto [u, omega] = wrench_velocity(packet, a, b, old.p, compliance);
  const Lanes W_N = load(packet.W[0]), W_NT = load(packet.W[1]), W_T = load(packet.W[2]);
  const Lanes W_NM = load(packet.W[3]), W_TM = load(packet.W[4]), W_M = load(packet.W[5]);
  const Mask round = ~((W_NT != zero) | (W_NM != zero));
  alignas(32) double answer[12];
  if (any(round)) {
    const Lanes new_N = max(zero, old.p.x - u.x / W_N);
    const Lanes R_T = load(packet.mu) * new_N, R_M = load(packet.rolling) * new_N;
    const Mask turns = zero < W_M;
    LineLanes t = {old.p.y}, m = {old.m};
    solve_two_discs<LineLanes>({one / W_T,
                                select(turns, one / select(turns, W_M, one), zero),
                                W_TM,
                                {u.y - W_T * old.p.y - W_TM * old.m},
                                {omega - W_M * old.m - W_TM * old.p.y},
                                R_T,
                                R_M},
                               round & (zero < new_N), t, m);
    store(answer, new_N);
    store(answer + 4, clamp(t.x, R_T));
    store(answer + 8, clamp(m.x, R_M));
  }
  if (const int others = bits(~round); others != 0) {
    const Lanes y[3] = {u.x, u.y, omega};
    solve_wrenches<3>(others, packet.W, y, p, answer,
                      [&](int lane, const double* W, const double* q, double* x) {
                        const double law[2] = {packet.mu[lane], packet.rolling[lane]};
                        solve_plane_wrench(W, law, q, x);
                      });
  }
  const PlaneWrench next = load_wrench(answer);
  if (!differ(next.p, old.p) && !any(next.m != old.m)) return zero;
  store(p, next.p);
  store(p + 8, next.m);
  const PlaneWrench change = {next.p - old.p, next.m - old.m};
  kick(packet, change, a, b);
  scatter(at_a, a);
  scatter(at_b, b);
  return W_N * (dot(change.p, change.p) + change.m * change.m);
}

[[gnu::always_inline]] inline void apply(const RollingPlanePacket& packet, const double* p,
                                         double* lines, const double*) {
  const auto at_a = places(lines, packet.at_a);
  const auto at_b = places(lines, packet.at_b);
  PlaneBodies a = gather_plane(at_a), b = gather_plane(at_b);
  kick(packet, load_wrench(p), a, b);
  scatter(at_a, a);
  scatter(at_b, b);
}

[[gnu::always_inline]] inline void add_error(const RollingPlanePacket& packet, const double* p,
                                             const double* lines, const double* compliance,
                                             ErrorLanes& error) {
  const PlaneBodies a = gather_plane(places(lines, packet.at_a));
  const PlaneBodies b = gather_plane(places(lines, packet.at_b));
  const PlaneWrench all = load_wrench(p);
  const auto [u, omega] = wrench_velocity(packet, a, b, all.p, compliance);
  const Lanes zero = broadcast(0), trace = load(packet.W[0]) + load(packet.W[2]);
  add_wrench_error<LineLanes>({u.x, zero, {u.y}, {omega}}, {all.p.x, zero, {all.p.y}, {all.m}},
                              load(packet.mu), load(packet.rolling), zero, broadcast(1) / trace,
                              error);
}

}  // namespace
}  // namespace talus
