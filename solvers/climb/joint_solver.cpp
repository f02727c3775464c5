// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/joint_solver.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "solvers/climb/climb_all.hpp"

namespace talus {

namespace {

// Components of an island's reduced problem above which its rows stay unknowns.
constexpr int most_dense = 600;

// A contact that joints hold in every direction has W_eff = 0; this part of its own W keeps its
// block regular.
constexpr double softness = 1e-11;

// Contacts and bounded rows of an island from which on sweeps are tried first.
constexpr std::size_t fewest_to_sweep = 16;

constexpr int most_friction_rounds = 100;
constexpr double settled_bound = 1e-9;  // change in a round, of the bound
constexpr double polished = 1e-12;

template <int D>
const RigidOperator<D>& rigid(const ContactProblem<D>& problem) {
  return std::get<RigidOperator<D>>(problem.W);
}

}  // namespace

template <int D>
bool has_joints(const ContactProblem<D>& problem) {
  return std::any_of(problem.rows.begin(), problem.rows.end(), [](const LinearRow<D>& row) {
    return row.compliance == 0 || !row.is_bilateral();
  });
}

template <int D>
void JointSolver<D>::sort_unknowns(const ContactProblem<D>& problem, const Islands<D>& islands) {
  const std::size_t contacts = problem.size();
  std::vector<char> has_rows(at(islands.count()), 0);
  for (std::size_t i = 0; i < problem.rows.size(); ++i)
    if (const int island = islands.of(contacts + i); island >= 0) has_rows[at(island)] = 1;
  islands_.clear();
  loose_contacts_.clear();
  std::vector<int> place(at(islands.count()), -1);  // of an island in islands_
  const auto add = [&](int island, Unknown unknown) {
    if (island < 0 || place[at(island)] < 0) {  // a row that moves nothing is by itself
      if (island >= 0) place[at(island)] = static_cast<int>(islands_.size());
      islands_.emplace_back().number = island;
    }
    (island < 0 ? islands_.back() : islands_[at(place[at(island)])]).unknowns.push_back(unknown);
  };
  for (std::size_t i = 0; i < contacts; ++i) {
    const int island = islands.of(i);
    if (island >= 0 && has_rows[at(island)]) {
      add(island, {false, static_cast<int>(i)});
    } else {
      loose_contacts_.push_back(static_cast<int>(i));
    }
  }
  bilateral_rows_.clear();
  bilateral_index_.clear();
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    if (problem.rows[i].is_bilateral()) {
      bilateral_rows_.push_back(problem.rows[i]);
      bilateral_index_.push_back(static_cast<int>(i));
    } else {
      add(islands.of(contacts + i), {true, static_cast<int>(i)});
    }
  }
  const auto scale_of = [&](std::size_t unknown) -> ErrorScale* {
    const int island = islands.of(unknown);
    return island >= 0 && place[at(island)] >= 0 ? &islands_[at(place[at(island)])].scale : nullptr;
  };
  for (std::size_t i = 0; i < contacts; ++i)
    if (ErrorScale* scale = scale_of(i)) scale->add(problem.b[i]);
  for (std::size_t i = 0; i < problem.rows.size(); ++i)
    if (ErrorScale* scale = scale_of(contacts + i))
      scale->add(problem.rows[i], islands.trace(contacts + i));
}

// Elimination costs a solution per unknown, sweeps go on until they arrive: they win where an
// island has many contacts. Friction in joints has bounds that sweeps do not know.
template <int D>
bool JointSolver<D>::worth_sweeping(const ContactProblem<D>& problem) const {
  if (!sweeps_) return false;
  for (const LinearRow<D>& row : problem.rows)
    if (row.has_friction()) return false;
  return std::any_of(islands_.begin(), islands_.end(), [](const TiedIsland& island) {
    return island.unknowns.size() >= fewest_to_sweep;
  });
}

// Everything at once; islands_ then holds those that are left open.
template <int D>
void JointSolver<D>::sweep(const ContactProblem<D>& problem, const Islands<D>& islands,
                           Percussions<D>& p, SolveReport& report) {
  solve_bilateral(problem, p);  // for the guess of the contacts
  report.sweeps = sweeps_->solve(problem, islands, p).sweeps;
  solve_bilateral(problem, p);
  report.error = measure_(problem, islands, p, velocities<D>(problem, p)).relative;
  report.converged = report.error <= options_.tolerance;
  std::erase_if(islands_, [&](const TiedIsland& island) {
    return island.number >= 0 && measure_.of_island(island.number) <= options_.tolerance;
  });
}

