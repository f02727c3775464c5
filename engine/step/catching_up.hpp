// SPDX-License-Identifier: Apache-2.0
// Catching up: the step of Moreau's sweeping process −dq/dt ∈ N_Φ(t)(q) [M05, "Catching up"],
//     q⁻ − q⁺ ∈ N_Φ(t+h)(q⁺),
// on sets with curved boundaries and corners. Walls stand at t + h. With the gaps g and their
// normals H read at an iterate q = q⁻ ⊕ h v, the contact problem
//     û_N = g/h + H_Nᵀ(v' − v) ≥ 0,   v' = H p
// is the projection of q⁻ on the linearised set. Its answer v' gives the next iterate. Where that
// no longer moves, g ≥ 0 is complementary to p and q⁺ − q⁻ = h H(q⁺) p: the inclusion itself.
#pragma once

#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/step/step_data.hpp"
#include "solvers/problem/contact_error.hpp"

namespace talus {

template <int D>
class CatchingUp {
 public:
  static constexpr int most_iterations = 200;

  // From q⁻, at which free bodies stand. v_free holds the velocities of the walls.
  void begin(const Bodies<D>& bodies, std::span<const Twist<D>> v_free);

  // Gap up to which contacts are kept: twice the longest way of an iteration so far. What pushed at
  // one iterate must be there at the next, on whichever side of the boundary that lies [m].
  double margin(double h) const { return 2 * h * farthest_; }

  // b of the problem assembled at the present iterate: gaps count from there, not from q⁻.
  void linearise(StepData<D>& step) const;

  // How far the present iterate is from the inclusion, with the percussions of step.percussions:
  // complementarity of gaps and percussions, Coulomb's law where there is friction, and
  // v − H p of every free body, all relative to the velocities that walls impose.
  ContactError error(const Bodies<D>& bodies, double h, const StepData<D>& step);

  // The next iterate, towards the answer v⁺ of the contact problem.
  void move(std::span<const Twist<D>> v_plus, double h, Bodies<D>& bodies);

  // Of the iterate: h v leads from q⁻ to it.
  std::span<const Twist<D>> velocities() const { return v_; }

 private:
  double relaxation();

  std::vector<Vec<D>> position_;  // q⁻
  std::vector<Orientation<D>> orientation_;
  std::vector<Twist<D>> v_;               // of the iterate, walls included
  std::vector<Twist<D>> way_, last_way_;  // v' − v of this iteration and the last
  std::vector<ErrorScale> of_island_;
  std::vector<double> scale_;  // per body [m/s]
  int iterations_ = 0;
  double relaxation_ = 1;
  double farthest_ = 0;  // [m/s]
  ErrorMeasure<D> measure_;
  Velocities<D> u_hat_;
  std::vector<double> rounding_;
};

}  // namespace talus
