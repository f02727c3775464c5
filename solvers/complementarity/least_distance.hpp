// SPDX-License-Identifier: Apache-2.0
// The point of a polyhedron that is nearest to the origin.
#pragma once

#include <Eigen/Core>
#include <optional>

namespace talus {

// min ½‖x‖²  with  C x + d ≥ 0, by the dual active-set method of D. Goldfarb and A. Idnani (Math.
// Program. 27, 1983). Rows of C are unit vectors. They hold up to rounding of the numbers that
// they add, of which some in d came from numbers as large as `size`. Empty where no point has them
// all: then a row that fails is a combination of rows that hold, with weights that bound it from
// above. Nearly parallel rows do no harm, for rows are taken up orthogonalised one by one, and none
// is squared.
std::optional<Eigen::VectorXd> least_distance(const Eigen::MatrixXd& C, const Eigen::VectorXd& d,
                                              double size);

}  // namespace talus
