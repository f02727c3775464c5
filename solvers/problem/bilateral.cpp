// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/bilateral.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>

namespace talus {

namespace {

// ε against the largest diagonal entry of K. Smaller ones need fewer corrections where K is nearly
// singular, larger ones carry less rounding into the multipliers of redundant rows.
constexpr double dependent_shift = 1e-9;
constexpr int most_corrections = 50;
constexpr double relative_rounding = 1e-15;

// One side of a row on its body: u = sign (direction·v + moment·ω).
template <int D>
struct Side {
  double sign;
  const Vec<D>& direction;
  const Spin<D>& moment;
};

template <int D>
Side<D> side_of(const LinearRow<D>& row, int body) {
  return body == row.b ? Side<D>{1, row.direction, row.moment_b}
                       : Side<D>{-1, row.direction, row.moment_a};
}

template <int D>
double coupling(const Side<D>& x, const Side<D>& y, const MassBlock<D>& mass) {
  return x.sign * y.sign *
         (mass.inverse_mass * x.direction.dot(y.direction) +
          x.moment.dot(mass.inverse_inertia * y.moment));
}

bool same_pattern(const Eigen::SparseMatrix<double>& A, const Eigen::SparseMatrix<double>& B) {
  return A.rows() == B.rows() && A.nonZeros() == B.nonZeros() &&
         std::equal(A.outerIndexPtr(), A.outerIndexPtr() + A.outerSize() + 1, B.outerIndexPtr()) &&
         std::equal(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros(), B.innerIndexPtr());
}

}  // namespace

class BilateralFactors {
 public:
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower> ldlt;
};

template <int D>
BilateralSystem<D>::BilateralSystem() : factors_(std::make_unique<BilateralFactors>()) {}
template <int D>
BilateralSystem<D>::~BilateralSystem() = default;
template <int D>
BilateralSystem<D>::BilateralSystem(BilateralSystem&&) noexcept = default;
template <int D>
BilateralSystem<D>& BilateralSystem<D>::operator=(BilateralSystem&&) noexcept = default;

template <int D>
void BilateralSystem<D>::factorise(std::span<const LinearRow<D>> rows,
                                   std::span<const MassBlock<D>> mass) {
  const int n = static_cast<int>(rows.size());
  for (std::vector<int>& list : rows_of_body_) list.clear();
  rows_of_body_.resize(mass.size());
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(8 * rows.size());
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, rows[at(i)].compliance);
    for (const int body : {rows[at(i)].a, rows[at(i)].b})
      if (mass[at(body)].moves()) rows_of_body_[at(body)].push_back(i);
  }
  for (std::size_t body = 0; body < mass.size(); ++body) {
    const std::vector<int>& list = rows_of_body_[body];
    for (std::size_t j = 0; j < list.size(); ++j) {
      const Side<D> y = side_of<D>(rows[at(list[j])], static_cast<int>(body));
      for (std::size_t i = j; i < list.size(); ++i) {
        const Side<D> x = side_of<D>(rows[at(list[i])], static_cast<int>(body));
        entries.emplace_back(list[i], list[j], coupling<D>(x, y, mass[body]));
      }
    }
  }
  Eigen::SparseMatrix<double> K(n, n);
  K.setFromTriplets(entries.begin(), entries.end());
  const bool known = same_pattern(K, K_);
  K_ = std::move(K);
  if (n == 0) return;
  const double largest = K_.diagonal().maxCoeff();
  factors_->ldlt.setShift(largest > 0 ? dependent_shift * largest : 1);
  if (!known) factors_->ldlt.analyzePattern(K_);
  factors_->ldlt.factorize(K_);
}

template <int D>
Eigen::VectorXd BilateralSystem<D>::solve(const Eigen::VectorXd& r) const {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(r.size());
  if (r.size() == 0) return x;
  Eigen::VectorXd left = r, trial;
  const double whole = r.norm();
  double error = whole;
  for (int k = 0; k < most_corrections && error > relative_rounding * whole; ++k) {
    trial = x + factors_->ldlt.solve(left);
    left = r - K_.selfadjointView<Eigen::Lower>() * trial;
    const double now = left.norm();
    if (!(now < 0.9 * error)) {
      if (now < error) x = trial;
      break;
    }
    x = trial;
    error = now;
  }
  return x;
}

template class BilateralSystem<2>;
template class BilateralSystem<3>;

}  // namespace talus
