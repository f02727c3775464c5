#include "solvers/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "solvers/admm.hpp"
#include "solvers/block_lu.hpp"
#include "solvers/factored.hpp"
#include "solvers/gauss_seidel.hpp"
#include "solvers/interior_point.hpp"
#include "solvers/parallel.hpp"
#include "solvers/proximal_newton.hpp"

namespace talus {

namespace {

constexpr MethodName names[] = {
    {Method::automatic, "auto"},          {Method::nsgs, "nsgs"},
    {Method::anderson, "anderson"},       {Method::nncg, "nncg"},
    {Method::alternating, "alternating"}, {Method::proximal, "proximal"},
    {Method::newton, "newton"},           {Method::interior_point, "interior-point"},
    {Method::de_saxce, "de-saxce"},       {Method::admm, "admm"},
    {Method::release, "release"},
};

constexpr std::string_view name_of(Method method) {
  for (const MethodName& entry : names)
    if (entry.method == method) return entry.name;
  return {};
}

SweepStyle style_of(Method method) {
  switch (method) {
    case Method::anderson:
      return SweepStyle::anderson;
    case Method::nncg:
      return SweepStyle::conjugate;
    case Method::alternating:
      return SweepStyle::alternating;
    default:
      return SweepStyle::plain;
  }
}

constexpr std::size_t most_blocks = 20'000'000;  // of factors
constexpr int admm_steps = 20;                   // of a trial
constexpr std::size_t small_island = 40;         // contacts, for which no rung is too dear in a run

// One island on its way up.
template <int D>
class Climb {
 public:
  Climb(const BlockProblem<D>& problem, const RungLimits& limits, const LadderLimits& ladder,
        std::vector<Vec<D>> start)
      : problem_(problem), limits_(limits), ladder_(ladder) {
    std::vector<Vec<D>> u;
    problem.velocities(start, u);
    best_.offer(start, problem.error(start, u));
    if (best_.p.empty()) best_.p.assign(problem.size(), Vec<D>::Zero());
  }

  void by(Method method) {
    switch (method) {
      case Method::automatic:
        automatic();
        break;
      case Method::proximal:
      case Method::newton:
        sweeps(Method::nsgs, 20);
        newton(method, left(), method == Method::newton ? 1e-8 : 0.1);
        break;
      case Method::interior_point:
      case Method::de_saxce:
        // Contacts that neither press nor part jam the barrier near 1e-7: Newton ends what it
        // began.
        interior_point(method, left());
        newton(method, 300, 1e-3);
        break;
      case Method::admm:
        admm(left());
        break;
      case Method::release:
        sweeps(Method::nsgs, 20);
        newton(method, 300, 0.01);
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
      return GaussSeidel<D>(problem_, style_of(method)).run(p, at_most(count), best_);
    });
  }

  // Whether factors of W fit. The order of elimination is worked out once for all rungs.
  bool factorable() {
    if (!factors_) {
      factors_ = std::make_shared<BlockLu<D>>();
      factorable_ = factors_->analyse(problem_.W, most_blocks, ladder_.block_products);
    }
    return factorable_;
  }

  ProximalNewton<D>& newton_solver() {
    if (!newton_) newton_ = std::make_unique<ProximalNewton<D>>(problem_, *factors_);
    return *newton_;
  }

  bool newton(Method name, int steps, double epsilon) {
    if (over() || !factorable()) return false;
    return climb(name, [&] { return newton_solver().run(at_most(steps), epsilon, best_); });
  }

