// SPDX-License-Identifier: Apache-2.0
#include "solvers/complementarity/cell.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/complementarity/least_distance.hpp"
#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double zero = 1e-11;    // of data that ought to vanish
constexpr double outside = 1e-9;  // by which a point may fail, relative to its largest component
constexpr int most_rounds = 60, most_rough_rounds = 3;  // of cuts

// The least x in Euclidean norm with C x + d ≥ 0, up to rounding of numbers as large as `size`.
std::optional<VectorXd> least_point(const MatrixXd& C, const VectorXd& d, double size) {
  if (d.size() == 0 || d.minCoeff() >= 0) return VectorXd(VectorXd::Zero(C.cols()));
  const VectorXd weight =
      C.rowwise().norm().unaryExpr([](double row) { return row > 0 ? 1 / row : 1.0; });
  const VectorXd constant = weight.cwiseProduct(d);
  return least_distance(weight.asDiagonal() * C, constant, size);
}

double magnitude(const MatrixXd& A, const VectorXd& b) {
  const double matrix = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0.0;
  const double vector = b.size() > 0 ? b.cwiseAbs().maxCoeff() : 0.0;
  return std::max({matrix, vector, 1e-300});
}

// By how much a point lies outside of a cone.
double excess(const RoundCone& cone, const VectorXd& x) {
  return std::hypot(x[cone.t], x[cone.t + 1]) - cone.slope * x[cone.n] - cone.slack;
}

double largest(const VectorXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0; }

bool holds(const Cell& cell, const VectorXd& x) {
  const double size = largest(x);
  for (const RoundCone& cone : cell.cones)
    if (excess(cone, x) > outside * std::max(size, 1e-300)) return false;
  if (cell.d.size() == 0) return true;
  const VectorXd slack = cell.C * x + cell.d;
  for (Index i = 0; i < slack.size(); ++i) {
    // What rounding leaves of x is relative to its largest component.
    const double row = cell.C.cols() > 0 ? cell.C.row(i).cwiseAbs().maxCoeff() : 0;
    const double scale = row * size + std::abs(cell.d[i]);
    if (slack[i] < -outside * std::max(scale, 1e-300)) return false;
  }
  return true;
}

// The points of a cell as x₀ + Z t, with the inequalities on t, planes that cut out its cones
// included.
class Slice {
 public:
  // Empty where the equalities have no solution, and a single point where they leave no freedom.
  explicit Slice(const Cell& cell) : cell_(cell) {
    const Index n = cell.A.cols();
    if (n == 0) {
      alone_ = cell.b.size() == 0 || cell.b.cwiseAbs().maxCoeff() <= zero;
      return;
    }
    if (cell.A.rows() == n) {
      const DenseLu lu(cell.A);
      if (lu.pivot_ratio() > 1e-10) {
        x0_ = lu.solve(-cell.b);
        alone_ = true;
        return;
      }
    }
    x0_ = VectorXd::Zero(n);
    Z_ = MatrixXd::Identity(n, n);
    if (cell.A.rows() > 0) {
      const LeastSquares shortest(cell.A, 1e-10);
      x0_ = shortest.solve(-cell.b);
      const double size = magnitude(cell.A, cell.b), weight = 1 + largest(x0_);
      if (!(largest(cell.A * x0_ + cell.b) <= outside * size * weight)) return;
      if (shortest.rank() == n) {
        alone_ = true;
        return;
      }
      Z_ = shortest.null_space();
    }
    solvable_ = true;
    C_.resize(0, Z_.cols());
    for (Index i = 0; i < cell.C.rows(); ++i) add_row(cell.C.row(i).transpose(), cell.d[i]);
    for (const RoundCone& cone : cell.cones)
      for (const auto& [x, y] : {std::pair{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}})
        add_plane(cone, x, y);
    pack();
  }

  bool alone() const { return alone_; }
  bool empty() const { return !alone_ && !solvable_; }
  Index freedoms() const { return Z_.cols(); }
  VectorXd point(const VectorXd& t) const { return x0_ + Z_ * t; }
  const VectorXd& origin() const { return x0_; }

  // Counts a point as one of the cell, whatever rounding left of it.
  void settle(const VectorXd& t) { d_ -= (C_ * t + d_).cwiseMin(0.0); }

