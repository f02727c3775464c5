// SPDX-License-Identifier: Apache-2.0
// Every pair of shape families against the oracle, on thousands of random configurations.
#include "engine/detect/narrowphase.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/engine/detect/convex_oracle.hpp"

using namespace talus;
using oracle::Family;

namespace {

template <int D>
struct Configuration {
  Shape<D> shape_a, shape_b;
  PlacedShape<D> a, b;

  Configuration() = default;
  Configuration(const Configuration&) = delete;
};

template <int D>
std::vector<ShapeContact<D>> contacts_of(const PlacedShape<D>& a, const PlacedShape<D>& b,
                                         double reach) {
  std::vector<ShapeContact<D>> contacts;
  find_shape_contacts<D>(a, b, reach, contacts);
  return contacts;
}

// Two shapes about `gap` apart, in random poses.
template <int D>
void arrange(std::mt19937& rng, Family family_a, Family family_b, double gap,
             Configuration<D>& configuration) {
  auto& [shape_a, shape_b, a, b] = configuration;
  shape_a = oracle::shape<D>(rng, family_a);
  shape_b = oracle::shape<D>(rng, family_b);
  a = {&shape_a, oracle::point_in_ball<D>(rng), oracle::rotation<D>(rng)};
  b = {&shape_b, a.position + 6 * oracle::point_in_ball<D>(rng).normalized(),
       oracle::rotation<D>(rng)};
  const auto apart = oracle::separation<D>(oracle::solid<D>(a), oracle::solid<D>(b));
  b.position += (gap - apart.gap) * apart.direction;
}

template <int D>
double least_gap(const std::vector<ShapeContact<D>>& contacts) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& c : contacts) least = std::min(least, c.gap);
  return least;
}

// No contact missed, no ghost: all that the header of find_shape_contacts promises.
template <int D>
void check_against_oracle(const Configuration<D>& configuration, double reach, double& deepest) {
  const auto& [shape_a, shape_b, a, b] = configuration;
  const auto solid_a = oracle::solid<D>(a), solid_b = oracle::solid<D>(b);
  const double size = std::min(solid_a.size(), solid_b.size());
  const double tolerance = 1e-6 * size;
  const auto truth = oracle::separation<D>(solid_a, solid_b);
  const auto contacts = contacts_of<D>(a, b, reach);
  deepest = std::min(deepest, truth.gap / size);

  if (truth.gap > reach + tolerance) {
    CHECK(contacts.empty());
    return;
  }
  if (truth.gap > reach - tolerance) return;  // either way
  REQUIRE(!contacts.empty());
  CHECK(std::abs(least_gap<D>(contacts) - truth.gap) <= tolerance);
  const auto& closest = *std::min_element(contacts.begin(), contacts.end(),
                                          [](auto& s, auto& t) { return s.gap < t.gap; });
  std::map<std::uint64_t, int> features;
  for (const auto& c : contacts) {
    CHECK(c.gap <= reach);
    CHECK(c.normal.norm() == doctest::Approx(1).epsilon(1e-12));
    CHECK(++features[c.feature] == 1);
    // The two surface points are on the surfaces.
    const Vec<D> x = c.point - c.gap / 2 * c.normal, y = c.point + c.gap / 2 * c.normal;
    const double from_a = oracle::distance<D>(solid_a, x), from_b = oracle::distance<D>(solid_b, y);
    CHECK(from_a <= tolerance);
    CHECK(from_b <= tolerance);
    // An end of a capsule that lies less close than the other touches with a point of its cap.
    const bool is_round_end = solid_a.radius + solid_b.radius > 0 && &c != &closest;
    if (!is_round_end) {
      CHECK(from_a >= -tolerance);
      CHECK(from_b >= -tolerance);
    }
    // Apart, every gap is the distance of a point of one shape from the other.
    if (truth.gap > 0) {
      CHECK(std::min(std::abs(oracle::distance<D>(solid_a, y) - c.gap),
                     std::abs(oracle::distance<D>(solid_b, x) - c.gap)) <= tolerance);
    }
  }
  // The deepest contact's normal parts the two as the oracle says.
  const double along_normal = oracle::separation_along<D>(solid_a, solid_b, closest.normal) -
                              solid_a.radius - solid_b.radius;
  CHECK(std::abs(along_normal - truth.gap) <= 1e-5 * size);
}

