// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/climb.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "solvers/climb/admm.hpp"
#include "solvers/climb/block_lu.hpp"
#include "solvers/climb/gauss_seidel.hpp"
#include "solvers/climb/interior_point.hpp"
#include "solvers/climb/proximal_newton.hpp"

namespace talus {

namespace {

constexpr std::size_t most_blocks = 20'000'000;  // of factors
constexpr int first_steps = 20;                  // sweeps before a method that needs a start
constexpr int admm_steps = 20;                   // of a trial
constexpr int newton_steps = 60;                 // of the first climb
constexpr int restart_steps = 100;               // of interior points
constexpr int polish_steps = 300;                // of Newton from their answer
constexpr int settle_steps = 1000;               // of each method in turn
constexpr int patient_steps = 2000;              // of ADMM at last
constexpr double absurd = 1e3;                   // error of a start that is worse than none
constexpr double proximity = 0.01;               // of Newton's proximal steps, at first
constexpr double near_proximity = 1e-3;          // from an answer that is nearly right
constexpr double loose_proximity = 0.1;          // of the proximal method by itself
constexpr double no_proximity = 1e-8;            // of Newton by itself

// Contacts of an island. In a run contacts are released only where that takes milliseconds; and an
// island begins again, from nothing and with all the time of a file, only where that takes a second
// at worst: fewer than one step in a thousand calls for it.
constexpr std::size_t most_to_release = 40;
constexpr std::size_t most_to_begin_again = 500;

// One island on its way up.
template <int D>
class Climb {
 public:
  Climb(const BlockProblem<D>& problem, const RungLimits& limits, const LadderLimits& ladder_limits,
        std::vector<Vec<D>> start)
      : problem_(problem), limits_(limits), ladder_limits_(ladder_limits) {
    std::vector<Vec<D>> u;
    problem.velocities(start, u);
    best_.offer(start, problem.error(start, u));
    if (best_.error <= absurd) return;
    std::fill(start.begin(), start.end(), Vec<D>::Zero());
    best_.offer(start, problem.error(start, problem.b));
    if (best_.p.empty()) best_.p = start;
  }

  void by(Method method) {
    switch (method) {
      case Method::automatic:
        automatic();
        break;
      case Method::proximal:
      case Method::newton:
        sweeps(Method::nsgs, first_steps);
        newton(method, left(), method == Method::newton ? no_proximity : loose_proximity);
        break;
      case Method::interior_point:
      case Method::de_saxce:
        // Contacts that neither press nor part jam the barrier near 1e-7: Newton ends what it
        // began.
        interior_point(method, left());
        newton(method, polish_steps, near_proximity);
        break;
      case Method::admm:
        admm(left());
        break;
      case Method::release:
        sweeps(Method::nsgs, first_steps);
        newton(method, polish_steps, proximity);
        release();
        break;
      default:
        sweeps(method, left());
        break;
    }
  }

  const Best<D>& best() const { return best_; }
  int iterations() const { return iterations_; }
  Method rung() const { return rung_; }
  bool done() const { return best_.error <= limits_.tolerance; }

 private:
  int left() const { return limits_.iterations - iterations_; }
  bool over() const { return done() || left() <= 0 || limits_.deadline.passed(); }
  RungLimits at_most(int iterations) const {
    RungLimits limits = limits_;
    limits.iterations = std::min(iterations, left());
    return limits;
  }

  // Runs a rung and says whether it helped, by a tenth at least.
  template <class Run>
  bool climb(Method rung, Run run) {
    if (over()) return false;
    const double before = best_.error;
    iterations_ += run();
    if (best_.error < before) rung_ = rung;
    return best_.error < 0.9 * before;
  }

  bool sweeps(Method method, int count) {
    return climb(method, [&] {
      std::vector<Vec<D>> p = best_.p;
      return GaussSeidel<D>(problem_, method).run(p, at_most(count), best_);
    });
  }

  // Whether factors of W fit. The order of elimination is worked out once for all rungs.
  bool factorable() {
    if (!factors_) {
      factors_ = std::make_shared<BlockLu<D>>();
      factorable_ = factors_->analyse(problem_.W, most_blocks, ladder_limits_.block_products);
    }
    return factorable_;
  }

  ProximalNewton<BlockProblem<D>>& newton_solver() {
    if (!newton_)
      newton_ = std::make_unique<ProximalNewton<BlockProblem<D>>>(problem_, problem_.W, *factors_);
    return *newton_;
  }

  bool newton(Method name, int steps, double epsilon) {
    if (over() || !factorable()) return false;
    return climb(name, [&] { return newton_solver().run(at_most(steps), epsilon, best_); });
  }

  // Interior points and ADMM know no boxes, and interior points no cone that is cut off.
  bool interior_point(Method method, int steps) {
    if (over() || problem_.has_boxes() || problem_.has_cohesion() || !factorable()) return false;
    InteriorPoint<D> solver(problem_, *factors_);
    return climb(method, [&] {
      return method == Method::de_saxce ? solver.run_fixed_point(at_most(steps), best_)
                                        : solver.run(at_most(steps), best_);
    });
  }

