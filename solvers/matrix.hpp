// Vectors and matrices of a few components, whose size the compiler knows. The vocabulary is
// Eigen's, but every operation returns its result and not an expression to be evaluated: nothing
// is gained by expressions of three components, and to compile them took a fifth of a first build.
// Sums run from the first component to the last. What is left unset on construction is unset.
//
// Everything is always inlined: files that are optimised less compile these functions, too, and of
// several copies the linker takes any. Loops are unrolled by pragma, early enough for their
// temporaries to end up in registers at -O2.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace talus {

template <int Rows, int Cols>
struct Matrix;

template <int N>
struct Vec {
  double components[N];

  Vec() = default;
  Vec(const Vec&) = default;
  Vec& operator=(const Vec&) & = default;  // a part taken by value cannot be written to
  [[gnu::always_inline]] explicit Vec(double a) requires(N == 1) : components{a} {}
  [[gnu::always_inline]] Vec(double a, double b) requires(N == 2) : components{a, b} {}
  [[gnu::always_inline]] Vec(double a, double b, double c) requires(N == 3) : components{a, b, c} {}
  [[gnu::always_inline]] Vec(double a, double b, double c, double d) requires(N == 4)
      : components{a, b, c, d} {}

  [[gnu::always_inline]] static Vec Constant(double value) {
    Vec result;
#pragma GCC unroll 8
    for (double& x : result.components) x = value;
    return result;
  }
  [[gnu::always_inline]] static Vec Zero() { return Constant(0); }
  [[gnu::always_inline]] static Vec Ones() { return Constant(1); }
  [[gnu::always_inline]] static Vec Unit(int i) {
    Vec result = Zero();
    result.components[i] = 1;
    return result;
  }
  [[gnu::always_inline]] static Vec UnitX() { return Unit(0); }
  [[gnu::always_inline]] static Vec UnitY() requires(N > 1) { return Unit(1); }
  [[gnu::always_inline]] static Vec UnitZ() requires(N > 2) { return Unit(2); }
  // The N numbers from `first` on.
  [[gnu::always_inline]] static Vec from(const double* first) {
    Vec result;
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) result.components[i] = first[i];
    return result;
  }

  static constexpr int size() { return N; }
  double* data() { return components; }
  const double* data() const { return components; }
  double* begin() { return components; }
  double* end() { return components + N; }
  const double* begin() const { return components; }
  const double* end() const { return components + N; }
  [[gnu::always_inline]] double& operator[](std::ptrdiff_t i) { return components[i]; }
  [[gnu::always_inline]] double operator[](std::ptrdiff_t i) const { return components[i]; }

  // The first or last M components.
  template <int M>
  [[gnu::always_inline]] Vec<M> head() const {
    static_assert(M <= N);
    return Vec<M>::from(components);
  }
  template <int M>
  [[gnu::always_inline]] Vec<M> tail() const {
    static_assert(M <= N);
    return Vec<M>::from(components + N - M);
  }
  template <int M>
  [[gnu::always_inline]] void set_head(const Vec<M>& values) & {
    static_assert(M <= N);
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) components[i] = values[i];
  }
  template <int M>
  [[gnu::always_inline]] void set_tail(const Vec<M>& values) & {
    static_assert(M <= N);
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) components[N - M + i] = values[i];
  }
  [[gnu::always_inline]] void setConstant(double value) & { *this = Constant(value); }
  [[gnu::always_inline]] void setZero() & { setConstant(0); }

  [[gnu::always_inline]] Vec& operator+=(const Vec& b) & {
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) components[i] += b[i];
    return *this;
  }
  [[gnu::always_inline]] Vec& operator-=(const Vec& b) & {
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) components[i] -= b[i];
    return *this;
  }
  [[gnu::always_inline]] Vec& operator*=(double s) & {
#pragma GCC unroll 8
    for (double& x : components) x *= s;
    return *this;
  }
  [[gnu::always_inline]] Vec& operator/=(double s) & {
#pragma GCC unroll 8
    for (double& x : components) x /= s;
    return *this;
  }
  [[gnu::always_inline]] friend Vec operator+(Vec a, const Vec& b) { return a += b; }
  [[gnu::always_inline]] friend Vec operator-(Vec a, const Vec& b) { return a -= b; }
  [[gnu::always_inline]] friend Vec operator*(Vec a, double s) { return a *= s; }
  [[gnu::always_inline]] friend Vec operator*(double s, Vec a) { return a *= s; }
  [[gnu::always_inline]] friend Vec operator/(Vec a, double s) { return a /= s; }
  [[gnu::always_inline]] friend Vec operator-(Vec a) {
#pragma GCC unroll 8
    for (double& x : a.components) x = -x;
    return a;
  }
  bool operator==(const Vec&) const = default;

  [[gnu::always_inline]] double dot(const Vec& b) const {
    double sum = components[0] * b[0];
#pragma GCC unroll 8
    for (int i = 1; i < N; ++i) sum += components[i] * b[i];
    return sum;
  }
  [[gnu::always_inline]] Vec cross(const Vec& b) const requires(N == 3) {
    const Vec& a = *this;
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
  [[gnu::always_inline]] double squaredNorm() const { return dot(*this); }
  [[gnu::always_inline]] double norm() const { return std::sqrt(squaredNorm()); }
  // Of length one; a vector of no length stays as it is.
  [[gnu::always_inline]] Vec normalized() const {
    const double square = squaredNorm();
    return square > 0 ? *this / std::sqrt(square) : *this;
  }
  [[gnu::always_inline]] void normalize() & { *this = normalized(); }

  [[gnu::always_inline]] double sum() const {
    double sum = components[0];
#pragma GCC unroll 8
    for (int i = 1; i < N; ++i) sum += components[i];
    return sum;
  }
  [[gnu::always_inline]] double prod() const {
    double product = components[0];
#pragma GCC unroll 8
    for (int i = 1; i < N; ++i) product *= components[i];
    return product;
  }
  [[gnu::always_inline]] double maxCoeff() const { return *std::max_element(begin(), end()); }
  [[gnu::always_inline]] double minCoeff() const { return *std::min_element(begin(), end()); }
  template <class Index>
  [[gnu::always_inline]] double maxCoeff(Index* at) const {
    *at = static_cast<Index>(std::max_element(begin(), end()) - begin());
    return components[*at];
  }
  template <class Index>
  [[gnu::always_inline]] double minCoeff(Index* at) const {
    *at = static_cast<Index>(std::min_element(begin(), end()) - begin());
    return components[*at];
  }
  [[gnu::always_inline]] bool allFinite() const {
    bool finite = true;
#pragma GCC unroll 8
    for (double x : components) finite = finite && std::isfinite(x);
    return finite;
  }
  [[gnu::always_inline]] bool isZero(double bound) const {
    bool zero = true;
#pragma GCC unroll 8
    for (double x : components) zero = zero && std::abs(x) <= bound;
    return zero;
  }

  // f(xᵢ) of every component, and f(xᵢ, yᵢ) of every pair of them.
  template <class F>
  [[gnu::always_inline]] Vec each(F&& f) const {
    Vec result;
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) result[i] = f(components[i]);
    return result;
  }
  template <class F>
  [[gnu::always_inline]] Vec each(const Vec& b, F&& f) const {
    Vec result;
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) result[i] = f(components[i], b[i]);
    return result;
  }
  [[gnu::always_inline]] Vec cwiseAbs() const {
    return each([](double x) { return std::abs(x); });
  }
  [[gnu::always_inline]] Vec cwiseInverse() const {
    return each([](double x) { return 1 / x; });
  }
  [[gnu::always_inline]] Vec cwiseMin(const Vec& b) const {
    return each(b, [](double x, double y) { return std::min(x, y); });
  }
  [[gnu::always_inline]] Vec cwiseMax(const Vec& b) const {
    return each(b, [](double x, double y) { return std::max(x, y); });
  }
  [[gnu::always_inline]] Vec cwiseProduct(const Vec& b) const {
    return each(b, [](double x, double y) { return x * y; });
  }
  [[gnu::always_inline]] Vec cwiseQuotient(const Vec& b) const {
    return each(b, [](double x, double y) { return x / y; });
  }

  [[gnu::always_inline]] Matrix<1, N> transpose() const {
    Matrix<1, N> row;
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) row(0, i) = components[i];
    return row;
  }
  [[gnu::always_inline]] Matrix<N, N> asDiagonal() const {
    Matrix<N, N> result = Matrix<N, N>::Zero();
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) result(i, i) = components[i];
    return result;
  }
};

