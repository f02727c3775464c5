// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/contact_error.hpp"

#include <limits>

#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

// e² less what rounding explains.
double beyond_rounding(double e_squared, double rounding) {
  const double e = std::sqrt(e_squared) - rounding;
  return e <= 0 ? 0 : e * e;  // NaN stays NaN
}

// e² of a contact with its moment; e has the unit of a velocity.
template <int D>
double wrench_residual_squared(const ContactProblem<D>& problem, std::size_t i, double trace,
                               const Percussions<D>& p, const Velocities<D>& u) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  const double unit = moment_unit<D>(W.contacts[i], trace, W.bodies);
  if (!(trace > 0)) return wrench_of<D>(p.contact[i], p.moment[i], 1 / unit).squaredNorm();
  return RollingCoulomb<D>(problem.law[i].mu, problem.rolling[i].friction, unit)
      .residual_squared(wrench_of<D>(u.contact[i], u.spin[i], unit),
                        wrench_of<D>(p.contact[i], p.moment[i], 1 / unit), D / (2 * trace));
}

// The larger one; NaN if either is.
double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

}  // namespace

template <int D>
ContactError ErrorMeasure<D>::operator()(const ContactProblem<D>& problem,
                                         const Islands<D>& islands, const Percussions<D>& p,
                                         const Velocities<D>& u, std::span<const double> rounding) {
  const std::size_t contacts = problem.size(), count = contacts + problem.rows.size();
  if (count == 0) return {};
  sums_.assign(at(islands.count()) + 1, {});  // the last for what moves nothing
  const auto sum_of = [&](std::size_t i) -> IslandSum& {
    return islands.of(i) < 0 ? sums_.back() : sums_[at(islands.of(i))];
  };

  e_squared_.resize(count);
  parallel_for(contacts, [&](std::size_t i) {
    if (problem.has_moments()) {
      e_squared_[i] = wrench_residual_squared<D>(problem, i, islands.trace(i), p, u);
      return;
    }
    e_squared_[i] = islands.trace(i) > 0
                        ? problem.law[i].residual_squared(u.contact[i], p.contact[i],
                                                          D / (2 * islands.trace(i)))
                        : p.contact[i].squaredNorm();  // moves nothing and may pass nothing
  });
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const LinearRow<D>& row = problem.rows[i];
    const double W_ii = islands.trace(contacts + i);
    const double r = W_ii > 0 ? 1 / (2 * W_ii) : 1;
    const double e = row_residual(row_bounds<D>(row, p.row), u.row[i], p.row[i], r);
    e_squared_[contacts + i] = e * e;
    sum_of(contacts + i).scale.add(row, W_ii);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double e_squared =
        rounding.empty() ? e_squared_[i] : beyond_rounding(e_squared_[i], rounding[i]);
    IslandSum& sum = sum_of(i);
    if (i < contacts) sum.scale.add(problem.b[i]);
    sum.squares += e_squared;
    sum.worst = larger(sum.worst, e_squared);
  }

  ContactError error;
  for (IslandSum& sum : sums_) {
    const double scale = sum.scale.value(problem.velocity_floor);
    const double velocity = std::sqrt(sum.squares);
    sum.relative = velocity / scale;
    error.relative = larger(error.relative, sum.relative);
    error.worst = larger(error.worst,
                         std::sqrt(sum.worst) * std::sqrt(std::max(sum.scale.count, 1.0)) / scale);
    error.velocity = larger(error.velocity, velocity);
  }
  return error;
}

template <int D>
ContactError contact_error(const ContactProblem<D>& problem, const Islands<D>& islands,
                           const Percussions<D>& p) {
  return ErrorMeasure<D>()(problem, islands, p, velocities<D>(problem, p));
}

template <int D>
ContactError contact_error(const ContactProblem<D>& problem, const Percussions<D>& p) {
  return contact_error<D>(problem, Islands<D>(problem), p);
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

template <int D>
void into_cones(const ContactProblem<D>& problem, Percussions<D>& p) {
  parallel_for(problem.size(), [&](std::size_t i) {
    Vec<D>& own = p.contact[i];
    const Coulomb<D>& law = problem.law[i];
    const auto outside = [&] {
      return own[0] < 0 || own.template tail<D - 1>().norm() > law.bound(own[0]);
    };
    if (!outside()) return;
    own = law.project(own);
    // The projection is right to rounding; the rest is taken off the tangential part.
    constexpr double shorter = 1 - 4 * std::numeric_limits<double>::epsilon();
    for (int k = 0; outside() && k < 4; ++k) own.template tail<D - 1>() *= shorter;
    if (outside()) own.setZero();
  });
  parallel_for(problem.rolling.size(), [&](std::size_t i) {
    Wrench<D> own = wrench_of<D>(p.contact[i], p.moment[i], 1);
    RollingCoulomb<D>(problem.law[i].mu, problem.rolling[i].friction, 1).put_inside(own);
    p.moment[i] = own.template tail<spin_dim<D>>();
  });
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const LinearRow<D>& row = problem.rows[i];
    if (row.has_friction()) continue;  // its bound is not its own
    if (p.row[i] < row.bounds.lower) p.row[i] = row.bounds.lower;
    if (p.row[i] > row.bounds.upper) p.row[i] = row.bounds.upper;
  }
}

#define TALUS_INSTANTIATE(D)                                                               \
  template class ErrorMeasure<D>;                                                          \
  template ContactError contact_error<D>(const ContactProblem<D>&, const Percussions<D>&); \
  template ContactError contact_error<D>(const ContactProblem<D>&, const Islands<D>&,      \
                                         const Percussions<D>&);                           \
  template double siconos_error<D>(const ContactProblem<D>&, const Percussions<D>&);       \
  template void into_cones<D>(const ContactProblem<D>&, Percussions<D>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
