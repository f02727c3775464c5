// SPDX-License-Identifier: Apache-2.0
// Rigid contact problems for tests: random ones, columns, and what to do with them.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/geometry/space.hpp"
#include "solvers/problem/solver.hpp"

namespace talus {

struct Plane {
  static constexpr int value = 2;
};
struct Solid {
  static constexpr int value = 3;
};

template <int D>
Percussions<D> zero_percussions(const ContactProblem<D>& problem) {
  return {std::vector<Vec<D>>(problem.size(), Vec<D>::Zero()),
          std::vector<double>(problem.rows.size(), 0.0),
          std::vector<Spin<D>>(problem.rolling.size(), Spin<D>::Zero())};
}

template <int D>
const RigidOperator<D>& rigid(const ContactProblem<D>& problem) {
  return std::get<RigidOperator<D>>(problem.W);
}

// N balls of mass 1 and radius 1/2, the last of mass `top`, in a vertical column on a fixed floor
// (body 0), loaded by gravity for one step of g h = 1. "Up" is the first axis.
template <int D>
ContactProblem<D> column(int count, double friction, double top = 1) {
  RigidOperator<D> W;
  W.bodies.resize(static_cast<std::size_t>(count) + 1);
  for (std::size_t i = 1; i < W.bodies.size(); ++i) {
    const double mass = i + 1 == W.bodies.size() ? top : 1;
    W.bodies[i].inverse_mass = 1 / mass;
    W.bodies[i].inverse_inertia = SpinMat<D>::Identity() / (0.4 * 0.25 * mass);
  }
  ContactProblem<D> problem;
  for (int k = 0; k < count; ++k) {
    ContactRow<D> row;
    row.a = k;
    row.b = k + 1;
    row.frame.setIdentity();
    row.arm_a = 0.5 * Vec<D>::Unit(0);
    row.arm_b = -0.5 * Vec<D>::Unit(0);
    W.contacts.push_back(row);
    problem.b.push_back(k == 0 ? Vec<D>(-Vec<D>::Unit(0)) : Vec<D>(Vec<D>::Zero()));
    problem.law.push_back({friction});
  }
  problem.W = std::move(W);
  problem.velocity_floor = 1;
  return problem;
}

// Two problems side by side that share the floor only.
template <int D>
ContactProblem<D> side_by_side(const ContactProblem<D>& left, const ContactProblem<D>& right) {
  ContactProblem<D> both = left;
  auto& W = std::get<RigidOperator<D>>(both.W);
  const int shift = static_cast<int>(W.bodies.size()) - 1;
  W.bodies.insert(W.bodies.end(), rigid(right).bodies.begin() + 1, rigid(right).bodies.end());
  for (ContactRow<D> row : rigid(right).contacts) {
    if (row.a > 0) row.a += shift;
    if (row.b > 0) row.b += shift;
    W.contacts.push_back(row);
  }
  both.b.insert(both.b.end(), right.b.begin(), right.b.end());
  both.law.insert(both.law.end(), right.law.begin(), right.law.end());
  return both;
}

struct RandomProblem {
  int bodies = 100;
  int contacts = 300;
  int reach = 20;       // a contact joins bodies whose numbers differ by no more
  int fixed_every = 7;  // one body in so many never moves; 0: none
  bool balls = false;
  double friction = 0.5;
  int rows = 0;
  int hub = -1;  // a body that every third contact touches
  unsigned seed = 1;
};

// Bodies with random masses, contacts with random frames and arms, and b = Hᵀv of random v, so that
// a solution exists.
template <int D>
ContactProblem<D> random_problem(const RandomProblem& options) {
  std::mt19937_64 random(options.seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  const auto vec = [&] {
    Vec<D> x;
    for (int k = 0; k < D; ++k) x[k] = normal(random);
    return x;
  };
  const auto spin = [&] {
    Spin<D> x;
    for (int k = 0; k < spin_dim<D>; ++k) x[k] = normal(random);
    return x;
  };
  RigidOperator<D> W;
  W.bodies.resize(static_cast<std::size_t>(options.bodies));
  std::vector<Twist<D>> v(W.bodies.size());
  std::vector<double> radius(W.bodies.size());
  for (std::size_t i = 0; i < W.bodies.size(); ++i) {
    radius[i] = 0.5 + unit(random);
    v[i] = {vec(), spin()};
    const bool fixed = options.fixed_every > 0 && static_cast<int>(i) % options.fixed_every == 0;
    const double mass = std::exp(normal(random));
    SpinMat<D> J = SpinMat<D>::Identity();
    if (!options.balls) {
      for (int k = 0; k < spin_dim<D>; ++k) J(k, k) = 0.3 + unit(random);
      if constexpr (D == 3) {
        const Vec<3> axis = vec().normalized();
        const Mat<3> turn = rotation_matrix<3>(rotated<3>({}, unit(random) * 6 * axis));
        J = turn * J * turn.transpose();
      }
    }
    if (fixed && static_cast<int>(i) != options.hub) continue;
    W.bodies[i].inverse_mass = 1 / mass;
    W.bodies[i].inverse_inertia = J / (0.4 * mass * radius[i] * radius[i]);
  }
  const auto frame = [&] {
    Mat<D> f;
    f.col(0) = vec().normalized();
    if constexpr (D == 2) {
      f.col(1) = Vec<2>(-f(1, 0), f(0, 0));
    } else {
      f.col(1) = f.col(0).cross(vec()).normalized();
      f.col(2) = f.col(0).cross(f.col(1));
    }
    return f;
  };
  const auto pair = [&](int number) {
    while (true) {
      const int a = static_cast<int>(unit(random) * options.bodies);
      int b = a + static_cast<int>((2 * unit(random) - 1) * options.reach);
      if (options.hub >= 0 && number % 3 == 0) b = options.hub;
      if (b < 0 || b >= options.bodies || b == a) continue;
      const auto moving = [&](int i) {
        return W.bodies[static_cast<std::size_t>(i)].inverse_mass > 0;
      };
      if (moving(a) || moving(b)) return std::pair(a, b);
    }
  };
  ContactProblem<D> problem;
  for (int k = 0; k < options.contacts; ++k) {
    ContactRow<D> row;
    std::tie(row.a, row.b) = pair(k);
    const auto r_a = radius[static_cast<std::size_t>(row.a)];
    const auto r_b = radius[static_cast<std::size_t>(row.b)];
    row.frame = frame();
    row.arm_a = options.balls ? Vec<D>(r_a * row.frame.col(0)) : Vec<D>(r_a * vec().normalized());
    row.arm_b = options.balls ? Vec<D>(-r_b * row.frame.col(0)) : Vec<D>(r_b * vec().normalized());
    problem.b.push_back(relative_velocity<D>(row, v[static_cast<std::size_t>(row.a)],
                                             v[static_cast<std::size_t>(row.b)]));
    problem.law.push_back({options.friction});
    W.contacts.push_back(row);
  }
  for (int k = 0; k < options.rows; ++k) {
    LinearRow<D> row;
    std::tie(row.a, row.b) = pair(1);
    row.direction = vec().normalized();
    row.moment_a = spin();
    row.moment_b = spin();
    row.compliance = k % 2 == 0 ? unit(random) : 0;
    row.bias = relative_velocity<D>(row, v[static_cast<std::size_t>(row.a)],
                                    v[static_cast<std::size_t>(row.b)]);
    problem.rows.push_back(row);
  }
  problem.W = std::move(W);
  return problem;
}

// The same with rolling and, in space, spinning friction up to `longest` at most contacts, and with
// relative spins.
template <int D>
ContactProblem<D> with_moments(ContactProblem<D> problem, double longest, unsigned seed = 3) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    RollingTerm<D> term;
    for (int k = 0; k < spin_dim<D>; ++k) term.omega[k] = normal(random);
    term.friction.rolling = i % 5 == 0 ? 0 : longest * unit(random) * unit(random);
    if (D == 3) term.friction.spinning = i % 7 == 0 ? 0 : longest * unit(random) * unit(random);
    problem.rolling.push_back(term);
  }
  return problem;
}

