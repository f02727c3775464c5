// SPDX-License-Identifier: Apache-2.0
// Distance and overlap of convex shapes, found another way than the engine does: distances by
// Wolfe's algorithm on the differences of vertices (P. Wolfe, "Finding the nearest point in a
// polytope", Math. Programming 11, 1976), overlaps by trying every direction that can matter.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engine/detect/narrowphase.hpp"

namespace talus::oracle {

// A bounded shape in world coordinates: hull of points, rounded by a radius.
template <int D>
struct Solid {
  std::vector<Vec<D>> points;
  double radius = 0;
  std::vector<Vec<D>> normals;  // of faces
  std::vector<Vec<D>> edges;    // directions

  double size() const {
    double largest = 0;
    for (const Vec<D>& x : points) largest = std::max(largest, (x - points[0]).norm());
    return largest + radius;
  }
};

template <int D>
Solid<D> solid(const PlacedShape<D>& placed) {
  Solid<D> result;
  const auto to_world = [&](const Vec<D>& x) -> Vec<D> {
    return placed.position + placed.rotation * x;
  };
  if (const auto* ball = std::get_if<Ball<D>>(placed.shape)) {
    result.points = {to_world(ball->centre)};
    result.radius = ball->radius;
  } else if (const auto* capsule = std::get_if<Capsule<D>>(placed.shape)) {
    result.points = {to_world(capsule->ends[0]), to_world(capsule->ends[1])};
    result.radius = capsule->radius;
    const Vec<D> along = (result.points[1] - result.points[0]).normalized();
    if constexpr (D == 2) {
      result.normals = {Vec<2>(along[1], -along[0]), Vec<2>(-along[1], along[0])};
    } else {
      result.edges = {along};
    }
  } else {
    const auto& polytope = std::get<Polytope<D>>(*placed.shape);
    for (const Vec<D>& x : polytope.vertices) result.points.push_back(to_world(x));
    for (const Vec<D>& n : polytope.normals) result.normals.push_back(placed.rotation * n);
    for (const auto& [i, j] : polytope.edges) {
      result.edges.push_back(
          (result.points[static_cast<std::size_t>(j)] - result.points[static_cast<std::size_t>(i)])
              .normalized());
    }
  }
  return result;
}

template <int D>
Vec<D> nearest_to_origin(const std::vector<Vec<D>>& points, double scale) {
  std::vector<Vec<D>> corral;
  std::vector<double> weight;
  Vec<D> x = points[0];
  for (const Vec<D>& p : points) {
    if (p.squaredNorm() < x.squaredNorm()) x = p;
  }
  corral = {x};
  weight = {1};
  for (int major = 0; major < 100; ++major) {
    const Vec<D>* lowest = &points[0];
    for (const Vec<D>& p : points) {
      if (x.dot(p) < x.dot(*lowest)) lowest = &p;
    }
    if (x.dot(*lowest) >= x.squaredNorm() - 1e-15 * scale * scale) break;
    if (std::find(corral.begin(), corral.end(), *lowest) != corral.end()) break;
    corral.push_back(*lowest);
    weight.push_back(0);
    for (int minor = 0; minor < 20; ++minor) {
      const auto n = static_cast<Eigen::Index>(corral.size());
      using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 16, 16>;
      Matrix K = Matrix::Zero(n + 1, n + 1);
      for (Eigen::Index i = 0; i < n; ++i) {
        for (Eigen::Index j = 0; j < n; ++j) {
          K(i, j) = corral[static_cast<std::size_t>(i)].dot(corral[static_cast<std::size_t>(j)]) /
                    (scale * scale);
        }
        K(i, n) = K(n, i) = 1;
      }
      using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 16, 1>;
      const Vector alpha = K.fullPivLu().solve(Vector::Unit(n + 1, n));
      double step = 1;
      for (Eigen::Index i = 0; i < n; ++i) {
        const double w = weight[static_cast<std::size_t>(i)];
        if (alpha[i] <= 1e-14) step = std::min(step, w / (w - alpha[i]));
      }
      for (Eigen::Index i = 0; i < n; ++i) {
        double& w = weight[static_cast<std::size_t>(i)];
        w += step * (alpha[i] - w);
      }
      if (step >= 1) break;
      for (std::size_t i = 0; i < corral.size();) {
        if (weight[i] <= 1e-14) {
          corral.erase(corral.begin() + static_cast<std::ptrdiff_t>(i));
          weight.erase(weight.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
      }
    }
    x.setZero();
    for (std::size_t i = 0; i < corral.size(); ++i) x += weight[i] * corral[i];
  }
  return x;
}

template <int D>
double separation_along(const Solid<D>& a, const Solid<D>& b, const Vec<D>& u) {
  double top = -std::numeric_limits<double>::infinity(), bottom = -top;
  for (const Vec<D>& x : a.points) top = std::max(top, u.dot(x));
  for (const Vec<D>& x : b.points) bottom = std::min(bottom, u.dot(x));
  return bottom - top;
}

template <int D>
struct Separation {
  double gap;
  Vec<D> direction;  // unit, from a to b
};

// Distance of two solids, negative when they overlap: then the length of the shortest translation
// that parts them.
template <int D>
Separation<D> separation(const Solid<D>& a, const Solid<D>& b) {
  std::vector<Vec<D>> differences;
  double scale = 0;
  for (const Vec<D>& x : a.points) {
    for (const Vec<D>& y : b.points) {
      differences.push_back(y - x);
      scale = std::max(scale, (y - x).norm());
    }
  }
  const Vec<D> nearest = nearest_to_origin<D>(differences, scale > 0 ? scale : 1);
  const double radii = a.radius + b.radius;
  if (nearest.norm() > 1e-7 * scale) {
    return {nearest.norm() - radii, nearest.normalized()};
  }
  Separation<D> best{-std::numeric_limits<double>::infinity(), Vec<D>::Zero()};
  const auto consider = [&](const Vec<D>& u) {
    const double s = separation_along<D>(a, b, u);
    if (s > best.gap) best = {s, u};
  };
  for (const Vec<D>& n : a.normals) consider(n);
  for (const Vec<D>& n : b.normals) consider(-n);
  if constexpr (D == 3) {
    for (const Vec<3>& e : a.edges) {
      for (const Vec<3>& f : b.edges) {
        const Vec<3> w = e.cross(f);
        if (w.norm() < 1e-6) continue;
        consider(w.normalized());
        consider(-w.normalized());
      }
    }
  }
  best.gap -= radii;
  return best;
}

// Distance of a point from a solid, negative inside.
template <int D>
double distance(const Solid<D>& a, const Vec<D>& x) {
  Solid<D> point;
  point.points = {x};
  return separation<D>(a, point).gap;
}

// ---- Random shapes and poses

inline double uniform(std::mt19937& rng, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(rng);
}

template <int D>
Vec<D> point_in_ball(std::mt19937& rng) {
  Vec<D> x;
  do {
    for (int i = 0; i < D; ++i) x[i] = uniform(rng, -1, 1);
  } while (x.norm() > 1 || x.norm() < 0.01);
  return x;
}

template <int D>
Mat<D> rotation(std::mt19937& rng) {
  if constexpr (D == 2) {
    return rotation_matrix<2>({uniform(rng, -M_PI, M_PI)});
  } else {
    std::normal_distribution<double> normal;
    const Eigen::Quaterniond q{normal(rng), normal(rng), normal(rng), normal(rng)};
    return q.normalized().matrix();
  }
}

enum class Family { ball, capsule, box, hull };

template <int D>
Shape<D> shape(std::mt19937& rng, Family family) {
  const Vec<D> centre = 0.3 * point_in_ball<D>(rng);
  switch (family) {
    case Family::ball:
      return Ball<D>{uniform(rng, 0.2, 1), centre};
    case Family::capsule: {
      const Vec<D> half = uniform(rng, 0.1, 1) * point_in_ball<D>(rng).normalized();
      return Capsule<D>{{centre - half, centre + half}, uniform(rng, 0.1, 0.6)};
    }
    case Family::box: {
      Vec<D> sides;
      for (int i = 0; i < D; ++i) sides[i] = uniform(rng, 0.3, 2);
      return moved<D>(Shape<D>(box<D>(sides)), centre, Orientation<D>());
    }
    case Family::hull:
      break;
  }
  for (;;) {
    const int count = std::uniform_int_distribution<int>(D + 1, 14)(rng);
    Vec<D> stretch;
    for (int i = 0; i < D; ++i) stretch[i] = uniform(rng, 0.2, 1);
    std::vector<Vec<D>> points;
    for (int i = 0; i < count; ++i) {
      points.push_back(stretch.cwiseProduct(point_in_ball<D>(rng)) + centre);
    }
    const auto hull = convex_hull<D>(points);
    if (hull && mass_properties<D>(Shape<D>(*hull)).volume > 0.02) return *hull;
  }
}

}  // namespace talus::oracle
