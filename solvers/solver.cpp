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

  std::vector<double> e_squared(count);
  parallel_for(contacts, [&](std::size_t i) {
    const double r = D / (2 * diagonal[i].trace());
    e_squared[i] = problem.law[i].residual_squared(u.contact[i], p.contact[i], r);
  });
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const LinearRow<D>& row = problem.rows[i];
    const auto& bodies = std::get<RigidOperator<D>>(problem.W).bodies;
    const double e = row_residual(row_bounds<D>(row, p.row), u.row[i], p.row[i],
                                  1 / (2 * diagonal_block<D>(row, bodies)));
    e_squared[contacts + i] = e * e;
  }

  const double sum = parallel_sum(count, [&](std::size_t i) { return e_squared[i]; });
  double b_squared =
      parallel_sum(contacts, [&](std::size_t i) { return problem.b[i].squaredNorm(); });
  for (const LinearRow<D>& row : problem.rows) b_squared += row.bias * row.bias;
  const double scale =
      std::max(std::sqrt(b_squared / static_cast<double>(count)), problem.velocity_floor);
  const double unit = scale > 0 ? scale : 1;  // nothing moves: the error itself, in m/s
  // Written so that a NaN anywhere shows.
  return {std::sqrt(sum / static_cast<double>(count)) / unit,
          std::sqrt(*std::max_element(e_squared.begin(), e_squared.end())) / unit};
}

template <int D>
double siconos_error(const ContactProblem<D>& problem, const Percussions<D>& p) {
  const Velocities<D> u = velocities<D>(problem, p);
  const double error = std::sqrt(parallel_sum(problem.size(), [&](std::size_t i) {
    return problem.law[i].residual_squared(u.contact[i], p.contact[i], 1.0);
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
