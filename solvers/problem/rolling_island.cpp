// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/rolling_island.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "solvers/problem/contact_error.hpp"

namespace talus {

namespace {

// Where a body of the problem is among those of the island, which are sorted; all that do not move
// are the first.
template <int D>
int own_body(const RigidOperator<D>& W, const std::vector<int>& bodies, int body) {
  if (!W.bodies[at(body)].moves()) return 0;
  return static_cast<int>(std::lower_bound(bodies.begin(), bodies.end(), body) - bodies.begin()) +
         1;
}

}  // namespace

template <int D>
RollingIsland<D>::RollingIsland(const ContactProblem<D>& problem, const Islands<D>& islands,
                                const std::vector<int>& members)
    : mass_(1) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  const std::size_t contacts = problem.size();
  std::vector<int> bodies;
  for (const int member : members) {
    const std::size_t i = at(member);
    const auto add = [&](const auto& row) {
      for (const int body : {row.a, row.b})
        if (W.bodies[at(body)].moves()) bodies.push_back(body);
    };
    i < contacts ? add(W.contacts[i]) : add(problem.rows[i - contacts]);
  }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  for (const int body : bodies) mass_.push_back(W.bodies[at(body)]);

  ErrorScale scale;
  const auto own = [&](auto row) {
    row.a = own_body<D>(W, bodies, row.a);
    row.b = own_body<D>(W, bodies, row.b);
    return row;
  };
  for (const int member : members) {
    const std::size_t i = at(member);
    const double trace = islands.trace(i);
    if (i < contacts) {
      const RollingTerm<D>& term = problem.rolling[i];
      const double unit = moment_unit<D>(W.contacts[i], trace, W.bodies);
      member_.push_back(i);
      contacts_.push_back(own(W.contacts[i]));
      b_.push_back(wrench_of<D>(problem.b[i], term.omega, unit));
      law_.emplace_back(problem.law[i].mu, term.friction, unit);
      unit_.push_back(unit);
      r_.push_back(D / (2 * trace));
      scale.add(problem.b[i]);
    } else {
      const LinearRow<D>& row = problem.rows[i - contacts];
      member_.push_back(i - contacts);
      rows_.push_back(own(row));
      b_.push_back(row.bias * Wrench<D>::Unit(0));
      r_.push_back(1 / (2 * trace));
      scale.add(row, trace);
    }
  }
  scale_ = scale.value(problem.velocity_floor);
}

template <int D>
WrenchMat<D> RollingIsland<D>::own_block(std::size_t i) const {
  if (is_bilateral(i))
    return diagonal_block<D>(rows_[i - contacts_.size()], mass_) * WrenchMat<D>::Identity();
  const ContactRow<D>& row = contacts_[i];
  return wrench_block<D>(row, row.frame, unit_[i], mass_[at(row.a)], mass_[at(row.b)]);
}

template <int D>
typename RollingIsland<D>::Jacobian RollingIsland<D>::jacobian(std::size_t i, bool second) const {
  Jacobian J = Jacobian::Zero();
  for (int k = 0; k < D + spin_dim<D>; ++k) {
    Twist<D> a, b;
    Twist<D>& moving = second ? b : a;
    (k < D ? moving.v[k] : moving.omega[k - D]) = 1;
    if (is_bilateral(i)) {
      J(0, k) = relative_velocity<D>(rows_[i - contacts_.size()], a, b);
    } else {
      const ContactRow<D>& row = contacts_[i];
      J.col(k) =
          wrench_of<D>(relative_velocity<D>(row, a, b), relative_spin<D>(row, a, b), unit_[i]);
    }
  }
  return J;
}

