// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/factored.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

#include "solvers/problem/contact_error.hpp"

namespace talus {

template <int D>
std::vector<double> percussion_velocities(const FactoredOperator<D>& W,
                                          const std::vector<Vec<D>>& p) {
  std::vector<double> v(W.velocities, 0.0);
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t k = W.start[i]; k < W.start[i + 1]; ++k)
      v[at(W.velocity[k])] += W.Y[k].dot(p[i]);
  return v;
}

template <int D>
Vec<D> relative_velocity(const FactoredOperator<D>& W, std::size_t contact,
                         const std::vector<double>& v) {
  Vec<D> u = Vec<D>::Zero();
  for (std::size_t k = W.start[contact]; k < W.start[contact + 1]; ++k)
    u += v[at(W.velocity[k])] * W.H[k];
  return u;
}

template <int D>
Mat<D> diagonal_block(const FactoredOperator<D>& W, std::size_t contact) {
  Mat<D> block = Mat<D>::Zero();
  for (std::size_t k = W.start[contact]; k < W.start[contact + 1]; ++k)
    block += W.H[k] * W.Y[k].transpose();
  return block;
}

template <int D>
DelassusOperator<D> assemble_delassus(const FactoredOperator<D>& W) {
  const std::size_t n = W.start.size() - 1;
  std::vector<std::vector<std::pair<int, std::size_t>>> moved_by(W.velocities);  // contact, entry
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = W.start[i]; k < W.start[i + 1]; ++k)
      moved_by[at(W.velocity[k])].emplace_back(static_cast<int>(i), k);
  DelassusOperator<D> delassus;
  for (std::size_t i = 0; i < n; ++i) {
    std::map<int, Mat<D>> blocks;
    blocks.emplace(static_cast<int>(i), Mat<D>::Zero());
    for (std::size_t k = W.start[i]; k < W.start[i + 1]; ++k) {
      if (W.H[k].isZero(0)) continue;
      for (const auto& [j, entry] : moved_by[at(W.velocity[k])])
        blocks.try_emplace(j, Mat<D>::Zero()).first->second += W.H[k] * W.Y[entry].transpose();
    }
    for (const auto& [j, block] : blocks) {
      delassus.column.push_back(j);
      delassus.block.push_back(block);
    }
    delassus.row_start.push_back(delassus.column.size());
  }
  return delassus;
}

template <int D>
FactoredProblem<D>::FactoredProblem(const ContactProblem<D>& problem)
    : problem_(problem), W_(std::get<FactoredOperator<D>>(problem.W)) {
  assert(problem.rows.empty());
  ErrorScale scale;
  for (std::size_t i = 0; i < size(); ++i) {
    r_.push_back(D / (2 * own_block(i).trace()));
    scale.add(problem.b[i]);
  }
  scale_ = scale.value(problem.velocity_floor);
}

template <int D>
void FactoredProblem<D>::Motion::start(const std::vector<Vec<D>>& p) {
  v_ = percussion_velocities<D>(problem_.W_, p);
}

template <int D>
Vec<D> FactoredProblem<D>::Motion::velocity(std::size_t i, const std::vector<Vec<D>>&) const {
  return problem_.problem_.b[i] + relative_velocity<D>(problem_.W_, i, v_);
}

template <int D>
void FactoredProblem<D>::Motion::add(std::size_t i, const Vec<D>& change) {
  const FactoredOperator<D>& W = problem_.W_;
  for (std::size_t k = W.start[i]; k < W.start[i + 1]; ++k)
    v_[at(W.velocity[k])] += W.Y[k].dot(change);
}

template <int D>
void FactoredProblem<D>::velocities(const std::vector<Vec<D>>& p, std::vector<Vec<D>>& u) const {
  const std::vector<double> v = percussion_velocities<D>(W_, p);
  u.resize(size());
  for (std::size_t i = 0; i < size(); ++i) u[i] = problem_.b[i] + relative_velocity<D>(W_, i, v);
}

template <int D>
double FactoredProblem<D>::error(const std::vector<Vec<D>>& p, const std::vector<Vec<D>>& u) const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const double e = problem_.law[i].residual(u[i], p[i], r_[i]);
    sum += e * e;
  }
  return std::sqrt(sum) / scale_;
}

#define TALUS_INSTANTIATE(D)                                                         \
  template std::vector<double> percussion_velocities<D>(const FactoredOperator<D>&,  \
                                                        const std::vector<Vec<D>>&); \
  template Vec<D> relative_velocity<D>(const FactoredOperator<D>&, std::size_t,      \
                                       const std::vector<double>&);                  \
  template Mat<D> diagonal_block<D>(const FactoredOperator<D>&, std::size_t);        \
  template DelassusOperator<D> assemble_delassus<D>(const FactoredOperator<D>&);     \
  template class FactoredProblem<D>;
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