template <int D>
void check_swapped(const Configuration<D>& configuration, double reach) {
  const auto& [shape_a, shape_b, a, b] = configuration;
  const auto forward = contacts_of<D>(a, b, reach), backward = contacts_of<D>(b, a, reach);
  REQUIRE(forward.size() == backward.size());
  for (const auto& c : forward) {
    CHECK(std::any_of(backward.begin(), backward.end(), [&](const auto& d) {
      return std::abs(c.gap - d.gap) <= 1e-7 && (c.normal + d.normal).norm() <= 1e-9 &&
             (c.point - d.point).norm() <= 1e-6;
    }));
  }
}

template <int D>
std::vector<std::pair<Family, Family>> family_pairs() {
  std::vector<std::pair<Family, Family>> pairs;
  const Family all[] = {Family::ball, Family::capsule, Family::box, Family::hull};
  for (Family s : all) {
    for (Family t : all) pairs.emplace_back(s, t);
  }
  return pairs;
}

}  // namespace

using Plane = std::integral_constant<int, 2>;
using Solid = std::integral_constant<int, 3>;

TEST_CASE_TEMPLATE("shapes apart, touching and overlapping have the contacts the oracle knows", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937 rng(11);
  for (const auto& pair : family_pairs<D>()) {
    const Family family_a = pair.first, family_b = pair.second;
    CAPTURE(static_cast<int>(family_a));
    CAPTURE(static_cast<int>(family_b));
    double deepest = 0;
    for (int trial = 0; trial < 400; ++trial) {
      CAPTURE(trial);
      const double gaps[] = {oracle::uniform(rng, -0.4, 0.2), oracle::uniform(rng, -1e-3, 1e-3),
                             oracle::uniform(rng, 0, 1e-9), -0.1};
      Configuration<D> configuration;
      arrange<D>(rng, family_a, family_b, gaps[trial % 4], configuration);
      check_against_oracle<D>(configuration, 0.1, deepest);
      // Corners that touch within the tolerance may part along any of several normals.
      if (trial % 4 != 2) check_swapped<D>(configuration, 0.1);
    }
    CHECK(deepest < -0.1);  // the sample holds overlaps worth the name
  }
}

TEST_CASE_TEMPLATE("boxes at random in a small space have the contacts the oracle knows", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937 rng(12);
  double deepest = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    CAPTURE(trial);
    Configuration<D> c;
    c.shape_a = oracle::shape<D>(rng, trial % 2 ? Family::box : Family::hull);
    c.shape_b = oracle::shape<D>(rng, trial % 3 ? Family::box : Family::hull);
    c.a = {&c.shape_a, Vec<D>::Zero(), oracle::rotation<D>(rng)};
    c.b = {&c.shape_b, 1.5 * oracle::point_in_ball<D>(rng), oracle::rotation<D>(rng)};
    check_against_oracle<D>(c, 0.2, deepest);
  }
  CHECK(deepest < -0.3);
}

// Nearly parallel faces and edges, where tolerances could go wrong.
TEST_CASE_TEMPLATE("boxes all but aligned have the contacts the oracle knows", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937 rng(13);
  double deepest = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    CAPTURE(trial);
    Configuration<D> c;
    c.shape_a = oracle::shape<D>(rng, Family::box);
    c.shape_b = oracle::shape<D>(rng, trial % 5 ? Family::box : Family::capsule);
    const double angle = std::pow(10.0, -static_cast<double>(trial % 15));
    Orientation<D> small;
    if constexpr (D == 2) {
      small = rotated<2>({}, Spin<2>(angle * oracle::uniform(rng, -1, 1)));
    } else {
      small = rotated<3>({}, angle * oracle::point_in_ball<3>(rng));
    }
    const Mat<D> R = oracle::rotation<D>(rng);
    c.a = {&c.shape_a, Vec<D>::Zero(), R};
    c.b = {&c.shape_b, 5 * oracle::point_in_ball<D>(rng).normalized(),
           rotation_matrix<D>(small) * R};
    const auto apart = oracle::separation<D>(oracle::solid<D>(c.a), oracle::solid<D>(c.b));
    const double gaps[] = {0, 1e-9, 1e-4, -1e-4, 0.03};
    c.b.position += (gaps[trial % 5] - apart.gap) * apart.direction;
    check_against_oracle<D>(c, 0.05, deepest);
  }
}

