#include "solvers/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/parallel.hpp"

namespace talus {

template <int D>
ContactError contact_error(const ContactProblem<D>& problem, const Percussions<D>& p) {
  const std::size_t contacts = problem.size();
  const std::size_t count = contacts + problem.rows.size();
  if (count == 0) return {};
  const Velocities<D> u = velocities<D>(problem, p);
  const std::vector<Mat<D>> diagonal = diagonal_blocks<D>(problem);

  std::vector<double> e(count);
  parallel_for(contacts, [&](std::size_t i) {
    const double r = D / (2 * diagonal[i].trace());
    e[i] = problem.law[i].residual(u.contact[i], p.contact[i], r);
  });
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const LinearRow<D>& row = problem.rows[i];
    const auto& bodies = std::get<RigidOperator<D>>(problem.W).bodies;
    e[contacts + i] = row_residual(row_bounds<D>(row, p.row), u.row[i], p.row[i],
                                   1 / (2 * diagonal_block<D>(row, bodies)));
  }

  const double sum = parallel_sum(count, [&](std::size_t i) { return e[i] * e[i]; });
  double b_squared =
      parallel_sum(contacts, [&](std::size_t i) { return problem.b[i].squaredNorm(); });
  for (const LinearRow<D>& row : problem.rows) b_squared += row.bias * row.bias;
  const double scale =
      std::max(std::sqrt(b_squared / static_cast<double>(count)), problem.velocity_floor);
  const double unit = scale > 0 ? scale : 1;  // nothing moves: the error itself, in m/s
  // Written so that a NaN anywhere shows.
  return {std::sqrt(sum / static_cast<double>(count)) / unit,
          *std::max_element(e.begin(), e.end()) / unit};
}

template <int D>
double siconos_error(const ContactProblem<D>& problem, const Percussions<D>& p) {
  const Velocities<D> u = velocities<D>(problem, p);
  const double error = std::sqrt(parallel_sum(problem.size(), [&](std::size_t i) {
    const double e = problem.law[i].residual(u.contact[i], p.contact[i], 1.0);
    return e * e;
  }));
  const double scale = std::sqrt(
      parallel_sum(problem.size(), [&](std::size_t i) { return problem.b[i].squaredNorm(); }));
  return scale > std::numeric_limits<double>::epsilon() ? error / scale : error;
}

template ContactError contact_error<2>(const ContactProblem<2>&, const Percussions<2>&);
template ContactError contact_error<3>(const ContactProblem<3>&, const Percussions<3>&);
template double siconos_error<2>(const ContactProblem<2>&, const Percussions<2>&);
template double siconos_error<3>(const ContactProblem<3>&, const Percussions<3>&);

}  // namespace talus
