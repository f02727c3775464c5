// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/kinetic_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solvers/math/dense.hpp"

namespace talus {

template <int D>
SpinMat<D> inertia_root(const SpinMat<D>& inverse_inertia) {
  SpinMat<D> L = SpinMat<D>::Zero();
  if (inverse_inertia.isZero(0)) return L;
  for (int j = 0; j < spin_dim<D>; ++j) {
    for (int i = j; i < spin_dim<D>; ++i) {
      double rest = inverse_inertia(i, j);
      for (int k = 0; k < j; ++k) rest -= L(i, k) * L(j, k);
      L(i, j) = i == j ? std::sqrt(rest) : rest / L(j, j);
    }
  }
  return L;
}

template <int D>
LinearRow<D> component_row(const ContactRow<D>& contact, int k) {
  return direction_row<D>(contact, contact.frame.col(k));
}

template <int D>
LinearRow<D> direction_row(const ContactRow<D>& contact, const Vec<D>& direction) {
  LinearRow<D> row;
  row.a = contact.a;
  row.b = contact.b;
  row.direction = direction;
  row.moment_a = moment<D>(contact.arm_a, direction);
  row.moment_b = moment<D>(contact.arm_b, direction);
  return row;
}

template <int D>
KineticGradients<D> kinetic_gradients(std::span<const LinearRow<D>> rows,
                                      std::span<const MassBlock<D>> mass) {
  constexpr int spins = spin_dim<D>;
  KineticGradients<D> gradients;
  gradients.dof_of_body.assign(mass.size(), -1);
  int dof = 0;
  const auto use = [&](int body) {
    const MassBlock<D>& block = mass[at(body)];
    if (block.inverse_mass == 0 && block.inverse_inertia.isZero(0)) return;
    if (gradients.dof_of_body[at(body)] >= 0) return;
    gradients.dof_of_body[at(body)] = dof;
    dof += D + spins;
  };
  for (const LinearRow<D>& row : rows) {
    use(row.a);
    use(row.b);
  }

  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(rows.size() * 2 * (D + spins));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto add = [&](int body, double sign, const Spin<D>& m) {
      const int first = gradients.dof_of_body[at(body)];
      if (first < 0) return;
      const MassBlock<D>& block = mass[at(body)];
      const Vec<D> linear = sign * std::sqrt(block.inverse_mass) * rows[i].direction;
      const Spin<D> angular = sign * (inertia_root<D>(block.inverse_inertia).transpose() * m);
      for (int k = 0; k < D; ++k) entries.emplace_back(static_cast<int>(i), first + k, linear[k]);
      for (int k = 0; k < spins; ++k) {
        entries.emplace_back(static_cast<int>(i), first + D + k, angular[k]);
      }
    };
    add(rows[i].a, -1, rows[i].moment_a);
    add(rows[i].b, 1, rows[i].moment_b);
  }
  gradients.rows.resize(static_cast<Eigen::Index>(rows.size()), dof);
  gradients.rows.setFromTriplets(entries.begin(), entries.end());
  return gradients;
}

Eigen::SparseMatrix<double> delassus(const SparseRows& gradients) {
  return gradients * SparseRows(gradients.transpose());
}

Eigen::VectorXd gradient_norms(const SparseRows& gradients) {
  Eigen::VectorXd norms(gradients.rows());
  for (Eigen::Index i = 0; i < gradients.rows(); ++i) norms[i] = gradients.row(i).norm();
  return norms;
}

Eigen::SparseMatrix<double> normalised_delassus(const SparseRows& gradients) {
  const Eigen::VectorXd norms = gradient_norms(gradients);
  const Eigen::VectorXd weights =
      norms.unaryExpr([](double norm) { return norm > 0 ? 1 / norm : 0.0; });
  return delassus(weights.asDiagonal() * gradients);
}

double kinetic_angle(double G_ij) {
  return std::numbers::pi - std::acos(std::clamp(G_ij, -1.0, 1.0));
}

Eigen::VectorXd quasi_normal_velocities(const SparseRows& gradients,
                                        const Eigen::VectorXd& constraint_velocities) {
  const Eigen::VectorXd norms = gradient_norms(gradients);
  return constraint_velocities.binaryExpr(
      norms, [](double u, double norm) { return norm > 0 ? u / norm : 0.0; });
}

double quasi_normal_energy(const SparseRows& gradients,
                           const Eigen::VectorXd& constraint_velocities) {
  const Eigen::VectorXd v = quasi_normal_velocities(gradients, constraint_velocities);
  const LeastSquares G(Eigen::MatrixXd(normalised_delassus(gradients)), 1e-11);
  return 0.5 * v.dot(Eigen::VectorXd(G.solve(v)));
}

#define TALUS_INSTANTIATE(D)                                                       \
  template LinearRow<D> component_row<D>(const ContactRow<D>&, int);               \
  template LinearRow<D> direction_row<D>(const ContactRow<D>&, const Vec<D>&);     \
  template SpinMat<D> inertia_root<D>(const SpinMat<D>&);                          \
  template KineticGradients<D> kinetic_gradients<D>(std::span<const LinearRow<D>>, \
                                                    std::span<const MassBlock<D>>);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
