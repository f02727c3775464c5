#include "solvers/contact_error.hpp"

#include <limits>
#include <numeric>

#include "solvers/forest.hpp"
#include "solvers/parallel.hpp"

namespace talus {

namespace {

// Joins what a problem couples: bodies in the rigid form, velocities in the factored one, contacts
// in that of blocks. `parents` are the disjoint sets; returns how to find a contact's or row's own.
template <int D>
void join_coupled(const ContactProblem<D>& problem, std::vector<int>& parents) {
  const auto begin = [&](std::size_t count) {
    parents.resize(count);
    std::iota(parents.begin(), parents.end(), 0);
    return Forest(parents);
  };
  if (const auto* rigid = std::get_if<RigidOperator<D>>(&problem.W)) {
    Forest forest = begin(rigid->bodies.size());
    const auto tie = [&](const auto& row) {
      if (rigid->bodies[at(row.a)].moves() && rigid->bodies[at(row.b)].moves())
        forest.join(row.a, row.b);
    };
    parallel_for(rigid->contacts.size(), [&](std::size_t i) { tie(rigid->contacts[i]); });
    for (const LinearRow<D>& row : problem.rows) tie(row);
    parallel_for(parents.size(), [&](std::size_t i) { forest.settle(static_cast<int>(i)); });
  } else if (const auto* factored = std::get_if<FactoredOperator<D>>(&problem.W)) {
    Forest forest = begin(factored->velocities);
    for (std::size_t i = 0; i + 1 < factored->start.size(); ++i)
      for (std::size_t k = factored->start[i] + 1; k < factored->start[i + 1]; ++k)
        forest.join(factored->velocity[k], factored->velocity[k - 1]);
    for (std::size_t i = 0; i < parents.size(); ++i) forest.settle(static_cast<int>(i));
  } else {
    const auto& W = std::get<DelassusOperator<D>>(problem.W);
    Forest forest = begin(problem.size());
    for (std::size_t i = 0; i < problem.size(); ++i)
      for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
        if (!W.block[k].isZero(0)) forest.join(static_cast<int>(i), W.column[k]);
    for (std::size_t i = 0; i < parents.size(); ++i) forest.settle(static_cast<int>(i));
  }
}

// tr W_αα of every contact, then W_ii of every row.
template <int D>
void find_traces(const ContactProblem<D>& problem, std::vector<double>& traces) {
  const std::size_t contacts = problem.size();
  traces.resize(contacts + problem.rows.size());
  if (const auto* rigid = std::get_if<RigidOperator<D>>(&problem.W)) {
    parallel_for(contacts, [&](std::size_t i) {
      traces[i] = diagonal_block<D>(rigid->contacts[i], rigid->bodies).trace();
    });
    for (std::size_t i = 0; i < problem.rows.size(); ++i)
      traces[contacts + i] = diagonal_block<D>(problem.rows[i], rigid->bodies);
  } else {
    const std::vector<Mat<D>> blocks = diagonal_blocks<D>(problem);
    for (std::size_t i = 0; i < contacts; ++i) traces[i] = blocks[i].trace();
  }
}

// Islands in the order of their first contacts, then rows. `number` is room for that of each set.
template <int D>
void number_islands(const ContactProblem<D>& problem, std::span<const double> traces,
                    std::vector<int>& parents, std::vector<int>& number, Islands& islands) {
  join_coupled(problem, parents);
  const auto* const rigid = std::get_if<RigidOperator<D>>(&problem.W);
  const auto* const factored = std::get_if<FactoredOperator<D>>(&problem.W);
  const auto set_of = [&](const auto& row) {
    if (rigid->bodies[at(row.a)].moves()) return parents[at(row.a)];
    return rigid->bodies[at(row.b)].moves() ? parents[at(row.b)] : -1;
  };
  const auto set_of_contact = [&](std::size_t i) {
    if (rigid) return set_of(rigid->contacts[i]);
    if (!factored) return parents[i];
    return factored->start[i] < factored->start[i + 1]
               ? parents[at(factored->velocity[factored->start[i]])]
               : -1;
  };
  number.assign(parents.size(), -1);
  islands.count = 0;
  islands.of.clear();
  const auto add = [&](int set) {
    if (!(traces[islands.of.size()] > 0)) set = -1;
    if (set >= 0 && number[at(set)] < 0) number[at(set)] = islands.count++;
    islands.of.push_back(set < 0 ? -1 : number[at(set)]);
  };
  for (std::size_t i = 0; i < problem.size(); ++i) add(set_of_contact(i));
  for (const LinearRow<D>& row : problem.rows) add(set_of(row));
}

// e² less what rounding explains.
double beyond_rounding(double e_squared, double rounding) {
  const double e = std::sqrt(e_squared) - rounding;
  return e <= 0 ? 0 : e * e;  // NaN stays NaN
}

// The larger one; NaN if either is.
double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

}  // namespace

template <int D>
ContactError ErrorMeasure<D>::operator()(const ContactProblem<D>& problem, const Percussions<D>& p,
                                         const Velocities<D>& u, std::span<const double> rounding) {
  const std::size_t contacts = problem.size(), count = contacts + problem.rows.size();
  if (count == 0) return {};
  find_traces(problem, traces_);
  number_islands<D>(problem, traces_, parents_, number_, islands_);
  sums_.assign(at(islands_.count) + 1, {});  // the last for what moves nothing
  const auto sum_of = [&](std::size_t i) -> IslandSum& {
    return islands_.of[i] < 0 ? sums_.back() : sums_[at(islands_.of[i])];
  };

  e_squared_.resize(count);
  parallel_for(contacts, [&](std::size_t i) {
    e_squared_[i] =
        traces_[i] > 0
            ? problem.law[i].residual_squared(u.contact[i], p.contact[i], D / (2 * traces_[i]))
            : p.contact[i].squaredNorm();  // moves nothing and may pass nothing
  });
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const LinearRow<D>& row = problem.rows[i];
    const double W_ii = traces_[contacts + i];
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
  for (const IslandSum& sum : sums_) {
    const double scale = sum.scale.value(problem.velocity_floor);
    const double velocity = std::sqrt(sum.squares);
    error.relative = larger(error.relative, velocity / scale);
    error.worst = larger(error.worst,
                         std::sqrt(sum.worst) * std::sqrt(std::max(sum.scale.count, 1.0)) / scale);
    error.velocity = larger(error.velocity, velocity);
  }
  return error;
}

template <int D>
ContactError contact_error(const ContactProblem<D>& problem, const Percussions<D>& p) {
  return ErrorMeasure<D>()(problem, p, velocities<D>(problem, p));
}

template <int D>
Islands find_islands(const ContactProblem<D>& problem) {
  Islands islands;
  std::vector<double> traces;
  std::vector<int> parents, number;
  find_traces(problem, traces);
  number_islands<D>(problem, traces, parents, number, islands);
  return islands;
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
    const double mu = problem.law[i].mu;
    const auto outside = [&] {
      return own[0] < 0 || own.template tail<D - 1>().norm() > mu * own[0];
    };
    if (!outside()) return;
    own = problem.law[i].project(own);
    // The projection is right to rounding; the rest is taken off the tangential part.
    constexpr double shorter = 1 - 4 * std::numeric_limits<double>::epsilon();
    for (int k = 0; outside() && k < 4; ++k) own.set_tail(shorter * own.template tail<D - 1>());
    if (outside()) own.setZero();
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
  template Islands find_islands<D>(const ContactProblem<D>&);                              \
  template double siconos_error<D>(const ContactProblem<D>&, const Percussions<D>&);       \
  template void into_cones<D>(const ContactProblem<D>&, Percussions<D>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
