// SPDX-License-Identifier: Apache-2.0
// Gauss–Seidel without W: the Delassus operator of a problem given with its bodies, HᵀM⁻¹H, is
// never formed while M falls into small blocks. The sweep keeps the velocities v = M⁻¹H p, reads û
// of a contact from them and adds M⁻¹H Δp back.
#pragma once

#include "solvers/problem/contact_problem.hpp"

namespace talus {

template <int D>
std::vector<double> percussion_velocities(const FactoredOperator<D>& W,
                                          const std::vector<Vec<D>>& p);
template <int D>
Vec<D> relative_velocity(const FactoredOperator<D>& W, std::size_t contact,
                         const std::vector<double>& v);
template <int D>
Mat<D> diagonal_block(const FactoredOperator<D>& W, std::size_t contact);

// For the methods that need W after all.
template <int D>
DelassusOperator<D> assemble_delassus(const FactoredOperator<D>& W);

// What GaussSeidel works on, as BlockProblem is for an assembled W.
template <int D>
class FactoredProblem {
 public:
  // The problem, whose W is factored and which has no linear rows, must outlive this.
  explicit FactoredProblem(const ContactProblem<D>& problem);

  std::size_t size() const { return problem_.size(); }
  bool is_bilateral(std::size_t) const { return false; }
  RowBounds bounds_of(std::size_t) const { return {}; }
  const Coulomb<D>& law_of(std::size_t i) const { return problem_.law[i]; }
  Mat<D> own_block(std::size_t i) const { return talus::diagonal_block<D>(W_, i); }

  // Velocities of the bodies during one sweep.
  class Motion {
   public:
    explicit Motion(const FactoredProblem& problem) : problem_(problem) {}
    void start(const std::vector<Vec<D>>& p);
    Vec<D> velocity(std::size_t i, const std::vector<Vec<D>>& p) const;  // û of contact i
    void add(std::size_t i, const Vec<D>& change);

   private:
    const FactoredProblem& problem_;
    std::vector<double> v_;
  };

  void velocities(const std::vector<Vec<D>>& p, std::vector<Vec<D>>& u) const;
  double error(const std::vector<Vec<D>>& p, const std::vector<Vec<D>>& u) const;

 private:
  const ContactProblem<D>& problem_;
  const FactoredOperator<D>& W_;
  std::vector<double> r_;  // D / (2 tr W_ii) [kg]
  double scale_ = 1;       // errors are divided by it [m/s]
};

}  // namespace talus
