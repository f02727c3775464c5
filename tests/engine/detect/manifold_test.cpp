// SPDX-License-Identifier: Apache-2.0
// Contacts of configurations whose answer is known by heart.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "engine/detect/narrowphase.hpp"
#include "solvers/math/parallel.hpp"

using namespace talus;
using doctest::Approx;

namespace {

template <int D>
PlacedShape<D> at(const Shape<D>& shape, const Vec<D>& position,
                  const Orientation<D>& orientation = {}) {
  return {&shape, position, rotation_matrix<D>(orientation)};
}

template <int D>
std::vector<ShapeContact<D>> contacts_of(const PlacedShape<D>& a, const PlacedShape<D>& b,
                                         double reach) {
  std::vector<ShapeContact<D>> contacts;
  find_shape_contacts<D>(a, b, reach, contacts);
  std::sort(contacts.begin(), contacts.end(),
            [](const auto& s, const auto& t) { return s.feature < t.feature; });
  return contacts;
}

template <int D>
bool has_point(const std::vector<ShapeContact<D>>& contacts, const Vec<D>& point,
               double tolerance = 1e-12) {
  return std::any_of(contacts.begin(), contacts.end(),
                     [&](const auto& c) { return (c.point - point).norm() <= tolerance; });
}

template <int D>
std::set<std::uint64_t> features(const std::vector<ShapeContact<D>>& contacts) {
  std::set<std::uint64_t> result;
  for (const auto& c : contacts) result.insert(c.feature);
  return result;
}

Orientation<3> turned(const Vec<3>& rotation_vector) {
  return rotated<3>(Orientation<3>(), rotation_vector);
}

}  // namespace

TEST_CASE("two boxes touch at both ends, however far the search reaches") {
  const Shape<2> lower = box<2>({2, 1}), upper = box<2>({3, 1});
  for (double reach : {0.01, 1.5, 4.0}) {
    const auto contacts = contacts_of<2>(at<2>(lower, {0, 0}), at<2>(upper, {1, 0.99}), reach);
    CHECK(has_point<2>(contacts, {-0.5, 0.495}));
    CHECK(has_point<2>(contacts, {1, 0.495}));
  }
}

TEST_CASE("a box on a box has four corners, apart, touching and overlapping, at any scale") {
  for (double scale : {1e-5, 1.0, 1e3}) {
    const Shape<3> lower = box<3>(scale * Vec<3>(2, 2, 1)), upper = box<3>(scale * Vec<3>(1, 1, 1));
    for (double gap : {0.0, 1e-17, 1e-3, -1e-3, -0.2}) {
      const auto contacts = contacts_of<3>(
          at<3>(lower, {0, 0, 0}), at<3>(upper, scale * Vec<3>(0.1, 0, 1 + gap)), 0.01 * scale);
      REQUIRE(contacts.size() == 4);
      for (const auto& c : contacts) {
        CHECK(std::abs(c.gap - scale * gap) <= 1e-15 * scale);
        CHECK((c.normal - Vec<3>(0, 0, 1)).norm() < 1e-15);
      }
      for (double x : {-0.4, 0.6}) {
        for (double y : {-0.5, 0.5}) {
          CHECK(has_point<3>(contacts, scale * Vec<3>(x, y, 0.5 + gap / 2), 1e-14 * scale));
        }
      }
    }
  }
}

TEST_CASE("equal boxes flush on each other have four corners, not eight") {
  const Shape<3> block = box<3>({1, 2, 3});
  CHECK(contacts_of<3>(at<3>(block, {0, 0, 0}), at<3>(block, {0, 0, 3}), 0.1).size() == 4);
  CHECK(contacts_of<3>(at<3>(block, {0, 0, 0}), at<3>(block, {1e-12, -1e-12, 3}), 0.1).size() == 4);
  const Shape<2> brick = box<2>({1, 2});
  CHECK(contacts_of<2>(at<2>(brick, {0, 0}), at<2>(brick, {0, 2}), 0.1).size() == 2);
  CHECK(contacts_of<2>(at<2>(brick, {0, 0}), at<2>(brick, {1, 0}), 0.1).size() == 2);
}

