// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/with_gradient.hpp"

#include <cassert>
#include <cmath>

namespace talus {

template <int D>
void with_gradient(const ContactProblem<D>& rigid, const Mat<D>& inverse_inertia,
                   std::span<const Vec<D>> d, ContactProblem<D>& problem) {
  assert(rigid.rows.empty() && !rigid.has_moments());
  const auto& R = std::get<RigidOperator<D>>(rigid.W);
  if (!std::holds_alternative<FactoredOperator<D>>(problem.W)) problem.W = FactoredOperator<D>{};
  auto& W = std::get<FactoredOperator<D>>(problem.W);
  problem.b = rigid.b;
  problem.law = rigid.law;
  problem.velocity_floor = rigid.velocity_floor;
  W.start.assign(1, 0);
  W.velocity.clear();
  W.H.clear();
  W.Y.clear();

  constexpr int of_body = D + spin_dim<D>;
  const std::size_t gradient = of_body * R.bodies.size();  // the velocities after those of bodies
  std::size_t next = gradient + D * D;                     // and after those, of compliance
  const auto add = [&](std::size_t velocity, const Vec<D>& H, const Vec<D>& Y) {
    W.velocity.push_back(static_cast<int>(velocity));
    W.H.push_back(H);
    W.Y.push_back(Y);
  };
  for (std::size_t i = 0; i < R.contacts.size(); ++i) {
    const ContactRow<D>& row = R.contacts[i];
    const auto add_body = [&](int body, const Vec<D>& arm, double sign) {
      const MassBlock<D>& mass = R.bodies[at(body)];
      if (!mass.moves()) return;
      const std::size_t first = of_body * at(body);
      for (int k = 0; k < D; ++k) {
        const Vec<D> H = sign * row.frame.row(k).transpose();
        add(first + at(k), H, mass.inverse_mass * H);
      }
      if (mass.inverse_inertia.isZero(0)) return;
      Matrix<spin_dim<D>, D> turning;  // moments of unit percussions
      for (int k = 0; k < D; ++k) turning.col(k) = sign * moment<D>(arm, Vec<D>(row.frame.col(k)));
      const Matrix<spin_dim<D>, D> spins = mass.inverse_inertia * turning;
      for (int k = 0; k < spin_dim<D>; ++k)
        add(first + D + at(k), Vec<D>(turning.row(k).transpose()),
            Vec<D>(spins.row(k).transpose()));
    };
    add_body(row.a, row.arm_a, -1);
    add_body(row.b, row.arm_b, 1);
    for (int k = 0; k < D; ++k)
      for (int j = 0; j < D; ++j) {
        if (inverse_inertia(k, j) == 0 || d[i][j] == 0) continue;
        const Vec<D> H = d[i][j] * row.frame.row(k).transpose();
        add(gradient + at(D * k + j), H, inverse_inertia(k, j) * H);
      }
    if (!row.compliance.is_rigid()) {  // a velocity that no other contact has
      const Vec<D> C = diagonal<D>(row.compliance);
      for (int k = 0; k < D; ++k) {
        const Vec<D> H = std::sqrt(C[k]) * Vec<D>::Unit(k);
        add(next++, H, H);
      }
    }
    W.start.push_back(W.velocity.size());
  }
  W.velocities = next;
}

template void with_gradient<2>(const ContactProblem<2>&, const Mat<2>&, std::span<const Vec<2>>,
                               ContactProblem<2>&);
template void with_gradient<3>(const ContactProblem<3>&, const Mat<3>&, std::span<const Vec<3>>,
                               ContactProblem<3>&);

}  // namespace talus
