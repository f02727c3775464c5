// SPDX-License-Identifier: Apache-2.0
// LZB impacts without friction by power series. Along s (lzb.hpp) the springs of a cluster obey
//     x_i' = −c_i u_i,   u' = W F,   P' = F,   F_i = K_i x_i^η,   c_i = 1, or 1/e*² unloading, (1)
// whose Taylor series of any order follow from one another at the cost of a product with W each. A
// step is a polynomial, so that the moments at which a contact begins to push, turns or lets go are
// roots of it and cost no second trial. Only contacts that push, and those next to them, have
// series; all others move in straight lines.
#pragma once

#include <vector>

#include "solvers/impact/lzb.hpp"

namespace talus {

struct CompliantNetwork {
  std::vector<int> row_start = {0}, column;  // W_NN by rows, diagonal included
  std::vector<double> W;
  std::vector<double> u;                       // before the impact [m/s]
  std::vector<double> stiffness, restitution;  // K > 0, e* ∈ [0, 1]
};

struct NetworkAnswer {
  std::vector<double> percussions;       // P ≥ 0
  std::vector<double> compression_work;  // [J]
  int steps = 0;
  bool solved = true;
};

// Whether the exponent is one the series are for: a half of an integer, so that a spring that
// begins at x = 0 is analytic in √s.
bool has_series(double exponent);

// Linear springs are integrated to rounding whatever the tolerance: it costs no more, and long
// dissipative chains of them multiply errors a million times before the last re-impact.
NetworkAnswer integrate_series(const CompliantNetwork& network, const LzbLaw& law);

}  // namespace talus
