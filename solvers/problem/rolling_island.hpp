// SPDX-License-Identifier: Apache-2.0
// One island of a rigid problem whose contacts pass moments, as Gauss–Seidel by whole wrenches
// reads it: y = W x + b with the law (1) of rolling.hpp, from body velocities.
// Moments and spins are in units of moment_unit. Contacts come first, then scalar rows, which use
// the first component of their wrenches.
#pragma once

#include <vector>

#include "solvers/problem/contact_problem.hpp"
#include "solvers/problem/islands.hpp"
#include "solvers/problem/rolling_blocks.hpp"

namespace talus {

template <int D>
class RollingIsland {
 public:
  static constexpr int width = wrench_dim<D>;
  using Local = typename RollingBlocks<D>::Local;

  // Members as Islands::members has them.
  RollingIsland(const ContactProblem<D>& problem, const Islands<D>& islands,
                const std::vector<int>& members);

  std::size_t size() const { return member_.size(); }
  bool is_bilateral(std::size_t i) const { return i >= contacts_.size(); }
  const RowBounds& bounds_of(std::size_t i) const { return rows_[i - contacts_.size()].bounds; }
  const RollingCoulomb<D>& law_of(std::size_t i) const { return law_[i]; }
  double weight_of(std::size_t i) const { return r_[i]; }
  WrenchMat<D> own_block(std::size_t i) const;
  DelassusOperator<width> delassus() const;  // W, assembled for the methods that factorise it

  // v = M⁻¹H x, kept in step with x by a sweep.
  class Motion {
   public:
    explicit Motion(const RollingIsland& island) : island_(island) {}
    void start(const std::vector<Wrench<D>>& x);
    Wrench<D> velocity(std::size_t i, const std::vector<Wrench<D>>& x) const;
    void add(std::size_t i, const Wrench<D>& change);

   private:
    const RollingIsland& island_;
    std::vector<Twist<D>> v_;
  };
  Wrench<D> solve(std::size_t i, const Local& local, const Wrench<D>& q) const {
    return law_[i].solve(local.W, q);
  }

  void velocities(const std::vector<Wrench<D>>& x, std::vector<Wrench<D>>& y) const;

  // That of contact_error.hpp.
  double error(const std::vector<Wrench<D>>& x, const std::vector<Wrench<D>>& y) const;

  std::vector<Wrench<D>> wrenches(const Percussions<D>& p) const;
  void put_back(const std::vector<Wrench<D>>& x, Percussions<D>& p) const;

 private:
  // y of an unknown per twist of its second body, or of its first.
  using Jacobian = Matrix<width, D + spin_dim<D>>;
  Jacobian jacobian(std::size_t i, bool second) const;

  std::vector<std::size_t> member_;  // number of each unknown among contacts or rows
  std::vector<MassBlock<D>> mass_;   // the first does not move
  std::vector<ContactRow<D>> contacts_;
  std::vector<LinearRow<D>> rows_;
  std::vector<Wrench<D>> b_;
  std::vector<RollingCoulomb<D>> law_;
  std::vector<double> unit_;  // ℓ of contacts
  std::vector<double> r_;     // weight of contact_error.hpp
  double scale_ = 1;          // errors are divided by it [m/s]
};

}  // namespace talus
