// Which method, when. The problem is split into islands, each solved by itself, and `automatic`
// climbs from rung to rung on each until its tolerance is met:
//
//   1. Gauss–Seidel with Anderson's acceleration, as long as it is likely to arrive before Newton
//   2. ADMM from nothing, a short trial where most contacts stick
//   3. proximal semismooth Newton from the best
//   4. interior point from nothing, then Newton from its answer
//   5. Newton, conjugate and alternating sweeps in turn from the best, until none of them helps
//   6. the same without a contact that presses although it parts, one after the other
//
// The best percussions any rung saw are the answer, and the report names the rung they come from.
// Islands do not know of each other, so the answer is the same on any number of threads.
#pragma once

#include <span>
#include <string_view>

#include "solvers/rung.hpp"
#include "solvers/solver.hpp"

namespace talus {

enum class Method {
  automatic,
  nsgs,            // Gauss–Seidel, plain
  anderson,        // accelerated by Anderson's method
  nncg,            // accelerated by nonlinear conjugate gradients
  alternating,     // forward and backward sweeps in turn
  proximal,        // proximal point, each step by semismooth Newton
  newton,          // the same from next to no regularisation
  interior_point,  // De Saxcé's term inside the Newton system
  de_saxce,        // De Saxcé's fixed point around convex interior-point solves
  admm,
  release,  // Newton, without contacts that press although they part
};

struct MethodName {
  Method method;
  std::string_view name;  // as on the command line
};
std::span<const MethodName> method_names();

// How far `automatic` goes.
struct LadderLimits {
  double block_products = 3e8;  // of one factorisation: some seconds
  // Sweeps have stalled already: islands that are too large to factorise are left as they are.
  bool swept = false;
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

// Solves either form of the problem; a rigid one is assembled first.
// Of the tolerance, what is asked of the percussions of an island before they are put into their
// cones: that may add to their error.
constexpr double before_projection = 0.7;

template <int D>
class LadderSolver final : public Solver<D> {
 public:
  explicit LadderSolver(Method method = Method::automatic, SolveOptions options = {},
                        LadderLimits limits = {})
      : method_(method), options_(options), limits_(limits) {}

  SolveReport solve(const ContactProblem<D>& problem, Percussions<D>& p) override;

 private:
  Method method_;
  SolveOptions options_;
  LadderLimits limits_;
};

}  // namespace talus