  // The point nearest to one that need not be of the cell.
  std::optional<VectorXd> nearest(const VectorXd& t, int rounds) {
    for (int round = 0;; ++round) {
      const std::optional<VectorXd> step = least_point(C_, C_ * t + d_, x0_.norm() + t.norm());
      if (!step) return std::nullopt;
      const VectorXd found = t + *step, x = point(found);
      const double most = outside * std::max(largest(x), 1e-300);
      bool within = true;
      for (const RoundCone& cone : cell_.cones) {
        if (excess(cone, x) <= 0.5 * most) continue;
        const double length = std::hypot(x[cone.t], x[cone.t + 1]);
        if (excess(cone, x) > most) within = false;
        if (length > 0) add_plane(cone, x[cone.t] / length, x[cone.t + 1] / length);
      }
      if (within || round + 1 >= rounds) return found;
      pack();
    }
  }

 private:
  void add_row(const VectorXd& row, double constant) {
    VectorXd on_t = Z_.transpose() * row;
    double slack = row.dot(x0_) + constant;
    if (on_t.norm() <= 1e-10 * row.norm()) {  // the same all over the cell, but for rounding
      on_t.setZero();
      if (slack > -outside * (row.norm() * x0_.norm() + std::abs(constant)))
        slack = std::max(slack, 0.0);
    }
    rows_.push_back(std::move(on_t));
    constants_.push_back(slack);
  }

  // slope x_n − (u, v)·x_t + slack ≥ 0, for a unit vector (u, v).
  void add_plane(const RoundCone& cone, double u, double v) {
    VectorXd row = VectorXd::Zero(x0_.size());
    row[cone.n] = cone.slope;
    row[cone.t] = -u;
    row[cone.t + 1] = -v;
    add_row(row, cone.slack);
  }

  void pack() {
    const Index first = C_.rows(), count = static_cast<Index>(rows_.size());
    C_.conservativeResize(first + count, Z_.cols());
    d_.conservativeResize(first + count);
    for (Index i = 0; i < count; ++i) {
      C_.row(first + i) = rows_[static_cast<std::size_t>(i)];
      d_[first + i] = constants_[static_cast<std::size_t>(i)];
    }
    rows_.clear();
    constants_.clear();
  }

  const Cell& cell_;
  bool alone_ = false, solvable_ = false;
  VectorXd x0_;
  MatrixXd Z_, C_;
  VectorXd d_;
  std::vector<VectorXd> rows_;  // not yet in C, d
  std::vector<double> constants_;
};

}  // namespace

std::optional<VectorXd> find_point(const Cell& cell, bool rough) {
  Slice slice(cell);
  if (slice.empty()) return std::nullopt;
  if (slice.alone())
    return holds(cell, slice.origin()) ? std::optional(slice.origin()) : std::nullopt;
  const std::optional<VectorXd> t =
      slice.nearest(VectorXd::Zero(slice.freedoms()), rough ? most_rough_rounds : most_rounds);
  if (!t) return std::nullopt;
  const VectorXd x = slice.point(*t);
  return rough || holds(cell, x) ? std::optional(x) : std::nullopt;
}

std::optional<CellPoints> find_points(const Cell& cell) {
  Slice slice(cell);
  if (slice.empty()) return std::nullopt;
  if (slice.alone()) {
    if (!holds(cell, slice.origin())) return std::nullopt;
    return CellPoints{slice.origin(), 0};
  }
  const std::optional<VectorXd> t = slice.nearest(VectorXd::Zero(slice.freedoms()), most_rounds);
  if (!t || !holds(cell, slice.point(*t))) return std::nullopt;
  CellPoints points{slice.point(*t), 0};
  slice.settle(*t);

  // A convex set is a single point exactly when the point is its own nearest to every ±e_k away.
  const double reach = 1 + points.x.norm();
  for (Index k = 0; k < slice.freedoms(); ++k) {
    for (const double sign : {-1.0, 1.0}) {
      VectorXd away = *t;
      away[k] += sign * reach;
      const std::optional<VectorXd> other = slice.nearest(away, most_rounds);
      if (other && (*other - *t).norm() > 1e-7 * reach) {
        ++points.freedom;
        break;
      }
    }
  }
  return points;
}

}  // namespace talus
