// Nonsmooth Gauss–Seidel, plain: contact after contact in the order given, each solved exactly with
// the others held. Slow and simple, on either form of the problem: the oracle of the tests.
#pragma once

#include "solvers/solver.hpp"

namespace talus {

template <int D>
class Nsgs final : public Solver<D> {
 public:
  explicit Nsgs(SolveOptions options = {}) : options_(options) {}

  SolveReport solve(const ContactProblem<D>& problem, Percussions<D>& p) override;

 private:
  SolveOptions options_;
};

}  // namespace talus