  bool admm(int steps) {
    if (over() || problem_.has_boxes() || !factorable()) return false;
    Admm<D> solver(problem_, *factors_);
    return climb(Method::admm, [&] { return solver.run(at_most(steps), best_); });
  }

  // Accelerated sweeps while they are the better bet: the other methods are reckoned at so many
  // steps of known cost, the sweeps by the rate at which their error falls. ADMM gets one trial, at
  // the cost of a factorisation, where most contacts stick: it arrives at once on towers.
  void first_sweeps() {
    constexpr double typical_newton_steps = 15;
    bool admm_tried = false;
    constexpr int piece = 10;
    const double n = static_cast<double>(problem_.size());
    const double sweep_cost = static_cast<double>(problem_.W.block.size()) + 8 * n;
    GaussSeidel<D> solver(problem_, Method::anderson);
    std::vector<Vec<D>> p = best_.p;
    int swept = 0;
    double rate = 1;  // of the error, per sweep
    while (!over()) {
      const double before = best_.error;
      climb(Method::anderson, [&] {
        const int done = solver.run(p, at_most(piece), best_);
        swept += done;
        return done;
      });
      if (over()) return;
      rate = 0.5 * rate + 0.5 * std::pow(best_.error / before, 1.0 / piece);
      if (!factorable()) {
        if (best_.error >= before && swept > 10 * sweep_patience) return;
        continue;
      }
      const double newton =
          typical_newton_steps * newton_solver().cost() / sweep_cost;  // in sweeps
      const double needed =
          rate < 1 ? std::log(limits_.tolerance / best_.error) / std::log(rate) : 1e300;
      if (!admm_tried && needed * sweep_cost > Admm<D>(problem_, *factors_).cost(admm_steps)) {
        admm_tried = true;
        try_admm();
        if (over()) return;
      }
      if (needed > newton || swept > 2 * newton) return;
    }
  }

  // ADMM arrives at once where most contacts stick.
  void try_admm() {
    constexpr double most = 0.6;
    if (sticking() > most) start_anew(Method::admm, [&](Climb& c) { c.admm(admm_steps); });
  }

  // The share of the closed contacts that stick.
  double sticking() const {
    std::size_t closed = 0, stick = 0;
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      if (problem_.bilateral[i] || !(best_.p[i][0] > 0)) continue;
      ++closed;
      const double bound = problem_.law[i].bound(best_.p[i][0]);
      stick += best_.p[i].template tail<D - 1>().norm() < 0.999 * bound;
    }
    return closed > 0 ? static_cast<double>(stick) / static_cast<double>(closed) : 0;
  }

  // From no percussions, whatever is the best so far: for methods that a half-solved problem
  // misleads.
  template <class Run>
  void start_anew(Method rung, Run run) {
    Climb anew(*this, Best<D>{.p = std::vector<Vec<D>>(problem_.size(), Vec<D>::Zero())});
    run(anew);
    iterations_ = anew.iterations_;
    if (best_.offer(anew.best_.p, anew.best_.error)) rung_ = rung;
  }

  // The interior point's answer is a better start than the best so far, even where its error is
  // larger: Newton goes on from it.
  void restart_inside() {
    start_anew(Method::interior_point, [](Climb& anew) {
      anew.interior_point(Method::interior_point, restart_steps);
      anew.newton(Method::interior_point, polish_steps, near_proximity);
    });
  }

  // Two points of one surface a hair apart, their normals all but parallel, can leave Newton where
  // one of them presses and parts while the other presses and closes, by as little as rounding of
  // the geometry: a way down leads only through percussions far away, from one point to the other.
  // So a contact that presses and parts is taken out, the rest is solved, and the answer is judged
  // with it.
  void release() {
    constexpr int most_tries = 12;
    std::vector<char> stays(problem_.size(), 1);
    for (bool helped = true; helped && !over();) {
      helped = false;
      int tries = 0;
      for (const std::size_t i : parting(stays)) {
        if (over() || tries++ == most_tries) break;
        stays[i] = 0;
        helped = climb(Method::release, [&] { return solve_those_that(stays); });
        if (helped) break;
        stays[i] = 1;
      }
    }
  }

  // Contacts that press although they part, the worst first.
  std::vector<std::size_t> parting(const std::vector<char>& stays) const {
    constexpr double share = 1e-3;  // of the worst
    std::vector<std::pair<double, std::size_t>> found;
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      if (stays[i] == 0 || problem_.bilateral[i] || !(best_.p[i][0] > 0)) continue;
      const Vec<D> u = problem_.velocity(i, best_.p);
      if (!(u[0] > 0)) continue;
      found.emplace_back(-problem_.law[i].residual(u, best_.p[i], problem_.r[i]), i);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::size_t> out;
    for (const auto& [residual, i] : found)
      if (residual <= share * found[0].first) out.push_back(i);
    return out;
  }

