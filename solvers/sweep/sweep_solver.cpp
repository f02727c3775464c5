// SPDX-License-Identifier: Apache-2.0
#include "solvers/sweep/sweep_solver.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

constexpr int sweeps_between_rebuilds = 50;  // of v = M⁻¹H p
constexpr double drift_allowed = 1e-3;       // of v, against the tolerance
// Of the tolerance: the error is measured again from outside, without that drift.
constexpr double asked_for = 0.99;
constexpr int sweeps_between_checks = 20;  // of the true error, at most
// In a heap that flows momentum rests for long between two falls of the error.
constexpr double momentum_patience = 5;   // times the sweeps after which other methods have stalled
constexpr std::size_t task_packets = 64;  // islands are handed to threads in groups of this size

// Long columns and towers gain by a long Anderson window. Large problems have no memory to spare
// for any.
int default_window(std::size_t contacts) { return contacts < 20000 ? 8 : 0; }

// Islands of so many contacts are packings, where momentum arrives sooner.
constexpr std::size_t contacts_of_a_packing = 700;

constexpr Method packing_ladder[] = {Method::momentum, Method::anderson, Method::alternating};
constexpr Method large_ladder[] = {Method::momentum, Method::alternating};
constexpr Method small_ladder[] = {Method::anderson, Method::nncg, Method::alternating};

}  // namespace

template <int D>
void SweepSolver<D>::find_scales(const ContactProblem<D>& problem) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  const std::span<const OrderedPacket> packets = sweep_.order().packets();
  const std::span<const OrderedRow> rows = sweep_.order().rows();
  for (std::size_t k = 0; k < states_.size(); ++k) {
    const Island& island = sweep_.islands()[k];
    ErrorScale scale =
        parallel_total<ErrorScale>(island.packets.size(), [&](std::size_t first, std::size_t last) {
          ErrorScale part;
          for (std::size_t i = first; i < last; ++i)
            for (const int contact : packets[island.packets.first + i].contact)
              if (contact >= 0) part.add(problem.b[at(contact)]);
          return part;
        });
    for (std::size_t i = island.rows.first; i < island.rows.last; ++i) {
      const LinearRow<D>& row = problem.rows[at(rows[i].row)];
      scale.add(row, diagonal_block<D>(row, W.bodies));
    }
    states_[k].scale = scale.value(problem.velocity_floor);
  }
}

template <int D>
int SweepSolver<D>::window_for(std::size_t contacts) const {
  const Method method = sweep_options_.method;
  if (method == Method::momentum) return 0;
  if (sweep_options_.window > 0) return sweep_options_.window;
  const bool needed = method == Method::anderson || method == Method::nncg;
  const int least = needed ? 3 : 0;
  return std::max(default_window(contacts), least);
}

template <int D>
std::span<const Method> SweepSolver<D>::ladder_of(const Island& island) const {
  if (memory_.window() == 0) return large_ladder;
  const bool packing = island.contacts >= contacts_of_a_packing;
  return packing ? std::span<const Method>(packing_ladder) : small_ladder;
}

template <int D>
SolveReport SweepSolver<D>::solve_islands(const ContactProblem<D>& problem,
                                          const Islands<D>& islands, Percussions<D>& p) {
  SolveReport report;
  const std::size_t count = problem.size() + problem.rows.size();
  if (count == 0) {
    report.converged = true;
    return report;
  }
  const auto run = [&] {
    sweep_.load(problem, islands, p);
    memory_.resize(sweep_.percussion_count(), sweep_.velocity_count(), window_for(problem.size()));
    best_.resize(sweep_.percussion_count());
    states_.assign(sweep_.islands().size(), {});

    find_scales(problem);
    // Copies of hubs make W, and so the measure of the error, differ a little from the given one;
    // then what is asked of the islands follows from contact_error.
    const bool exact = sweep_.order().hubs().empty();
    double wanted = options_.tolerance * asked_for;
    for (int round = 0; round < 5; ++round) {
      sweep_islands(wanted);
      sweep_.store(p);
      into_cones<D>(problem, p);
      report.error = report.sweeps = 0;
      for (const IslandState& state : states_) {
        report.error = std::max(report.error, std::sqrt(state.squares) / state.scale);
        report.sweeps = std::max(report.sweeps, state.sweeps);
      }
      if (!exact) report.error = contact_error<D>(problem, islands, p).relative;
      report.converged = report.error <= options_.tolerance;
      if (report.converged || exact || report.sweeps >= options_.max_sweeps) break;
      wanted *= 0.5 * options_.tolerance / report.error;
    }
  };
  constexpr std::size_t worth_a_team = 4096;  // contacts
  if (count >= worth_a_team) {
    parallel_team(run);
  } else {
    run();
  }
  Method last = sweep_options_.method;
  if (last == Method::automatic) {
    std::size_t highest = 0;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (i > 0 && states_[i].rung <= highest) continue;
      highest = states_[i].rung;
      last = ladder_of(sweep_.islands()[i])[highest];
    }
  }
  report.method = name_of(last);
  return report;
}

