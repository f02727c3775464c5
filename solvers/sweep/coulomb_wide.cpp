// SPDX-License-Identifier: Apache-2.0
#include "solvers/sweep/coulomb_wide.hpp"

#include "solvers/problem/coulomb.hpp"
#include "solvers/problem/rolling.hpp"

namespace talus {

namespace {

template <int D>
void solve_wrench(const double* W, const RollingCoulomb<D>& law, const double* q, double* x) {
  WrenchMat<D> whole;
  for (int i = 0; i < wrench_dim<D>; ++i)
    for (int j = 0; j <= i; ++j) whole(i, j) = whole(j, i) = *W++;
  const Wrench<D> answer = law.solve(whole, Wrench<D>(q));
  for (int k = 0; k < wrench_dim<D>; ++k) x[k] = answer[k];
}

}  // namespace

void solve_lane(const double local[7], const double q[3], double p[3]) {
  const double W_N = local[0];
  const Vec<2> w(local[1], local[2]);
  Mat<3> W;
  W(0, 0) = W_N;
  W.block<2, 1>(1, 0) = w;
  W.block<1, 2>(0, 1) = w.transpose();
  W.block<2, 2>(1, 1) = w * w.transpose() / W_N;
  W(1, 1) += local[3];
  W(2, 2) += local[4];
  const Vec<3> answer = Coulomb<3>{local[5], local[6]}.solve(W, Vec<3>(q[0], q[1], q[2]));
  for (int k = 0; k < 3; ++k) p[k] = answer[k];
}

void solve_plane_lane(const double local[5], const double q[2], double p[2]) {
  LocalBlock<2> W;
  W.W_N = local[0];
  W.w[0] = local[1];
  W.s[0] = local[2];
  W.turn(0, 0) = 1;
  W.W_N_inverse = 1 / W.W_N;
  W.s_inverse = W.s.cwiseInverse();
  const Vec<2> answer = Coulomb<2>{local[3], local[4]}.solve(W, Vec<2>(q[0], q[1]));
  for (int k = 0; k < 2; ++k) p[k] = answer[k];
}

void solve_space_wrench(const double W[21], const double law[3], const double q[6], double x[6]) {
  solve_wrench<3>(W, RollingCoulomb<3>(law[0], {law[1], law[2]}, 1), q, x);
}

void solve_plane_wrench(const double W[6], const double law[2], const double q[3], double x[3]) {
  solve_wrench<2>(W, RollingCoulomb<2>(law[0], {law[1], 0}, 1), q, x);
}

}  // namespace talus