// W_ij = Σ J_i M⁻¹ J_jᵀ over the bodies that both hold.
template <int D>
DelassusOperator<RollingIsland<D>::width> RollingIsland<D>::delassus() const {
  struct Hold {
    std::size_t unknown;
    Jacobian J, J_inverse_mass;
  };
  std::vector<std::vector<Hold>> holds(mass_.size());
  const auto bodies_of = [&](std::size_t i) {
    const auto of = [](const auto& row) { return std::array{at(row.a), at(row.b)}; };
    return is_bilateral(i) ? of(rows_[i - contacts_.size()]) : of(contacts_[i]);
  };
  for (std::size_t i = 0; i < size(); ++i)
    for (const bool second : {false, true}) {
      const std::size_t body = bodies_of(i)[second];
      if (!mass_[body].moves()) continue;
      const Jacobian J = jacobian(i, second);
      Jacobian scaled;
      scaled.template leftCols<D>() = J.template leftCols<D>() * mass_[body].inverse_mass;
      scaled.template rightCols<spin_dim<D>>() =
          J.template rightCols<spin_dim<D>>() * mass_[body].inverse_inertia;
      holds[body].push_back({i, J, scaled});
    }

  DelassusOperator<width> W;
  std::map<std::size_t, WrenchMat<D>> row;  // by column
  for (std::size_t i = 0; i < size(); ++i) {
    row.clear();
    const auto block = [&](std::size_t j) -> WrenchMat<D>& {
      return row.try_emplace(j, WrenchMat<D>::Zero()).first->second;
    };
    block(i);
    for (const std::size_t body : bodies_of(i)) {
      const auto own = std::find_if(holds[body].begin(), holds[body].end(),
                                    [i](const Hold& hold) { return hold.unknown == i; });
      if (own == holds[body].end()) continue;
      for (const Hold& other : holds[body])
        block(other.unknown).noalias() += own->J * other.J_inverse_mass.transpose();
    }
    WrenchMat<D>& own = block(i);
    if (is_bilateral(i)) {
      own = own_block(i);
    } else {
      own.diagonal().template head<D>() += diagonal<D>(contacts_[i].compliance);
    }
    for (const auto& [column, entries] : row) {
      W.column.push_back(static_cast<int>(column));
      W.block.push_back(entries);
    }
    W.row_start.push_back(W.block.size());
  }
  return W;
}

template <int D>
void RollingIsland<D>::Motion::start(const std::vector<Wrench<D>>& x) {
  v_.assign(island_.mass_.size(), {});
  for (std::size_t i = 0; i < x.size(); ++i) add(i, x[i]);
}

template <int D>
Wrench<D> RollingIsland<D>::Motion::velocity(std::size_t i, const std::vector<Wrench<D>>& x) const {
  Wrench<D> y = island_.b_[i];
  if (island_.is_bilateral(i)) {
    const LinearRow<D>& row = island_.rows_[i - island_.contacts_.size()];
    y[0] += relative_velocity<D>(row, v_[at(row.a)], v_[at(row.b)]) + row.compliance * x[i][0];
    return y;
  }
  const ContactRow<D>& row = island_.contacts_[i];
  const Twist<D>&a = v_[at(row.a)], &b = v_[at(row.b)];
  y += wrench_of<D>(relative_velocity<D>(row, a, b), relative_spin<D>(row, a, b), island_.unit_[i]);
  y.template head<D>() += diagonal<D>(row.compliance).cwiseProduct(x[i].template head<D>());
  return y;
}

template <int D>
void RollingIsland<D>::Motion::add(std::size_t i, const Wrench<D>& change) {
  if (island_.is_bilateral(i)) {
    apply_percussion<D>(island_.rows_[i - island_.contacts_.size()], change[0], island_.mass_, v_);
    return;
  }
  const ContactRow<D>& row = island_.contacts_[i];
  apply_percussion<D>(row, Vec<D>(change.template head<D>()), island_.mass_, v_);
  apply_moment<D>(row, Spin<D>(island_.unit_[i] * change.template tail<spin_dim<D>>()),
                  island_.mass_, v_);
}

template <int D>
void RollingIsland<D>::velocities(const std::vector<Wrench<D>>& x,
                                  std::vector<Wrench<D>>& y) const {
  Motion motion(*this);
  motion.start(x);
  y.resize(size());
  for (std::size_t i = 0; i < size(); ++i) y[i] = motion.velocity(i, x);
}

template <int D>
double RollingIsland<D>::error(const std::vector<Wrench<D>>& x,
                               const std::vector<Wrench<D>>& y) const {
  double squares = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (is_bilateral(i)) {
      const double e = row_residual(bounds_of(i), y[i][0], x[i][0], r_[i]);
      squares += e * e;
    } else {
      squares += law_[i].residual_squared(y[i], x[i], r_[i]);
    }
  }
  return std::sqrt(squares) / scale_;
}

template <int D>
std::vector<Wrench<D>> RollingIsland<D>::wrenches(const Percussions<D>& p) const {
  std::vector<Wrench<D>> x;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t k = member_[i];
    x.push_back(is_bilateral(i) ? Wrench<D>(p.row[k] * Wrench<D>::Unit(0))
                                : wrench_of<D>(p.contact[k], p.moment[k], 1 / unit_[i]));
  }
  return x;
}

template <int D>
void RollingIsland<D>::put_back(const std::vector<Wrench<D>>& x, Percussions<D>& p) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t k = member_[i];
    if (is_bilateral(i)) {
      p.row[k] = x[i][0];
    } else {
      p.contact[k] = x[i].template head<D>();
      p.moment[k] = unit_[i] * x[i].template tail<spin_dim<D>>();
    }
  }
}

template class RollingIsland<2>;
template class RollingIsland<3>;

}  // namespace talus
