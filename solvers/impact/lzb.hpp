// SPDX-License-Identifier: Apache-2.0
// The multiple impact law of Liu, Zhao and Brogliato [Be, p. 406-407]: contacts are springs of
// great stiffness, of which only the ratios survive the limit. A contact that has stored the energy
// E pushes with F = K x^η, where E = K x^(1+η)/(1+η), and percussions grow in the ratio of these
// forces, dP_i/dP_j = F_i/F_j. Energy goes in by the work of compression and comes out by e*² of it
// (bi-stiffness: the spring unloads along a steeper curve):
//     dE_j = −u_N dP_j while it closes,   dE_j = −u_N dP_j / e*² while it opens.                (1)
// Written for the indentation x instead of E, (1) is dx = −u_N ds and dx = −u_N ds/e*² along a
// parameter s with dP_j = F_j ds, and is regular where E vanishes. A contact that has let go keeps
// the gap −x that has opened since, and pushes again only when it has closed: so do compliant
// balls. Friction is Coulomb's along the way: a sliding contact's percussion grows by −μ dP_N
// u_T/‖u_T‖, one that sticks takes what keeps it from sliding, as long as that is within μ dP_N.
#pragma once

#include "solvers/impact/impact_problem.hpp"

namespace talus {

struct LzbLaw {
  double exponent = 1.5;       // η > 0: 1 linear, 3/2 Hertz
  bool one_stiffness = false;  // unload along the curve of loading, and let go once e*² is back
  double tolerance = 1e-8;     // on velocities, of the fastest approach
  int max_steps = 200'000;     // the budget
  double fixed_step = 0;       // of s, in units of a contact's time; 0: as the error allows
};

template <int D>
struct LzbAnswer : ImpactAnswer<D> {
  std::vector<double> compression_work;  // W_c > 0 of every contact, all compressions together [J]
  int steps = 0;
};

// With e* = restitution and K = stiffness of every contact. For e* = 0 the spring is gone at the
// end of its compression. Without friction by power series (lzb_series.hpp); with it, for exponents
// that are no half of an integer and for a fixed step by Dormand and Prince's pair of orders 5
// and 4.
//
// Dissipation leaves balls that part slowly and meet again, and the longer it takes the more the
// last collisions depend on all before: masses that differ by 1e-12 change velocities after an
// impact of 100 balls with e* = 0.9 by 2e-10 for Hertz's springs and by 5e-6 for linear ones.
template <int D>
LzbAnswer<D> lzb_impact(const ImpactProblem<D>& impact, const LzbLaw& law);

}  // namespace talus