template <int D>
int JointSolver<D>::solve_loose(const ContactProblem<D>& problem, Percussions<D>& p) {
  if (loose_contacts_.empty()) return 0;
  const RigidOperator<D>& W = rigid(problem);
  RigidOperator<D> W_loose;
  W_loose.bodies = W.bodies;
  W_loose.body_order = W.body_order;
  ContactProblem<D> part;
  part.velocity_floor = problem.velocity_floor;
  Percussions<D> p_loose;
  for (const int i : loose_contacts_) {
    W_loose.contacts.push_back(W.contacts[at(i)]);
    part.b.push_back(problem.b[at(i)]);
    part.law.push_back(problem.law[at(i)]);
    p_loose.contact.push_back(p.contact[at(i)]);
    if (!problem.has_moments()) continue;
    part.rolling.push_back(problem.rolling[at(i)]);
    p_loose.moment.push_back(p.moment[at(i)]);
  }
  part.W = std::move(W_loose);
  const SolveReport report = loose_->solve(part, p_loose);
  for (std::size_t k = 0; k < loose_contacts_.size(); ++k) {
    p.contact[at(loose_contacts_[k])] = p_loose.contact[k];
    if (problem.has_moments()) p.moment[at(loose_contacts_[k])] = p_loose.moment[k];
  }
  return report.sweeps;
}

template <int D>
Eigen::VectorXd JointSolver<D>::bilateral_velocities(std::span<const Twist<D>> v) const {
  Eigen::VectorXd u(bilateral_rows_.size());
  for (std::size_t i = 0; i < bilateral_rows_.size(); ++i) {
    const LinearRow<D>& row = bilateral_rows_[i];
    u[static_cast<Eigen::Index>(i)] = relative_velocity<D>(row, v[at(row.a)], v[at(row.b)]);
  }
  return u;
}

template <int D>
Vec<D> JointSolver<D>::velocity_of(const ContactProblem<D>& problem, const Unknown& unknown,
                                   std::span<const Twist<D>> v) const {
  if (!unknown.is_row) {
    const ContactRow<D>& row = rigid(problem).contacts[at(unknown.index)];
    return relative_velocity<D>(row, v[at(row.a)], v[at(row.b)]);
  }
  const LinearRow<D>& row = problem.rows[at(unknown.index)];
  Vec<D> u = Vec<D>::Zero();
  u[0] = relative_velocity<D>(row, v[at(row.a)], v[at(row.b)]);
  return u;
}

template <int D>
std::vector<Twist<D>> JointSolver<D>::response(const ContactProblem<D>& problem,
                                               const Unknown& unknown, int k) {
  const RigidOperator<D>& W = rigid(problem);
  std::vector<Twist<D>> v(W.bodies.size());
  if (unknown.is_row) {
    apply_percussion<D>(problem.rows[at(unknown.index)], 1, W.bodies, v);
  } else {
    apply_percussion<D>(W.contacts[at(unknown.index)], Vec<D>::Unit(k), W.bodies, v);
  }
  const Eigen::VectorXd lambda = bilateral_.solve(-bilateral_velocities(v));
  for (std::size_t i = 0; i < bilateral_rows_.size(); ++i)
    apply_percussion<D>(bilateral_rows_[i], lambda[static_cast<Eigen::Index>(i)], W.bodies, v);
  return v;
}

