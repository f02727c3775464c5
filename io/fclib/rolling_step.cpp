// SPDX-License-Identifier: Apache-2.0
#include "io/fclib/rolling_step.hpp"

#include <algorithm>

#include "io/text/input_error.hpp"

namespace talus {

namespace {

// Entries of a matrix in the order in which they are added.
struct Entries {
  FclibMatrix matrix;

  Entries(int rows, int columns) {
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.storage = FclibMatrix::Storage::triplet;
  }
  void add(int row, int column, double value) {
    if (value == 0) return;
    matrix.i.push_back(row);
    matrix.p.push_back(column);
    matrix.x.push_back(value);
  }
};

template <int D>
void refuse_without_form(const ContactProblem<D>& problem, const RigidOperator<D>& rigid) {
  for (const RollingTerm<D>& term : problem.rolling)
    if (term.friction.spinning > 0)
      throw InputError("spinning friction: FCLib has no form for that");
  for (const ContactRow<D>& row : rigid.contacts)
    if (row.compliance.normal > 0 || row.compliance.tangential > 0)
      throw InputError("compliant contacts with rolling friction: FCLib has no form for that");
  for (const LinearRow<D>& row : problem.rows)
    if (!row.is_bilateral() || row.compliance > 0)
      throw InputError(
          "springs, stops, ropes or bounded joints beside rolling friction: FCLib has no form for "
          "that");
}

// The velocities of the bodies that move, numbered: translations, then rotations, if it turns.
template <int D>
class Freedoms {
 public:
  explicit Freedoms(const std::vector<MassBlock<D>>& bodies) {
    for (const MassBlock<D>& body : bodies) {
      first_.push_back(count_);
      const bool turns = !body.inverse_inertia.isZero(0);
      turns_.push_back(turns);
      if (turns && !(body.inverse_inertia.determinant() > 0))
        throw InputError("a body that turns about some axes only: FCLib has no form for that");
      if (body.moves()) count_ += D + (turns ? spin_dim<D> : 0);
    }
  }

  int count() const { return count_; }

  FclibMatrix masses(const std::vector<MassBlock<D>>& bodies) const {
    Entries M(count_, count_);
    for (std::size_t body = 0; body < bodies.size(); ++body) {
      if (!bodies[body].moves()) continue;
      for (int k = 0; k < D; ++k)
        M.add(first_[body] + k, first_[body] + k, 1 / bodies[body].inverse_mass);
      if (!turns_[body]) continue;
      const SpinMat<D> inertia = bodies[body].inverse_inertia.inverse();
      for (int i = 0; i < spin_dim<D>; ++i)
        for (int j = 0; j < spin_dim<D>; ++j)
          M.add(first_[body] + D + i, first_[body] + D + j, inertia(i, j));
    }
    return M.matrix;
  }

  // f(freedom, twist of unit velocity) for each freedom of a body.
  template <class F>
  void for_each(const std::vector<MassBlock<D>>& bodies, int body, F f) const {
    if (!bodies[at(body)].moves()) return;
    for (int k = 0; k < D + (turns_[at(body)] ? spin_dim<D> : 0); ++k) {
      Twist<D> unit;
      (k < D ? unit.v[k] : unit.omega[k - D]) = 1;
      f(first_[at(body)] + k, unit);
    }
  }

 private:
  std::vector<int> first_;
  std::vector<char> turns_;
  int count_ = 0;
};

}  // namespace

template <int D>
FclibFile fclib_rolling_step(const ContactProblem<D>& problem, const Percussions<D>& p) {
  const auto& rigid = std::get<RigidOperator<D>>(problem.W);
  refuse_without_form<D>(problem, rigid);
  const Freedoms<D> freedoms(rigid.bodies);
  const Twist<D> rest;
  const int contacts = static_cast<int>(problem.size());

  FclibGlobal global;
  global.M = freedoms.masses(rigid.bodies);
  global.f.assign(at(freedoms.count()), 0.0);
  Entries H(freedoms.count(), rolling_components<D> * contacts);
  for (int i = 0; i < contacts; ++i) {
    const ContactRow<D>& row = rigid.contacts[at(i)];
    const auto add = [&](int freedom, const Twist<D>& a, const Twist<D>& b) {
      const Wrench<D> y =
          wrench_of<D>(relative_velocity<D>(row, a, b), relative_spin<D>(row, a, b), 1);
      for (int c = 0; c < rolling_components<D>; ++c)
        H.add(freedom, rolling_components<D> * i + c, y[wrench_component<D>(c)]);
    };
    freedoms.for_each(rigid.bodies, row.a,
                      [&](int freedom, const Twist<D>& unit) { add(freedom, unit, rest); });
    freedoms.for_each(rigid.bodies, row.b,
                      [&](int freedom, const Twist<D>& unit) { add(freedom, rest, unit); });
  }
  global.H = std::move(H.matrix);
  if (!problem.rows.empty()) {
    Entries G(freedoms.count(), static_cast<int>(problem.rows.size()));
    for (int i = 0; i < G.matrix.columns; ++i) {
      const LinearRow<D>& row = problem.rows[at(i)];
      freedoms.for_each(rigid.bodies, row.a, [&](int freedom, const Twist<D>& unit) {
        G.add(freedom, i, relative_velocity<D>(row, unit, rest));
      });
      freedoms.for_each(rigid.bodies, row.b, [&](int freedom, const Twist<D>& unit) {
        G.add(freedom, i, relative_velocity<D>(row, rest, unit));
      });
      global.b.push_back(row.bias);
    }
    global.G = std::move(G.matrix);
  }

  FclibSolution solution;
  const Velocities<D> u = velocities<D>(problem, p);
  const auto append = [](const Wrench<D>& wrench, std::vector<double>& to) {
    for (int c = 0; c < rolling_components<D>; ++c) to.push_back(wrench[wrench_component<D>(c)]);
  };
  std::vector<double> mu_r;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    global.mu.push_back(problem.law[i].mu);
    mu_r.push_back(problem.rolling[i].friction.rolling);
    append(wrench_of<D>(problem.b[i], problem.rolling[i].omega, 1), global.w);
    append(wrench_of<D>(u.contact[i], u.spin[i], 1), solution.u);
    append(wrench_of<D>(p.contact[i], p.moment[i], 1), solution.r);
  }
  global.mu_r = std::move(mu_r);
  solution.l = p.row;
  std::vector<Twist<D>> v(rigid.bodies.size());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    apply_percussion<D>(rigid.contacts[i], p.contact[i], rigid.bodies, v);
    apply_moment<D>(rigid.contacts[i], p.moment[i], rigid.bodies, v);
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i)
    apply_percussion<D>(problem.rows[i], p.row[i], rigid.bodies, v);
  for (std::size_t body = 0; body < v.size(); ++body)
    freedoms.for_each(rigid.bodies, static_cast<int>(body), [&](int, const Twist<D>& unit) {
      solution.v.push_back(unit.v.dot(v[body].v) + unit.omega.dot(v[body].omega));
    });

  FclibFile file;
  file.spacedim = rolling_components<D>;
  file.problem = std::move(global);
  file.solution = std::move(solution);
  return file;
}

template FclibFile fclib_rolling_step<2>(const ContactProblem<2>&, const Percussions<2>&);
template FclibFile fclib_rolling_step<3>(const ContactProblem<3>&, const Percussions<3>&);

}  // namespace talus
