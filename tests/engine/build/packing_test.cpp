// SPDX-License-Identifier: Apache-2.0
#include "engine/build/packing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "engine/build/generate.hpp"

using namespace talus;

namespace {

template <int D>
double extent(const Shape<D>& shape) {
  if (const auto* ball = std::get_if<Ball<D>>(&shape)) return ball->centre.norm() + ball->radius;
  if (const auto* capsule = std::get_if<Capsule<D>>(&shape))
    return std::max(capsule->ends[0].norm(), capsule->ends[1].norm()) + capsule->radius;
  double farthest = 0;
  for (const Vec<D>& x : std::get<Polytope<D>>(shape).vertices)
    farthest = std::max(farthest, x.norm());
  return farthest;
}

template <int D>
void check_apart_and_inside(const PackingPlan<D>& plan) {
  const std::vector<Grain<D>> grains = pack<D>(plan);
  REQUIRE(grains.size() == static_cast<std::size_t>(plan.count));
  for (std::size_t i = 0; i < grains.size(); ++i) {
    CHECK(plan.region.holds(grains[i].position, grains[i].radius));
    CHECK(extent<D>(grains[i].shape) <= grains[i].radius * (1 + 1e-12));
    for (std::size_t j = 0; j < i; ++j) {
      const double distance = (grains[i].position - grains[j].position).norm();
      if (distance <= grains[i].radius + grains[j].radius)
        FAIL("grains ", i, " and ", j, " overlap");
    }
  }
}

std::vector<double> radii_of(const PackingPlan<3>& plan) {
  std::vector<double> radii;
  for (const Grain<3>& grain : pack<3>(plan)) radii.push_back(grain.radius);
  return radii;
}

// Room without end.
PackingPlan<3> many_grains(Sizes sizes) {
  PackingPlan<3> plan;
  plan.count = 20000;
  plan.region = box_region<3>({1000, 1000, 1000});
  plan.sizes = std::move(sizes);
  plan.seed = 3;
  return plan;
}

}  // namespace

TEST_CASE("grains of a packing lie apart and inside, of any kind and in any region") {
  PackingPlan<2> flat;
  flat.count = 300;
  flat.region = box_region<2>({1, 1});
  flat.sizes = UniformSizes{0.01, 0.025};
  for (const GrainKind& kind :
       {GrainKind(BallGrain{}), GrainKind(CapsuleGrain{3}), GrainKind(PolytopeGrain{7})}) {
    flat.kind = kind;
    check_apart_and_inside<2>(flat);
  }
  flat.region = hull_region<2>(*convex_hull<2>({{0, 0}, {1.5, 0}, {0, 1.5}}));
  check_apart_and_inside<2>(flat);

  PackingPlan<3> solid;
  solid.count = 300;
  solid.sizes = LognormalSizes{0.03, 0.3, 0.015, 0.06};
  for (const Region<3>& region : {box_region<3>({1, 0.6, 1}), cylinder_region(0.4, 1)}) {
    solid.region = region;
    for (const GrainKind& kind :
         {GrainKind(BallGrain{}), GrainKind(CapsuleGrain{2}), GrainKind(PolytopeGrain{12})}) {
      solid.kind = kind;
      check_apart_and_inside<3>(solid);
    }
  }
}

TEST_CASE("a packing is the same for the same seed, and another for another") {
  PackingPlan<3> plan;
  plan.count = 50;
  plan.region = box_region<3>({1, 1, 1});
  plan.sizes = UniformSizes{0.02, 0.05};
  plan.seed = 1;
  const auto first = pack<3>(plan), again = pack<3>(plan);
  plan.seed = 2;
  const auto other = pack<3>(plan);
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(first[i].position == again[i].position);
  CHECK(first[0].position != other[0].position);
}

TEST_CASE("lognormal sizes have the median and the deviation asked for") {
  const std::vector<double> radii = radii_of(many_grains(LognormalSizes{0.02, 0.4, 1e-4, 10}));
  double mean = 0, squares = 0;
  for (const double r : radii) {
    mean += std::log(r / 0.02);
    squares += std::log(r / 0.02) * std::log(r / 0.02);
  }
  const auto n = static_cast<double>(radii.size());
  CHECK(std::abs(mean / n) < 4 * 0.4 / std::sqrt(n));
  CHECK(std::sqrt(squares / n) == doctest::Approx(0.4).epsilon(0.02));
}

TEST_CASE("a granulometry is met by mass, though the small grains are many more") {
  const PassingSizes sizes{{{0.01, 0}, {0.02, 0.3}, {0.03, 0.5}, {0.05, 1}}};
  const std::vector<double> radii = radii_of(many_grains(sizes));
  double total = 0;
  for (const double r : radii) total += r * r * r;
  for (const PassingSizes::Point& point : sizes.points) {
    double passing = 0;
    for (const double r : radii) passing += r <= point.radius ? r * r * r : 0;
    CAPTURE(point.radius);
    CHECK(passing / total == doctest::Approx(point.part).epsilon(0.03));
  }
  CHECK(*std::min_element(radii.begin(), radii.end()) >= 0.01);
  CHECK(*std::max_element(radii.begin(), radii.end()) <= 0.05);
}

TEST_CASE("a region that is full gives fewer grains than asked for") {
  PackingPlan<3> plan;
  plan.count = 1000;
  plan.region = box_region<3>({1, 1, 1});
  plan.sizes = UniformSizes{0.1, 0.1};
  const std::size_t placed = pack<3>(plan).size();
  // Random sequential addition jams at a solid fraction of 0.384 without walls (Cooper 1988).
  const double fraction = static_cast<double>(placed) * 4 * M_PI / 3 * 1e-3;
  CHECK(fraction > 0.2);
  CHECK(fraction < 0.4);
}
