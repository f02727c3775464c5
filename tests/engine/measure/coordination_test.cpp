// SPDX-License-Identifier: Apache-2.0
// Neighbours and rattlers of arrangements one can count by hand.
#include "engine/measure/coordination.hpp"

#include <doctest/doctest.h>

using namespace talus;

namespace {

using Plane = std::integral_constant<int, 2>;
using Solid = std::integral_constant<int, 3>;

// Unit balls that press on each other where they touch; `fixed` ones are walls.
template <int D>
struct Assembly {
  Bodies<D> bodies;
  std::vector<ActiveContact<D>> contacts;

  void add(const Vec<D>& centre, bool fixed = false) {
    bodies.position.push_back(centre);
    bodies.mass.push_back(fixed ? 0 : 1);
    bodies.inverse_mass.push_back(fixed ? 0 : 1);
  }

  void press(int a, int b, double percussion = 1, double friction = 0) {
    const Vec<D> none = Vec<D>::Zero();
    contacts.push_back({{{a, b, 0, 0, 0}, 0, none, none},
                        Mat<D>::Identity(),
                        {.friction = friction},
                        percussion * Vec<D>::Unit(0),
                        none,
                        none});
  }

  void press_all_that_touch(double friction = 0) {
    for (std::size_t a = 0; a < bodies.size(); ++a)
      for (std::size_t b = a + 1; b < bodies.size(); ++b)
        if ((bodies.position[a] - bodies.position[b]).norm() < 1 + 1e-9 &&
            (bodies.moves_freely(a) || bodies.moves_freely(b)))
          press(static_cast<int>(a), static_cast<int>(b), 1, friction);
  }

  MeanCoordination mean() {
    coordination.find(bodies, contacts);
    return mean_coordination<D>(bodies, coordination, [](std::size_t) { return true; });
  }

  Coordination<D> coordination;
};

// A patch of a lattice in a frame of fixed balls of the same lattice.
template <int D>
Assembly<D> lattice(const Mat<D>& steps, int n) {
  Assembly<D> assembly;
  for (int k = 0; k < (D == 2 ? n * n : n * n * n); ++k) {
    Vec<D> index;
    bool rim = false;
    for (int axis = 0, rest = k; axis < D; ++axis, rest /= n) {
      index[axis] = rest % n;
      rim = rim || rest % n == 0 || rest % n == n - 1;
    }
    assembly.add(steps * index, rim);
  }
  assembly.press_all_that_touch();
  return assembly;
}

}  // namespace

TEST_CASE("grains of a lattice have its coordination, and none rattles") {
  const Mat<2> square = Mat<2>::Identity();
  const Mat<2> hexagonal{{1, 0.5}, {0, std::sqrt(3.0) / 2}};
  const Mat<3> fcc = Mat<3>{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}} / std::sqrt(2.0);
  const auto check = [](MeanCoordination mean, double expected) {
    CHECK(mean.pressing == expected);
    CHECK(mean.touching == expected);
    CHECK(mean.without_rattlers == expected);
    CHECK(mean.rattlers == 0);
  };
  check(lattice<2>(square, 6).mean(), 4);
  check(lattice<2>(hexagonal, 6).mean(), 6);
  check(lattice<3>(Mat<3>::Identity(), 5).mean(), 6);
  check(lattice<3>(fcc, 5).mean(), 12);
}

TEST_CASE("a pair of bodies is one neighbour each, however many contacts it has") {
  Assembly<3> two;
  two.add({0, 0, 0});
  two.add({0, 0, 1});
  two.add({0, 0, 2}, true);
  for (int corner = 0; corner < 4; ++corner) two.press(0, 1, corner == 2 ? 1 : 0);
  two.press(1, 2, 0);  // touches, carries nothing
  const MeanCoordination mean = two.mean();
  CHECK(mean.pressing == 1);
  CHECK(mean.touching == 1.5);
}

TEST_CASE("what hangs on a rattler rattles, too") {
  // A disk held by three walls; a second one leans on it and on a wall, a third on the second.
  Assembly<2> tree;
  for (int k = 0; k < 4; ++k) tree.add({0, 0}, true);  // 0 … 3
  tree.add({0, 0});                                    // 4, held
  tree.add({0, 0});                                    // 5
  tree.add({0, 0});                                    // 6
  tree.add({0, 0});                                    // 7, touches nobody
  for (int wall = 0; wall < 3; ++wall) tree.press(wall, 4);
  tree.press(3, 5);
  tree.press(4, 5);
  tree.press(5, 6);
  MeanCoordination mean = tree.mean();  // without friction a disk needs three
  CHECK(mean.pressing == doctest::Approx((4 + 3 + 1 + 0) / 4.0));
  CHECK(mean.rattlers == 3);
  CHECK(mean.without_rattlers == 3);  // without the second disk
  CHECK_FALSE(tree.coordination.is_rattler(4));
  CHECK(tree.coordination.holding(5) == 0);

  for (auto& contact : tree.contacts) contact.law.friction = 0.3;  // with friction, two
  mean = tree.mean();
  CHECK(mean.rattlers == 2);
  CHECK(mean.without_rattlers == doctest::Approx((4 + 2) / 2.0));
}

TEST_CASE("a ball in space needs four others, or three with friction") {
  for (const double friction : {0.0, 0.5})
    for (int others = 0; others <= 5; ++others) {
      Assembly<3> nest;
      for (int k = 0; k < others; ++k) nest.add({0, 0, 0}, true);
      nest.add({0, 0, 0});
      for (int k = 0; k < others; ++k) nest.press(k, others, 1, friction);
      CHECK(nest.mean().rattlers == (others < (friction > 0 ? 3 : 4) ? 1 : 0));
    }
}

TEST_CASE("of no grains there is no mean") {
  Assembly<2> walls;
  walls.add({0, 0}, true);
  CHECK(std::isnan(walls.mean().pressing));
  CHECK(walls.mean().rattlers == 0);
}
