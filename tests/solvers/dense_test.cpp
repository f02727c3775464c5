#include "solvers/dense.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using Eigen::MatrixXd;
using Eigen::VectorXd;
using talus::LeastSquares;

TEST_CASE("the singular values of a graded matrix keep their relative accuracy") {
  // Läuchli: 1 over ε I has the values √(n + ε²) once and ε n − 1 times.
  const double e = 1e-7;
  MatrixXd A = MatrixXd::Zero(5, 4);
  A.row(0).setOnes();
  A.bottomRows(4).diagonal().setConstant(e);
  VectorXd values = talus::singular_values(A);
  std::sort(values.begin(), values.end());
  for (int i = 0; i < 3; ++i) CHECK(values[i] == doctest::Approx(e).epsilon(1e-8));
  CHECK(values[3] == doctest::Approx(std::sqrt(4 + e * e)).epsilon(1e-14));
  VectorXd wide = talus::singular_values(A.transpose());
  std::sort(wide.begin(), wide.end());
  CHECK((wide - values).cwiseAbs().maxCoeff() < 1e-15);
}

TEST_CASE("the singular values of a product of reflections with a diagonal are on the diagonal") {
  for (const int n : {2, 5, 12}) {
    const auto reflection = [&](double phase) -> MatrixXd {
      const VectorXd v = (phase + 2.3 * VectorXd::LinSpaced(n, 1, n).array()).sin();
      return MatrixXd::Identity(n, n) - 2 / v.squaredNorm() * v * v.transpose();
    };
    const VectorXd expected = VectorXd::LinSpaced(n, 1, 2);
    VectorXd values =
        talus::singular_values(reflection(0.3) * expected.asDiagonal() * reflection(1.9));
    std::sort(values.begin(), values.end());
    CHECK((values - expected).cwiseAbs().maxCoeff() < 1e-14);
  }
}

TEST_CASE("the singular values of a singular matrix are found, and the rest is rounding") {
  // Sums of 5 of the products of 60 sines with 60 cosines: rank 5.
  MatrixXd A = MatrixXd::Zero(60, 60);
  for (int k = 1; k <= 5; ++k)
    for (int i = 0; i < 60; ++i)
      for (int j = 0; j < 60; ++j) A(i, j) += std::sin(k * i + 1) * std::cos(k * j * 0.7) / k;
  VectorXd values = talus::singular_values(A);
  std::sort(values.begin(), values.end());
  CHECK(values[54] < 1e-12);
  CHECK(values[55] > 0.1);
  CHECK(values.squaredNorm() == doctest::Approx(A.squaredNorm()).epsilon(1e-13));
}

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

TEST_CASE("the spectral radius is that of complex, nilpotent and defective matrices too") {
  MatrixXd A(2, 2);
  A << 0, -4, 1, 0;  // ±2i
  CHECK(talus::spectral_radius(A) == doctest::Approx(2).epsilon(1e-12));
  A << 0, 1, 0, 0;
  CHECK(talus::spectral_radius(A) == 0);
  A << 0.5, 1, 0, 0.5;
  CHECK(talus::spectral_radius(A) == doctest::Approx(0.5).epsilon(1e-12));
}
