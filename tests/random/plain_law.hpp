// SPDX-License-Identifier: Apache-2.0
// The contact problem judged and solved in the plainest way, sharing no code with the solvers: the
// oracle of random scenes.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/problem/contact_problem.hpp"

namespace talus::random_scenes {

// M⁻¹H p of every body.
template <int D>
std::vector<Twist<D>> plain_jump(const ContactProblem<D>& problem, const Percussions<D>& p) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  std::vector<Vec<D>> force(W.bodies.size(), Vec<D>::Zero());
  std::vector<Spin<D>> torque(W.bodies.size(), Spin<D>::Zero());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const ContactRow<D>& row = W.contacts[i];
    const Vec<D> f = row.frame * p.contact[i];
    force[at(row.b)] += f;
    force[at(row.a)] -= f;
    torque[at(row.b)] += moment<D>(row.arm_b, f);
    torque[at(row.a)] -= moment<D>(row.arm_a, f);
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const LinearRow<D>& row = problem.rows[i];
    force[at(row.b)] += p.row[i] * row.direction;
    force[at(row.a)] -= p.row[i] * row.direction;
    torque[at(row.b)] += p.row[i] * row.moment_b;
    torque[at(row.a)] -= p.row[i] * row.moment_a;
  }
  std::vector<Twist<D>> jump(W.bodies.size());
  for (std::size_t k = 0; k < jump.size(); ++k)
    jump[k] = {W.bodies[k].inverse_mass * force[k], W.bodies[k].inverse_inertia * torque[k]};
  return jump;
}

// û of a contact and of a row, given the jump of velocities.
template <int D>
Vec<D> plain_velocity(const ContactProblem<D>& problem, std::size_t i,
                      const std::vector<Twist<D>>& v, const Vec<D>& p) {
  const ContactRow<D>& row = std::get<RigidOperator<D>>(problem.W).contacts[i];
  const Twist<D>&a = v[at(row.a)], &b = v[at(row.b)];
  Vec<D> u = row.frame.transpose() *
                 (b.v + cross<D>(b.omega, row.arm_b) - a.v - cross<D>(a.omega, row.arm_a)) +
             problem.b[i];
  u[0] += row.compliance.normal * p[0];
  for (int d = 1; d < D; ++d) u[d] += row.compliance.tangential * p[d];
  return u;
}
template <int D>
double plain_velocity(const LinearRow<D>& row, const std::vector<Twist<D>>& v, double p) {
  const Twist<D>&a = v[at(row.a)], &b = v[at(row.b)];
  return row.direction.dot(b.v - a.v) + row.moment_b.dot(b.omega) - row.moment_a.dot(a.omega) +
         row.compliance * p + row.bias;
}

// ∂û_N/∂p_N of a contact, ∂û/∂p of a row: turns percussions into velocities [1/kg].
template <int D>
double plain_response(const ContactProblem<D>& problem, std::size_t i) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  const ContactRow<D>& row = W.contacts[i];
  const Vec<D> n = row.frame * Vec<D>::Unit(0);
  double w = row.compliance.normal;
  for (const auto& [body, arm] : {std::pair{row.a, row.arm_a}, std::pair{row.b, row.arm_b}}) {
    const Spin<D> m = moment<D>(arm, n);
    w += W.bodies[at(body)].inverse_mass + m.dot(W.bodies[at(body)].inverse_inertia * m);
  }
  return w;
}
template <int D>
double plain_response(const LinearRow<D>& row, const std::vector<MassBlock<D>>& bodies) {
  double w = row.compliance;
  for (const auto& [body, m] : {std::pair{row.a, row.moment_a}, std::pair{row.b, row.moment_b}})
    w += bodies[at(body)].inverse_mass * row.direction.squaredNorm() +
         m.dot(bodies[at(body)].inverse_inertia * m);
  return w;
}

// How far a contact is from Signorini's and Coulomb's laws, as a velocity: with q = w p,
//     | min(û_N, q_N) |  and  ‖ q_T − proj(q_T − û_T) ‖,  proj onto the disk of radius μ q_N.
template <int D>
double law_violation(double mu, const Vec<D>& u, const Vec<D>& q) {
  double tangential = 0;
  const auto q_T = q.template tail<D - 1>(), z = q_T - u.template tail<D - 1>();
  const double limit = mu * std::max(0.0, q[0]), length = z.norm();
  tangential = (q_T - (length > limit ? limit / length : 1.0) * z).norm();
  return std::max(std::abs(std::min(u[0], q[0])), tangential);
}

inline double law_violation(const RowBounds& bounds, double u, double p, double w) {
  return std::abs(p - std::min(std::max(p - u / w, bounds.lower), bounds.upper)) * w;
}

template <int D>
RowBounds plain_bounds(const LinearRow<D>& row, const std::vector<double>& p) {
  if (row.normals == 0) return row.bounds;
  double squares = 0;
  for (int k = row.normal; k < row.normal + row.normals; ++k) squares += p[at(k)] * p[at(k)];
  const double limit = row.friction * std::sqrt(squares);
  return {-limit, limit};
}

