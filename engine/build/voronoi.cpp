// SPDX-License-Identifier: Apache-2.0
#include "engine/build/voronoi.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/build/random.hpp"
#include "engine/geometry/polytope.hpp"

namespace talus {

namespace {

// Corners of a cut are one where they are closer than this part of the region's size.
constexpr double same_corner = 1e-12;

constexpr std::size_t sorted_at_once = 64;

// A cell while it is cut: the corners, and the loops of the faces.
template <int D>
struct CutCell {
  std::vector<Vec<D>> corners;
  std::vector<std::vector<int>> faces;
};

template <int D>
CutCell<D> cell_of(const Polytope<D>& polytope) {
  return {polytope.vertices, polytope.faces};
}

// Cuts off what lies beyond a plane. Corners within `rounding` of it count as on it. Returns
// whether anything is left.
bool cut(CutCell<2>& cell, const Vec<2>& n, double offset, double rounding) {
  std::vector<Vec<2>> kept;
  const std::size_t size = cell.corners.size();
  for (std::size_t i = 0; i < size; ++i) {
    const Vec<2>&x = cell.corners[i], &y = cell.corners[(i + 1) % size];
    const double a = n.dot(x) - offset, b = n.dot(y) - offset;
    if (a <= rounding) kept.push_back(x);
    if ((a < -rounding && b > rounding) || (a > rounding && b < -rounding))
      kept.push_back(x + a / (a - b) * (y - x));
  }
  cell.corners = std::move(kept);
  return cell.corners.size() >= 3;
}

bool cut(CutCell<3>& cell, const Vec<3>& n, double offset, double rounding) {
  std::vector<double> height;
  bool above = false, below = false;
  for (const Vec<3>& x : cell.corners) {
    height.push_back(n.dot(x) - offset);
    above = above || height.back() > rounding;
    below = below || height.back() < -rounding;
  }
  if (!above) return true;
  if (!below) return false;
  std::vector<std::array<int, 3>> crossings;  // of an edge, ascending, and the new corner
  const auto crossing = [&](int i, int j) {
    const auto [low, high] = std::minmax(i, j);
    for (const auto& [a, b, x] : crossings)
      if (a == low && b == high) return x;
    const double s = height[static_cast<std::size_t>(low)],
                 t = height[static_cast<std::size_t>(high)];
    const Vec<3>&x = cell.corners[static_cast<std::size_t>(low)],
          &y = cell.corners[static_cast<std::size_t>(high)];
    const Vec<3> between = x + s / (s - t) * (y - x);
    cell.corners.push_back(between);
    height.push_back(0);
    crossings.push_back({low, high, static_cast<int>(cell.corners.size()) - 1});
    return crossings.back()[2];
  };
  std::vector<std::vector<int>> faces;
  std::vector<int> rim;
  for (const std::vector<int>& face : cell.faces) {
    std::vector<int> kept;
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int i = face[k], j = face[(k + 1) % face.size()];
      const double a = height[static_cast<std::size_t>(i)], b = height[static_cast<std::size_t>(j)];
      if (a <= rounding) kept.push_back(i);
      if ((a < -rounding && b > rounding) || (a > rounding && b < -rounding))
        kept.push_back(crossing(i, j));
    }
    bool has_area = false;
    for (const int i : kept) {
      const double a = height[static_cast<std::size_t>(i)];
      has_area = has_area || a < -rounding;
      if (std::abs(a) <= rounding) rim.push_back(i);
    }
    if (has_area && kept.size() >= 3) faces.push_back(std::move(kept));
  }
  std::sort(rim.begin(), rim.end());
  rim.erase(std::unique(rim.begin(), rim.end()), rim.end());
  if (rim.size() >= 3) {  // the new face, round about the normal
    Vec<3> centre = Vec<3>::Zero();
    for (const int i : rim) centre += cell.corners[static_cast<std::size_t>(i)];
    centre /= static_cast<double>(rim.size());
    const Mat<3> frame = frame_of_normal<3>(n);
    const auto angle = [&](int i) {
      const Vec<3> d = cell.corners[static_cast<std::size_t>(i)] - centre;
      return std::atan2(d.dot(frame.col(2)), d.dot(frame.col(1)));
    };
    std::sort(rim.begin(), rim.end(), [&](int i, int j) { return angle(i) < angle(j); });
    faces.push_back(std::move(rim));
  }
  // Corners that no face uses are left out.
  std::vector<int> number(cell.corners.size(), -1);
  std::vector<Vec<3>> corners;
  for (auto& face : faces)
    for (int& i : face) {
      int& as = number[static_cast<std::size_t>(i)];
      if (as < 0) {
        as = static_cast<int>(corners.size());
        corners.push_back(cell.corners[static_cast<std::size_t>(i)]);
      }
      i = as;
    }
  cell.corners = std::move(corners);
  cell.faces = std::move(faces);
  return cell.faces.size() >= 4;
}

template <int D>
double size_of(const Polytope<D>& polytope) {
  return polytope.radius + polytope.centre.norm();
}

template <int D>
std::optional<Polytope<D>> solid(const CutCell<D>& cell) {
  return convex_hull<D>(cell.corners);
}

template <int D>
std::vector<Vec<D>> random_points(const VoronoiPlan<D>& plan) {
  Random random(plan.seed);
  Vec<D> low = plan.region.vertices[0], high = low;
  for (const Vec<D>& x : plan.region.vertices) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  std::vector<Vec<D>> points;
  while (points.size() < static_cast<std::size_t>(plan.count)) {
    Vec<D> x;
    for (int k = 0; k < D; ++k) x[k] = random.between(low[k], high[k]);
    bool inside = true;
    for (std::size_t f = 0; f < plan.region.normals.size(); ++f)
      inside = inside && plan.region.normals[f].dot(x) < plan.region.offsets[f];
    if (inside) points.push_back(x);
  }
  return points;
}

// The cell of point i: the region cut by the bisectors to the others, the nearest first, until the
// next one cannot reach the cell.
template <int D>
std::optional<Polytope<D>> cell_about(const Polytope<D>& region, const std::vector<Vec<D>>& points,
                                      std::size_t i, std::vector<int>& order) {
  const Vec<D>& x = points[i];
  const auto squared = [&](int j) {
    return (points[static_cast<std::size_t>(j)] - x).squaredNorm();
  };
  const auto nearer = [&](int j, int k) {
    const double a = squared(j), b = squared(k);
    return a != b ? a < b : j < k;
  };
  const double rounding = same_corner * size_of(region);
  CutCell<D> cell = cell_of(region);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k % sorted_at_once == 0) {  // most cells need the nearest few only
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(k);
      const auto last = first + std::min<std::ptrdiff_t>(sorted_at_once, order.end() - first);
      if (last != order.end()) std::nth_element(first, last, order.end(), nearer);
      std::sort(first, last, nearer);
    }
    const int j = order[k];
    const Vec<D>& y = points[static_cast<std::size_t>(j)];
    if (static_cast<std::size_t>(j) == i || y == x) continue;
    double reach = 0;
    for (const Vec<D>& corner : cell.corners) reach = std::max(reach, (corner - x).squaredNorm());
    if (squared(j) > 4 * reach) break;
    const Vec<D> n = (y - x).normalized();
    if (!cut(cell, n, n.dot(0.5 * (x + y)), rounding)) return std::nullopt;
  }
  return solid<D>(cell);
}

}  // namespace

