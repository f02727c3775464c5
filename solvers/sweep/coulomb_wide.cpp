// SPDX-License-Identifier: Apache-2.0
#include "solvers/sweep/coulomb_wide.hpp"

#include "solvers/problem/coulomb.hpp"

namespace talus {

void solve_lane(const double local[6], const double q[3], double p[3]) {
  const double W_N = local[0];
  const Vec<2> w(local[1], local[2]);
  Mat<3> W;
  W(0, 0) = W_N;
  W.block<2, 1>(1, 0) = w;
  W.block<1, 2>(0, 1) = w.transpose();
  W.block<2, 2>(1, 1) = w * w.transpose() / W_N;
  W(1, 1) += local[3];
  W(2, 2) += local[4];
  const Vec<3> answer = Coulomb<3>{local[5]}.solve(W, Vec<3>(q[0], q[1], q[2]));
  for (int k = 0; k < 3; ++k) p[k] = answer[k];
}

}  // namespace talus
