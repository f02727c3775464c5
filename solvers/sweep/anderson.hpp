// SPDX-License-Identifier: Apache-2.0
// Acceleration of a sweep x → G(x) by what the last sweeps have shown.
//
// x is the pair (p, v) with v = M⁻¹H p. Both methods form affine combinations of sweeps, which keep
// v in step with p without a product. How far a sweep moved is measured on percussions, each
// weighted by √W_N:  f = √W_N (G(x).p − x.p).
//
//   Anderson           x ← G(x) − ΔG γ,  γ minimising ‖f − ΔF γ‖ over the last few changes ΔF, ΔG
//   conjugate (NNCG)   x ← G(x) + β d,   d ← β d + (G(x) − x),  β = ‖f‖²/‖f_last‖² ≤ 1
//   momentum           x ← G(x) + β (G(x) − G_last),  β as above, later its root
//
// In a packing the slow part of f hardly changes from sweep to sweep while contacts come, go and
// slip beside it; γ then answers to these, and the slow part is held back instead of being carried
// on. Momentum carries it on, at a third of the memory traffic.
// NNCG: Silcowitz-Hansen, Niebe, Erleben 2010.
#pragma once

#include <array>
#include <vector>

#include "solvers/math/aligned.hpp"
#include "solvers/problem/method.hpp"
#include "solvers/sweep/ordering.hpp"
#include "solvers/sweep/sweep.hpp"
#include "solvers/sweep/sweep_wide.hpp"

namespace talus {

// Room for what the accelerators of all islands of a problem remember.
class AccelerationMemory {
 public:
  void resize(std::size_t percussions, std::size_t velocities, int window);  // 0: momentum only
  int window() const { return window_; }

 private:
  friend class Accelerator;
  int window_ = 0;
  AlignedNumbers x_;       // p where the sweep started
  AlignedNumbers f_;       // of the last sweep
  AlignedNumbers g_, gv_;  // p and v after the last sweep
  std::vector<AlignedNumbers> df_, dg_, dgv_;
  std::vector<MeasureSums> partial_;
};

// Accelerates the sweeps of one island, which owns a stretch of the percussions and of the
// velocities.
class Accelerator {
 public:
  // shared: other islands are being solved at the same time.
  Accelerator(AccelerationMemory& memory, const PercussionGroups& groups, Range velocities,
              bool shared)
      : memory_(memory),
        groups_(groups),
        percussions_(groups.numbers()),
        velocities_(velocities),
        shared_(shared) {}

  // Forgets everything; p and v are where the next sweep starts. Methods other than anderson, nncg
  // and momentum are not accelerated.
  void start(Method method, const double* p, const double* v);

  // After a sweep that left p and moved it by Σ W_N‖Δp‖²: ‖f‖. weights: √W_N of every contact and
  // row.
  double measure(double moved, const double* p, const double* weights);

  // p and v, after the sweep, become the start of the next one, but for what is returned: that is
  // left to the next sweep.
  Push advance(double* p, double* v);

  // Combinations with large coefficients magnify the rounding by which v differs from M⁻¹H p, and a
  // sweep does not heal it. A bound on the magnification, and the news that v was computed afresh.
  double drift() const { return drift_; }
  void before_rebuild(const double* v);
  void after_rebuild(const double* v);

 private:
  template <class F>
  void each_piece(Range range, F f);
  MeasureSums measure_groups(const MeasureArguments& arguments, std::size_t groups);
  void extrapolate(double* p, double* v);
  void conjugate(double* p, double* v);
  Push carry_on();
  void go_back(double* p, double* v);

  AccelerationMemory& memory_;
  PercussionGroups groups_;
  Range percussions_, velocities_;
  bool shared_;
  Method method_ = Method::nsgs;
  int sweeps_ = 0;  // since the start
  int kept_ = 0;    // changes remembered
  int slot_ = 0;    // where the newest one is
  bool extrapolated_ = false;
  double f_norm_ = 0, f_norm_last_ = 0;
  double f_norm_least_ = 0;  // since momentum was last dropped
  std::array<std::array<double, max_window>, max_window> gram_ = {};  // ΔFᵀΔF, by slot
  std::array<double, max_window> right_ = {};                         // ΔFᵀf
  double drift_change_ = 1;                           // of drift_, in the last sweep with momentum
  double drift_ = 1;                                  // of x
  std::array<double, max_window + 1> drift_of_ = {};  // of the last sweeps
};

}  // namespace talus