// By columns, as Eigen keeps it.
template <int Rows, int Cols>
struct Matrix {
  Vec<Rows> columns[Cols];

  static constexpr int entries = Rows * Cols;

  Matrix() = default;
  Matrix(const Matrix&) = default;
  Matrix& operator=(const Matrix&) & = default;
  // Row after row, as it is written.
  [[gnu::always_inline]] explicit Matrix(double a) requires(entries == 1) : columns{Vec<1>(a)} {}
  [[gnu::always_inline]] Matrix(double a, double b, double c,
                                double d) requires(Rows == 2 && Cols == 2)
      : columns{Vec<2>(a, c), Vec<2>(b, d)} {}
  [[gnu::always_inline]] Matrix(double a, double b, double c, double d, double e, double f,
                                double g, double h, double i) requires(Rows == 3 && Cols == 3)
      : columns{Vec<3>(a, d, g), Vec<3>(b, e, h), Vec<3>(c, f, i)} {}

  [[gnu::always_inline]] static Matrix Constant(double value) {
    Matrix result;
#pragma GCC unroll 8
    for (Vec<Rows>& column : result.columns) column.setConstant(value);
    return result;
  }
  [[gnu::always_inline]] static Matrix Zero() { return Constant(0); }
  [[gnu::always_inline]] static Matrix Identity() requires(Rows == Cols) {
    Matrix result = Zero();
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) result(i, i) = 1;
    return result;
  }

  static constexpr int rows() { return Rows; }
  static constexpr int cols() { return Cols; }
  static constexpr int size() { return entries; }
  double* data() { return columns[0].data(); }
  const double* data() const { return columns[0].data(); }
  [[gnu::always_inline]] double& operator()(std::ptrdiff_t i, std::ptrdiff_t j) {
    return columns[j][i];
  }
  [[gnu::always_inline]] double operator()(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return columns[j][i];
  }
  [[gnu::always_inline]] Vec<Rows>& col(std::ptrdiff_t j) { return columns[j]; }
  [[gnu::always_inline]] const Vec<Rows>& col(std::ptrdiff_t j) const { return columns[j]; }
  [[gnu::always_inline]] Matrix<1, Cols> row(std::ptrdiff_t i) const {
    Matrix<1, Cols> result;
#pragma GCC unroll 8
    for (int j = 0; j < Cols; ++j) result(0, j) = columns[j][i];
    return result;
  }
  [[gnu::always_inline]] void set_row(std::ptrdiff_t i, const Matrix<1, Cols>& values) & {
#pragma GCC unroll 8
    for (int j = 0; j < Cols; ++j) columns[j][i] = values(0, j);
  }
  template <int R, int C>
  [[gnu::always_inline]] Matrix<R, C> block(int i, int j) const {
    Matrix<R, C> result;
#pragma GCC unroll 8
    for (int k = 0; k < C; ++k) result.col(k) = Vec<R>::from(columns[j + k].data() + i);
    return result;
  }
  template <int R, int C>
  [[gnu::always_inline]] void set_block(int i, int j, const Matrix<R, C>& values) & {
#pragma GCC unroll 8
    for (int k = 0; k < C; ++k)
#pragma GCC unroll 8
      for (int l = 0; l < R; ++l) columns[j + k][i + l] = values(l, k);
  }
  template <int R>
  [[gnu::always_inline]] void set_block(int i, int j, const Vec<R>& values) & {
#pragma GCC unroll 8
    for (int l = 0; l < R; ++l) columns[j][i + l] = values[l];
  }
  [[gnu::always_inline]] Vec<Rows> diagonal() const requires(Rows == Cols) {
    Vec<Rows> result;
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) result[i] = columns[i][i];
    return result;
  }
  [[gnu::always_inline]] void add_to_diagonal(const Vec<Rows>& values) & requires(Rows == Cols) {
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) columns[i][i] += values[i];
  }
  [[gnu::always_inline]] void setConstant(double value) & { *this = Constant(value); }
  [[gnu::always_inline]] void setZero() & { setConstant(0); }
  [[gnu::always_inline]] void setIdentity() & { *this = Identity(); }

  [[gnu::always_inline]] Matrix& operator+=(const Matrix& b) & {
#pragma GCC unroll 8
    for (int j = 0; j < Cols; ++j) columns[j] += b.columns[j];
    return *this;
  }
  [[gnu::always_inline]] Matrix& operator-=(const Matrix& b) & {
#pragma GCC unroll 8
    for (int j = 0; j < Cols; ++j) columns[j] -= b.columns[j];
    return *this;
  }
  [[gnu::always_inline]] Matrix& operator*=(double s) & {
#pragma GCC unroll 8
    for (Vec<Rows>& column : columns) column *= s;
    return *this;
  }
  [[gnu::always_inline]] Matrix& operator/=(double s) & {
#pragma GCC unroll 8
    for (Vec<Rows>& column : columns) column /= s;
    return *this;
  }
  [[gnu::always_inline]] friend Matrix operator+(Matrix a, const Matrix& b) { return a += b; }
  [[gnu::always_inline]] friend Matrix operator-(Matrix a, const Matrix& b) { return a -= b; }
  [[gnu::always_inline]] friend Matrix operator*(Matrix a, double s) { return a *= s; }
  [[gnu::always_inline]] friend Matrix operator*(double s, Matrix a) { return a *= s; }
  [[gnu::always_inline]] friend Matrix operator/(Matrix a, double s) { return a /= s; }
  [[gnu::always_inline]] friend Matrix operator-(Matrix a) {
#pragma GCC unroll 8
    for (Vec<Rows>& column : a.columns) column = -column;
    return a;
  }
  bool operator==(const Matrix&) const = default;

  [[gnu::always_inline]] Vec<Rows> operator*(const Vec<Cols>& x) const {
    Vec<Rows> sum = columns[0] * x[0];
#pragma GCC unroll 8
    for (int j = 1; j < Cols; ++j) sum += columns[j] * x[j];
    return sum;
  }
  template <int C>
  [[gnu::always_inline]] Matrix<Rows, C> operator*(const Matrix<Cols, C>& b) const {
    Matrix<Rows, C> result;
#pragma GCC unroll 8
    for (int j = 0; j < C; ++j) result.col(j) = *this * b.col(j);
    return result;
  }
  [[gnu::always_inline]] Matrix<Cols, Rows> transpose() const {
    Matrix<Cols, Rows> result;
#pragma GCC unroll 8
    for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 8
      for (int i = 0; i < Rows; ++i) result(j, i) = columns[j][i];
    return result;
  }

  [[gnu::always_inline]] double trace() const { return diagonal().sum(); }
  [[gnu::always_inline]] double squaredNorm() const {
    double sum = columns[0].squaredNorm();
#pragma GCC unroll 8
    for (int j = 1; j < Cols; ++j) sum += columns[j].squaredNorm();
    return sum;
  }
  [[gnu::always_inline]] double norm() const { return std::sqrt(squaredNorm()); }
  [[gnu::always_inline]] double maxCoeff() const {
    return *std::max_element(data(), data() + entries);
  }
  [[gnu::always_inline]] Matrix cwiseAbs() const {
    Matrix result;
#pragma GCC unroll 8
    for (int j = 0; j < Cols; ++j) result.col(j) = columns[j].cwiseAbs();
    return result;
  }
  [[gnu::always_inline]] bool allFinite() const {
    bool finite = true;
#pragma GCC unroll 8
    for (const Vec<Rows>& column : columns) finite = finite && column.allFinite();
    return finite;
  }
  [[gnu::always_inline]] bool isZero(double bound) const {
    bool zero = true;
#pragma GCC unroll 8
    for (const Vec<Rows>& column : columns) zero = zero && column.isZero(bound);
    return zero;
  }

  [[gnu::always_inline]] double determinant() const requires(Rows == Cols && Rows <= 3) {
    const Matrix& m = *this;
    if constexpr (Rows == 1) {
      return m(0, 0);
    } else if constexpr (Rows == 2) {
      return m(0, 0) * m(1, 1) - m(1, 0) * m(0, 1);
    } else {
      return m.col(0).dot(m.col(1).cross(m.col(2)));
    }
  }
  // By cofactors.
  [[gnu::always_inline]] Matrix inverse() const requires(Rows == Cols && Rows <= 3) {
    const Matrix& m = *this;
    if constexpr (Rows == 1) {
      return Matrix(1 / m(0, 0));
    } else if constexpr (Rows == 2) {
      return Matrix(m(1, 1), -m(0, 1), -m(1, 0), m(0, 0)) * (1 / determinant());
    } else {
      Matrix cofactors;
#pragma GCC unroll 8
      for (int j = 0; j < 3; ++j) cofactors.col(j) = m.col((j + 1) % 3).cross(m.col((j + 2) % 3));
      return cofactors.transpose() * (1 / m.col(0).dot(cofactors.col(0)));
    }
  }
};

// a bᵀ
template <int R, int C>
[[gnu::always_inline]] inline Matrix<R, C> operator*(const Vec<R>& a, const Matrix<1, C>& b) {
  Matrix<R, C> result;
#pragma GCC unroll 8
  for (int j = 0; j < C; ++j) result.col(j) = a * b(0, j);
  return result;
}

}  // namespace talus
