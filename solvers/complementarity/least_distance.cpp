// SPDX-License-Identifier: Apache-2.0
#include "solvers/complementarity/least_distance.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <vector>

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double dependent = 1e-10;  // part of a unit row outside of the span of others
constexpr double of_terms = 1e-12;   // rounding of a row
constexpr double no_weight = 1e-12;  // of a row in a combination

// Active rows N as columns, N = Q R.
class ActiveRows {
 public:
  explicit ActiveRows(Index n) : N_(n, n), Q_(n, n), R_(MatrixXd::Zero(n, n)) {}

  Index count() const { return count_; }

  // c = N r + z, z orthogonal to all columns of N.
  void split(const VectorXd& c, VectorXd& r, VectorXd& z) const {
    const auto Q = Q_.leftCols(count_);
    r = Q.transpose() * c;
    z = c - Q * r;
    const VectorXd rest = Q.transpose() * z;  // once more, so that nothing of them is left in z
    r += rest;
    z -= Q * rest;
    R_.topLeftCorner(count_, count_).triangularView<Eigen::Upper>().solveInPlace(r);
  }

  // The row must not depend on those there are.
  void add(const VectorXd& c) {
    const auto Q = Q_.leftCols(count_);
    VectorXd r = Q.transpose() * c, z = c - Q * r;
    const VectorXd rest = Q.transpose() * z;
    r += rest;
    z -= Q * rest;
    N_.col(count_) = c;
    R_.col(count_).head(count_) = r;
    R_(count_, count_) = z.norm();
    Q_.col(count_) = z.normalized();
    ++count_;
  }

  void drop(Index place) {
    const Index last = count_;
    count_ = place;
    for (Index k = place + 1; k < last; ++k) add(VectorXd(N_.col(k)));
  }

  // The shortest x with Nᵀx = b, with one step of iterative refinement: what Q misses of being
  // orthogonal to nearly parallel rows is out of proportion where x is long.
  VectorXd shortest(const VectorXd& b) const {
    const VectorXd x = solve(b);
    return x + solve(b - N_.leftCols(count_).transpose() * x);
  }

 private:
  VectorXd solve(VectorXd b) const {
    R_.topLeftCorner(count_, count_).triangularView<Eigen::Upper>().transpose().solveInPlace(b);
    return Q_.leftCols(count_) * b;
  }

  MatrixXd N_, Q_, R_;
  Index count_ = 0;
};

}  // namespace

std::optional<VectorXd> least_distance(const MatrixXd& C, const VectorXd& d, double size) {
  assert(C.rows() == d.size() && "a constant for every row");
  const Index n = C.cols();
  VectorXd x = VectorXd::Zero(n), r, z;
  ActiveRows active(n);
  std::vector<Index> row;      // which ones are active
  std::vector<double> weight;  // x = Σ weight c
  const int limit = 50 * static_cast<int>(n + d.size()) + 100;
  int steps = 0;
  for (;;) {
    Index worst = -1;
    // What rounding leaves of a row is relative to the largest of its terms.
    const VectorXd allowed = of_terms * (d.array().abs() + size + x.norm());
    const double least = d.size() > 0 ? (C * x + d + allowed).minCoeff(&worst) : 0;
    if (!(least < 0)) break;
    const VectorXd c = C.row(worst);
    double weight_of_c = 0;
    for (bool taken = false; !taken;) {
      if (++steps > limit) return std::nullopt;
      active.split(c, r, z);
      // As c gets weight, that of an active row may come to an end before c holds.
      Index first = -1;
      double until = std::numeric_limits<double>::infinity();
      for (Index k = 0; k < active.count(); ++k) {
        if (r[k] <= no_weight) continue;
        const double end = weight[static_cast<std::size_t>(k)] / r[k];
        if (end < until) until = end, first = k;
      }
      const bool moves = active.count() < n && z.norm() > dependent;
      const double missing = -(c.dot(x) + d[worst]);
      const double whole =
          moves ? missing / z.squaredNorm() : std::numeric_limits<double>::infinity();
      if (!moves && first < 0) return std::nullopt;
      const double step = std::max(0.0, std::min(until, whole));
      if (moves) x += step * z;
      for (Index k = 0; k < active.count(); ++k) weight[static_cast<std::size_t>(k)] -= step * r[k];
      weight_of_c += step;
      taken = moves && whole <= until;
      if (taken) {
        active.add(c);
        row.push_back(worst);
        weight.push_back(weight_of_c);
        x = active.shortest(-d(row));  // a long step along a short z took its rounding along
      } else {
        active.drop(first);
        row.erase(row.begin() + first);
        weight.erase(weight.begin() + first);
      }
    }
  }
  return x;
}

}  // namespace talus
