// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/impact_problem.hpp"

#include <algorithm>

#include "solvers/problem/bilateral.hpp"
#include "solvers/problem/kinetic_geometry.hpp"

namespace talus {

namespace {

// λ that takes a change of velocities out of the joints, K λ = −J Δv.
template <int D>
Eigen::VectorXd reaction(const ImpactProblem<D>& impact, const BilateralSystem<D>& joints,
                         std::span<const Twist<D>> jump) {
  Eigen::VectorXd r(static_cast<Eigen::Index>(impact.joints.size()));
  if (impact.joints.empty()) return r;
  for (std::size_t i = 0; i < impact.joints.size(); ++i) {
    const LinearRow<D>& row = impact.joints[i];
    r[static_cast<Eigen::Index>(i)] = -relative_velocity<D>(row, jump[at(row.a)], jump[at(row.b)]);
  }
  return joints.solve(r);
}

template <int D>
void apply_joints(const ImpactProblem<D>& impact, std::span<const double> lambda,
                  std::span<Twist<D>> v) {
  for (std::size_t i = 0; i < impact.joints.size(); ++i)
    apply_percussion<D>(impact.joints[i], lambda[i], impact.bodies, v);
}

template <int D>
void apply_contact(const ImpactProblem<D>& impact, std::size_t i, const Vec<D>& p,
                   std::span<Twist<D>> v) {
  const std::size_t contacts = impact.contacts.size();
  if (i < contacts)
    apply_percussion<D>(impact.contacts[i], p, impact.bodies, v);
  else
    apply_percussion<D>(impact.stops[i - contacts], p[0], impact.bodies, v);
}

template <int D>
Vec<D> velocity_at(const ImpactProblem<D>& impact, std::size_t i, std::span<const Twist<D>> v) {
  const std::size_t contacts = impact.contacts.size();
  if (i < contacts) {
    const ContactRow<D>& row = impact.contacts[i];
    return relative_velocity<D>(row, v[at(row.a)], v[at(row.b)]);
  }
  const LinearRow<D>& row = impact.stops[i - contacts];
  return relative_velocity<D>(row, v[at(row.a)], v[at(row.b)]) * Vec<D>::Unit(0);
}

}  // namespace

template <int D>
LinearRow<D> normal_row(const ImpactProblem<D>& impact, std::size_t i) {
  const std::size_t contacts = impact.contacts.size();
  return i < contacts ? component_row<D>(impact.contacts[i], 0) : impact.stops[i - contacts];
}

template <int D>
std::vector<Vec<D>> contact_velocities(const ImpactProblem<D>& impact,
                                       std::span<const Twist<D>> v) {
  std::vector<Vec<D>> u;
  u.reserve(impact.size());
  for (std::size_t i = 0; i < impact.size(); ++i) u.push_back(velocity_at<D>(impact, i, v));
  return u;
}

template <int D>
std::vector<double> joint_percussions(const ImpactProblem<D>& impact,
                                      std::span<const Vec<D>> percussions) {
  if (impact.joints.empty()) return {};
  std::vector<Twist<D>> jump(impact.bodies.size());
  for (std::size_t i = 0; i < impact.size(); ++i) apply_contact<D>(impact, i, percussions[i], jump);
  BilateralSystem<D> joints;
  joints.factorise(impact.joints, impact.bodies);
  const Eigen::VectorXd lambda = reaction<D>(impact, joints, jump);
  return {lambda.begin(), lambda.end()};
}

template <int D>
std::vector<Twist<D>> velocities_after(const ImpactProblem<D>& impact,
                                       std::span<const Vec<D>> percussions) {
  std::vector<Twist<D>> v = impact.v_minus;
  for (std::size_t i = 0; i < impact.size(); ++i) apply_contact<D>(impact, i, percussions[i], v);
  apply_joints<D>(impact, joint_percussions<D>(impact, percussions), v);
  return v;
}

template <int D>
DelassusOperator<D> impact_delassus(const ImpactProblem<D>& impact) {
  if (impact.joints.empty() && impact.stops.empty())
    return assemble_delassus<D>({impact.bodies, impact.contacts, {}});
  BilateralSystem<D> joints;
  if (!impact.joints.empty()) joints.factorise(impact.joints, impact.bodies);
  const std::size_t n = impact.size();
  std::vector<Mat<D>> W(n * n);  // by columns
  std::vector<Twist<D>> jump(impact.bodies.size());
  for (std::size_t j = 0; j < n; ++j) {
    for (int k = 0; k < D; ++k) {
      std::fill(jump.begin(), jump.end(), Twist<D>{});
      if (k == 0 || j < impact.contacts.size()) apply_contact<D>(impact, j, Vec<D>::Unit(k), jump);
      const Eigen::VectorXd lambda = reaction<D>(impact, joints, jump);
      apply_joints<D>(impact, {lambda.data(), impact.joints.size()}, jump);
      for (std::size_t i = 0; i < n; ++i) W[j * n + i].col(k) = velocity_at<D>(impact, i, jump);
    }
  }
  // Tangents that are not there must not make a block singular.
  for (std::size_t i = impact.contacts.size(); i < n; ++i)
    for (int k = 1; k < D; ++k) W[i * n + i](k, k) = W[i * n + i](0, 0);
  // What joints do not couple is rounding.
  DelassusOperator<D> sparse;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const Mat<D>& block = W[j * n + i];
      const double scale = std::sqrt(W[i * n + i].norm() * W[j * n + j].norm());
      if (i != j && block.norm() <= 1e-14 * scale) continue;
      sparse.column.push_back(static_cast<int>(j));
      sparse.block.push_back(block);
    }
    sparse.row_start.push_back(sparse.column.size());
  }
  return sparse;
}

template <int D>
double closing_speed(std::span<const Vec<D>> u_minus) {
  double fastest = 0;
  for (const Vec<D>& u : u_minus) fastest = std::max(fastest, -u[0]);
  return fastest;
}

#define TALUS_INSTANTIATE(D)                                                     \
  template LinearRow<D> normal_row<D>(const ImpactProblem<D>&, std::size_t);     \
  template std::vector<Vec<D>> contact_velocities<D>(const ImpactProblem<D>&,    \
                                                     std::span<const Twist<D>>); \
  template std::vector<double> joint_percussions<D>(const ImpactProblem<D>&,     \
                                                    std::span<const Vec<D>>);    \
  template std::vector<Twist<D>> velocities_after<D>(const ImpactProblem<D>&,    \
                                                     std::span<const Vec<D>>);   \
  template DelassusOperator<D> impact_delassus<D>(const ImpactProblem<D>&);      \
  template double closing_speed<D>(std::span<const Vec<D>>);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
