// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/contact_problem.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

#include "solvers/math/parallel.hpp"
#include "solvers/problem/factored.hpp"

namespace talus {

namespace {

// Velocities M⁻¹H p of all bodies.
template <int D>
std::vector<Twist<D>> percussion_velocities(const ContactProblem<D>& problem,
                                            const RigidOperator<D>& W, const Percussions<D>& p) {
  std::vector<Twist<D>> v(W.bodies.size());
  for (std::size_t i = 0; i < W.contacts.size(); ++i) {
    apply_percussion<D>(W.contacts[i], p.contact[i], W.bodies, v);
  }
  for (std::size_t i = 0; i < problem.rolling.size(); ++i)
    apply_moment<D>(W.contacts[i], p.moment[i], W.bodies, v);
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    apply_percussion<D>(problem.rows[i], p.row[i], W.bodies, v);
  }
  return v;
}

// The block through which a percussion at `arm_p` (in `frame_p`) of a body moves its point `arm_u`
// (in `frame_u`):  frame_uᵀ [ (1/m) I − [arm_u]× I⁻¹ [arm_p]× ] frame_p
template <int D>
Mat<D> coupling(const Mat<D>& frame_u, const Vec<D>& arm_u, const Mat<D>& frame_p,
                const Vec<D>& arm_p, const MassBlock<D>& mass) {
  Mat<D> point_velocity;
  for (int k = 0; k < D; ++k) {
    const Vec<D> f = frame_p.col(k);
    point_velocity.col(k) =
        mass.inverse_mass * f + cross<D>(mass.inverse_inertia * moment<D>(arm_p, f), arm_u);
  }
  return frame_u.transpose() * point_velocity;
}

}  // namespace

template <int D>
void apply_percussion(const ContactRow<D>& row, const Vec<D>& p, std::span<const MassBlock<D>> mass,
                      std::span<Twist<D>> v) {
  const Vec<D> impulse = row.frame * p;
  const MassBlock<D>&a = mass[at(row.a)], &b = mass[at(row.b)];
  v[at(row.a)].v -= a.inverse_mass * impulse;
  v[at(row.a)].omega -= a.inverse_inertia * moment<D>(row.arm_a, impulse);
  v[at(row.b)].v += b.inverse_mass * impulse;
  v[at(row.b)].omega += b.inverse_inertia * moment<D>(row.arm_b, impulse);
}

template <int D>
void apply_moment(const ContactRow<D>& row, const Spin<D>& moment,
                  std::span<const MassBlock<D>> mass, std::span<Twist<D>> v) {
  const Spin<D> impulse = spin_from<D>(row.frame, moment);
  v[at(row.a)].omega -= mass[at(row.a)].inverse_inertia * impulse;
  v[at(row.b)].omega += mass[at(row.b)].inverse_inertia * impulse;
}

template <int D>
double moment_unit(const ContactRow<D>& row, double trace, std::span<const MassBlock<D>> mass) {
  const double spins =
      mass[at(row.a)].inverse_inertia.trace() + mass[at(row.b)].inverse_inertia.trace();
  return spins > 0 ? std::sqrt(trace * spin_dim<D> / (spins * D)) : 1;
}

template <int D>
WrenchMat<D> wrench_block(const ContactRow<D>& row, const Mat<D>& frame, double unit,
                          const MassBlock<D>& a, const MassBlock<D>& b) {
  constexpr int moments = spin_dim<D>;
  WrenchMat<D> W = WrenchMat<D>::Zero();
  const auto add = [&](const MassBlock<D>& mass, const Vec<D>& arm) {
    Matrix<moments, wrench_dim<D>> turning;  // moments about the mass centre of unit wrenches
    for (int k = 0; k < D; ++k) turning.col(k) = moment<D>(arm, frame.col(k));
    for (int k = 0; k < moments; ++k)
      turning.col(D + k) = unit * spin_from<D>(frame, Spin<D>::Unit(k));
    W.template topLeftCorner<D, D>() += mass.inverse_mass * Mat<D>::Identity();
    W += turning.transpose() * mass.inverse_inertia * turning;
  };
  add(a, row.arm_a);
  add(b, row.arm_b);
  W.diagonal().template head<D>() += diagonal<D>(row.compliance);
  return W;
}