template <int D>
std::optional<Polytope<D>> cut_off(const Polytope<D>& polytope, const Vec<D>& normal,
                                   double offset) {
  CutCell<D> cell = cell_of(polytope);
  if (!cut(cell, normal, offset, same_corner * size_of(polytope))) return std::nullopt;
  return solid<D>(cell);
}

template <int D>
std::vector<BodyDescription<D>> voronoi_bodies(const VoronoiPlan<D>& plan) {
  std::vector<Vec<D>> points = random_points(plan);
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::optional<Polytope<D>>> cells(points.size());
  for (int pass = 0;; ++pass) {
    for (std::size_t i = 0; i < points.size(); ++i)
      cells[i] = cell_about(plan.region, points, i, order);
    if (pass == plan.relax) break;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (cells[i]) points[i] = mass_properties<D>(Shape<D>(*cells[i])).centre;
  }
  std::vector<BodyDescription<D>> bodies;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!cells[i]) continue;
    BodyDescription<D> body;
    body.name = plan.name + "." + std::to_string(i);
    body.position = mass_properties<D>(Shape<D>(*cells[i])).centre;
    body.shapes = {moved<D>(Shape<D>(*cells[i]), -body.position, Orientation<D>())};
    bodies.push_back(std::move(body));
  }
  return bodies;
}

template std::optional<Polytope<2>> cut_off(const Polytope<2>&, const Vec<2>&, double);
template std::optional<Polytope<3>> cut_off(const Polytope<3>&, const Vec<3>&, double);
template std::vector<BodyDescription<2>> voronoi_bodies(const VoronoiPlan<2>&);
template std::vector<BodyDescription<3>> voronoi_bodies(const VoronoiPlan<3>&);

}  // namespace talus
