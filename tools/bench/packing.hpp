// SPDX-License-Identifier: Apache-2.0
// Contact problems for benchmarks, of bodies at rest that start to fall: a random packing of balls
// poured into a box, columns, towers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

#include "solvers/sweep/sweep_solver.hpp"

namespace talus::bench {

struct Packing {
  double width = 0;  // of the square box [m]; the floor is at z = 0, the top is open
  std::vector<Vec<3>> position, velocity, spin;
  std::vector<double> radius;  // [m]
  double density = 1;

  double mass(std::size_t i) const {
    return density * 4.0 / 3.0 * M_PI * radius[i] * radius[i] * radius[i];
  }
};

struct Touch {
  int a, b;  // b moves; a = −1 for a wall
  Vec<3> n;  // from a to b
  double gap;
  int wall = -1;
  std::int64_t key() const {
    return (static_cast<std::int64_t>(a) + 8 + wall) * 100'000'000 + static_cast<std::int64_t>(b);
  }
};

inline std::vector<Touch> find_touches(const Packing& packing, double margin) {
  const double largest = *std::max_element(packing.radius.begin(), packing.radius.end());
  const double cell = 2 * largest + margin;
  double top = 0;
  for (const Vec<3>& x : packing.position) top = std::max(top, x[2]);
  const int nx = std::max(1, static_cast<int>(packing.width / cell));
  const int nz = static_cast<int>(std::max(top, 0.0) / cell) + 1;
  const auto place = [&](const Vec<3>& x) {
    const double side = packing.width / nx;
    return std::array<int, 3>{std::clamp(static_cast<int>(x[0] / side), 0, nx - 1),
                              std::clamp(static_cast<int>(x[1] / side), 0, nx - 1),
                              std::clamp(static_cast<int>(x[2] / cell), 0, nz - 1)};
  };
  const auto index = [&](const std::array<int, 3>& c) {
    return (static_cast<std::size_t>(c[2]) * nx + c[1]) * nx + c[0];
  };
  std::vector<int> head(static_cast<std::size_t>(nx) * nx * nz, -1), next(packing.position.size());
  for (std::size_t i = packing.position.size(); i-- > 0;) {
    int& first = head[index(place(packing.position[i]))];
    next[i] = first;
    first = static_cast<int>(i);
  }
  std::vector<Touch> touches;
  for (std::size_t i = 0; i < packing.position.size(); ++i) {
    const Vec<3>& x = packing.position[i];
    const double r = packing.radius[i];
    const auto c = place(x);
    for (int dz = -1; dz <= 1; ++dz) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const std::array<int, 3> d = {c[0] + dx, c[1] + dy, c[2] + dz};
          if (std::min({d[0], d[1], d[2]}) < 0 || d[0] >= nx || d[1] >= nx || d[2] >= nz) continue;
          for (int j = head[index(d)]; j >= 0; j = next[static_cast<std::size_t>(j)]) {
            if (j <= static_cast<int>(i)) continue;
            const Vec<3> between = packing.position[static_cast<std::size_t>(j)] - x;
            const double distance = between.norm();
            const double gap = distance - r - packing.radius[static_cast<std::size_t>(j)];
            if (gap < margin) touches.push_back({static_cast<int>(i), j, between / distance, gap});
          }
        }
      }
    }
    const double gaps[5] = {x[2] - r, x[0] - r, packing.width - x[0] - r, x[1] - r,
                            packing.width - x[1] - r};
    const Vec<3> normals[5] = {Vec<3>::UnitZ(), Vec<3>::UnitX(), -Vec<3>::UnitX(), Vec<3>::UnitY(),
                               -Vec<3>::UnitY()};
    for (int wall = 0; wall < 5; ++wall) {
      if (gaps[wall] < margin) {
        touches.push_back({-1, static_cast<int>(i), normals[wall], gaps[wall], wall});
      }
    }
  }
  return touches;
}

inline Mat<3> frame_of(const Vec<3>& n) {
  int least = 0;
  n.cwiseAbs().minCoeff(&least);
  Mat<3> frame;
  frame.col(0) = n;
  frame.col(1) = Vec<3>::Unit(least).cross(n).normalized();
  frame.col(2) = n.cross(frame.col(1));
  return frame;
}

