// SPDX-License-Identifier: Apache-2.0
// One island of a contact problem with its Delassus matrix in D×D blocks: what the solvers with a
// factorisation, and those for files, work on. An unknown is a contact or a linear row; a row uses
// the first component of its block and holds the others at zero.
#pragma once

#include <span>
#include <vector>

#include "solvers/problem/contact_problem.hpp"

namespace talus {

template <int D>
struct BlockProblem {
  static constexpr int width = D;

  DelassusOperator<D> W;              // blocks that are zero are left out
  std::vector<std::size_t> diagonal;  // where W_ii is among the blocks
  std::vector<Vec<D>> b;              // û at p = 0 [m/s]
  std::vector<Coulomb<D>> law;
  std::vector<char> bilateral;  // 1: a scalar row with the law of its bounds, û_N = 0 without any
  std::vector<RowBounds> bounds;  // of scalar rows
  std::vector<double> r;          // D / (2 tr W_ii) [kg], the weight of contact_error.hpp
  double scale = 1;               // errors are divided by it [m/s]
  std::vector<int> member;        // number of each unknown in the whole problem, rows last

  std::size_t size() const { return b.size(); }
  bool is_bilateral(std::size_t i) const { return bilateral[i] != 0; }
  const RowBounds& bounds_of(std::size_t i) const { return bounds[i]; }
  bool has_boxes() const;     // rows that are bounded
  bool has_cohesion() const;  // contacts whose cone is cut off
  const Coulomb<D>& law_of(std::size_t i) const { return law[i]; }
  double weight_of(std::size_t i) const { return r[i]; }
  const Mat<D>& own_block(std::size_t i) const { return W.block[diagonal[i]]; }

  // What a sweep reads: û of an unknown straight from the percussions.
  class Motion {
   public:
    explicit Motion(const BlockProblem& problem) : problem_(problem) {}
    void start(const std::vector<Vec<D>>&) {}
    Vec<D> velocity(std::size_t i, const std::vector<Vec<D>>& p) const {
      return problem_.velocity(i, p);
    }
    void add(std::size_t, const Vec<D>&) {}

   private:
    const BlockProblem& problem_;
  };

  Vec<D> velocity(std::size_t i, const std::vector<Vec<D>>& p) const;

  // û = W p + b
  void velocities(const std::vector<Vec<D>>& p, std::vector<Vec<D>>& u) const;

  // The error of contact_error.hpp, of percussions p with velocities u.
  double error(const std::vector<Vec<D>>& p, const std::vector<Vec<D>>& u) const;
};

template <int D>
inline Vec<D> BlockProblem<D>::velocity(std::size_t i, const std::vector<Vec<D>>& p) const {
  Vec<D> u = b[i];
  for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
    u.noalias() += W.block[k] * p[at(W.column[k])];
  return u;
}

// Islands of a problem in any form, given by their unknowns (Islands::members). Of a rigid problem
// W is assembled for these alone.
template <int D>
std::vector<BlockProblem<D>> island_problems(const ContactProblem<D>& problem,
                                             std::span<const std::vector<int>> members);

// The unknowns that `stays` marks, the others held at zero.
template <int D>
BlockProblem<D> restricted(const BlockProblem<D>& problem, const std::vector<char>& stays);

// All islands as one.
template <int D>
BlockProblem<D> unsplit(const ContactProblem<D>& problem);

}  // namespace talus
