// SPDX-License-Identifier: Apache-2.0
// The sparse block factorisation against Eigen's dense one.
#include "solvers/climb/block_lu.hpp"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <random>
#include <set>

using namespace talus;

namespace {

template <int D>
DelassusOperator<D> random_blocks(int n, int links, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::uniform_int_distribution<int> pick(0, n - 1);
  std::vector<std::set<int>> columns(n);
  for (int i = 0; i < n; ++i) columns[i].insert(i);
  for (int k = 0; k < links; ++k) columns[pick(random)].insert(pick(random));  // one way only
  DelassusOperator<D> A;
  for (int i = 0; i < n; ++i) {
    for (const int j : columns[i]) {
      A.column.push_back(j);
      Mat<D> block;
      for (double& entry : block.reshaped()) entry = uniform(random);
      if (i == j) block += 4 * Mat<D>::Identity();
      A.block.push_back(block);
    }
    A.row_start.push_back(A.column.size());
  }
  return A;
}

template <int D>
Eigen::MatrixXd dense(const DelassusOperator<D>& A) {
  const std::size_t n = A.row_start.size() - 1;
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(D * n, D * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      out.block<D, D>(D * i, D * A.column[k]) = A.block[k];
  return out;
}

struct Plane {
  static constexpr int value = 2;
};
struct Solid {
  static constexpr int value = 3;
};

}  // namespace

TEST_CASE_TEMPLATE("an unsymmetric system of blocks is solved as the dense one", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  std::mt19937 random(3);
  for (const int n : {1, 2, 7, 40}) {
    for (const int links : {0, n, 4 * n}) {
      DelassusOperator<D> A = random_blocks<D>(n, links, random);
      BlockLu<D> lu;
      REQUIRE(lu.analyse(A));
      for (int again = 0; again < 2; ++again) {  // the pattern serves for other values too
        REQUIRE(lu.factorise(A));
        std::vector<Vec<D>> x(n);
        const Eigen::VectorXd b = Eigen::VectorXd::Random(D * n);
        for (int i = 0; i < n; ++i) x[i] = b.segment<D>(D * i);
        lu.solve(x);
        const Eigen::VectorXd expected = dense(A).partialPivLu().solve(b);
        for (int i = 0; i < n; ++i)
          CHECK((x[i] - expected.segment<D>(D * i)).norm() <= 1e-12 * expected.norm());
        for (Mat<D>& block : A.block) block *= 1.5;
      }
    }
  }
}

TEST_CASE("a singular pivot block is reported, as is a factor larger than allowed") {
  std::mt19937 random(5);
  DelassusOperator<3> A = random_blocks<3>(5, 10, random);
  BlockLu<3> lu;
  CHECK_FALSE(lu.analyse(A, 1));
  CHECK_FALSE(lu.analyse(A, 1000, 1));
  REQUIRE(lu.analyse(A));
  CHECK(lu.factorise(A));
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      if (i == 2 || A.column[k] == 2) A.block[k].setZero();
  CHECK_FALSE(lu.factorise(A));
}

TEST_CASE_TEMPLATE("a symmetric system takes half the work and gives the same", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937 random(4);
  for (const int n : {1, 2, 7, 40}) {
    const Eigen::MatrixXd half = dense(random_blocks<D>(n, 3 * n, random));
    const Eigen::MatrixXd whole = half + half.transpose();
    DelassusOperator<D> A;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const Mat<D> block = whole.block<D, D>(D * i, D * j);
        if (i != j && block.isZero(0)) continue;
        A.column.push_back(j);
        A.block.push_back(block);
      }
      A.row_start.push_back(A.column.size());
    }
    BlockLu<D> lu;
    REQUIRE(lu.analyse(A));
    REQUIRE(lu.factorise_symmetric(A));
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(D * n, -1, 2);
    std::vector<Vec<D>> x(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) x[i] = b.segment<D>(D * i);
    lu.solve(x);
    const Eigen::VectorXd expected = whole.fullPivLu().solve(b);
    for (int i = 0; i < n; ++i)
      CHECK((x[i] - expected.segment<D>(D * i)).norm() < 1e-9 * (1 + expected.norm()));
  }
}