template <int D>
void JointSolver<D>::reduce(const ContactProblem<D>& problem, TiedIsland& island) {
  const RigidOperator<D>& W = rigid(problem);
  const std::size_t n = island.unknowns.size();
  BlockProblem<D>& reduced = island.problem;
  reduced = {};
  reduced.W.block.assign(n * n, Mat<D>::Zero());
  for (std::size_t j = 0; j < n; ++j) {
    const int components = island.unknowns[j].is_row ? 1 : D;
    for (int k = 0; k < components; ++k) {
      const std::vector<Twist<D>> v = response(problem, island.unknowns[j], k);
      for (std::size_t i = 0; i < n; ++i)
        reduced.W.block[i * n + j].col(k) = velocity_of(problem, island.unknowns[i], v);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Unknown& unknown = island.unknowns[i];
    for (std::size_t j = 0; j < n; ++j) reduced.W.column.push_back(static_cast<int>(j));
    reduced.W.row_start.push_back(reduced.W.column.size());
    reduced.diagonal.push_back(i * n + i);
    Mat<D>& own = reduced.W.block[i * n + i];
    Vec<D> b = velocity_of(problem, unknown, v_bilateral_);
    // The error's weight is that of the whole problem: by W_eff, which joints may bring down to
    // nothing, a percussion far from its bound would count as right.
    if (unknown.is_row) {
      const LinearRow<D>& row = problem.rows[at(unknown.index)];
      const double W_ii = diagonal_block<D>(row, W.bodies);
      reduced.r.push_back(1 / (2 * W_ii));
      own(0, 0) += row.compliance + softness * W_ii;
      for (int k = 1; k < D; ++k) own(k, k) = own(0, 0);
      b[0] += row.bias;
      // A unilateral row is a frictionless contact that moves along its normal only.
      const bool unilateral = row.is_unilateral();
      reduced.law.push_back({0});
      reduced.bilateral.push_back(!unilateral);
      reduced.bounds.push_back(unilateral ? RowBounds{} : row.bounds);
    } else {
      const ContactRow<D>& row = W.contacts[at(unknown.index)];
      const double trace = diagonal_block<D>(row, W.bodies).trace();
      reduced.r.push_back(D / (2 * trace));
      own += softness * trace * Mat<D>::Identity();
      own.diagonal() += diagonal<D>(row.compliance);
      b += problem.b[at(unknown.index)];
      reduced.law.push_back(problem.law[at(unknown.index)]);
      reduced.bilateral.push_back(0);
      reduced.bounds.push_back({});
    }
    reduced.b.push_back(b);
    reduced.member.push_back(static_cast<int>(i));
  }
  reduced.scale = island.scale.value(problem.velocity_floor);
}

template <int D>
int JointSolver<D>::solve_reduced(const ContactProblem<D>& problem, Percussions<D>& p) {
  int sweeps = 0;
  for (TiedIsland& island : islands_) {
    std::vector<Vec<D>> x(island.unknowns.size(), Vec<D>::Zero());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Unknown& unknown = island.unknowns[i];
      if (!unknown.is_row) {
        x[i] = p.contact[at(unknown.index)];
        continue;
      }
      const LinearRow<D>& row = problem.rows[at(unknown.index)];
      const RowBounds bounds = row_bounds<D>(row, p.row);
      x[i][0] = std::clamp(p.row[at(unknown.index)], bounds.lower, bounds.upper);
      if (!row.has_friction()) continue;
      // Friction that was on its bound goes with it: where it can move nothing, the solver would
      // take the place where it was for right.
      RowBounds& used = island.problem.bounds[i];
      if (p.row[at(unknown.index)] >= used.upper) x[i][0] = bounds.upper;
      if (p.row[at(unknown.index)] <= used.lower) x[i][0] = bounds.lower;
      used = bounds;
    }
    const RungLimits limits{.tolerance = before_projection * options_.tolerance,
                            .iterations = options_.max_sweeps,
                            .deadline = Deadline(options_.time_limit)};
    const IslandReport report = solve_island<D>(island.problem, Method::automatic, limits, x);
    sweeps = std::max(sweeps, report.iterations);
    // Small problems are worth a few Newton steps more than the tolerance asks for.
    solve_island<D>(island.problem, Method::newton, {.tolerance = polished, .iterations = 40}, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Unknown& unknown = island.unknowns[i];
      if (unknown.is_row) {
        p.row[at(unknown.index)] = x[i][0];
      } else {
        p.contact[at(unknown.index)] = x[i];
      }
    }
  }
  return sweeps;
}

// With the rows among the unknowns; friction in joints has the bounds of the percussions given.
template <int D>
int JointSolver<D>::solve_whole(const ContactProblem<D>& problem, const Islands<D>& islands,
                                bool swept, Percussions<D>& p) {
  ContactProblem<D> bounded = problem;
  for (LinearRow<D>& row : bounded.rows) {
    row.bounds = row_bounds<D>(row, p.row);
    row.normals = 0;
  }
  std::vector<std::vector<int>> members = islands.members(), open;
  for (const TiedIsland& island : islands_)
    if (island.number >= 0) open.push_back(std::move(members[at(island.number)]));
  // What was swept already has a ladder of its own, of rungs that are cheap against a step.
  int iterations = 0;
  if (swept) {
    iterations = climb_all<D>(bounded, islands, open, Method::automatic, options_, within_a_step, p)
                     .iterations;
    Percussions<D> done = p;
    into_cones<D>(problem, done);
    solve_bilateral(problem, done);
    if (contact_error<D>(bounded, islands, done).relative <= options_.tolerance) return iterations;
  }
  return iterations +
         climb_all<D>(bounded, islands, open, Method::automatic, options_, LadderLimits{}, p)
             .iterations;
}