TEST_CASE("a block half over another touches at the corners of what they share") {
  const Shape<3> block = box<3>({2, 1, 1});
  for (double tilt : {0.0, 1e-12, 1e-9, 1e-6}) {
    const auto contacts = contacts_of<3>(
        at<3>(block, {0, 0, 0}), at<3>(block, {1, 0, 1}, turned({0.3 * tilt, tilt, 0})), 0.01);
    REQUIRE(contacts.size() == 4);
    for (double x : {0.0, 1.0}) {
      for (double y : {-0.5, 0.5}) CHECK(has_point<3>(contacts, {x, y, 0.5}, 1e-5));
    }
  }
  const Shape<2> brick = box<2>({2, 1});
  const auto contacts = contacts_of<2>(at<2>(brick, {0, 0}), at<2>(brick, {1, 1}), 0.01);
  REQUIRE(contacts.size() == 2);
  CHECK(has_point<2>(contacts, {0, 0.5}));
  CHECK(has_point<2>(contacts, {1, 0.5}));
}

TEST_CASE("a square turned by 45 degrees over a square touches at eight corners") {
  const Shape<3> block = box<3>({1, 1, 1});
  const auto contacts = contacts_of<3>(at<3>(block, {0, 0, 0}),
                                       at<3>(block, {0, 0, 1}, turned({0, 0, M_PI / 4})), 0.01);
  CHECK(contacts.size() == 8);
  for (const auto& c : contacts) {
    CHECK(std::abs(c.gap) < 1e-15);
    CHECK((c.normal - Vec<3>(0, 0, 1)).norm() < 1e-12);
    CHECK(std::max(std::abs(c.point[0]), std::abs(c.point[1])) == Approx(0.5));
  }
}

TEST_CASE("crossed boxes touch at the crossing of their edges") {
  const Shape<3> block = box<3>({1, 1, 4});
  // Each lies on an edge: the lower one's top edge runs along x, the upper one's bottom edge along
  // y.
  const Orientation<3> lower = rotated<3>(turned({0, 0, M_PI / 4}), Vec<3>(0, M_PI / 2, 0));
  const Orientation<3> upper = rotated<3>(turned({0, 0, M_PI / 4}), Vec<3>(M_PI / 2, 0, 0));
  const double half_diagonal = std::sqrt(0.5);
  for (double gap : {0.0, 1e-3, -1e-3, -0.1}) {
    const auto contacts =
        contacts_of<3>(at<3>(block, {0, 0, 0}, lower),
                       at<3>(block, {0.3, -0.2, 2 * half_diagonal + gap}, upper), 0.01);
    REQUIRE(contacts.size() == 1);
    CHECK(contacts[0].gap == Approx(gap).epsilon(1e-12).scale(1));
    CHECK((contacts[0].normal - Vec<3>(0, 0, 1)).norm() < 1e-12);
    CHECK((contacts[0].point - Vec<3>(0.3, 0, half_diagonal + gap / 2)).norm() < 1e-12);
  }
}

TEST_CASE("a corner misses a corner by its true distance") {
  const Shape<2> square = box<2>({1, 1});
  const auto near = contacts_of<2>(at<2>(square, {0, 0}), at<2>(square, {1.03, 1.04}), 0.06);
  REQUIRE(near.size() == 1);
  CHECK(near[0].gap == Approx(0.05).epsilon(1e-12));
  CHECK((near[0].normal - Vec<2>(0.6, 0.8)).norm() < 1e-12);
  CHECK((near[0].point - Vec<2>(0.515, 0.52)).norm() < 1e-12);
  // Along either side the two are only 0.04 apart: that must not bring a contact about.
  CHECK(contacts_of<2>(at<2>(square, {0, 0}), at<2>(square, {1.03, 1.04}), 0.045).empty());

  const Shape<3> cube = box<3>({1, 1, 1});
  const auto edge = contacts_of<3>(at<3>(cube, {0, 0, 0}), at<3>(cube, {1.03, 0.2, 1.04}), 0.06);
  REQUIRE(edge.size() == 2);  // edges side by side: both ends of the stretch they share
  for (const auto& c : edge) {
    CHECK(c.gap == Approx(0.05).epsilon(1e-12));
    CHECK((c.normal - Vec<3>(0.6, 0, 0.8)).norm() < 1e-12);
  }
  CHECK(has_point<3>(edge, {0.515, 0.5, 0.52}));
  CHECK(has_point<3>(edge, {0.515, -0.3, 0.52}));
  CHECK(contacts_of<3>(at<3>(cube, {0, 0, 0}), at<3>(cube, {1.03, 0.2, 1.04}), 0.045).empty());

  const auto corner = contacts_of<3>(at<3>(cube, {0, 0, 0}), at<3>(cube, {1.02, 1.03, 1.06}), 0.08);
  REQUIRE(corner.size() == 1);
  CHECK(corner[0].gap == Approx(0.07).epsilon(1e-12));
  CHECK(contacts_of<3>(at<3>(cube, {0, 0, 0}), at<3>(cube, {1.02, 1.03, 1.06}), 0.065).empty());
}

