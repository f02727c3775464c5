// SPDX-License-Identifier: Apache-2.0
// One contact problem in FCLib form, solved and judged: what `talus solve` and talus.solve of the
// Python module share.
#pragma once

#include <limits>
#include <string>

#include "io/fclib/fclib.hpp"
#include "solvers/problem/method.hpp"
#include "solvers/problem/solver.hpp"

namespace talus {

// What a solver did, and how good its answer is.
struct SolvedProblem {
  int dimension = 3;
  std::size_t contacts = 0;
  SolveReport report = {};
  double seconds = std::numeric_limits<double>::infinity(), processor_seconds = seconds;
  double error = 0, worst = 0, siconos = 0;
  FclibSolution solution = {};
};

std::string method_list();  // "auto, nsgs, …"

// Both throw InputError: an unknown name, a method that the problem cannot be solved by.
Method method_named(const std::string& name);
void refuse_method(const FclibFile& file, Method method);

// The shortest time of so many repetitions is kept: it is the one least disturbed by others.
SolvedProblem solve_file(const FclibFile& file, Method method, const SolveOptions& options,
                         int repetitions = 1);

}  // namespace talus