template <int D>
void apply_percussion(const LinearRow<D>& row, double p, std::span<const MassBlock<D>> mass,
                      std::span<Twist<D>> v) {
  const MassBlock<D>&a = mass[at(row.a)], &b = mass[at(row.b)];
  v[at(row.a)].v -= (a.inverse_mass * p) * row.direction;
  v[at(row.a)].omega -= a.inverse_inertia * (p * row.moment_a);
  v[at(row.b)].v += (b.inverse_mass * p) * row.direction;
  v[at(row.b)].omega += b.inverse_inertia * (p * row.moment_b);
}

template <int D>
Mat<D> diagonal_block(const ContactRow<D>& row, std::span<const MassBlock<D>> mass) {
  Mat<D> W_ii = coupling<D>(row.frame, row.arm_a, row.frame, row.arm_a, mass[at(row.a)]) +
                coupling<D>(row.frame, row.arm_b, row.frame, row.arm_b, mass[at(row.b)]);
  W_ii.diagonal() += diagonal<D>(row.compliance);
  return W_ii;
}

template <int D>
double diagonal_block(const LinearRow<D>& row, std::span<const MassBlock<D>> mass) {
  const MassBlock<D>&a = mass[at(row.a)], &b = mass[at(row.b)];
  return (a.inverse_mass + b.inverse_mass) * row.direction.squaredNorm() +
         row.moment_a.dot(a.inverse_inertia * row.moment_a) +
         row.moment_b.dot(b.inverse_inertia * row.moment_b) + row.compliance;
}

template <int D>
std::vector<Mat<D>> diagonal_blocks(const ContactProblem<D>& problem) {
  std::vector<Mat<D>> diagonal(problem.size());
  if (const auto* rigid = std::get_if<RigidOperator<D>>(&problem.W)) {
    parallel_for(problem.size(), [&](std::size_t i) {
      diagonal[i] = diagonal_block<D>(rigid->contacts[i], rigid->bodies);
    });
  } else if (const auto* factored = std::get_if<FactoredOperator<D>>(&problem.W)) {
    for (std::size_t i = 0; i < problem.size(); ++i) diagonal[i] = diagonal_block<D>(*factored, i);
  } else {
    const auto& W = std::get<DelassusOperator<D>>(problem.W);
    for (std::size_t i = 0; i < problem.size(); ++i) {
      const auto begin = W.column.begin() + static_cast<std::ptrdiff_t>(W.row_start[i]);
      const auto end = W.column.begin() + static_cast<std::ptrdiff_t>(W.row_start[i + 1]);
      const auto found = std::lower_bound(begin, end, static_cast<int>(i));
      assert(found != end && *found == static_cast<int>(i) && "every diagonal block is present");
      diagonal[i] = W.block[static_cast<std::size_t>(found - W.column.begin())];
    }
  }
  return diagonal;
}

template <int D>
Velocities<D> velocities(const ContactProblem<D>& problem, const Percussions<D>& p) {
  Velocities<D> u;
  u.contact.resize(problem.size());
  u.row.resize(problem.rows.size());
  if (const auto* rigid = std::get_if<RigidOperator<D>>(&problem.W)) {
    const std::vector<Twist<D>> v = percussion_velocities<D>(problem, *rigid, p);
    parallel_for(problem.size(), [&](std::size_t i) {
      const ContactRow<D>& row = rigid->contacts[i];
      u.contact[i] = problem.b[i] + relative_velocity<D>(row, v[at(row.a)], v[at(row.b)]) +
                     diagonal<D>(row.compliance).cwiseProduct(p.contact[i]);
    });
    u.spin.resize(problem.rolling.size());
    parallel_for(problem.rolling.size(), [&](std::size_t i) {
      const ContactRow<D>& row = rigid->contacts[i];
      u.spin[i] = problem.rolling[i].omega + relative_spin<D>(row, v[at(row.a)], v[at(row.b)]);
    });
    for (std::size_t i = 0; i < problem.rows.size(); ++i) {
      const LinearRow<D>& row = problem.rows[i];
      u.row[i] = row.bias + row.compliance * p.row[i] +
                 relative_velocity<D>(row, v[at(row.a)], v[at(row.b)]);
    }
  } else if (const auto* factored = std::get_if<FactoredOperator<D>>(&problem.W)) {
    const std::vector<double> v = percussion_velocities<D>(*factored, p.contact);
    for (std::size_t i = 0; i < problem.size(); ++i)
      u.contact[i] = problem.b[i] + relative_velocity<D>(*factored, i, v);
  } else {
    const auto& W = std::get<DelassusOperator<D>>(problem.W);
    parallel_for(problem.size(), [&](std::size_t i) {
      u.contact[i] = problem.b[i];
      for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k) {
        u.contact[i] += W.block[k] * p.contact[at(W.column[k])];
      }
    });
  }
  return u;
}

