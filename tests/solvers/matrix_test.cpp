// Small vectors and matrices against Eigen's.
#include "solvers/matrix.hpp"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "solvers/eigen_view.hpp"

using namespace talus;

namespace {

using One = std::integral_constant<int, 1>;
using Two = std::integral_constant<int, 2>;
using Three = std::integral_constant<int, 3>;
using Six = std::integral_constant<int, 6>;

constexpr int trials = 100;

// Numbers between −1 and 1.
struct Random {
  std::mt19937 bits{1};

  double number() { return std::uniform_real_distribution<double>(-1, 1)(bits); }
  template <int N>
  Vec<N> vec() {
    Vec<N> x;
    for (double& component : x) component = number();
    return x;
  }
  template <int R, int C>
  Matrix<R, C> matrix() {
    Matrix<R, C> A;
    for (int j = 0; j < C; ++j) A.col(j) = vec<R>();
    return A;
  }
};

// To the last bit, where nothing is summed.
template <class Own, class Expression>
bool same(const Own& x, const Eigen::MatrixBase<Expression>& expected) {
  return eigen(x) == expected;
}

// But for the order of a sum.
bool near(double x, double expected) { return std::abs(x - expected) <= 1e-14; }
template <class Own, class Expression>
bool near(const Own& x, const Eigen::MatrixBase<Expression>& expected) {
  return (eigen(x) - expected).norm() <= 1e-14;
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// A part taken by value would be written to in vain.
static_assert(std::is_assignable_v<Vec<3>&, Vec<3>> && !std::is_assignable_v<Vec<3>, Vec<3>>);
static_assert(std::is_assignable_v<Matrix<3, 3>&, Matrix<3, 3>> &&
              !std::is_assignable_v<Matrix<3, 3>, Matrix<3, 3>>);

}  // namespace

TEST_CASE_TEMPLATE("vectors add and scale, have lengths and angles as Eigen's", Size, One, Two,
                   Three, Six) {
  constexpr int N = Size::value;
  Random random;
  for (int k = 0; k < trials; ++k) {
    const Vec<N> a = random.vec<N>(), b = random.vec<N>();
    const double s = random.number();
    CHECK(same(a + b, eigen(a) + eigen(b)));
    CHECK(same(a - b, eigen(a) - eigen(b)));
    CHECK(same(-a, -eigen(a)));
    CHECK(same(s * a, s * eigen(a)));
    CHECK(same(a * s, eigen(a) * s));
    CHECK(same(a / s, eigen(a) / s));
    CHECK(near(a.dot(b), eigen(a).dot(eigen(b))));
    CHECK(near(a.squaredNorm(), eigen(a).squaredNorm()));
    CHECK(near(a.norm(), eigen(a).norm()));
    CHECK(near(a.normalized(), eigen(a).normalized()));
    CHECK(near(a.sum(), eigen(a).sum()));
    CHECK(near(a.prod(), eigen(a).prod()));
    CHECK(a == a);
    CHECK(a != b);
  }
}

TEST_CASE("a vector product stands on both its factors, as Eigen's does") {
  Random random;
  for (int k = 0; k < trials; ++k) {
    const Vec<3> a = random.vec<3>(), b = random.vec<3>();
    CHECK(near(a.cross(b), eigen(a).cross(eigen(b))));
  }
  CHECK(Vec<3>::UnitX().cross(Vec<3>::UnitY()) == Vec<3>::UnitZ());
}

TEST_CASE_TEMPLATE("a vector of no length stays as it is when it is normalised", Size, One, Two,
                   Three) {
  constexpr int N = Size::value;
  Vec<N> nothing = Vec<N>::Zero();
  CHECK(nothing.normalized() == Vec<N>::Zero());
  nothing.normalize();
  CHECK(nothing == Vec<N>::Zero());
  CHECK(near((1e-150 * Vec<N>::Ones()).normalized().norm(), 1));
}

TEST_CASE_TEMPLATE("what is done to each component is what Eigen does", Size, One, Two, Three,
                   Six) {
  constexpr int N = Size::value;
  Random random;
  for (int k = 0; k < trials; ++k) {
    const Vec<N> a = random.vec<N>(), b = random.vec<N>();
    CHECK(same(a.cwiseAbs(), eigen(a).cwiseAbs()));
    CHECK(same(a.cwiseInverse(), eigen(a).cwiseInverse()));
    CHECK(same(a.cwiseMin(b), eigen(a).cwiseMin(eigen(b))));
    CHECK(same(a.cwiseMax(b), eigen(a).cwiseMax(eigen(b))));
    CHECK(same(a.cwiseProduct(b), eigen(a).cwiseProduct(eigen(b))));
    CHECK(same(a.cwiseQuotient(b), eigen(a).cwiseQuotient(eigen(b))));
    const auto square = [](double x) { return x * x; };
    CHECK(same(a.each(square), eigen(a).unaryExpr(square)));
  }
}

TEST_CASE_TEMPLATE("the largest and the least component are found where they stand", Size, One, Two,
                   Three, Six) {
  constexpr int N = Size::value;
  Random random;
  for (int k = 0; k < trials; ++k) {
    const Vec<N> a = random.vec<N>();
    int at = -1;
    Eigen::Index expected = -1;
    CHECK(a.maxCoeff(&at) == eigen(a).maxCoeff(&expected));
    CHECK(at == expected);
    CHECK(a.minCoeff(&at) == eigen(a).minCoeff(&expected));
    CHECK(at == expected);
    CHECK(a.maxCoeff() == eigen(a).maxCoeff());
    CHECK(a.minCoeff() == eigen(a).minCoeff());
  }
  int at = -1;
  CHECK(Vec<3>(1, 2, 2).maxCoeff(&at) == 2);
  CHECK(at == 1);  // the first of equals
}

TEST_CASE("the head and the tail of a vector are read and written apart from the rest") {
  Random random;
  const Vec<6> whole = random.vec<6>();
  CHECK(same(whole.head<2>(), eigen(whole).head<2>()));
  CHECK(same(whole.tail<4>(), eigen(whole).tail<4>()));
  Vec<6> x = whole;
  Eigen::VectorXd expected = eigen(whole);
  const Vec<2> head = random.vec<2>();
  x.set_head(head);
  expected.head<2>() = eigen(head);
  CHECK(same(x, expected));
  const Vec<3> tail = random.vec<3>();
  x.set_tail(tail);
  expected.tail<3>() = eigen(tail);
  CHECK(same(x, expected));
}

TEST_CASE("zero is what no component exceeds, and finite what none spoils") {
  const Vec<3> x(0.5, -2, 1);
  CHECK(x.isZero(2));
  CHECK_FALSE(x.isZero(1.99));
  CHECK(Vec<3>::Zero().isZero(0));
  CHECK(x.allFinite());
  Matrix<2, 3> A = Matrix<2, 3>::Constant(-2);
  CHECK(A.isZero(2));
  CHECK_FALSE(A.isZero(1.99));
  CHECK(A.allFinite());
  for (const double spoilt : {infinity, -infinity, not_a_number}) {
    const Vec<3> y(0.5, spoilt, 1);
    CHECK_FALSE(y.allFinite());
    CHECK_FALSE(y.isZero(1e300));
    A(1, 2) = spoilt;
    CHECK_FALSE(A.allFinite());
    CHECK_FALSE(A.isZero(1e300));
  }
}

TEST_CASE("a matrix is written row after row and kept by columns") {
  const Matrix<3, 3> A(1, 2, 3, 4, 5, 6, 7, 8, 9);
  Eigen::MatrixXd expected(3, 3);
  expected << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  CHECK(same(A, expected));
  CHECK(same(Matrix<2, 2>(1, 2, 4, 5), expected.topLeftCorner<2, 2>()));
  CHECK(A(0, 2) == 3);
  CHECK(A.data()[1] == 4);
  CHECK(A.trace() == 15);
}

TEST_CASE("matrices add, scale and multiply as Eigen's") {
  Random random;
  for (int k = 0; k < trials; ++k) {
    const Matrix<2, 3> A = random.matrix<2, 3>(), B = random.matrix<2, 3>();
    const Matrix<3, 6> C = random.matrix<3, 6>();
    const Vec<3> x = random.vec<3>();
    const Vec<2> y = random.vec<2>();
    const double s = random.number();
    CHECK(same(A + B, eigen(A) + eigen(B)));
    CHECK(same(A - B, eigen(A) - eigen(B)));
    CHECK(same(-A, -eigen(A)));
    CHECK(same(s * A, s * eigen(A)));
    CHECK(same(A / s, eigen(A) / s));
    CHECK(same(A.cwiseAbs(), eigen(A).cwiseAbs()));
    CHECK(same(A.transpose(), eigen(A).transpose()));
    CHECK(same(y * x.transpose(), eigen(y) * eigen(x).transpose()));
    CHECK(near(A * x, eigen(A) * eigen(x)));
    CHECK(near(A * C, eigen(A) * eigen(C)));
    CHECK(near((y.transpose() * A * x)[0], eigen(y).dot(eigen(A) * eigen(x))));
    CHECK(near(A.norm(), eigen(A).norm()));
    CHECK(A.maxCoeff() == eigen(A).maxCoeff());
  }
}

TEST_CASE("parts of a matrix are read and written apart from the rest") {
  Random random;
  Matrix<3, 6> A = random.matrix<3, 6>();
  CHECK(same(A.block<2, 3>(1, 2), eigen(A).block<2, 3>(1, 2)));
  CHECK(same(A.row(1), eigen(A).row(1)));
  CHECK(same(A.col(4), eigen(A).col(4)));
  Eigen::MatrixXd expected = eigen(A);
  const Matrix<2, 3> block = random.matrix<2, 3>();
  A.set_block(1, 2, block);
  expected.block<2, 3>(1, 2) = eigen(block);
  CHECK(same(A, expected));
  const Vec<2> part = random.vec<2>();
  A.set_block(0, 5, part);
  expected.block<2, 1>(0, 5) = eigen(part);
  CHECK(same(A, expected));
  const Matrix<1, 6> row = random.matrix<1, 6>();
  A.set_row(2, row);
  expected.row(2) = eigen(row);
  CHECK(same(A, expected));
  const Vec<3> column = random.vec<3>();
  A.col(0) = column;
  expected.col(0) = eigen(column);
  CHECK(same(A, expected));
}

TEST_CASE_TEMPLATE("a vector on the diagonal of a matrix scales its rows", Size, One, Two, Three) {
  constexpr int N = Size::value;
  Random random;
  const Vec<N> d = random.vec<N>();
  Matrix<N, N> A = random.matrix<N, N>();
  CHECK(same(Vec<N>::Ones().asDiagonal(), Eigen::MatrixXd::Identity(N, N)));
  CHECK(same(d.asDiagonal() * A, eigen(d).asDiagonal() * eigen(A)));
  CHECK(d.asDiagonal().diagonal() == d);
  Eigen::MatrixXd expected = eigen(A);
  expected.diagonal() += eigen(d);
  A.add_to_diagonal(d);
  CHECK(same(A, expected));
}

TEST_CASE_TEMPLATE("determinants and inverses are Eigen's", Size, One, Two, Three) {
  constexpr int N = Size::value;
  Random random;
  int regular = 0;
  for (int k = 0; k < trials; ++k) {
    const Matrix<N, N> A = random.matrix<N, N>();
    const double determinant = eigen(A).determinant();
    CHECK(near(A.determinant(), determinant));
    if (std::abs(determinant) < 0.1) continue;  // that far from singular
    ++regular;
    const Eigen::MatrixXd expected = eigen(A).inverse();
    CHECK((eigen(A.inverse()) - expected).norm() <= 1e-13 * expected.norm());
    CHECK((A * A.inverse() - Matrix<N, N>::Identity()).norm() <= 1e-13);
  }
  CHECK(regular > trials / 2);
}
