// SPDX-License-Identifier: Apache-2.0
// What the stages of one step hand on to each other, in the order in which they make it. Arrays are
// cleared and never freed, so that a warm step allocates nothing. Velocities are per body, with the
// world at rest as the last entry.
#pragma once

#include <vector>

#include "engine/detect/broadphase.hpp"
#include "engine/model/bond.hpp"
#include "engine/model/contact.hpp"
#include "engine/step/activation.hpp"
#include "engine/step/force.hpp"
#include "solvers/problem/contact_problem.hpp"
#include "solvers/problem/islands.hpp"

namespace talus {

template <int D>
struct StepData {
  std::vector<Impulse<D>> external;  // h F
  std::vector<Twist<D>> v_minus;     // v⁻
  std::vector<Twist<D>> v_free;      // v⁻ + M⁻¹ h F, from the assembly on with adhesion, bonds

  std::vector<Reach<D>> reach;       // of every body until the next q_m
  std::vector<Contact<D>> found;     // gaps within reach
  std::vector<BondAction<D>> bonds;  // what each bond does in the step
  std::vector<Part> parts;           // which part each of them takes in the step
  std::vector<int> active;           // those that do not stay out, as indices into `found`
  std::vector<Vec<D>> last;  // impulses of the last step at the active contacts, in their frames
  std::vector<Spin<D>> last_moment;  // moments alike, if contacts pass any
  std::vector<Vec<D>>
      pull;  // what adhesion and bonds give b at each of them; empty if nothing does
  std::vector<ActiveContact<D>> contacts;  // the active ones
  ContactProblem<D> problem;               // û = W p + b with its laws

  Islands<D> islands;  // of the problem

  CellStep<D> cell;
  ContactProblem<D> cell_problem;  // with L, where a stress is imposed (cell_motion.hpp)
  Islands<D> cell_islands;

  std::vector<Twist<D>> v_impact;       // v_free + what impacts before the contact problem add
  Percussions<D> percussions;           // p: the guess, then the solution
  std::vector<Twist<D>> v_plus;         // v⁺ = v_impact + M⁻¹ H p
  std::vector<double> row_percussions;  // of the linear rows, with those of impacts
};

}  // namespace talus
