// SPDX-License-Identifier: Apache-2.0
// Closest points of segments.
#pragma once

#include <algorithm>

#include "solvers/math/vec.hpp"

namespace talus {

template <int D>
struct Segment {
  Vec<D> from, to;

  Vec<D> at(double s) const { return from + s * (to - from); }
};

// Parameter in [0, 1] of the point of a segment closest to x; 0 for a segment of no length.
template <int D>
double closest_parameter(const Segment<D>& segment, const Vec<D>& x) {
  const Vec<D> d = segment.to - segment.from;
  const double length_squared = d.squaredNorm();
  if (!(length_squared > 0)) return 0;
  return std::clamp(d.dot(x - segment.from) / length_squared, 0.0, 1.0);
}

// Parameters of the closest points of two segments. For parallel segments, any closest pair.
struct ParameterPair {
  double s, t;
};
template <int D>
ParameterPair closest_parameters(const Segment<D>& a, const Segment<D>& b) {
  const Vec<D> u = a.to - a.from, v = b.to - b.from, w = b.from - a.from;
  const double uu = u.squaredNorm(), uv = u.dot(v), vv = v.squaredNorm();
  // |u|²|v|² sin². For nearly parallel segments uu·vv − uv² suffers from cancellation, and s from
  // it may be wrong. So the clamped alternatives below are compared as well.
  const double determinant = uu * vv - uv * uv;
  ParameterPair best{0, closest_parameter<D>(b, a.from)};
  double least = (b.at(best.t) - a.from).squaredNorm();
  const auto consider = [&](double s, double t) {
    const double squared = (b.at(t) - a.at(s)).squaredNorm();
    if (squared < least) {
      least = squared;
      best = {s, t};
    }
  };
  consider(1, closest_parameter<D>(b, a.to));
  consider(closest_parameter<D>(a, b.from), 0);
  consider(closest_parameter<D>(a, b.to), 1);
  if (determinant > 0) {
    const double s = (vv * u.dot(w) - uv * v.dot(w)) / determinant;
    if (s > 0 && s < 1) {
      const double t = closest_parameter<D>(b, a.at(s));
      consider(closest_parameter<D>(a, b.at(t)), t);
    }
  }
  return best;
}

}  // namespace talus