// λ of the bilateral rows, everything else given.
template <int D>
void JointSolver<D>::solve_bilateral(const ContactProblem<D>& problem, Percussions<D>& p) {
  const RigidOperator<D>& W = rigid(problem);
  std::vector<Twist<D>> v(W.bodies.size());
  for (std::size_t i = 0; i < W.contacts.size(); ++i)
    apply_percussion<D>(W.contacts[i], p.contact[i], W.bodies, v);
  for (std::size_t i = 0; i < problem.rolling.size(); ++i)
    apply_moment<D>(W.contacts[i], p.moment[i], W.bodies, v);
  for (std::size_t i = 0; i < problem.rows.size(); ++i)
    if (!problem.rows[i].is_bilateral())
      apply_percussion<D>(problem.rows[i], p.row[i], W.bodies, v);
  Eigen::VectorXd r = -bilateral_velocities(v);
  for (std::size_t i = 0; i < bilateral_rows_.size(); ++i)
    r[static_cast<Eigen::Index>(i)] -= bilateral_rows_[i].bias;
  const Eigen::VectorXd lambda = bilateral_.solve(r);
  for (std::size_t i = 0; i < bilateral_rows_.size(); ++i)
    p.row[at(bilateral_index_[i])] = lambda[static_cast<Eigen::Index>(i)];
}

template <int D>
SolveReport JointSolver<D>::solve_islands(const ContactProblem<D>& problem,
                                          const Islands<D>& islands, Percussions<D>& p) {
  assert(std::holds_alternative<RigidOperator<D>>(problem.W) && "joints have bodies");
  sort_unknowns(problem, islands);
  bilateral_.factorise(bilateral_rows_, rigid(problem).bodies);

  SolveReport report;
  report.method = "joints";
  const bool swept = worth_sweeping(problem);
  if (swept) {
    sweep(problem, islands, p, report);
    if (report.converged) return report;
  }
  report.sweeps += solve_loose(problem, p);

  // The bilateral rows alone: what all others meet, and the first guess of what presses.
  Percussions<D> alone = p;
  for (Vec<D>& contact : alone.contact) contact.setZero();
  for (Spin<D>& moment : alone.moment) moment.setZero();
  for (std::size_t i = 0; i < problem.rows.size(); ++i)
    if (!problem.rows[i].is_bilateral()) alone.row[i] = 0;
  solve_bilateral(problem, alone);
  v_bilateral_.assign(rigid(problem).bodies.size(), {});
  for (const int i : bilateral_index_) {
    apply_percussion<D>(problem.rows[at(i)], alone.row[at(i)], rigid(problem).bodies, v_bilateral_);
    p.row[at(i)] = alone.row[at(i)];
  }

  if (swept) solve_bilateral(problem, p);

  bool whole = false, friction = false;
  for (const TiedIsland& island : islands_) {
    int components = 0;
    for (const Unknown& unknown : island.unknowns) {
      components += unknown.is_row ? 1 : D;
      friction = friction || (unknown.is_row && problem.rows[at(unknown.index)].has_friction());
    }
    whole = whole || components > most_dense;
  }
  // Moments are known to sweeps only, which have the rows among their unknowns.
  if (problem.has_moments() && loose_contacts_.size() < problem.size()) whole = true;
  if (!whole)
    for (TiedIsland& island : islands_) reduce(problem, island);

  const auto friction_bounds = [&] {
    std::vector<double> bounds;
    for (const LinearRow<D>& row : problem.rows)
      if (row.has_friction()) bounds.push_back(row_bounds<D>(row, p.row).upper);
    return bounds;
  };
  const int rounds = friction ? most_friction_rounds : 1;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<double> used = friction_bounds();
    if (!islands_.empty())
      report.sweeps += whole ? solve_whole(problem, islands, swept, p) : solve_reduced(problem, p);
    into_cones<D>(problem, p);
    solve_bilateral(problem, p);
    const double last = report.error;
    report.error = contact_error<D>(problem, islands, p).relative;
    const double wanted = friction ? std::min(options_.tolerance, 1e-9) : options_.tolerance;
    // Friction that can move nothing, behind a driven crank, is in no velocity: its bound must
    // settle as well, to a part of itself or to rounding.
    const std::vector<double> found = friction_bounds();
    const double largest = found.empty() ? 0 : *std::max_element(found.begin(), found.end());
    const bool settled =
        std::equal(used.begin(), used.end(), found.begin(), [&](double before, double after) {
          const double change = std::abs(after - before);
          return change <= settled_bound * after || change <= 1e-14 * largest;
        });
    if (!settled) continue;
    if (report.error <= wanted) break;
    if (round > 10 && report.error <= options_.tolerance && report.error > 0.9 * last) break;
  }
  report.converged = report.error <= options_.tolerance;
  return report;
}

template bool has_joints<2>(const ContactProblem<2>&);
template bool has_joints<3>(const ContactProblem<3>&);
template class JointSolver<2>;
template class JointSolver<3>;

}  // namespace talus