TEST_CASE("blocks that meet at a corner or an edge only part between their sides") {
  const Shape<2> square = box<2>({1, 1});
  const auto plane = contacts_of<2>(at<2>(square, {0, 0}), at<2>(square, {1, 1}), 0.01);
  REQUIRE(plane.size() == 1);
  CHECK(plane[0].gap == 0);
  CHECK((plane[0].normal - Vec<2>(1, 1).normalized()).norm() < 1e-15);

  const Shape<3> cube = box<3>({1, 1, 1});
  const auto edge = contacts_of<3>(at<3>(cube, {0, 0, 0}), at<3>(cube, {1, 0, 1}), 0.01);
  REQUIRE(edge.size() == 2);
  for (const auto& c : edge) {
    CHECK(c.gap == 0);
    CHECK((c.normal - Vec<3>(1, 0, 1).normalized()).norm() < 1e-15);
  }
  const auto corner = contacts_of<3>(at<3>(cube, {0, 0, 0}), at<3>(cube, {1, 1, 1}), 0.01);
  REQUIRE(corner.size() == 1);
  CHECK((corner[0].normal - Vec<3>(1, 1, 1).normalized()).norm() < 1e-15);
}

TEST_CASE("a capsule lies on a face with both ends, or on both rims when it is longer") {
  const Shape<3> table = box<3>({2, 2, 1});
  const Shape<3> peg = Capsule<3>{{Vec<3>(-0.5, 0, 0), Vec<3>(0.5, 0, 0)}, 0.25};
  const auto on_face = contacts_of<3>(at<3>(table, {0, 0, 0}), at<3>(peg, {0.1, 0.2, 0.75}), 0.01);
  REQUIRE(on_face.size() == 2);
  CHECK(has_point<3>(on_face, {-0.4, 0.2, 0.5}));
  CHECK(has_point<3>(on_face, {0.6, 0.2, 0.5}));

  const Shape<3> log = Capsule<3>{{Vec<3>(-5, 0, 0), Vec<3>(5, 0, 0)}, 0.25};
  for (double gap : {0.0, 1e-3, -1e-3}) {
    const auto over_rims =
        contacts_of<3>(at<3>(log, {0, 0.3, 0.75 + gap}), at<3>(table, {0, 0, 0}), 0.01);
    REQUIRE(over_rims.size() == 2);
    for (const auto& c : over_rims) {
      CHECK(std::abs(c.gap - gap) < 1e-15);
      CHECK((c.normal - Vec<3>(0, 0, -1)).norm() < 1e-12);
    }
    CHECK(has_point<3>(over_rims, {-1, 0.3, 0.5 + gap / 2}));
    CHECK(has_point<3>(over_rims, {1, 0.3, 0.5 + gap / 2}));
  }

  const Shape<2> flat_table = box<2>({2, 1});
  const Shape<2> flat_log = Capsule<2>{{Vec<2>(-5, 0), Vec<2>(5, 0)}, 0.25};
  const auto flat = contacts_of<2>(at<2>(flat_table, {0, 0}), at<2>(flat_log, {0, 0.75}), 0.01);
  REQUIRE(flat.size() == 2);
  CHECK(has_point<2>(flat, {-1, 0.5}));
  CHECK(has_point<2>(flat, {1, 0.5}));
}

