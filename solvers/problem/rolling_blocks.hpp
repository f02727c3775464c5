// SPDX-License-Identifier: Apache-2.0
// A contact problem with rolling friction that is given by its matrix, as files are: blocks of
// wrenches y = W x + b with the law (1) of rolling.hpp. Moments and spins are in units of a length
// of each contact, in which both kinds of diagonal entries of W have the same mean.
#pragma once

#include <vector>

#include "solvers/problem/condense.hpp"
#include "solvers/problem/contact_problem.hpp"
#include "solvers/problem/rolling.hpp"

namespace talus {

template <int D>
class RollingBlocks {
 public:
  static constexpr int width = wrench_dim<D>;

  // W and b by contacts of `width` components, moments in given units; what a file does not have
  // (spin about the normal) is zero. Throws std::domain_error where nothing moves along a normal.
  RollingBlocks(const SparseMatrix& W, const Eigen::VectorXd& b, const std::vector<double>& mu,
                const std::vector<double>& rolling);

  std::size_t size() const { return b_.size(); }
  bool is_bilateral(std::size_t) const { return false; }
  RowBounds bounds_of(std::size_t) const { return {}; }
  const RollingCoulomb<D>& law_of(std::size_t i) const { return law_[i]; }
  double weight_of(std::size_t i) const { return r_[i]; }
  const DelassusOperator<width>& delassus() const { return W_; }
  const WrenchMat<D>& own_block(std::size_t i) const { return W_.block[diagonal_[i]]; }

  // What GaussSeidel reads.
  class Motion {
   public:
    explicit Motion(const RollingBlocks& problem) : problem_(problem) {}
    void start(const std::vector<Wrench<D>>&) {}
    Wrench<D> velocity(std::size_t i, const std::vector<Wrench<D>>& x) const {
      return problem_.velocity(i, x);
    }
    void add(std::size_t, const Wrench<D>&) {}

   private:
    const RollingBlocks& problem_;
  };
  struct Local {
    explicit Local(const WrenchMat<D>& block)
        : W(0.5 * (block + block.transpose())), W_N(W(0, 0)) {}
    const WrenchMat<D>& matrix() const { return W; }
    WrenchMat<D> W;
    double W_N;
  };
  Wrench<D> solve(std::size_t i, const Local& local, const Wrench<D>& q) const {
    return law_[i].solve(local.W, q);
  }

  Wrench<D> velocity(std::size_t i, const std::vector<Wrench<D>>& x) const;
  void velocities(const std::vector<Wrench<D>>& x, std::vector<Wrench<D>>& y) const;

  // √Σ e_α² / ‖b‖ with e_α and r_α of contact_error.hpp; of the worst contact, against ‖b‖/√n; and
  // Siconos' form, r = 1 in given units.
  double error(const std::vector<Wrench<D>>& x, const std::vector<Wrench<D>>& y) const;
  double worst_error(const std::vector<Wrench<D>>& x, const std::vector<Wrench<D>>& y) const;
  double siconos_error(const std::vector<Wrench<D>>& x) const;

  // Between given units of moments and those of the contacts.
  std::vector<Wrench<D>> in_given_units(const std::vector<Wrench<D>>& x) const;

 private:
  Wrench<D> units(std::size_t i, double moment) const;

  DelassusOperator<width> W_;
  std::vector<std::size_t> diagonal_;
  std::vector<Wrench<D>> b_;
  std::vector<RollingCoulomb<D>> law_;
  std::vector<double> length_, r_;
  std::vector<RollingFriction> friction_;
};

}  // namespace talus