  int solve_those_that(const std::vector<char>& stays) {
    const BlockProblem<D> rest = restricted<D>(problem_, stays);
    std::vector<Vec<D>> p;
    for (std::size_t i = 0; i < problem_.size(); ++i)
      if (stays[i]) p.push_back(best_.p[i]);
    RungLimits limits = limits_;
    limits.iterations = left();
    Climb below(rest, limits, ladder_limits_, std::move(p));
    below.newton(Method::proximal, newton_steps, proximity);
    below.restart_inside();
    below.settle();
    std::vector<Vec<D>> whole(problem_.size(), Vec<D>::Zero()), u;
    for (std::size_t i = 0, k = 0; i < problem_.size(); ++i)
      if (stays[i]) whole[i] = below.best_.p[k++];
    problem_.velocities(whole, u);
    best_.offer(whole, problem_.error(whole, u));
    return below.iterations_;
  }

  Climb(const Climb& other, Best<D> best)
      : problem_(other.problem_),
        limits_(other.limits_),
        ladder_limits_(other.ladder_limits_),
        factors_(other.factors_),
        factorable_(other.factorable_),
        best_(std::move(best)),
        iterations_(other.iterations_) {}

  void automatic() {
    for (const Rung& rung : ladder) {
      if (over()) return;
      if ((this->*rung.takes)()) (this->*rung.run)();
    }
  }

  void settle() {
    for (bool helped = true; helped && !over();) {
      helped = newton(Method::proximal, settle_steps, proximity);
      helped = sweeps(Method::nncg, settle_steps) || helped;
      helped = sweeps(Method::alternating, settle_steps) || helped;
    }
  }

  // Of few contacts, whose factors cost nothing. ADMM needs no active set, and so it gets through
  // where Newton goes from one to the other.
  void patient_admm() {
    start_anew(Method::admm, [](Climb& c) { c.admm(patient_steps); });
  }

  void climb_newton() { newton(Method::proximal, newton_steps, proximity); }

  // All of it from no percussions, as for a file.
  void begin_again() {
    Climb again(problem_, limits_, LadderLimits{},
                std::vector<Vec<D>>(problem_.size(), Vec<D>::Zero()));
    again.automatic();
    iterations_ += again.iterations_;
    if (best_.offer(again.best_.p, again.best_.error)) rung_ = again.rung_;
  }

  // Which islands a rung takes.
  bool has_not_been_swept() { return !ladder_limits_.in_run; }
  bool sweeps_have_stalled() { return ladder_limits_.in_run && factorable(); }
  bool has_factors() { return factorable(); }
  bool may_take_time() { return !ladder_limits_.in_run || factorable(); }
  bool may_be_released() {
    return !ladder_limits_.in_run || (factorable() && problem_.size() <= most_to_release);
  }
  bool may_begin_again() { return ladder_limits_.in_run && problem_.size() <= most_to_begin_again; }

  // The ladder of `automatic`. A new method is a line here. Each goes on from the best so far,
  // unless it says that it starts anew.
  struct Rung {
    bool (Climb::*takes)();
    void (Climb::*run)();
  };
  static constexpr Rung ladder[] = {
      {&Climb::has_not_been_swept, &Climb::first_sweeps},  // as long as they are likely to arrive
      {&Climb::sweeps_have_stalled, &Climb::try_admm},     // anew, a short trial
      {&Climb::has_factors, &Climb::climb_newton},         // proximal semismooth Newton
      {&Climb::has_factors, &Climb::restart_inside},       // interior point anew, then Newton
      {&Climb::may_take_time, &Climb::settle},             // Newton and sweeps in turn
      {&Climb::may_be_released, &Climb::release},          // without contacts that press and part
      {&Climb::may_be_released, &Climb::patient_admm},     // anew, a long run
      {&Climb::may_begin_again, &Climb::begin_again},      // anew, all of the above
  };

  const BlockProblem<D>& problem_;
  RungLimits limits_;
  LadderLimits ladder_limits_;
  std::shared_ptr<BlockLu<D>> factors_;
  bool factorable_ = false;
  Best<D> best_;
  int iterations_ = 0;
  Method rung_ = Method::automatic;
  std::unique_ptr<ProximalNewton<BlockProblem<D>>> newton_;
};

}  // namespace

template <int D>
IslandReport solve_island(const BlockProblem<D>& island, Method method, const RungLimits& limits,
                          std::vector<Vec<D>>& p, const LadderLimits& ladder) {
  Climb<D> climb(island, limits, ladder, p);
  climb.by(method);
  p = climb.best().p;
  return {climb.iterations(), climb.rung(), climb.best().error, climb.done()};
}

template IslandReport solve_island<2>(const BlockProblem<2>&, Method, const RungLimits&,
                                      std::vector<Vec<2>>&, const LadderLimits&);
template IslandReport solve_island<3>(const BlockProblem<3>&, Method, const RungLimits&,
                                      std::vector<Vec<3>>&, const LadderLimits&);

}  // namespace talus