TEST_CASE("capsules side by side touch at both ends of the stretch they share") {
  const Shape<3> a = Capsule<3>{{Vec<3>(0, 0, 0), Vec<3>(2, 0, 0)}, 0.5};
  for (double tilt : {0.0, 1e-12, 1e-9}) {
    const auto side =
        contacts_of<3>(at<3>(a, {0, 0, 0}), at<3>(a, {0.5, 0, 1}, turned({0, tilt, tilt})), 0.01);
    REQUIRE(side.size() == 2);
    CHECK(has_point<3>(side, {0.5, 0, 0.5}, 1e-8));
    CHECK(has_point<3>(side, {2, 0, 0.5}, 1e-8));
  }
  CHECK(contacts_of<3>(at<3>(a, {0, 0, 0}), at<3>(a, {0, 1, 0}), 0.01).size() == 2);
  const auto crossed =
      contacts_of<3>(at<3>(a, {0, 0, 0}), at<3>(a, {1, -1, 1}, turned({0, 0, M_PI / 2})), 0.01);
  REQUIRE(crossed.size() == 1);
  CHECK((crossed[0].point - Vec<3>(1, 0, 0.5)).norm() < 1e-12);
  const auto in_line = contacts_of<3>(at<3>(a, {0, 0, 0}), at<3>(a, {3.001, 0, 0}), 0.01);
  REQUIRE(in_line.size() == 1);
  CHECK(in_line[0].gap == Approx(0.001).epsilon(1e-9));
  CHECK((in_line[0].normal - Vec<3>(1, 0, 0)).norm() < 1e-12);

  const Shape<2> flat = Capsule<2>{{Vec<2>(0, 0), Vec<2>(2, 0)}, 0.5};
  const auto plane = contacts_of<2>(at<2>(flat, {0, 0}), at<2>(flat, {0.5, 1}), 0.01);
  REQUIRE(plane.size() == 2);
  CHECK(has_point<2>(plane, {0.5, 0.5}));
  CHECK(has_point<2>(plane, {2, 0.5}));
}

TEST_CASE("shapes with coinciding centres still part along some direction") {
  const Shape<3> ball = Ball<3>{0.5, Vec<3>::Zero()}, block = box<3>({1, 2, 3}),
                 capsule = Capsule<3>{{Vec<3>(-1, 0, 0), Vec<3>(1, 0, 0)}, 0.25},
                 point_like = Capsule<3>{{Vec<3>(0, 0, 0), Vec<3>(0, 0, 0)}, 0.5};
  const Shape<3>* all[] = {&ball, &block, &capsule, &point_like};
  for (const Shape<3>* a : all) {
    for (const Shape<3>* b : all) {
      const auto contacts = contacts_of<3>(at<3>(*a, {0, 0, 0}), at<3>(*b, {0, 0, 0}), 0.1);
      REQUIRE(!contacts.empty());
      for (const auto& c : contacts) {
        CHECK(c.normal.norm() == Approx(1));
        CHECK(c.point.allFinite());
        CHECK(std::isfinite(c.gap));
      }
    }
  }
  CHECK(contacts_of<3>(at<3>(ball, {0, 0, 0}), at<3>(ball, {0, 0, 0}), 0.1)[0].gap == -1);
  CHECK(contacts_of<3>(at<3>(ball, {0, 0, 0}), at<3>(block, {0, 0, 0}), 0.1)[0].gap == -1);
  CHECK(contacts_of<3>(at<3>(capsule, {0, 0, 0}), at<3>(capsule, {0, 0, 0}), 0.1)[0].gap == -0.5);
}

