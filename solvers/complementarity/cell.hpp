// SPDX-License-Identifier: Apache-2.0
// Points of a cell: a convex piece of the solution set of a complementarity problem, the one that a
// choice of modes leaves.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

namespace talus {

// ‖(x_t, x_t+1)‖ ≤ slope x_n + slack: Coulomb's cone in space, and what may fail of it by rounding.
struct RoundCone {
  Eigen::Index n = 0, t = 0;
  double slope = 0, slack = 0;
};

// The points x with A x + b = 0, C x + d ≥ 0, and x in all cones.
struct Cell {
  Eigen::MatrixXd A, C;
  Eigen::VectorXd b, d;
  std::vector<RoundCone> cones;
};

struct CellPoints {
  Eigen::VectorXd x;  // one of them
  int freedom = 0;    // 0: the only one
};

// Round cones are cut out by tangent planes, one after the other where a point lies outside; so a
// cell that is found empty is empty.
std::optional<CellPoints> find_points(const Cell& cell);

// The same, whether alone or not. `rough`: stops once the planes are many, though the point may lie
// a little outside of a cone; for a cell that is to be divided anyway.
std::optional<Eigen::VectorXd> find_point(const Cell& cell, bool rough = false);

}  // namespace talus
