// SPDX-License-Identifier: Apache-2.0
// Coulomb's law at four contacts at once: the secular equation of coulomb.cpp with masks in place
// of branches. A lane's answer does not depend on the other lanes. Local to the including file, as
// lanes.hpp.
#pragma once

#include "solvers/sweep/lanes.hpp"
#include "solvers/sweep/packet.hpp"

namespace talus {

// One lane by the scalar routine, for the few where four-lane Newton does not settle or where
// W_N + μ w·d loses its digits, and for those with cohesion that do not stick. local = W_N, w₁, w₂,
// s₁, s₂, μ, c.
void solve_lane(const double local[7], const double q[3], double p[3]);
void solve_plane_lane(const double local[5], const double q[2], double p[2]);  // W_N, w, s, μ, c

// The same for a wrench with rolling friction. W: the lower triangle by rows; law: μ, r, s (in the
// plane no s).
void solve_space_wrench(const double W[21], const double law[3], const double q[6], double x[6]);
void solve_plane_wrench(const double W[6], const double law[2], const double q[3], double x[3]);

namespace {

struct LocalLanes {
  Lanes W_N, w1, w2, s1, s2, mu;
};

[[gnu::always_inline]] inline LocalLanes load(const LocalBlocks& local) {
  return {load(local.W_N), load(local.w1), load(local.w2),
          load(local.s1),  load(local.s2), load(local.mu)};
}

struct SpaceLanes {  // N, T₁, T₂, or x, y, z
  Lanes x, y, z;
};

[[gnu::noinline]] inline void redo_lanes(int lanes, const LocalLanes& local, Lanes cohesion,
                                         const SpaceLanes& q, SpaceLanes& p) {
  alignas(32) double numbers[10][4], answer[3][4];
  const Lanes in[10] = {local.W_N, local.w1, local.w2, local.s1, local.s2,
                        local.mu,  cohesion, q.x,      q.y,      q.z};
  for (int k = 0; k < 10; ++k) store(numbers[k], in[k]);
  store(answer[0], p.x);
  store(answer[1], p.y);
  store(answer[2], p.z);
  for (int l = 0; l < 4; ++l) {
    if (!(lanes & (1 << l))) continue;
    double lane_local[7], lane_q[3], lane_p[3];
    for (int k = 0; k < 7; ++k) lane_local[k] = numbers[k][l];
    for (int k = 0; k < 3; ++k) lane_q[k] = numbers[7 + k][l];
    solve_lane(lane_local, lane_q, lane_p);
    for (int k = 0; k < 3; ++k) answer[k][l] = lane_p[k];
  }
  p = {load(answer[0]), load(answer[1]), load(answer[2])};
}

// The p that obeys the law with û = W p + q. Take-off before stick before slide.
[[gnu::always_inline]] inline SpaceLanes solve_coulomb(const LocalLanes& local,
                                                       const SpaceLanes& q) {
  const Lanes zero = broadcast(0), one = broadcast(1), tiny = broadcast(1e-300);
  const Mask closing = q.x < zero;
  SpaceLanes p = {zero, zero, zero};
  if (!any(closing)) return p;

  const Lanes c = select(closing, -q.x, one);  // closing velocity
  const Lanes W_N_inverse = one / local.W_N;
  const Lanes g = c * W_N_inverse;
  const Lanes b1 = q.y + local.w1 * g, b2 = q.z + local.w2 * g;
  const Lanes w1 = local.w1 * W_N_inverse, w2 = local.w2 * W_N_inverse;

  // Stick: α = 0 in  x_i = b_i/(s_i + α),  p_T = −x,  p_N = g + w·x/W_N.
  const Lanes stick_1 = b1 / local.s1, stick_2 = b2 / local.s2;
  const Lanes stick_N = g + (w1 * stick_1 + w2 * stick_2);
  const Lanes stick_bound = local.mu * stick_N;
  const Mask stick =
      (zero <= stick_N) & (stick_1 * stick_1 + stick_2 * stick_2 <= stick_bound * stick_bound);
  const Mask slide = closing & ~stick;
  p = {select(closing & stick, stick_N, zero), select(closing & stick, -stick_1, zero),
       select(closing & stick, -stick_2, zero)};
  if (!any(slide)) return p;

  // Slide: the root of f(α) = μ p_N(α) − ‖x(α)‖, by Newton on μ p_N/‖x‖ − 1 from the answer for
  // equal s, kept inside a bracket.
  const Lanes b_squared = max(b1 * b1 + b2 * b2, tiny);
  const Lanes b_norm = sqrt(b_squared);
  const Mask rough = zero < local.mu;
  const Lanes mu = select(rough, local.mu, one);
  const Lanes mu_g_inverse = one / (mu * g);
  const Lanes s_min = min(local.s1, local.s2);
  Lanes low = zero;
  Lanes high = max(b_norm * (one + mu * sqrt(w1 * w1 + w2 * w2)) * mu_g_inverse - s_min, zero) *
               broadcast(1 + 1e-12);
  const Lanes s_mean = (b1 * b1 * local.s1 + b2 * b2 * local.s2) / b_squared;
  Lanes alpha = (b_norm - mu * (w1 * b1 + w2 * b2)) * mu_g_inverse - s_mean;
  alpha = min(max(alpha, low), high);

  Mask pending = slide & rough;
  for (int i = 0; i < 24 && any(pending); ++i) {
    const Lanes d1 = local.s1 + alpha, d2 = local.s2 + alpha;
    const Lanes inverse = one / (d1 * d2);
    const Lanes i1 = d2 * inverse, i2 = d1 * inverse;
    const Lanes x1 = b1 * i1, x2 = b2 * i2;
    const Lanes slope_1 = x1 * i1, slope_2 = x2 * i2;  // −dx/dα
    const Lanes x_squared = x1 * x1 + x2 * x2;
    const Lanes x_norm = sqrt(x_squared);
    const Lanes bound = mu * (g + (w1 * x1 + w2 * x2));
    const Lanes f = bound - x_norm;
    const Mask below = f < zero;
    low = select(pending & below, alpha, low);
    high = select(pending & ~below, alpha, high);
    const Lanes denominator =
        bound * (x1 * slope_1 + x2 * slope_2) - mu * (w1 * slope_1 + w2 * slope_2) * x_squared;
    const Lanes newton = alpha - f * x_squared / denominator;
    const Mask inside = (zero < denominator) & (low <= newton) & (newton <= high);
    Lanes next = newton;
    if (any(pending & ~inside)) {
      const Lanes middle = sqrt((s_min + low) * (s_min + high)) - s_min;
      next = select(inside, newton, min(max(middle, low), high));
    }
    alpha = select(pending, next, alpha);
    // Newton squares the error: from 1e-8 the step just taken was the last one needed.
    pending = pending & ~(inside & (abs(f) <= broadcast(1e-8) * x_norm));
  }

  // Closed for whatever α was reached: p on the cone's boundary and û_N = 0 to rounding.
  const Lanes x1 = b1 * (local.s2 + alpha), x2 = b2 * (local.s1 + alpha);  // times a common factor
  const Lanes scale = one / sqrt(max(x1 * x1 + x2 * x2, tiny));
  const Lanes e1 = x1 * scale, e2 = x2 * scale;
  const Lanes closure = local.W_N - local.mu * (local.w1 * e1 + local.w2 * e2);
  const Lanes slide_N = c / closure;
  const Lanes slide_T = local.mu * slide_N;
  p = {select(slide, slide_N, p.x), select(slide, -(slide_T * e1), p.y),
       select(slide, -(slide_T * e2), p.z)};
  const int redo = bits(slide & (pending | ~(broadcast(1e-12) * local.W_N < closure)));
  if (redo != 0) redo_lanes(redo, local, broadcast(0), q, p);
  return p;
}

// With cohesion, where there is any: what does not stick goes lane by lane.
[[gnu::always_inline]] inline SpaceLanes solve_cohesive(const LocalLanes& local, Lanes cohesion,
                                                        const SpaceLanes& q) {
  const Lanes zero = broadcast(0);
  const Mask coheres = zero < cohesion;
  SpaceLanes p = solve_coulomb(local, q);
  if (!any(coheres)) return p;
  const Lanes g = -q.x / local.W_N;
  const Lanes x1 = (q.y + local.w1 * g) / local.s1, x2 = (q.z + local.w2 * g) / local.s2;
  const Lanes normal = g + (local.w1 * x1 + local.w2 * x2) / local.W_N;
  const Lanes bound = local.mu * normal + cohesion;
  const Mask stick = coheres & (zero <= normal) & (x1 * x1 + x2 * x2 <= bound * bound);
  p = {select(stick, normal, p.x), select(stick, -x1, p.y), select(stick, -x2, p.z)};
  const int redo = bits(coheres & ~stick);
  if (redo != 0) redo_lanes(redo, local, cohesion, q, p);
  return p;
}

struct PlaneLanes {  // N, T, or x, y
  Lanes x, y;
};

// The same in the plane, where it has a closed form.
[[gnu::always_inline]] inline PlaneLanes solve_coulomb(Lanes W_N, Lanes w, Lanes s, Lanes mu,
                                                       const PlaneLanes& q) {
  const Lanes zero = broadcast(0);
  const Mask closing = q.x < zero;
  const Lanes c = -q.x;
  const Lanes g = c / W_N;
  const Lanes b = q.y + w * g;
  const Lanes x = b / s;
  const Lanes stick_N = g + w * x / W_N;
  const Mask stick = (zero <= stick_N) & (abs(x) <= mu * stick_N);
  const Lanes d = select(zero < b, broadcast(-1), broadcast(1));
  const Lanes slide_N = c / (W_N + mu * w * d);
  return {select(closing, select(stick, stick_N, slide_N), zero),
          select(closing, select(stick, -x, mu * slide_N * d), zero)};
}

[[gnu::always_inline]] inline PlaneLanes solve_cohesive(Lanes W_N, Lanes w, Lanes s, Lanes mu,
                                                        Lanes cohesion, const PlaneLanes& q) {
  const Mask coheres = broadcast(0) < cohesion;
  const PlaneLanes p = solve_coulomb(W_N, w, s, mu, q);
  if (!any(coheres)) return p;
  alignas(32) double numbers[7][4], answer[2][4];
  const Lanes in[7] = {W_N, w, s, mu, cohesion, q.x, q.y};
  for (int k = 0; k < 7; ++k) store(numbers[k], in[k]);
  store(answer[0], p.x);
  store(answer[1], p.y);
  for (int l = 0, lanes = bits(coheres); l < 4; ++l) {
    if (!(lanes & (1 << l))) continue;
    double local[5], lane_p[2];
    for (int k = 0; k < 5; ++k) local[k] = numbers[k][l];
    const double lane_q[2] = {numbers[5][l], numbers[6][l]};
    solve_plane_lane(local, lane_q, lane_p);
    for (int k = 0; k < 2; ++k) answer[k][l] = lane_p[k];
  }
  return {load(answer[0]), load(answer[1])};
}

}  // namespace
}  // namespace talus
