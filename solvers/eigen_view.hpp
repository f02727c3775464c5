// Small vectors and matrices as Eigen sees them, beside those whose size only the run knows.
#pragma once

#include <Eigen/Core>

#include "solvers/matrix.hpp"

namespace talus {

template <int N>
Eigen::Map<Eigen::Matrix<double, N, 1>> eigen(Vec<N>& x) {
  return Eigen::Map<Eigen::Matrix<double, N, 1>>(x.data());
}
template <int N>
Eigen::Map<const Eigen::Matrix<double, N, 1>> eigen(const Vec<N>& x) {
  return Eigen::Map<const Eigen::Matrix<double, N, 1>>(x.data());
}
template <int R, int C>
Eigen::Map<Eigen::Matrix<double, R, C>> eigen(Matrix<R, C>& A) {
  return Eigen::Map<Eigen::Matrix<double, R, C>>(A.data());
}
template <int R, int C>
Eigen::Map<const Eigen::Matrix<double, R, C>> eigen(const Matrix<R, C>& A) {
  return Eigen::Map<const Eigen::Matrix<double, R, C>>(A.data());
}

// Copies of what Eigen computed.
template <int N, class Expression>
Vec<N> small_vec(const Eigen::MatrixBase<Expression>& x) {
  Vec<N> result;
  eigen(result) = x;
  return result;
}
template <int R, int C, class Expression>
Matrix<R, C> small_matrix(const Eigen::MatrixBase<Expression>& A) {
  Matrix<R, C> result;
  eigen(result) = A;
  return result;
}

}  // namespace talus
