// SPDX-License-Identifier: Apache-2.0
#include "solvers/math/dense.hpp"

#include <doctest/doctest.h>

using Eigen::MatrixXd;
using Eigen::VectorXd;
using talus::LeastSquares;

TEST_CASE("least squares find the shortest solution and the null space of a singular matrix") {
  MatrixXd A(3, 4);
  A << 1, 2, 3, 4, 2, 4, 6, 8, 1, 0, 1, 0;
  const LeastSquares factors(A, 1e-12);
  CHECK(factors.rank() == 2);
  const MatrixXd Z = factors.null_space();
  CHECK(Z.cols() == 2);
  CHECK((A * Z).cwiseAbs().maxCoeff() < 1e-14);
  CHECK((Z.transpose() * Z - MatrixXd::Identity(2, 2)).cwiseAbs().maxCoeff() < 1e-14);
  const VectorXd b = A * VectorXd::Ones(4);
  const VectorXd x = factors.solve(b);
  CHECK((A * x - b).cwiseAbs().maxCoeff() < 1e-13);
  CHECK((Z.transpose() * x).cwiseAbs().maxCoeff() < 1e-14);
}

TEST_CASE("the pivots of a singular matrix tell") {
  MatrixXd A(2, 2);
  A << 1, 2, 2, 4;
  CHECK(talus::DenseLu(A).pivot_ratio() == 0);
  CHECK(talus::DenseLu(MatrixXd(0, 0)).pivot_ratio() == 1);
}
