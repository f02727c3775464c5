// SPDX-License-Identifier: Apache-2.0
// Volume, centre and inertia of shapes, and of several shapes together.
//
// A polytope is cut into simplices from a point o within it. With edge vectors e_1 … e_D from o and
// s = Σ e_i, one simplex of volume V contributes
//     ∫ (x − o) = V s / (D + 1),
//     ∫ (x − o)(x − o)ᵀ = V (Σ e_i e_iᵀ + s sᵀ) / ((D + 1)(D + 2)).
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/geometry/shape.hpp"

namespace talus {

namespace {

// Inertia from the second moments C = ∫ x xᵀ: tr C in the plane, tr C · I − C in space.
template <int D>
SpinMat<D> inertia_of_moments(const Mat<D>& C) {
  if constexpr (D == 2) {
    return SpinMat<2>(C.trace());
  } else {
    return C.trace() * Mat<3>::Identity() - C;
  }
}

// Inertia of a point of unit mass at r.
template <int D>
SpinMat<D> point_inertia(const Vec<D>& r) {
  return inertia_of_moments<D>(r * r.transpose());
}

// Volume and its moments about a point.
template <int D>
struct Moments {
  double volume = 0;
  Vec<D> first = Vec<D>::Zero();
  Mat<D> second = Mat<D>::Zero();

  void add_simplex(const Mat<D>& edges) {
    const double V = edges.determinant() / (D == 2 ? 2 : 6);
    const Vec<D> s = edges * Vec<D>::Ones();
    volume += V;
    first += V / (D + 1) * s;
    second += V / ((D + 1) * (D + 2)) * (edges * edges.transpose() + s * s.transpose());
  }
};

Moments<2> moments_about(const Vec<2>& o, const Polytope<2>& polygon) {
  Moments<2> sum;
  for (const auto& face : polygon.faces) {
    Mat<2> edges;
    for (int k = 0; k < 2; ++k) {
      edges.col(k) =
          polygon.vertices[static_cast<std::size_t>(face[static_cast<std::size_t>(k)])] - o;
    }
    sum.add_simplex(edges);
  }
  return sum;
}

Moments<3> moments_about(const Vec<3>& o, const Polytope<3>& polyhedron) {
  Moments<3> sum;
  for (const auto& face : polyhedron.faces) {
    const auto arm = [&](std::size_t k) -> Vec<3> {
      return polyhedron.vertices[static_cast<std::size_t>(face[k])] - o;
    };
    for (std::size_t k = 1; k + 1 < face.size(); ++k) {
      Mat<3> edges;
      edges.col(0) = arm(0);
      edges.col(1) = arm(k);
      edges.col(2) = arm(k + 1);
      sum.add_simplex(edges);
    }
  }
  return sum;
}

template <int D>
MassProperties<D> properties(const Polytope<D>& polytope) {
  const Vec<D>& o = polytope.centre;
  const Moments<D> m = moments_about(o, polytope);

  // Set entries that are zero by symmetry (box) to zero instead of rounding noise.
  const double rounding = 64 * std::numeric_limits<double>::epsilon();
  const double width = std::sqrt(m.second.trace() / m.volume);
  Vec<D> shift = m.first / m.volume;
  for (int i = 0; i < D; ++i) {
    if (std::abs(shift[i]) <= rounding * width) shift[i] = 0;
  }
  Mat<D> C = m.second - m.volume * shift * shift.transpose();
  for (int i = 0; i < D; ++i) {
    for (int j = 0; j < D; ++j) {
      if (i != j && std::abs(C(i, j)) <= rounding * C.trace()) C(i, j) = 0;
    }
  }
  const Mat<D> symmetric = 0.5 * (C + C.transpose());
  return {m.volume, o + shift, inertia_of_moments<D>(symmetric)};
}

constexpr double pi = std::numbers::pi;

MassProperties<2> properties(const Ball<2>& disk) {
  const double r = disk.radius, area = pi * r * r;
  return {area, disk.centre, SpinMat<2>(area * r * r / 2)};
}

MassProperties<3> properties(const Ball<3>& ball) {
  const double r = ball.radius, volume = 4 * pi * r * r * r / 3;
  return {volume, ball.centre, 0.4 * volume * r * r * Mat<3>::Identity()};
}

// Rectangle 2r × l and two half disks, whose centroids lie 4r/(3π) beyond the ends.
MassProperties<2> properties(const Capsule<2>& capsule) {
  const double r = capsule.radius, l = (capsule.ends[1] - capsule.ends[0]).norm();
  const double rectangle = 2 * r * l, disk = pi * r * r;
  const double inertia =
      rectangle * (l * l + 4 * r * r) / 12 + disk * (r * r / 2 + l * l / 4 + 4 * r * l / (3 * pi));
  return {rectangle + disk, 0.5 * (capsule.ends[0] + capsule.ends[1]), SpinMat<2>(inertia)};
}

// Cylinder of length l and two half balls, whose centroids lie 3r/8 beyond the ends.
MassProperties<3> properties(const Capsule<3>& capsule) {
  const Vec<3> axis = capsule.ends[1] - capsule.ends[0];
  const double r = capsule.radius, l = axis.norm();
  const double cylinder = pi * r * r * l, ball = 4 * pi * r * r * r / 3;
  const double along = (cylinder / 2 + 0.4 * ball) * r * r;
  const double across =
      cylinder * (l * l / 12 + r * r / 4) + ball * (0.4 * r * r + l * l / 4 + 3 * r * l / 8);
  Mat<3> inertia = across * Mat<3>::Identity();
  if (l > 0) inertia += (along - across) / (l * l) * axis * axis.transpose();
  return {cylinder + ball, 0.5 * (capsule.ends[0] + capsule.ends[1]), inertia};
}

template <int D>
MassProperties<D> properties(const HalfSpace<D>&) {
  return {std::numeric_limits<double>::infinity(), Vec<D>::Zero(), SpinMat<D>::Zero()};
}

MassProperties<3> properties(const TriangleMesh&) {
  return {std::numeric_limits<double>::infinity(), Vec<3>::Zero(), Mat<3>::Zero()};
}

}  // namespace

template <int D>
MassProperties<D> mass_properties(const Shape<D>& shape) {
  return std::visit([](const auto& s) { return properties(s); }, shape);
}

template <int D>
MassProperties<D> mass_properties(const std::vector<Shape<D>>& shapes) {
  if (shapes.size() == 1) return mass_properties<D>(shapes.front());
  std::vector<MassProperties<D>> parts;
  MassProperties<D> sum;
  for (const Shape<D>& shape : shapes) {
    parts.push_back(mass_properties<D>(shape));
    sum.volume += parts.back().volume;
  }
  if (!std::isfinite(sum.volume)) return sum;
  for (const auto& part : parts) sum.centre += part.volume / sum.volume * part.centre;
  for (const auto& part : parts) {
    sum.inertia += part.inertia + part.volume * point_inertia<D>(part.centre - sum.centre);
  }
  return sum;
}

template MassProperties<2> mass_properties<2>(const Shape<2>&);
template MassProperties<3> mass_properties<3>(const Shape<3>&);
template MassProperties<2> mass_properties<2>(const std::vector<Shape<2>>&);
template MassProperties<3> mass_properties<3>(const std::vector<Shape<3>>&);

}  // namespace talus
