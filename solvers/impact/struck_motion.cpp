// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/struck_motion.hpp"

namespace talus {

Eigen::MatrixXd constraint_inertia(const Eigen::MatrixXd& M, const Eigen::MatrixXd& P) {
  const Eigen::MatrixXd M_o = P * M * P;
  const double free = P.trace();  // n − r
  const double nu = free > 0.5 ? M_o.trace() / free : 1;
  return M_o + nu * (Eigen::MatrixXd::Identity(M.rows(), M.rows()) - P);
}

Eigen::MatrixXd turning_rate(const ObliqueProjection& projection, const Eigen::MatrixXd& A_dot) {
  const Eigen::MatrixXd Lambda = -projection.A_pinv * A_dot * projection.P;
  return Lambda - Lambda.transpose();
}

StruckMotion strike(const ObliqueProjection& projection, const Eigen::MatrixXd& M, double e,
                    const Eigen::VectorXd& v, const Eigen::VectorXd& i_u) {
  const Eigen::VectorXd arriving = projection.S * v, momentum = M * v;
  StruckMotion motion;
  motion.velocity = v - (1 + e) * arriving + projection.M_o_pinv * i_u;
  const Eigen::VectorXd across = projection.S.transpose() * ((1 + e) * momentum + i_u);
  motion.multipliers = -projection.A_pinv.transpose() * across;
  const double lost = 0.5 * (1 - e * e) * arriving.dot(M * arriving);
  motion.energy_change = -lost + 0.5 * i_u.dot(projection.M_o_pinv * i_u) + (v - arriving).dot(i_u);
  const double before = 0.5 * v.dot(momentum);
  motion.energy_ratio = before > 0 ? 1 - lost / before : 1;
  return motion;
}

}  // namespace talus
