// SPDX-License-Identifier: Apache-2.0
// Search for a second solution of a contact problem. With friction there may be percussions p and
// p' that both obey the law and yet give the bodies different velocities; which one a solver ends
// at then depends on where it starts, and at last on rounding.
//
// Asked by solving the problem again, by other methods and from other starts, far more exactly than
// a run does. Two answers whose velocities differ prove that there are several; that no other was
// found proves nothing.
#pragma once

#include "solvers/problem/solver.hpp"

namespace talus {

enum class Solutions {
  not_looked_at = 0,
  one_found = 1,  // the same velocities every time, or there is no friction
  several = 2,
  // Too many contacts, or contacts that pass moments, or no two answers were exact enough to
  // compare.
  undecided = 3,
};

struct SecondSolution {
  Solutions found = Solutions::undecided;
  double difference = 0;  // of û of both at the contact or row where it is largest [m/s, rad/s]
};

// p: the answer that the run goes on with.
template <int D>
SecondSolution look_for_second_solution(const ContactProblem<D>& problem, const Percussions<D>& p);

}  // namespace talus
