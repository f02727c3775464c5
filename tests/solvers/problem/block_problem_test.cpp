// SPDX-License-Identifier: Apache-2.0
// Islands of a problem in blocks, with linear rows among the unknowns.
#include "solvers/problem/block_problem.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "engine/geometry/space.hpp"
#include "solvers/problem/solver.hpp"

using namespace talus;

namespace {

struct Plane {
  static constexpr int value = 2;
};
struct Solid {
  static constexpr int value = 3;
};

template <int D>
struct Random {
  std::mt19937 bits{11};
  double operator()() { return std::uniform_real_distribution<double>(-1, 1)(bits); }
  Vec<D> vector() {
    return Vec<D>::NullaryExpr([&] { return (*this)(); });
  }
  Spin<D> spin() {
    return Spin<D>::NullaryExpr([&] { return (*this)(); });
  }
};

// Bodies 1, 2, 3 and 4, 5 in two groups on the fixed body 0; a rod in each group.
template <int D>
ContactProblem<D> two_groups(Random<D>& random) {
  RigidOperator<D> rigid;
  rigid.bodies.resize(6);
  for (int b = 1; b < 6; ++b) {
    rigid.bodies[b].inverse_mass = 1 + 0.3 * b;
    rigid.bodies[b].inverse_inertia = (2 + 0.5 * b) * SpinMat<D>::Identity();
  }
  ContactProblem<D> problem;
  const int pairs[][2] = {{0, 1}, {1, 2}, {0, 4}, {2, 3}, {0, 3}, {4, 5}};
  for (const auto& pair : pairs) {
    ContactRow<D> row;
    row.a = pair[0];
    row.b = pair[1];
    row.frame = frame_of_normal<D>(random.vector().normalized());
    row.arm_a = random.vector();
    row.arm_b = random.vector();
    rigid.contacts.push_back(row);
    problem.b.push_back(random.vector());
    problem.law.push_back({0.4});
  }
  for (const auto& pair : {std::pair{1, 3}, std::pair{0, 5}}) {
    LinearRow<D> row;
    row.a = pair.first;
    row.b = pair.second;
    row.direction = random.vector();
    row.moment_a = random.spin();
    row.moment_b = random.spin();
    row.compliance = 0.25;
    row.bias = random();
    problem.rows.push_back(row);
  }
  problem.W = rigid;
  return problem;
}

}  // namespace

TEST_CASE_TEMPLATE("islands of a rigid problem with rods have its velocities and its error", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  Random<D> random;
  const ContactProblem<D> problem = two_groups<D>(random);
  const std::vector<BlockProblem<D>> islands =
      island_problems<D>(problem, Islands<D>(problem).members());
  REQUIRE(islands.size() == 2);
  CHECK(islands[0].member == std::vector<int>{0, 1, 3, 4, 6});
  CHECK(islands[1].member == std::vector<int>{2, 5, 7});

  Percussions<D> p;
  for (std::size_t i = 0; i < problem.size(); ++i) p.contact.push_back(random.vector());
  for (std::size_t i = 0; i < problem.rows.size(); ++i) p.row.push_back(random());
  const Velocities<D> expected = velocities<D>(problem, p);
  double largest = 0;
  for (const BlockProblem<D>& island : islands) {
    std::vector<Vec<D>> part(island.size(), Vec<D>::Zero()), u;
    for (std::size_t i = 0; i < island.size(); ++i) {
      const std::size_t whole = island.member[i];
      CHECK((island.bilateral[i] == 1) == (whole >= problem.size()));
      if (island.bilateral[i]) {
        part[i][0] = p.row[whole - problem.size()];
      } else {
        part[i] = p.contact[whole];
      }
    }
    island.velocities(part, u);
    for (std::size_t i = 0; i < island.size(); ++i) {
      const std::size_t whole = island.member[i];
      if (island.bilateral[i]) {
        CHECK(u[i][0] == doctest::Approx(expected.row[whole - problem.size()]).epsilon(1e-12));
        CHECK(u[i].template tail<D - 1>().norm() == 0);
      } else {
        CHECK((u[i] - expected.contact[whole]).norm() < 1e-12);
      }
    }
    largest = std::max(largest, island.error(part, u));
  }
  CHECK(largest == doctest::Approx(contact_error<D>(problem, p).relative).epsilon(1e-12));
}

TEST_CASE("contacts joined by zero blocks only are islands of their own") {
  DelassusOperator<2> W;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      W.column.push_back(j);
      W.block.push_back(i == j ? Mat<2>(2 * Mat<2>::Identity()) : Mat<2>(Mat<2>::Zero()));
    }
    W.row_start.push_back(W.column.size());
  }
  ContactProblem<2> problem;
  problem.W = W;
  problem.b.assign(3, Vec<2>(-1, 0));
  problem.law.assign(3, {0.5});
  const std::vector<BlockProblem<2>> islands =
      island_problems<2>(problem, Islands<2>(problem).members());
  REQUIRE(islands.size() == 3);
  for (const BlockProblem<2>& island : islands) CHECK(island.W.block.size() == 1);
}

TEST_CASE("no contacts are no islands") {
  CHECK(Islands<3>(ContactProblem<3>{}).members().empty());
}