struct Judgement {
  double violation = 0;  // √Σ of squares over contacts and rows [m/s]
  double scale = 0;      // √Σ of squared speeds of what carries percussions [m/s]
  double speed = 0;      // its share of one of them: the root mean square [m/s]
  bool finite = true;
  bool in_cones = true;  // to the last bit
};

// p_N ≥ 0 and ‖p_T‖ ≤ μ p_N.
template <int D>
bool in_cone(double mu, const Vec<D>& p) {
  return p[0] >= 0 && p.template tail<D - 1>().norm() <= mu * p[0];
}

template <int D>
Judgement judge(const ContactProblem<D>& problem, const Percussions<D>& p) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  const std::vector<Twist<D>> v = plain_jump<D>(problem, p);
  Judgement result;
  double squares = 0, speeds = 0, carrying = 0;
  const auto add = [&](double violation, double speed, bool carries) {
    if (!std::isfinite(violation)) result.finite = false;
    squares += violation * violation;
    if (!carries) return;
    speeds += speed * speed;
    carrying += 1;
  };
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const Vec<D>& p_i = p.contact[i];
    const double w = plain_response<D>(problem, i), mu = problem.law[i].mu;
    add(law_violation<D>(mu, plain_velocity<D>(problem, i, v, p_i), w * p_i), problem.b[i].norm(),
        p_i[0] != 0);
    result.in_cones = result.in_cones && in_cone<D>(mu, p_i);
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const LinearRow<D>& row = problem.rows[i];
    const double w = plain_response<D>(row, W.bodies);
    if (!(w > 0)) continue;  // between bodies that do not move
    // A soft spring far from its rest length has a large bias and moves its bodies little.
    add(law_violation(plain_bounds<D>(row, p.row), plain_velocity<D>(row, v, p.row[i]), p.row[i],
                      w),
        row.bias * (1 - row.compliance / w), p.row[i] != 0);
    if (row.normals == 0)
      result.in_cones =
          result.in_cones && p.row[i] >= row.bounds.lower && p.row[i] <= row.bounds.upper;
  }
  result.violation = std::sqrt(squares);
  result.scale = std::max(std::sqrt(speeds), std::sqrt(carrying) * problem.velocity_floor);
  if (carrying > 0) result.speed = result.scale / std::sqrt(carrying);
  return result;
}

// Projected Gauss–Seidel on a problem without friction: contact after contact and row after row,
// each put in order with the others held. False if it has not come to rest after so many sweeps.
template <int D>
bool plain_gauss_seidel(const ContactProblem<D>& problem, Percussions<D>& p, double tolerance,
                        int sweeps) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  p.contact.assign(problem.size(), Vec<D>::Zero());
  p.row.assign(problem.rows.size(), 0);
  std::vector<Twist<D>> v = plain_jump<D>(problem, p);
  const auto push = [&](int body, const Vec<D>& f, const Spin<D>& m) {
    v[at(body)].v += W.bodies[at(body)].inverse_mass * f;
    v[at(body)].omega += W.bodies[at(body)].inverse_inertia * m;
  };
  std::vector<double> w, w_row;
  for (std::size_t i = 0; i < problem.size(); ++i) w.push_back(plain_response<D>(problem, i));
  for (const LinearRow<D>& row : problem.rows) w_row.push_back(plain_response<D>(row, W.bodies));
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double largest = 0;
    for (std::size_t i = 0; i < problem.rows.size(); ++i) {
      const LinearRow<D>& row = problem.rows[i];
      if (!(w_row[i] > 0)) continue;
      const double u = plain_velocity<D>(row, v, p.row[i]);
      const double next =
          std::min(std::max(p.row[i] - u / w_row[i], row.bounds.lower), row.bounds.upper);
      const double change = next - p.row[i];
      p.row[i] = next;
      push(row.b, change * row.direction, change * row.moment_b);
      push(row.a, -change * row.direction, -change * row.moment_a);
      largest = std::max(largest, std::abs(change) * w_row[i]);
    }
    for (std::size_t i = 0; i < problem.size(); ++i) {
      const ContactRow<D>& row = W.contacts[i];
      const double u = plain_velocity<D>(problem, i, v, p.contact[i])[0];
      const double next = std::max(0.0, p.contact[i][0] - u / w[i]);
      const double change = next - p.contact[i][0];
      p.contact[i][0] = next;
      const Vec<D> f = change * (row.frame * Vec<D>::Unit(0));
      push(row.b, f, moment<D>(row.arm_b, f));
      push(row.a, -f, -moment<D>(row.arm_a, f));
      largest = std::max(largest, std::abs(change) * w[i]);
    }
    if (largest <= tolerance) return true;
  }
  return false;
}

// Whether all that is asked of velocities is convex, so that they are unique: no friction at all.
template <int D>
bool is_frictionless(const ContactProblem<D>& problem) {
  return std::all_of(problem.law.begin(), problem.law.end(),
                     [](const Coulomb<D>& law) { return law.mu == 0; }) &&
         std::none_of(problem.rows.begin(), problem.rows.end(),
                      [](const LinearRow<D>& row) { return row.normals > 0; });
}

}  // namespace talus::random_scenes