template <int D>
Percussions<D> random_percussions(const ContactProblem<D>& problem, unsigned seed = 5) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Percussions<D> p = zero_percussions(problem);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    for (int k = 0; k < D; ++k) p.contact[i][k] = normal(random);
    p.contact[i] = problem.law[i].project(p.contact[i]);
  }
  for (double& x : p.row) x = normal(random);
  return p;
}

// Largest difference of the velocities two sets of percussions give, which is what a solution has
// in common with others.
template <int D>
double velocity_difference(const ContactProblem<D>& problem, const Percussions<D>& p,
                           const Percussions<D>& q) {
  const Velocities<D> u = velocities<D>(problem, p), w = velocities<D>(problem, q);
  double largest = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    largest = std::max(largest, (u.contact[i] - w.contact[i]).norm());
  }
  for (std::size_t i = 0; i < u.spin.size(); ++i)
    largest = std::max(largest, (u.spin[i] - w.spin[i]).norm());
  return largest;
}

template <int D>
double percussion_difference(const Percussions<D>& p, const Percussions<D>& q) {
  double largest = 0;
  for (std::size_t i = 0; i < p.contact.size(); ++i) {
    largest = std::max(largest, (p.contact[i] - q.contact[i]).norm());
  }
  for (std::size_t i = 0; i < p.row.size(); ++i) {
    largest = std::max(largest, std::abs(p.row[i] - q.row[i]));
  }
  return largest;
}

template <int D>
bool same_bits(const Percussions<D>& p, const Percussions<D>& q) {
  return p.contact == q.contact && p.row == q.row && p.moment == q.moment;
}

}  // namespace talus