// The contact problem of a step h from the stored velocities, with gravity g along −z. Gaps may
// close, and overlaps are pushed out with at most `push` m/s.
inline ContactProblem<3> step_problem(const Packing& packing, const std::vector<Touch>& touches,
                                      double h, double g, double mu, double push) {
  RigidOperator<3> W;
  const std::size_t balls = packing.position.size();
  W.bodies.resize(balls + 1);  // the last is the box
  for (std::size_t i = 0; i < balls; ++i) {
    const double m = packing.mass(i);
    W.bodies[i].inverse_mass = 1 / m;
    W.bodies[i].inverse_inertia =
        SpinMat<3>::Identity() / (0.4 * m * packing.radius[i] * packing.radius[i]);
  }
  ContactProblem<3> problem;
  for (const Touch& touch : touches) {
    ContactRow<3> row;
    row.a = touch.a < 0 ? static_cast<int>(balls) : touch.a;
    row.b = touch.b;
    row.frame = frame_of(touch.n);
    const auto free_twist = [&](int i) {
      if (i < 0) return Twist<3>{};
      const std::size_t k = static_cast<std::size_t>(i);
      return Twist<3>{packing.velocity[k] - h * g * Vec<3>::UnitZ(), packing.spin[k]};
    };
    const double r_b = packing.radius[static_cast<std::size_t>(touch.b)];
    row.arm_b = -(r_b + touch.gap / 2) * touch.n;
    row.arm_a =
        touch.a < 0
            ? Vec<3>(Vec<3>::Zero())
            : Vec<3>((packing.radius[static_cast<std::size_t>(touch.a)] + touch.gap / 2) * touch.n);
    Vec<3> b = relative_velocity<3>(row, free_twist(touch.a), free_twist(touch.b));
    b[0] += touch.gap > 0 ? touch.gap / h : std::max(-push, 0.2 * touch.gap / h);
    W.contacts.push_back(row);
    problem.b.push_back(b);
    problem.law.push_back({mu});
  }
  problem.W = std::move(W);
  problem.velocity_floor = h * g;
  return problem;
}

// Bodies in Morton order, with cells of side 1 m.
inline std::vector<int> morton_order(const std::vector<Vec<3>>& position, std::size_t bodies) {
  std::vector<std::pair<std::uint64_t, int>> keys;
  for (std::size_t i = 0; i < bodies; ++i) {
    std::uint64_t key = ~std::uint64_t{0};
    if (i < position.size()) {
      key = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const auto cell = static_cast<std::uint64_t>(std::max(position[i][axis], 0.0));
        for (int bit = 0; bit < 16; ++bit) key |= (cell >> bit & 1) << (3 * bit + axis);
      }
    }
    keys.push_back({key, static_cast<int>(i)});
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int> order;
  for (const auto& [key, body] : keys) order.push_back(body);
  return order;
}

// Steps of length h under gravity.
inline void let_fall(Packing& packing, int steps, double h, double mu, SweepSolver<3> solver) {
  const double g = 9.81;
  std::unordered_map<std::int64_t, Vec<3>> last;
  for (int step = 0; step < steps; ++step) {
    const std::vector<Touch> touches = find_touches(packing, 0.1);
    const ContactProblem<3> problem = step_problem(packing, touches, h, g, mu, 1.0);
    Percussions<3> p{std::vector<Vec<3>>(touches.size(), Vec<3>::Zero()), {}};
    const auto& W = std::get<RigidOperator<3>>(problem.W);
    for (std::size_t i = 0; i < touches.size(); ++i) {
      const auto found = last.find(touches[i].key());
      if (found != last.end()) {
        p.contact[i] = problem.law[i].project(W.contacts[i].frame.transpose() * found->second);
      }
    }
    solver.solve(problem, p);
    std::vector<Twist<3>> v(W.bodies.size());
    last.clear();
    for (std::size_t i = 0; i < touches.size(); ++i) {
      apply_percussion<3>(W.contacts[i], p.contact[i], W.bodies, v);
      last[touches[i].key()] = W.contacts[i].frame * p.contact[i];
    }
    for (std::size_t i = 0; i < packing.position.size(); ++i) {
      packing.velocity[i] += v[i].v - h * g * Vec<3>::UnitZ();
      packing.spin[i] += v[i].omega;
      packing.position[i] += h * packing.velocity[i];
    }
  }
}