TEST_CASE_TEMPLATE("half-spaces touch what reaches below their plane", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937 rng(14);
  for (int trial = 0; trial < 2000; ++trial) {
    CAPTURE(trial);
    const Family families[] = {Family::ball, Family::capsule, Family::box, Family::hull};
    const Shape<D> shape = oracle::shape<D>(rng, families[trial % 4]);
    const Shape<D> ground = HalfSpace<D>{oracle::point_in_ball<D>(rng).normalized(), 0.3};
    const PlacedShape<D> a{&shape, oracle::point_in_ball<D>(rng), oracle::rotation<D>(rng)};
    const PlacedShape<D> b{&ground, oracle::point_in_ball<D>(rng), oracle::rotation<D>(rng)};
    const auto& half_space = std::get<HalfSpace<D>>(ground);
    const Vec<D> n = b.rotation * half_space.normal;
    const auto solid = oracle::solid<D>(a);
    const double reach = 0.2;
    std::size_t expected = 0;
    double truth = std::numeric_limits<double>::infinity();
    for (const Vec<D>& x : solid.points) {
      const double gap = n.dot(x - b.position) - half_space.offset - solid.radius;
      truth = std::min(truth, gap);
      expected += gap <= reach;
    }
    const auto contacts = contacts_of<D>(a, b, reach);
    CHECK(contacts.size() == expected);
    for (const auto& c : contacts) {
      CHECK((c.normal + n).norm() < 1e-14);
      const double from_a = oracle::distance<D>(solid, c.point - c.gap / 2 * c.normal);
      CHECK(from_a < 1e-7);
      if (solid.radius == 0 || c.gap == least_gap<D>(contacts)) CHECK(from_a > -1e-7);
      const Vec<D> y = c.point + c.gap / 2 * c.normal;
      CHECK(std::abs(n.dot(y - b.position) - half_space.offset) < 1e-13);
    }
    if (expected > 0) CHECK(least_gap<D>(contacts) == doctest::Approx(truth).epsilon(1e-12));
    const auto backward = contacts_of<D>(b, a, reach);
    CHECK(backward.size() == expected);
    for (const auto& c : backward) CHECK((c.normal - n).norm() < 1e-14);
  }
  const Shape<D> ground = HalfSpace<D>{Vec<D>::Unit(0), 0};
  const PlacedShape<D> placed{&ground, Vec<D>::Zero(), Mat<D>::Identity()};
  CHECK(contacts_of<D>(placed, placed, 1).empty());
}

// The same configuration at another scale or place: the same contacts, features and all.
TEST_CASE_TEMPLATE("contacts do not depend on the unit of length or the place", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937 rng(15);
  const auto scaled_shape = [](const Shape<D>& shape, double scale) -> Shape<D> {
    if (const auto* ball = std::get_if<Ball<D>>(&shape)) {
      return Ball<D>{ball->radius * scale, ball->centre * scale};
    }
    if (const auto* capsule = std::get_if<Capsule<D>>(&shape)) {
      return Capsule<D>{{capsule->ends[0] * scale, capsule->ends[1] * scale},
                        capsule->radius * scale};
    }
    std::vector<Vec<D>> points = std::get<Polytope<D>>(shape).vertices;
    for (Vec<D>& x : points) x *= scale;
    return *convex_hull<D>(points);
  };
  for (const auto& pair : family_pairs<D>()) {
    const Family family_a = pair.first, family_b = pair.second;
    for (int trial = 0; trial < 40; ++trial) {
      CAPTURE(static_cast<int>(family_a));
      CAPTURE(static_cast<int>(family_b));
      CAPTURE(trial);
      const double gaps[] = {0.05, 1e-8, -1e-3, -0.2};
      Configuration<D> c;
      arrange<D>(rng, family_a, family_b, gaps[trial % 4], c);
      c.shape_a = scaled_shape(c.shape_a, 1);  // hulls with the features of their scaled images
      c.shape_b = scaled_shape(c.shape_b, 1);
      const double reach = 0.07;
      const auto expected = contacts_of<D>(c.a, c.b, reach);
      for (double scale : {1e-5, 1e3}) {
        const Shape<D> s = scaled_shape(c.shape_a, scale), t = scaled_shape(c.shape_b, scale);
        const Vec<D> shift = 10 * scale * oracle::point_in_ball<D>(rng);
        const auto found =
            contacts_of<D>({&s, scale * c.a.position + shift, c.a.rotation},
                           {&t, scale * c.b.position + shift, c.b.rotation}, scale * reach);
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          CHECK(found[i].feature == expected[i].feature);
          CHECK(std::abs(found[i].gap / scale - expected[i].gap) < 1e-12);
          CHECK((found[i].normal - expected[i].normal).norm() < 1e-9);
          CHECK(((found[i].point - shift) / scale - expected[i].point).norm() < 1e-9);
        }
      }
    }
  }
}
