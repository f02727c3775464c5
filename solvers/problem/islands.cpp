// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/islands.hpp"

#include "solvers/math/parallel.hpp"

namespace talus {

// Joins what a problem couples: bodies in the rigid form, velocities in the factored one, contacts
// in that of blocks.
template <int D>
void Islands<D>::join_coupled(const ContactProblem<D>& problem) {
  if (const auto* rigid = std::get_if<RigidOperator<D>>(&problem.W)) {
    sets_.reset(rigid->bodies.size());
    const auto tie = [&](const auto& row) {
      if (rigid->bodies[at(row.a)].moves() && rigid->bodies[at(row.b)].moves())
        sets_.join(row.a, row.b);
    };
    parallel_for(rigid->contacts.size(), [&](std::size_t i) { tie(rigid->contacts[i]); });
    for (const LinearRow<D>& row : problem.rows) tie(row);
  } else if (const auto* factored = std::get_if<FactoredOperator<D>>(&problem.W)) {
    sets_.reset(factored->velocities);
    for (std::size_t i = 0; i + 1 < factored->start.size(); ++i)
      for (std::size_t k = factored->start[i] + 1; k < factored->start[i + 1]; ++k)
        sets_.join(factored->velocity[k], factored->velocity[k - 1]);
  } else {
    const auto& W = std::get<DelassusOperator<D>>(problem.W);
    sets_.reset(problem.size());
    for (std::size_t i = 0; i < problem.size(); ++i)
      for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
        if (!W.block[k].isZero(0)) sets_.join(static_cast<int>(i), W.column[k]);
  }
  sets_.settle();
}

template <int D>
void Islands<D>::find_traces(const ContactProblem<D>& problem) {
  const std::size_t contacts = problem.size();
  traces_.resize(contacts + problem.rows.size());
  if (const auto* rigid = std::get_if<RigidOperator<D>>(&problem.W)) {
    parallel_for(contacts, [&](std::size_t i) {
      traces_[i] = diagonal_block<D>(rigid->contacts[i], rigid->bodies).trace();
    });
    for (std::size_t i = 0; i < problem.rows.size(); ++i)
      traces_[contacts + i] = diagonal_block<D>(problem.rows[i], rigid->bodies);
  } else {
    const std::vector<Mat<D>> blocks = diagonal_blocks<D>(problem);
    for (std::size_t i = 0; i < contacts; ++i) traces_[i] = blocks[i].trace();
  }
}

template <int D>
void Islands<D>::find(const ContactProblem<D>& problem) {
  find_traces(problem);
  join_coupled(problem);
  const std::vector<int>& sets = sets_.sets();
  const auto* const rigid = std::get_if<RigidOperator<D>>(&problem.W);
  const auto* const factored = std::get_if<FactoredOperator<D>>(&problem.W);
  const auto set_of = [&](const auto& row) {
    if (rigid->bodies[at(row.a)].moves()) return sets[at(row.a)];
    return rigid->bodies[at(row.b)].moves() ? sets[at(row.b)] : -1;
  };
  const auto set_of_contact = [&](std::size_t i) {
    if (rigid) return set_of(rigid->contacts[i]);
    if (!factored) return sets[i];
    return factored->start[i] < factored->start[i + 1]
               ? sets[at(factored->velocity[factored->start[i]])]
               : -1;
  };
  number_.assign(sets.size(), -1);
  count_ = 0;
  of_.clear();
  const auto add = [&](int set) {
    if (!(traces_[of_.size()] > 0)) set = -1;
    if (set >= 0 && number_[at(set)] < 0) number_[at(set)] = count_++;
    of_.push_back(set < 0 ? -1 : number_[at(set)]);
  };
  for (std::size_t i = 0; i < problem.size(); ++i) add(set_of_contact(i));
  for (const LinearRow<D>& row : problem.rows) add(set_of(row));
}

template <int D>
std::vector<std::vector<int>> Islands<D>::members() const {
  std::vector<std::vector<int>> members(at(count_));
  for (std::size_t i = 0; i < of_.size(); ++i)
    if (of_[i] >= 0) members[at(of_[i])].push_back(static_cast<int>(i));
  return members;
}

template class Islands<2>;
template class Islands<3>;

}  // namespace talus