// n × n × layers balls of radius 0.8 to 1.2 m fall for a number of steps.
inline Packing pour(int n, int layers, int steps,
                    SweepSolver<3> solver = SweepSolver<3>({.tolerance = 1e-3, .max_sweeps = 100}),
                    double mu = 0.3, unsigned seed = 7) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  Packing packing;
  const double spacing = 2.45;
  packing.width = n * spacing;
  for (int k = 0; k < layers; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const Vec<3> jitter(unit(random) - 0.5, unit(random) - 0.5, unit(random) - 0.5);
        packing.position.push_back(spacing * (Vec<3>(i + 0.5, j + 0.5, k + 0.5) + 0.05 * jitter));
        packing.velocity.push_back({2 * (unit(random) - 0.5), 2 * (unit(random) - 0.5), -2.0});
        packing.spin.push_back(Vec<3>::Zero());
        packing.radius.push_back(0.8 + 0.4 * unit(random));
      }
    }
  }
  let_fall(packing, steps, 0.02, mu, std::move(solver));
  return packing;
}

// The packing at rest, about to fall: a cold start for a solver. Balls closer than `margin` touch,
// or have a gap that may close within the step.
enum class Gaps { closed, may_close };
inline ContactProblem<3> cold_problem(Packing packing, Gaps gaps, double mu = 0.3) {
  for (Vec<3>& v : packing.velocity) v.setZero();
  for (Vec<3>& omega : packing.spin) omega.setZero();
  const double h = 0.01, g = 9.81;
  std::vector<Touch> touches = find_touches(packing, gaps == Gaps::closed ? 0.05 : 0.02);
  if (gaps == Gaps::closed) {
    for (Touch& touch : touches) touch.gap = std::min(touch.gap, 0.0);
  }
  ContactProblem<3> problem = step_problem(packing, touches, h, g, mu, 0.0);
  auto& W = std::get<RigidOperator<3>>(problem.W);
  W.body_order = morton_order(packing.position, W.bodies.size());
  return problem;
}

// The problem of a step of free fall, g h = 1 m/s along −z, for bodies that touch at rest.
inline void add_falling_contact(ContactProblem<3>& problem, RigidOperator<3>& W, int a, int b,
                                const Vec<3>& arm_a, const Vec<3>& arm_b, double mu) {
  const bool on_the_floor = W.bodies[static_cast<std::size_t>(a)].inverse_mass == 0;
  W.contacts.push_back({a, b, frame_of(Vec<3>::UnitZ()), arm_a, arm_b});
  problem.b.push_back(on_the_floor ? Vec<3>(-Vec<3>::Unit(0)) : Vec<3>(Vec<3>::Zero()));
  problem.law.push_back({mu});
}

// A fixed floor (body 0) and bodies of mass 1 kg, the last of mass `top`; inertia [kg m²] for 1 kg.
inline RigidOperator<3> pile_of(int count, double top, double inertia) {
  RigidOperator<3> W;
  W.bodies.resize(static_cast<std::size_t>(count) + 1);
  for (int k = 1; k <= count; ++k) {
    const double mass = k == count ? top : 1;
    W.bodies[static_cast<std::size_t>(k)] = {1 / mass, SpinMat<3>::Identity() / (inertia * mass)};
  }
  return W;
}

// Balls of mass 1 kg and radius 1/2 m on top of each other, the uppermost of mass `top`, on a fixed
// floor (body 0).
inline ContactProblem<3> ball_column(int count, double top, double mu = 0.5) {
  RigidOperator<3> W = pile_of(count, top, 0.4 * 0.25);
  ContactProblem<3> problem;
  for (int k = 0; k < count; ++k) {
    const Vec<3> up = 0.5 * Vec<3>::UnitZ();
    add_falling_contact(problem, W, k, k + 1, k == 0 ? Vec<3>(Vec<3>::Zero()) : up, -up, mu);
  }
  problem.W = std::move(W);
  problem.velocity_floor = 1;
  return problem;
}

// Cubes of mass 1 kg and side 1 m, four contacts between neighbours, the uppermost of mass `top`.
inline ContactProblem<3> box_tower(int count, double top, double mu = 0.5) {
  RigidOperator<3> W = pile_of(count, top, 1.0 / 6);
  ContactProblem<3> problem;
  for (int k = 0; k < count; ++k) {
    for (int corner = 0; corner < 4; ++corner) {
      const Vec<3> at(corner % 2 - 0.5, corner / 2 - 0.5, 0);
      const Vec<3> up = 0.5 * Vec<3>::UnitZ();
      add_falling_contact(problem, W, k, k + 1, k == 0 ? at : Vec<3>(at + up), at - up, mu);
    }
  }
  problem.W = std::move(W);
  problem.velocity_floor = 1;
  return problem;
}

}  // namespace talus::bench
