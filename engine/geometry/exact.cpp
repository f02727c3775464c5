// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/exact.hpp"

#include <cmath>
#include <vector>

namespace talus {

namespace {

// A real number as the exact sum of doubles, non-overlapping and growing in magnitude, zeros left
// out (Shewchuk, "Adaptive precision floating-point arithmetic", Discrete Comput. Geom. 18, 1997).
// Exact while nothing overflows or underflows.
class ExactSum {
 public:
  ExactSum() = default;
  static ExactSum difference(double a, double b) {
    ExactSum result;
    result.add(a);
    result.add(-b);
    return result;
  }

  void add(double x) {
    std::vector<double> grown;
    for (double term : terms_) {
      const double sum = x + term;
      const double term_part = sum - x;
      const double error = (x - (sum - term_part)) + (term - term_part);
      if (error != 0) grown.push_back(error);
      x = sum;
    }
    if (x != 0) grown.push_back(x);
    terms_ = std::move(grown);
  }

  ExactSum operator*(const ExactSum& other) const {
    ExactSum result;
    for (double a : terms_) {
      for (double b : other.terms_) {
        const double product = a * b;
        result.add(std::fma(a, b, -product));
        result.add(product);
      }
    }
    return result;
  }

  ExactSum operator+(const ExactSum& other) const {
    ExactSum result = *this;
    for (double term : other.terms_) result.add(term);
    return result;
  }

  ExactSum operator-(const ExactSum& other) const {
    ExactSum result = *this;
    for (double term : other.terms_) result.add(-term);
    return result;
  }

  double leading() const { return terms_.empty() ? 0 : terms_.back(); }

 private:
  std::vector<double> terms_;
};

ExactSum determinant(const ExactSum& a, const ExactSum& b, const ExactSum& c, const ExactSum& d) {
  return a * d - b * c;
}

}  // namespace

double orientation(const Vec<2>& a, const Vec<2>& b, const Vec<2>& c) {
  const Vec<2> u = b - a, v = c - a;
  const double left = u[0] * v[1], right = u[1] * v[0];
  constexpr double relative_error = 4e-16;  // of the quick value, against |left| + |right|
  if (std::abs(left - right) > relative_error * (std::abs(left) + std::abs(right))) {
    return left - right;
  }
  const auto ux = ExactSum::difference(b[0], a[0]), uy = ExactSum::difference(b[1], a[1]);
  const auto vx = ExactSum::difference(c[0], a[0]), vy = ExactSum::difference(c[1], a[1]);
  return determinant(ux, uy, vx, vy).leading();
}

double orientation(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d) {
  const Vec<3> u = b - a, v = c - a, w = d - a;
  const double quick = u.cross(v).dot(w);
  const Vec<3> U = u.cwiseAbs(), V = v.cwiseAbs(), W = w.cwiseAbs();
  const double magnitude = (U[1] * V[2] + U[2] * V[1]) * W[0] + (U[2] * V[0] + U[0] * V[2]) * W[1] +
                           (U[0] * V[1] + U[1] * V[0]) * W[2];
  constexpr double relative_error = 1e-15;  // of the quick value, against the sum of magnitudes
  if (std::abs(quick) > relative_error * magnitude) return quick;

  ExactSum e[3][3];
  for (int k = 0; k < 3; ++k) {
    e[0][k] = ExactSum::difference(b[k], a[k]);
    e[1][k] = ExactSum::difference(c[k], a[k]);
    e[2][k] = ExactSum::difference(d[k], a[k]);
  }
  const ExactSum exact = determinant(e[0][1], e[0][2], e[1][1], e[1][2]) * e[2][0] -
                         determinant(e[0][0], e[0][2], e[1][0], e[1][2]) * e[2][1] +
                         determinant(e[0][0], e[0][1], e[1][0], e[1][1]) * e[2][2];
  return exact.leading();
}

}  // namespace talus
