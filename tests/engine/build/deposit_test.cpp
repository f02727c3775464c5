// SPDX-License-Identifier: Apache-2.0
// Deposited balls lie on each other, without overlaps, as densely as deposits do.
#include "engine/build/deposit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "engine/build/packing.hpp"

using namespace talus;

namespace {

using Plane = std::integral_constant<int, 2>;
using Solid = std::integral_constant<int, 3>;

template <int D>
PackingPlan<D> plan_of(int count, const Region<D>& region, Sizes sizes) {
  PackingPlan<D> plan;
  plan.count = count;
  plan.region = region;
  plan.sizes = std::move(sizes);
  plan.fill = Fill::deposit;
  plan.seed = 7;
  return plan;
}

// Whether up is a combination of these normals with non-negative factors, by least squares, one
// factor at a time.
template <int D>
bool is_carried(const std::vector<Vec<D>>& normals) {
  const Vec<D> up = Vec<D>::Unit(D - 1);
  std::vector<double> factor(normals.size(), 0.0);
  Vec<D> rest = up;  // up − Σ factor n
  for (int k = 0; k < 20000 && rest.norm() > 1e-4; ++k) {
    for (std::size_t i = 0; i < normals.size(); ++i) {
      const double change = std::max(-factor[i], normals[i].dot(rest));
      factor[i] += change;
      rest -= change * normals[i];
    }
  }
  return rest.norm() <= 1e-4;
}

// Every ball is inside, overlaps none, and rests on what was there before it.
template <int D>
void check_deposit(const PackingPlan<D>& plan) {
  const std::vector<Grain<D>> grains = pack<D>(plan);
  REQUIRE(grains.size() == static_cast<std::size_t>(plan.count));
  int overlapping = 0, outside = 0, loose = 0;
  for (std::size_t i = 0; i < grains.size(); ++i) {
    const Vec<D>& x = grains[i].position;
    const double r = grains[i].radius, touch = 1e-6 * r;
    std::vector<Vec<D>> normals;
    outside += !plan.region.holds(x, r);
    for (std::size_t j = 0; j < i; ++j) {
      const Vec<D> apart = x - grains[j].position;
      const double gap = apart.norm() - r - grains[j].radius;
      overlapping += gap < 0;
      if (gap < touch) normals.push_back(apart.normalized());
    }
    for (const auto& wall : plan.region.walls) {
      if (wall.d - wall.n.dot(x) - r < touch) normals.push_back(-wall.n);
    }
    if constexpr (D == 3) {
      const double from_axis = std::hypot(x[0], x[1]);
      if (plan.region.cylinder > 0 && plan.region.cylinder - from_axis - r < touch)
        normals.emplace_back(-x[0] / from_axis, -x[1] / from_axis, 0);
    }
    loose += !is_carried<D>(normals);
  }
  CHECK(overlapping == 0);
  CHECK(outside == 0);
  CHECK(loose == 0);
}

// Part of a box filled by balls whose centres lie between two heights, far from floor and top.
template <int D>
double solid_fraction(const PackingPlan<D>& plan, double low, double high) {
  double solid = 0;
  for (const Grain<D>& grain : pack<D>(plan)) {
    const double up = grain.position[D - 1];
    if (up > low && up < high)
      solid += D == 2 ? M_PI * std::pow(grain.radius, 2) : 4 * M_PI / 3 * std::pow(grain.radius, 3);
  }
  const Vec<D> sides = plan.region.high - plan.region.low;
  return solid / (sides.template head<D - 1>().prod() * (high - low));
}

}  // namespace

TEST_CASE_TEMPLATE("deposited balls rest on each other and on walls, none overlaps", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  Vec<D> sides = Vec<D>::Constant(10);
  sides[D - 1] = 40;
  for (const Sizes& sizes : {Sizes(UniformSizes{0.5, 0.5}), Sizes(UniformSizes{0.2, 0.8})}) {
    check_deposit<D>(plan_of<D>(D == 2 ? 200 : 800, box_region<D>(sides), sizes));
  }
}

TEST_CASE("balls are deposited in a cylinder, in a funnel and in a ring") {
  check_deposit<3>(plan_of<3>(800, cylinder_region(5, 30), UniformSizes{0.4, 0.6}));
  const auto funnel = convex_hull<2>({{-2, 0}, {2, 0}, {10, 8}, {10, 30}, {-10, 30}, {-10, 8}});
  check_deposit<2>(plan_of<2>(300, hull_region<2>(*funnel), UniformSizes{0.4, 0.6}));
  std::vector<Vec<2>> corners;
  for (int k = 0; k < 24; ++k)
    corners.emplace_back(10 * std::cos(k * M_PI / 12), 10 * std::sin(k * M_PI / 12));
  check_deposit<2>(
      plan_of<2>(250, hull_region<2>(*convex_hull<2>(corners)), UniformSizes{0.4, 0.6}));
}

TEST_CASE("a deposit has the solid fraction of a deposit") {
  // Balls that roll down one by one fill about 0.58 of space and 0.82 of the plane; walls take a
  // little of it.
  const auto solid = plan_of<3>(20000, box_region<3>({30, 30, 100}), UniformSizes{0.5, 0.5});
  const double in_space = solid_fraction<3>(solid, 4, 16);
  CHECK(in_space > 0.55);
  CHECK(in_space < 0.60);
  const auto flat = plan_of<2>(5000, box_region<2>({60, 300}), UniformSizes{0.5, 0.5});
  const double in_plane = solid_fraction<2>(flat, 5, 60);
  CHECK(in_plane > 0.79);
  CHECK(in_plane < 0.84);
}

TEST_CASE("a deposit is the same for the same seed, and another for another") {
  auto plan = plan_of<3>(300, box_region<3>({8, 8, 40}), UniformSizes{0.4, 0.6});
  const auto first = pack<3>(plan), again = pack<3>(plan);
  plan.seed = 8;
  const auto other = pack<3>(plan);
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(first[i].position == again[i].position);
  CHECK(first[0].position != other[0].position);
}

TEST_CASE("a region that is full takes fewer balls than were to be deposited") {
  const auto plan = plan_of<3>(1000, box_region<3>({5, 5, 5}), UniformSizes{0.5, 0.5});
  const std::size_t placed = pack<3>(plan).size();
  CHECK(placed > 70);
  CHECK(placed < 140);
}
