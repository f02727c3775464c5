// SPDX-License-Identifier: Apache-2.0
// One island on its way up a ladder of methods, until its tolerance is met. The ladder is the table
// of rungs in climb.cpp; the best percussions that any rung saw are the answer.
#pragma once

#include "solvers/climb/rung.hpp"
#include "solvers/problem/method.hpp"

namespace talus {

// How far an island climbs.
struct LadderLimits {
  double block_products = 3e8;  // of one factorisation: some seconds
  // In a run, whose sweeps have stalled on the island already: no rung takes long against a step.
  bool in_run = false;
};

struct IslandReport {
  int iterations = 0;
  Method rung = Method::automatic;  // that found the answer
  double error = 0;                 // BlockProblem::error
  bool done = false;
};

// One island by a method; p is the guess on entry and the answer on return.
template <int D>
IslandReport solve_island(const BlockProblem<D>& island, Method method, const RungLimits& limits,
                          std::vector<Vec<D>>& p, const LadderLimits& ladder = {});

}  // namespace talus