  // Interior points and ADMM know cones only.
  bool interior_point(Method method, int steps) {
    if (over() || problem_.has_boxes() || !factorable()) return false;
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
    constexpr double newton_steps = 15;
    bool admm_tried = false;
    constexpr int piece = 10;
    const double n = static_cast<double>(problem_.size());
    const double sweep_cost = static_cast<double>(problem_.W.block.size()) + 8 * n;
    GaussSeidel<D> solver(problem_, SweepStyle::anderson);
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
      const double newton = newton_steps * newton_solver().cost() / sweep_cost;  // in sweeps
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
      const double bound = problem_.law[i].mu * best_.p[i][0];
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
      anew.interior_point(Method::interior_point, 100);
      anew.newton(Method::interior_point, 300, 1e-3);
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
    Climb below(rest, limits, ladder_, std::move(p));
    below.newton(Method::proximal, 60, 0.01);
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
        ladder_(other.ladder_),
        factors_(other.factors_),
        factorable_(other.factorable_),
        best_(std::move(best)),
        iterations_(other.iterations_) {}

  void automatic() {
    if (ladder_.swept) {
      if (!factorable()) return;
      try_admm();
    } else {
      first_sweeps();
    }
    newton(Method::proximal, 60, 0.01);
    if (over()) return;
    restart_inside();
    settle();
    // A run goes on rather than wait for so much, unless it is a matter of milliseconds.
    if (!ladder_.swept || problem_.size() <= small_island) release();
  }

  void settle() {
    for (bool helped = true; helped && !over();) {
      helped = newton(Method::proximal, 1000, 0.01);
      helped = sweeps(Method::nncg, 1000) || helped;
      helped = sweeps(Method::alternating, 1000) || helped;
    }
  }

  const BlockProblem<D>& problem_;
  RungLimits limits_;
  LadderLimits ladder_;
  std::shared_ptr<BlockLu<D>> factors_;
  bool factorable_ = false;
  Best<D> best_;
  int iterations_ = 0;
  Method rung_ = Method::automatic;
  std::unique_ptr<ProximalNewton<D>> newton_;
};

// Sweeps over all islands at once, from p.contact. The error of the whole says little of its worst
// island: where that one misses the tolerance the sweeps go on.
template <int D, class Problem>
SolveReport sweep_whole(const Problem& whole, const ContactProblem<D>& problem, Method method,
                        const SolveOptions& options, int most, Percussions<D>& p) {
  Best<D> best{.p = p.contact};
  std::vector<Vec<D>> u;
  whole.velocities(p.contact, u);
  best.offer(p.contact, whole.error(p.contact, u));
  SolveReport report;
  const bool automatic = method == Method::automatic;
  report.method = name_of(method);
  RungLimits limits{.tolerance = options.tolerance, .deadline = Deadline(options.time_limit)};
  GaussSeidel<D, Problem> sweeps(whole, automatic ? SweepStyle::anderson : style_of(method));
  while (true) {
    limits.iterations = std::min(most, options.max_sweeps) - report.sweeps;
    int done = 0;
    if (!(best.error <= limits.tolerance) && limits.iterations > 0) {
      done = sweeps.run(p.contact, limits, best);
      report.sweeps += done;
    }
    p.contact = best.p;
    into_cones<D>(problem, p);
    report.error = contact_error<D>(problem, p).relative;
    report.converged = report.error <= options.tolerance;
    if (report.converged || best.error > limits.tolerance) break;
    if (!(report.error > 0) || limits.iterations <= done) break;
    limits.tolerance = 0.5 * best.error * options.tolerance / report.error;
  }
  if (automatic && report.sweeps > 0) report.method += ": anderson";
  return report;
}

bool sweeps_only(Method method) {
  return method == Method::nsgs || method == Method::anderson || method == Method::nncg ||
         method == Method::alternating;
}

}  // namespace

std::span<const MethodName> method_names() { return names; }

template <int D>
IslandReport solve_island(const BlockProblem<D>& island, Method method, const RungLimits& limits,
                          std::vector<Vec<D>>& p, const LadderLimits& ladder) {
  Climb<D> climb(island, limits, ladder, p);
  climb.by(method);
  p = climb.best().p;
  return {climb.iterations(), climb.rung(), climb.best().error, climb.done()};
}

template <int D>
SolveReport LadderSolver<D>::solve(const ContactProblem<D>& problem, Percussions<D>& p) {
  // Easy problems end here: without W where it can be avoided, and without islands.
  constexpr int sweeps_without_W = 100, sweeps_without_islands = 20;
  const bool automatic = method_ == Method::automatic;
  SolveReport first;
  if (std::holds_alternative<FactoredOperator<D>>(problem.W) &&
      (automatic || sweeps_only(method_))) {
    first = sweep_whole<D>(FactoredProblem<D>(problem), problem, method_, options_,
                           automatic ? sweeps_without_W : options_.max_sweeps, p);
    first.method += " without W";
    if (first.converged || !automatic) return first;
  } else if (automatic && std::holds_alternative<DelassusOperator<D>>(problem.W)) {
    first =
        sweep_whole<D>(unsplit<D>(problem), problem, method_, options_, sweeps_without_islands, p);
    if (first.converged) return first;
  }
  const std::vector<BlockProblem<D>> islands = split_islands<D>(problem);
  const RungLimits limits{.tolerance = before_projection * options_.tolerance,
                          .iterations = options_.max_sweeps,
                          .deadline = Deadline(options_.time_limit)};
  std::vector<IslandReport> outcomes(islands.size());
  // Small ones first: an island that takes all the time there is must not keep the others waiting.
  std::vector<std::size_t> order(islands.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return islands[i].size() < islands[j].size();
  });
  parallel_chunks(
      islands.size(),
      [&](std::size_t k, std::size_t, std::size_t) {
        const BlockProblem<D>& island = islands[order[k]];
        std::vector<Vec<D>> start(island.size(), Vec<D>::Zero());
        for (std::size_t i = 0; i < island.size(); ++i) {
          const std::size_t whole = static_cast<std::size_t>(island.member[i]);
          if (island.bilateral[i]) {
            start[i][0] = p.row[whole - problem.size()];
          } else {
            start[i] = p.contact[whole];
          }
        }
        outcomes[order[k]] = solve_island<D>(island, method_, limits, start, limits_);
        for (std::size_t i = 0; i < island.size(); ++i) {
          const std::size_t whole = static_cast<std::size_t>(island.member[i]);
          if (island.bilateral[i]) {
            p.row[whole - problem.size()] = start[i][0];
          } else {
            p.contact[whole] = start[i];
          }
        }
      },
      1);

  into_cones<D>(problem, p);
  SolveReport report;
  report.error = contact_error<D>(problem, p).relative;
  report.converged = report.error <= options_.tolerance;
  report.method = name_of(method_);
  Method highest = Method::automatic;
  std::size_t open = 0;
  for (const IslandReport& outcome : outcomes) {
    report.sweeps = std::max(report.sweeps, first.sweeps + outcome.iterations);
    highest = std::max(highest, outcome.rung);
    open += !outcome.done;
  }
  if (method_ == Method::automatic && highest != Method::automatic)
    report.method += std::string(": ") += name_of(highest);
  if (!report.converged && islands.size() > 1)
    report.method +=
        ", " + std::to_string(open) + " of " + std::to_string(islands.size()) + " islands left";
  return report;
}

template IslandReport solve_island<2>(const BlockProblem<2>&, Method, const RungLimits&,
                                      std::vector<Vec<2>>&, const LadderLimits&);
template IslandReport solve_island<3>(const BlockProblem<3>&, Method, const RungLimits&,
                                      std::vector<Vec<3>>&, const LadderLimits&);
template class LadderSolver<2>;
template class LadderSolver<3>;

}  // namespace talus
