// SPDX-License-Identifier: Apache-2.0
// Islands of a contact problem: sets of contacts and rows that share no moving body with the rest,
// so that each can be solved by itself. Found once for a problem, by disjoint sets (union-find).
#pragma once

#include <vector>

#include "solvers/math/disjoint_sets.hpp"
#include "solvers/problem/contact_problem.hpp"

namespace talus {

// Keeps its arrays, so that islands found again allocate nothing.
template <int D>
class Islands {
 public:
  Islands() = default;
  explicit Islands(const ContactProblem<D>& problem) { find(problem); }

  // Of a problem in any form. Islands are numbered in the order of their first contacts, then rows.
  void find(const ContactProblem<D>& problem);

  int count() const { return count_; }

  // The island of a contact or, behind the contacts, of a row; −1 for what moves nothing.
  int of(std::size_t unknown) const { return of_[unknown]; }

  // tr W_αα of a contact, W_ii of a row.
  double trace(std::size_t unknown) const { return traces_[unknown]; }

  // In the rigid form: the first body of each body's island.
  const std::vector<int>& root_of_body() const { return sets_.sets(); }

  // The unknowns of every island, ascending.
  std::vector<std::vector<int>> members() const;

 private:
  void find_traces(const ContactProblem<D>& problem);
  void join_coupled(const ContactProblem<D>& problem);

  DisjointSets sets_;
  std::vector<int> of_, number_;
  std::vector<double> traces_;
  int count_ = 0;
};

}  // namespace talus