template <int D>
DelassusOperator<D> assemble_delassus(const RigidOperator<D>& W) {
  std::vector<std::vector<int>> contacts_of(W.bodies.size());
  for (std::size_t i = 0; i < W.contacts.size(); ++i) {
    for (const int body : {W.contacts[i].a, W.contacts[i].b}) {
      if (W.bodies[at(body)].inverse_mass > 0) contacts_of[at(body)].push_back(static_cast<int>(i));
    }
  }
  DelassusOperator<D> delassus;
  for (std::size_t i = 0; i < W.contacts.size(); ++i) {
    const ContactRow<D>& row = W.contacts[i];
    std::map<int, Mat<D>> blocks;
    blocks[static_cast<int>(i)] = diagonal<D>(row.compliance).asDiagonal();
    for (const int body : {row.a, row.b}) {
      const Vec<D>& arm_u = body == row.a ? row.arm_a : row.arm_b;
      const double sign_u = body == row.a ? -1 : 1;
      for (const int j : contacts_of[at(body)]) {
        const ContactRow<D>& other = W.contacts[at(j)];
        const Vec<D>& arm_p = body == other.a ? other.arm_a : other.arm_b;
        const double sign_p = body == other.a ? -1 : 1;
        const auto [found, inserted] = blocks.try_emplace(j, Mat<D>::Zero());
        found->second +=
            sign_u * sign_p * coupling<D>(row.frame, arm_u, other.frame, arm_p, W.bodies[at(body)]);
      }
    }
    for (const auto& [j, block] : blocks) {
      delassus.column.push_back(j);
      delassus.block.push_back(block);
    }
    delassus.row_start.push_back(delassus.column.size());
  }
  return delassus;
}

#define TALUS_INSTANTIATE(D)                                                                    \
  template void apply_percussion<D>(const ContactRow<D>&, const Vec<D>&,                        \
                                    std::span<const MassBlock<D>>, std::span<Twist<D>>);        \
  template void apply_percussion<D>(const LinearRow<D>&, double, std::span<const MassBlock<D>>, \
                                    std::span<Twist<D>>);                                       \
  template void apply_moment<D>(const ContactRow<D>&, const Spin<D>&,                           \
                                std::span<const MassBlock<D>>, std::span<Twist<D>>);            \
  template double moment_unit<D>(const ContactRow<D>&, double, std::span<const MassBlock<D>>);  \
  template WrenchMat<D> wrench_block<D>(const ContactRow<D>&, const Mat<D>&, double,            \
                                        const MassBlock<D>&, const MassBlock<D>&);              \
  template Mat<D> diagonal_block<D>(const ContactRow<D>&, std::span<const MassBlock<D>>);       \
  template double diagonal_block<D>(const LinearRow<D>&, std::span<const MassBlock<D>>);        \
  template std::vector<Mat<D>> diagonal_blocks<D>(const ContactProblem<D>&);                    \
  template Velocities<D> velocities<D>(const ContactProblem<D>&, const Percussions<D>&);        \
  template DelassusOperator<D> assemble_delassus<D>(const RigidOperator<D>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