template <int D>
void SweepSolver<D>::sweep_islands(double tolerance) {
  const std::span<const Island> islands = sweep_.islands();
  const auto wanted = [&](std::size_t island) {  // Σ e²
    const double error = tolerance * states_[island].scale;
    return error * error;
  };
  // Small islands side by side, in groups; then the large ones, each with all threads.
  tasks_.clear();
  std::size_t packets = 0;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (islands[i].blocks.size() > 1) continue;
    if (tasks_.empty() || packets >= task_packets || tasks_.back().last != i) {
      tasks_.push_back({i, i});
      packets = 0;
    }
    tasks_.back().last = i + 1;
    packets += islands[i].packets.size();
  }
  parallel_chunks(
      tasks_.size(),
      [&](std::size_t task, std::size_t, std::size_t) {
        for (std::size_t i = tasks_[task].first; i < tasks_[task].last; ++i) {
          sweep_island(i, wanted(i));
        }
      },
      1);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (islands[i].blocks.size() > 1) sweep_island(i, wanted(i));
  }
}

template <int D>
void SweepSolver<D>::sweep_island(std::size_t number, double squares_wanted) {
  IslandState& state = states_[number];
  sweep_.rebuild_velocities(number);
  if (sweep_.islands()[number].one_pass) {
    sweep_.sweep(number, Direction::forward);
    state.sweeps = 1;
    state.squares = sweep_.error(number).squares;
    return;
  }
  if (sweep_options_.method != Method::automatic) {
    run_rung(number, sweep_options_.method, squares_wanted);
    return;
  }
  const std::span<const Method> ladder = ladder_of(sweep_.islands()[number]);
  for (; !run_rung(number, ladder[state.rung], squares_wanted); ++state.rung) {
    if (state.sweeps >= options_.max_sweeps || state.rung + 1 == ladder.size()) return;
    sweep_.rebuild_velocities(number);
  }
}

template <int D>
void SweepSolver<D>::keep_best(Range percussions) {
  const double* const p = sweep_.percussions() + percussions.first;
  double* const best = best_.data() + percussions.first;
  parallel_stretches(percussions.size(), [&](std::size_t first, std::size_t last) {
    std::copy(p + first, p + last, best + first);
  });
}

// Sweeps until the error is small enough (true), or the method stalls or the budget is spent. The
// best percussions are left in the sweep.
template <int D>
bool SweepSolver<D>::run_rung(std::size_t number, Method method, double squares_wanted) {
  IslandState& state = states_[number];
  const Island& island = sweep_.islands()[number];
  const PercussionGroups groups = sweep_.percussion_groups(number);
  const Range range = groups.numbers();
  double* const p = sweep_.percussions();
  double* const v = sweep_.velocities();
  Accelerator accelerator(memory_, groups, sweep_.velocity_range(number),
                          island.blocks.size() == 1);
  accelerator.start(method, p, v);

  double& best = state.squares;  // Σ e² of the percussions in best_
  if (best <= squares_wanted) return true;
  bool best_is_held = false;
  double stall_level = best;  // best error when progress was last seen
  int stall_start = 0, last_check = 0, last_rebuild = 0;
  const double patience = sweep_options_.stall_share * options_.max_sweeps *
                          (method == Method::momentum ? momentum_patience : 1);
  double error_per_move = std::numeric_limits<double>::infinity();
  bool done = false;
  Push push;
  for (int k = 1; state.sweeps < options_.max_sweeps; ++k) {
    const bool backward = method == Method::alternating && k % 2 == 0;
    const double moved =
        sweep_.sweep(number, backward ? Direction::backward : Direction::forward, push);
    ++state.sweeps;
    const double move = accelerator.measure(moved, p, sweep_.weights());
    best_is_held = false;

    // How far a sweep moves foretells the error, and decides only when to look.
    const int quiet = 1 + (k - 1) / sweeps_between_checks;
    const bool promising = move * error_per_move <= std::sqrt(squares_wanted);
    const bool due = k == 1 || k - last_check >= sweeps_between_checks ||
                     (promising && k - last_check >= quiet) || state.sweeps == options_.max_sweeps;
    if (due) {
      last_check = k;
      const double squares = sweep_.error(number).squares;
      if (squares < best) {
        best = squares;
        best_is_held = true;
        done = best <= squares_wanted;
        keep_best(range);
      }
      if (done || state.sweeps == options_.max_sweeps) break;
      error_per_move = move > 0 ? std::sqrt(squares) / move : 0;
      const double progress = sweep_options_.stall_progress * sweep_options_.stall_progress;
      if (best <= progress * stall_level) {
        stall_level = best;
        stall_start = k;
      }
      if (k - stall_start >= patience) break;
    }
    push = accelerator.advance(p, v);
    const double drift = accelerator.drift() * std::numeric_limits<double>::epsilon();
    if (drift > drift_allowed * options_.tolerance || k - last_rebuild >= sweeps_between_rebuilds) {
      sweep_.push(number, std::exchange(push, {}));
      accelerator.before_rebuild(v);
      sweep_.rebuild_velocities(number);
      accelerator.after_rebuild(v);
      last_rebuild = k;
    }
  }
  if (!best_is_held && std::isfinite(best)) {
    std::copy(best_.data() + range.first, best_.data() + range.last, p + range.first);
  }
  return done;
}

template class SweepSolver<2>;
template class SweepSolver<3>;

}  // namespace talus
