// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/flat_face.hpp"

#include <doctest/doctest.h>

using namespace talus;

TEST_CASE("faces of boxes have their areas and centres") {
  const auto top = flat_face<3>({box<3>({1, 2, 3})}, {0, 0, 1});
  REQUIRE(top);
  CHECK(top->area == doctest::Approx(2).epsilon(1e-14));
  CHECK((top->centre - Vec<3>(0, 0, 1.5)).norm() < 1e-14);
  const auto right = flat_face<2>({box<2>({1, 2})}, {1, 0});
  REQUIRE(right);
  CHECK(right->area == doctest::Approx(2).epsilon(1e-14));
  CHECK((right->centre - Vec<2>(0.5, 0)).norm() < 1e-14);
}

TEST_CASE("a triangle has a third of its corners as centre") {
  const auto wedge = prism({{0, 0}, {3, 0}, {0, 6}}, 1);
  REQUIRE(wedge);
  const auto top = flat_face<3>({*wedge}, {0, 0, 1});
  REQUIRE(top);
  CHECK(top->area == doctest::Approx(9).epsilon(1e-14));
  CHECK((top->centre - Vec<3>(1, 2, 0.5)).norm() < 1e-14);
}

TEST_CASE("faces of several shapes count together, other shapes have none") {
  const Shape<2> left = moved<2>(box<2>({1, 1}), {-2, 0}, {}),
                 right = moved<2>(box<2>({3, 1}), {2, 0}, {});
  const auto top = flat_face<2>({left, right, Ball<2>{5}}, {0, 1});
  REQUIRE(top);
  CHECK(top->area == doctest::Approx(4).epsilon(1e-14));
  CHECK((top->centre - Vec<2>(1, 0.5)).norm() < 1e-14);
  CHECK_FALSE(flat_face<2>({Ball<2>{5}}, {0, 1}));
  CHECK_FALSE(flat_face<3>({box<3>({1, 2, 3})}, Vec<3>(1, 0, 1).normalized()));
}
