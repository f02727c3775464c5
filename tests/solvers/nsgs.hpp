// SPDX-License-Identifier: Apache-2.0
// Nonsmooth Gauss–Seidel, plain: contact after contact in the order given, each solved exactly with
// the others held. Slow and simple, on any form of the problem: the oracle of the tests.
#pragma once

#include "solvers/problem/factored.hpp"
#include "solvers/problem/solver.hpp"

namespace talus {

namespace oracle {

template <int D>
class RigidSweep {
 public:
  RigidSweep(const ContactProblem<D>& problem, const RigidOperator<D>& W, const Percussions<D>& p)
      : problem_(problem), W_(W), W_ii_(diagonal_blocks<D>(problem)), v_(W.bodies.size()) {
    for (const Mat<D>& block : W_ii_) local_.emplace_back(block);
    for (std::size_t i = 0; i < problem.size(); ++i) {
      apply_percussion<D>(W.contacts[i], p.contact[i], W.bodies, v_);
      if (!problem.has_moments()) continue;
      apply_moment<D>(W.contacts[i], p.moment[i], W.bodies, v_);
      const ContactRow<D>& row = W.contacts[i];
      wrench_block_.push_back(
          wrench_block<D>(row, row.frame, 1, W.bodies[index(row.a)], W.bodies[index(row.b)]));
    }
    for (std::size_t i = 0; i < problem.rows.size(); ++i) {
      apply_percussion<D>(problem.rows[i], p.row[i], W.bodies, v_);
      row_W_ii_.push_back(diagonal_block<D>(problem.rows[i], W.bodies));
    }
  }

  void operator()(Percussions<D>& p) {
    for (std::size_t i = 0; i < problem_.rows.size(); ++i) {
      const LinearRow<D>& row = problem_.rows[i];
      const double u = relative_velocity<D>(row, twist(row.a), twist(row.b)) + row.bias +
                       row.compliance * p.row[i];
      const double change = -u / row_W_ii_[i];
      p.row[i] += change;
      apply_percussion<D>(row, change, W_.bodies, v_);
    }
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      const ContactRow<D>& row = W_.contacts[i];
      const Vec<D> u = problem_.b[i] + relative_velocity<D>(row, twist(row.a), twist(row.b)) +
                       diagonal<D>(row.compliance).cwiseProduct(p.contact[i]);
      if (problem_.has_moments()) {
        visit_wrench(i, u, p);
        continue;
      }
      const Vec<D> next = problem_.law[i].solve(local_[i], u - W_ii_[i] * p.contact[i]);
      apply_percussion<D>(row, next - p.contact[i], W_.bodies, v_);
      p.contact[i] = next;
    }
  }

 private:
  static std::size_t index(int body) { return static_cast<std::size_t>(body); }
  const Twist<D>& twist(int body) const { return v_[index(body)]; }

  // With its moment, in metres.
  void visit_wrench(std::size_t i, const Vec<D>& u, Percussions<D>& p) {
    const ContactRow<D>& row = W_.contacts[i];
    const RollingTerm<D>& term = problem_.rolling[i];
    const Spin<D> omega = term.omega + relative_spin<D>(row, twist(row.a), twist(row.b));
    const Wrench<D> old = wrench_of<D>(p.contact[i], p.moment[i], 1);
    const Wrench<D> next =
        RollingCoulomb<D>(problem_.law[i].mu, term.friction, 1)
            .solve(wrench_block_[i], wrench_of<D>(u, omega, 1) - wrench_block_[i] * old);
    p.contact[i] = next.template head<D>();
    p.moment[i] = next.template tail<spin_dim<D>>();
    const Wrench<D> change = next - old;
    apply_percussion<D>(row, Vec<D>(change.template head<D>()), W_.bodies, v_);
    apply_moment<D>(row, Spin<D>(change.template tail<spin_dim<D>>()), W_.bodies, v_);
  }

  const ContactProblem<D>& problem_;
  const RigidOperator<D>& W_;
  std::vector<Mat<D>> W_ii_;
  std::vector<LocalBlock<D>> local_;
  std::vector<WrenchMat<D>> wrench_block_;
  std::vector<double> row_W_ii_;
  std::vector<Twist<D>> v_;  // M⁻¹H p
};

template <int D>
class DelassusSweep {
 public:
  DelassusSweep(const ContactProblem<D>& problem, const DelassusOperator<D>& W)
      : problem_(problem), W_(W), W_ii_(diagonal_blocks<D>(problem)) {
    // The local solve takes a symmetric block; q is formed with the same block, so that the fixed
    // point is that of the matrix given.
    for (Mat<D>& block : W_ii_) block = local_.emplace_back(block).matrix();
  }

  void operator()(Percussions<D>& p) {
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      Vec<D> u = problem_.b[i];
      for (std::size_t k = W_.row_start[i]; k < W_.row_start[i + 1]; ++k) {
        u += W_.block[k] * p.contact[static_cast<std::size_t>(W_.column[k])];
      }
      p.contact[i] = problem_.law[i].solve(local_[i], u - W_ii_[i] * p.contact[i]);
    }
  }

 private:
  const ContactProblem<D>& problem_;
  const DelassusOperator<D>& W_;
  std::vector<Mat<D>> W_ii_;
  std::vector<LocalBlock<D>> local_;
};

template <int D, class Sweep>
SolveReport sweep_until(const ContactProblem<D>& problem, const Islands<D>& islands, Sweep sweep,
                        const SolveOptions& options, Percussions<D>& p) {
  SolveReport report{.converged = false,
                     .sweeps = 0,
                     .error = contact_error<D>(problem, islands, p).relative,
                     .method = "nsgs"};
  constexpr int check_every = 10;
  while (!(report.error <= options.tolerance) && report.sweeps < options.max_sweeps) {
    sweep(p);
    ++report.sweeps;
    if (report.sweeps <= 3 || report.sweeps % check_every == 0 ||
        report.sweeps == options.max_sweeps) {
      into_cones<D>(problem, p);
      report.error = contact_error<D>(problem, islands, p).relative;
    }
  }
  report.converged = report.error <= options.tolerance;
  return report;
}

}  // namespace oracle

template <int D>
class Nsgs final : public Solver<D> {
 public:
  explicit Nsgs(SolveOptions options = {}) : options_(options) {}

 private:
  SolveReport solve_islands(const ContactProblem<D>& problem, const Islands<D>& islands,
                            Percussions<D>& p) override {
    using namespace oracle;
    if (const auto* rigid = std::get_if<RigidOperator<D>>(&problem.W))
      return sweep_until<D>(problem, islands, RigidSweep<D>(problem, *rigid, p), options_, p);
    if (const auto* factored = std::get_if<FactoredOperator<D>>(&problem.W)) {
      const DelassusOperator<D> W = assemble_delassus<D>(*factored);
      return sweep_until<D>(problem, islands, DelassusSweep<D>(problem, W), options_, p);
    }
    const auto& W = std::get<DelassusOperator<D>>(problem.W);
    return sweep_until<D>(problem, islands, DelassusSweep<D>(problem, W), options_, p);
  }

  SolveOptions options_;
};

}  // namespace talus