TEST_CASE("features persist while bodies move a little") {
  std::mt19937 rng(21);
  std::uniform_real_distribution<double> noise(-1, 1);
  const Shape<3> block = box<3>({2, 1, 1});
  const auto still = contacts_of<3>(at<3>(block, {0, 0, 0}), at<3>(block, {0.7, 0.2, 1}), 0.01);
  CHECK(still.size() == 4);
  for (int i = 0; i < 200; ++i) {
    const Vec<3> shift(1e-4 * noise(rng), 1e-4 * noise(rng), 1e-4 * noise(rng));
    const Vec<3> turn(1e-4 * noise(rng), 1e-4 * noise(rng), 1e-4 * noise(rng));
    const auto moved_a_little = contacts_of<3>(
        at<3>(block, {0, 0, 0}), at<3>(block, Vec<3>(0.7, 0.2, 1) + shift, turned(turn)), 0.01);
    CHECK(features<3>(moved_a_little) == features<3>(still));
  }
  const Shape<2> brick = box<2>({2, 1});
  const auto flat = contacts_of<2>(at<2>(brick, {0, 0}), at<2>(brick, {0.7, 1}), 0.01);
  for (int i = 0; i < 200; ++i) {
    const Vec<2> shift(1e-4 * noise(rng), 1e-4 * noise(rng));
    const auto moved_a_little = contacts_of<2>(
        at<2>(brick, {0, 0}), at<2>(brick, Vec<2>(0.7, 1) + shift, {1e-4 * noise(rng)}), 0.01);
    CHECK(features<2>(moved_a_little) == features<2>(flat));
  }
}

// Compounds of all families: the contacts of the bodies are those of their shapes, in the order of
// their keys, whatever the number of threads.
TEST_CASE("contacts of bodies come in the order of their keys for any number of threads") {
  std::mt19937 rng(22);
  std::uniform_real_distribution<double> coordinate(-3, 3);
  Scene<3> scene;
  scene.materials = {{"stone", 1}};
  for (int i = 0; i < 150; ++i) {
    BodyDescription<3> body;
    if (i % 3 == 0) body.shapes = {Ball<3>{0.5, Vec<3>::Zero()}};
    if (i % 3 == 1) body.shapes = {box<3>({1, 0.5, 0.7}), Ball<3>{0.3, {0.6, 0, 0}}};
    if (i % 3 == 2) {
      body.shapes = {Capsule<3>{{Vec<3>(-0.5, 0, 0), Vec<3>(0.5, 0, 0)}, 0.2}};
    }
    body.position = {coordinate(rng), coordinate(rng), coordinate(rng)};
    body.orientation = turned({coordinate(rng), coordinate(rng), coordinate(rng)});
    scene.bodies.push_back(body);
  }
  const Bodies<3> bodies = make_bodies(scene);
  std::vector<BodyPair> pairs;
  for (std::int32_t a = 0; a < 150; ++a) {
    for (std::int32_t b = a + 1; b < 150; ++b) pairs.push_back({a, b});
  }
  const std::vector<Reach<3>> reach(bodies.size(), {Vec<3>(0.01, 0, 0), 0.05});

  std::vector<Contact<3>> expected;
  for (const auto& [a, b] : pairs) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    for (std::size_t s = 0; s < bodies.geometry_of(i).shapes.size(); ++s) {
      for (std::size_t t = 0; t < bodies.geometry_of(j).shapes.size(); ++t) {
        for (const auto& c : contacts_of<3>(
                 at<3>(bodies.geometry_of(i).shapes[s], bodies.position[i], bodies.orientation[i]),
                 at<3>(bodies.geometry_of(j).shapes[t], bodies.position[j], bodies.orientation[j]),
                 0.11)) {
          expected.push_back({{a, b, static_cast<int>(s), static_cast<int>(t), c.feature},
                              c.gap,
                              c.normal,
                              c.point});
        }
      }
    }
  }
  REQUIRE(expected.size() > 100);
  Narrowphase<3> narrowphase;
  std::vector<Contact<3>> found;
  for (int count : {1, 2, 3, 7}) {
    set_threads(count);
    narrowphase.find_contacts(bodies, pairs, reach, found);
    CHECK(std::is_sorted(found.begin(), found.end(),
                         [](const auto& c, const auto& d) { return c.key < d.key; }));
    REQUIRE(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK(found[k].key == expected[k].key);
      CHECK(found[k].gap == expected[k].gap);
      CHECK(found[k].normal == expected[k].normal);
      CHECK(found[k].point == expected[k].point);
    }
  }
  set_threads(1);
}
