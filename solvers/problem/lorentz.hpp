// SPDX-License-Identifier: Apache-2.0
// The algebra of Lorentz's cone L = {x : ‖x_T‖ ≤ x_N} in D dimensions, for interior-point methods:
// its product ∘ with the unit (1, 0, …), whose eigenvalues are x_N ± ‖x_T‖, and Nesterov and Todd's
// scaling.
//
// Alizadeh, Goldfarb 2003; Nesterov, Todd 1997.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/math/vec.hpp"

namespace talus {

template <int D>
struct Lorentz {
  static Vec<D - 1> tail(const Vec<D>& x) { return x.template tail<D - 1>(); }

  // Product of the two eigenvalues x_N ± ‖x_T‖.
  static double determinant(const Vec<D>& x) {
    const double t = tail(x).norm();
    return (x[0] - t) * (x[0] + t);
  }
  static Vec<D> product(const Vec<D>& a, const Vec<D>& b) {  // a ∘ b
    Vec<D> c;
    c[0] = a.dot(b);
    c.template tail<D - 1>() = a[0] * tail(b) + b[0] * tail(a);
    return c;
  }
  static Vec<D> quotient(const Vec<D>& c, const Vec<D>& a) {  // b with a ∘ b = c
    Vec<D> b;
    b[0] = (a[0] * c[0] - tail(a).dot(tail(c))) / determinant(a);
    b.template tail<D - 1>() = (tail(c) - b[0] * tail(a)) / a[0];
    return b;
  }
  // Largest α with x + α d in the cone, for x inside it.
  static double longest_step(const Vec<D>& x, const Vec<D>& d) {
    const double a = determinant(d), c = determinant(x);
    const double b = x[0] * d[0] - tail(x).dot(tail(d));  // aα² + 2bα + c = 0 at the boundary
    double alpha = std::numeric_limits<double>::infinity();
    if (d[0] < 0) alpha = -x[0] / d[0];
    const double discriminant = b * b - a * c;
    if (discriminant >= 0) {
      const double w = b >= 0 ? -(b + std::sqrt(discriminant)) : std::sqrt(discriminant) - b;
      for (const double root : {a != 0 ? w / a : -1.0, w != 0 ? c / w : -1.0})
        if (root > 0) alpha = std::min(alpha, root);
    }
    return alpha;
  }
  // The automorphism G of the cone with G x = G⁻¹ z, and its inverse.
  static void scaling(const Vec<D>& x, const Vec<D>& z, Mat<D>& G, Mat<D>& G_inverse) {
    const double x_size = std::sqrt(determinant(x)), z_size = std::sqrt(determinant(z));
    const Vec<D> x_unit = x / x_size, z_unit = z / z_size;
    Vec<D> w = z_unit;
    w[0] += x_unit[0];
    w.template tail<D - 1>() -= tail(x_unit);
    w /= std::sqrt(2 * (1 + x_unit.dot(z_unit)));
    G(0, 0) = w[0];
    G.template block<D - 1, 1>(1, 0) = tail(w);
    G.template block<1, D - 1>(0, 1) = tail(w).transpose();
    G.template block<D - 1, D - 1>(1, 1) =
        Matrix<D - 1, D - 1>::Identity() + tail(w) * tail(w).transpose() / (1 + w[0]);
    G_inverse = G;
    G_inverse.template block<D - 1, 1>(1, 0) *= -1;
    G_inverse.template block<1, D - 1>(0, 1) *= -1;
    const double factor = std::sqrt(z_size / x_size);
    G *= factor;
    G_inverse /= factor;
  }
};

}  // namespace talus
