// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/impact_bounds.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

namespace talus {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

// G = D^(−1/2) W_NN D^(−1/2), D = diag W_NN.
template <int D>
Sparse normalised(const DelassusOperator<D>& W, Eigen::Index n) {
  Eigen::VectorXd norms(n);
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (std::size_t k = W.row_start[row]; k < W.row_start[row + 1]; ++k) {
      entries.emplace_back(i, W.column[k], W.block[k](0, 0));
      if (W.column[k] == i) norms[i] = std::sqrt(W.block[k](0, 0));
    }
  }
  for (Eigen::Triplet<double>& t : entries)
    t = {t.row(), t.col(), t.value() / (norms[t.row()] * norms[t.col()])};
  Sparse G(n, n);
  G.setFromTriplets(entries.begin(), entries.end());
  return G;
}

// Entries of E_nn: restitution on the diagonal, the coefficients of neighbours as far as they reach
// along contacts that share a body.
template <int D>
std::vector<Eigen::Triplet<double>> restitution_entries(const ImpactProblem<D>& impact,
                                                        const MatrixLaw& law, const Sparse& G) {
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<Eigen::Index> distance(impact.size(), -1), seen;
  for (Eigen::Index i = 0; i < G.rows(); ++i) {
    seen.assign(1, i);
    distance[static_cast<std::size_t>(i)] = 0;
    for (std::size_t next = 0; next < seen.size(); ++next) {
      const Eigen::Index j = seen[next], d = distance[static_cast<std::size_t>(j)];
      const double e = d == 0 ? impact.coefficients[static_cast<std::size_t>(i)].restitution
                              : law.neighbours[static_cast<std::size_t>(d - 1)];
      entries.emplace_back(i, j, e);
      if (d == static_cast<Eigen::Index>(law.neighbours.size())) continue;
      for (Sparse::InnerIterator row(G, j); row; ++row) {
        if (distance[static_cast<std::size_t>(row.row())] >= 0) continue;
        distance[static_cast<std::size_t>(row.row())] = d + 1;
        seen.push_back(row.row());
      }
    }
    for (const Eigen::Index j : seen) distance[static_cast<std::size_t>(j)] = -1;
  }
  return entries;
}

// λ_min of G > 0 from below: the largest eigenvalue θ of G⁻¹ by its powers, and its residual.
double smallest_eigenvalue(const Eigen::SimplicialLLT<Sparse>& factors, Eigen::Index n) {
  Eigen::VectorXd x(n);
  for (Eigen::Index i = 0; i < n; ++i) x[i] = 1 + 0.5 * std::sin(1.0 + static_cast<double>(i * i));
  x.normalize();
  double theta = 0, residual = 0;
  for (int k = 0; k < 500; ++k) {
    const Eigen::VectorXd y = factors.solve(x);
    theta = x.dot(y);
    residual = (y - theta * x).norm();
    if (residual <= 1e-3 * theta) break;
    x = y.normalized();
  }
  return 1 / (theta + residual);
}

}  // namespace

template <int D>
RestitutionBounds restitution_bounds(const ImpactProblem<D>& impact, const MatrixLaw& law,
                                     RestitutionRule rule) {
  const auto n = static_cast<Eigen::Index>(impact.size());
  const Sparse G = normalised<D>(impact_delassus<D>(impact), n);
  RestitutionBounds bounds;
  bounds.frictionless = std::all_of(impact.coefficients.begin(), impact.coefficients.end(),
                                    [](const ImpactCoefficients& c) { return c.friction == 0; });
  bounds.rule = rule;
  bounds.kinematic = true;
  bool diagonal = true;
  Eigen::VectorXd rows = Eigen::VectorXd::Zero(n), columns = rows;
  double squares = 0;
  const double first = impact.coefficients.front().restitution;
  bounds.one_coefficient = true;
  for (const Eigen::Triplet<double>& entry : restitution_entries<D>(impact, law, G)) {
    bounds.kinematic = bounds.kinematic && entry.value() >= 0;
    const double expected = entry.row() == entry.col() ? first : 0;
    bounds.one_coefficient = bounds.one_coefficient && entry.value() == expected;
    diagonal = diagonal && (entry.row() == entry.col() ? entry.value() <= 1 : entry.value() == 0);
    rows[entry.row()] += std::abs(entry.value());
    columns[entry.col()] += std::abs(entry.value());
    squares += entry.value() * entry.value();
  }
  bounds.norm = std::sqrt(squares);
  bounds.sigma = std::sqrt(rows.maxCoeff() * columns.maxCoeff());
  bounds.spectral_radius = std::min({bounds.sigma, rows.maxCoeff(), columns.maxCoeff()});

  bool no_positive = true;  // beside the diagonal
  for (Eigen::Index j = 0; j < n; ++j) {
    double sum = 0;
    for (Sparse::InnerIterator entry(G, j); entry; ++entry) {
      sum += std::abs(entry.value());
      no_positive = no_positive && (entry.row() == j || entry.value() <= 0);
    }
    bounds.largest_G = std::max(bounds.largest_G, sum);
  }
  const Eigen::SimplicialLLT<Sparse> factors(G);
  if (factors.info() == Eigen::Success) bounds.smallest_G = smallest_eigenvalue(factors, n);
  bounds.independent = bounds.smallest_G > 1e-10;
  const bool one = bounds.one_coefficient && std::abs(first) <= 1;
  bool loses = one;
  if (bounds.independent) {
    // 1/√(‖G⁻¹‖₂ ‖G‖₂) with ‖G⁻¹‖₂ ≤ √n/λ_min.
    bounds.sigma_bound = std::sqrt(bounds.smallest_G / bounds.largest_G);
    bounds.norm_bound =
        std::sqrt(bounds.smallest_G / (std::sqrt(static_cast<double>(n)) * G.norm()));
    loses = loses || bounds.sigma <= bounds.sigma_bound || bounds.norm < bounds.norm_bound;
    // The inverse of an M-matrix is not negative anywhere, nor is its product with I + E_nn ≥ 0.
    if (no_positive && bounds.kinematic) bounds.kinetic = Verdict::yes;
  }
  if (law.E_nn.rows() == n) return bounds;  // which has not been looked at
  if (!bounds.frictionless && rule == RestitutionRule::complementarity) {
    if (one && diagonal && has_one_restitution<D>(impact)) bounds.admissible = Verdict::yes;
    return bounds;
  }
  if (rule == RestitutionRule::complementarity && diagonal && bounds.kinematic) {
    bounds.admissible = Verdict::yes;
    if (loses) bounds.opening = Verdict::yes;
  } else if (bounds.kinetic == Verdict::yes && loses) {  // Proposition 8
    bounds.admissible = Verdict::yes;
  }
  return bounds;
}

#define TALUS_INSTANTIATE(D)                                                                  \
  template RestitutionBounds restitution_bounds<D>(const ImpactProblem<D>&, const MatrixLaw&, \
                                                   RestitutionRule);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
