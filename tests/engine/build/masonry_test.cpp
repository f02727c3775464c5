// SPDX-License-Identifier: Apache-2.0
// Blocks of walls, vaults, domes, buttresses and Voronoi cells: they fill their outline to
// rounding, and none enters another.
#include "engine/build/masonry.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/build/voronoi.hpp"
#include "engine/build/wall.hpp"
#include "engine/detect/narrowphase.hpp"

using namespace talus;

namespace {

template <int D>
double volume_of(const std::vector<BodyDescription<D>>& bodies) {
  double sum = 0;
  for (const auto& body : bodies) sum += mass_properties<D>(body.shapes).volume;
  return sum;
}

struct Fit {
  double deepest = 0;  // overlap [m]
  int touching = 0;    // pairs with a gap below 1e-9
};

template <int D>
Fit fit_of(const std::vector<BodyDescription<D>>& bodies) {
  Fit fit;
  std::vector<ShapeContact<D>> contacts;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      contacts.clear();
      find_shape_contacts<D>({&bodies[i].shapes[0], bodies[i].position, Mat<D>::Identity()},
                             {&bodies[j].shapes[0], bodies[j].position, Mat<D>::Identity()}, 1e-9,
                             contacts);
      for (const auto& c : contacts) fit.deepest = std::max(fit.deepest, -c.gap);
      fit.touching += !contacts.empty();
    }
  return fit;
}

template <int D>
WallPlan<D> wall_of(BrickBond bond, double joint = 0) {
  WallPlan<D> plan;
  plan.block[0] = 0.2 + joint;
  plan.block[1] = 0.06;
  if constexpr (D == 3) plan.block[2] = 0.1;
  plan.courses = 6;
  plan.blocks = 5;
  plan.joint = joint;
  plan.bond = bond;
  return plan;
}

}  // namespace

TEST_CASE("every bond fills the wall, and no upright joint stands over another") {
  for (const BrickBond bond :
       {BrickBond::running, BrickBond::header, BrickBond::english, BrickBond::flemish}) {
    CAPTURE(static_cast<int>(bond));
    const WallPlan<3> plan = wall_of<3>(bond);
    const auto bodies = wall_bodies(plan);
    CHECK(static_cast<double>(bodies.size()) <= wall_count(plan));
    CHECK(volume_of<3>(bodies) ==
          doctest::Approx(plan.length() * plan.thickness() * 6 * 0.06).epsilon(1e-13));
    CHECK(fit_of<3>(bodies).deepest < 1e-12);
    // Sides of blocks by course, in micrometres: the same in no two courses that follow each other.
    std::vector<std::set<long>> joints(6);
    std::set<std::string> names;
    for (const auto& body : bodies) {
      CHECK(names.insert(body.name).second);
      const auto course = static_cast<std::size_t>(body.position[2] / 0.06);
      const auto& block = std::get<Polytope<3>>(body.shapes[0]);
      double half = 0;
      for (const auto& x : block.vertices) half = std::max(half, x[0]);
      for (const double x : {body.position[0] - half, body.position[0] + half})
        if (std::abs(x) < plan.length() / 2 - 1e-9) joints[course].insert(std::lround(1e6 * x));
    }
    for (std::size_t k = 0; k + 1 < joints.size(); ++k)
      for (const long x : joints[k]) CHECK(!joints[k + 1].contains(x));
  }
}

TEST_CASE("the joints of a bond are gaps of their width") {
  for (const BrickBond bond :
       {BrickBond::running, BrickBond::header, BrickBond::english, BrickBond::flemish}) {
    WallPlan<3> plan = wall_of<3>(bond, 0.01);
    plan.courses = 1;
    const auto bodies = wall_bodies(plan);
    CHECK(fit_of<3>(bodies).touching == 0);
    plan.courses = 6;
    CHECK(fit_of<3>(wall_bodies(plan)).deepest < 1e-12);
  }
}

TEST_CASE_TEMPLATE("an opening is as large as asked, and its lintel rests on both sides", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
  constexpr int D = Dim::value;
  for (const BrickBond bond :
       {BrickBond::running, BrickBond::header, BrickBond::english, BrickBond::flemish}) {
    if (D == 2 && bond != BrickBond::running) continue;
    CAPTURE(static_cast<int>(bond));
    WallPlan<D> plan = wall_of<D>(bond);
    plan.openings = {{-0.17, 0.11, 1, 4, 0.1, 1}};
    const auto bodies = wall_bodies(plan);
    CHECK(static_cast<double>(bodies.size()) <= wall_count(plan));
    const double thickness = D == 3 ? plan.thickness() : 1;
    const double hole = 0.28 * 0.18;
    CHECK(volume_of<D>(bodies) ==
          doctest::Approx((plan.length() * 0.36 - hole) * thickness).epsilon(1e-13));
    CHECK(fit_of<D>(bodies).deepest < 1e-12);
    const auto lintel = std::ranges::find(bodies, "wall.lintel.0", &BodyDescription<D>::name);
    REQUIRE(lintel != bodies.end());
    CHECK(lintel->position[0] == doctest::Approx(-0.03));
    CHECK(mass_properties<D>(lintel->shapes).volume ==
          doctest::Approx(0.48 * 0.06 * thickness).epsilon(1e-13));
    // No piece is a splinter.
    for (const auto& body : bodies) {
      double half = 0;
      for (const auto& x : std::get<Polytope<D>>(body.shapes[0]).vertices)
        half = std::max(half, x[0]);
      CHECK(2 * half >= 0.025 - 1e-12);
    }
  }
}

TEST_CASE("a barrel vault is an arch of blocks that fit") {
  VaultPlan plan;
  plan.inner_radius = 2;
  plan.thickness = 0.3;
  plan.length = 3;
  plan.count = 9;
  plan.rows = 4;
  plan.span = M_PI;
  const auto bodies = masonry_bodies(plan);
  CHECK(static_cast<double>(bodies.size()) == masonry_count(plan));
  const double section = 0.5 * 9 * std::sin(M_PI / 9) * (2.3 * 2.3 - 4);
  CHECK(volume_of<3>(bodies) == doctest::Approx(3 * section).epsilon(1e-13));
  CHECK(fit_of<3>(bodies).deepest < 1e-12);
}

TEST_CASE("the rings of a dome fit, with an oculus and with a keystone") {
  for (const double oculus : {0.0, 0.6}) {
    CAPTURE(oculus);
    DomePlan plan;
    plan.inner_radius = 2;
    plan.thickness = 0.3;
    plan.rings = 5;
    plan.count = 12;
    plan.springing = M_PI / 2;
    plan.oculus = oculus;
    const auto bodies = masonry_bodies(plan);
    CHECK(static_cast<double>(bodies.size()) == masonry_count(plan));
    // A block is a hexahedron: its faces are flat, or its hull would have more.
    for (const auto& body : bodies)
      if (body.name != "dome.key") CHECK(std::get<Polytope<3>>(body.shapes[0]).faces.size() == 6);
    const Fit fit = fit_of<3>(bodies);
    CHECK(fit.deepest < 1e-12);
    CHECK(fit.touching >= 5 * 12 + 4 * 12);
    // The outline is that of two nested polyhedra, cut by the cone of the uppermost joint.
    const auto outline = [&](double radius) {
      std::vector<Vec<3>> corners = {Vec<3>::Zero()};
      double sum = 0;
      for (int ring = 0; ring < 5; ++ring) {
        const double a = M_PI / 2 + (plan.top() - M_PI / 2) * ring / 5,
                     b = M_PI / 2 + (plan.top() - M_PI / 2) * (ring + 1) / 5;
        // Twelve pyramids over trapezoids, with their tip at the centre.
        const double lower = 2 * radius * std::sin(a) * std::sin(M_PI / 12),
                     upper = 2 * radius * std::sin(b) * std::sin(M_PI / 12);
        const double half = std::cos(M_PI / 12);
        const Vec<2> p(radius * std::sin(a) * half, radius * std::cos(a)),
            q(radius * std::sin(b) * half, radius * std::cos(b));
        const double slope = (q - p).norm(), height = std::abs(p[0] * q[1] - p[1] * q[0]) / slope;
        sum += 12 * (lower + upper) / 2 * slope * height / 3;
      }
      return sum;
    };
    double blocks = volume_of<3>(bodies);
    if (oculus == 0) blocks -= mass_properties<3>(bodies.back().shapes).volume;
    CHECK(blocks == doctest::Approx(outline(2.3) - outline(2)).epsilon(1e-12));
  }
}

TEST_CASE("the courses of a buttress fill its outline") {
  ButtressPlan plan;
  plan.foot = 1.2;
  plan.top = 0.4;
  plan.height = 3;
  plan.depth = 0.5;
  plan.courses = 10;
  const auto bodies = masonry_bodies(plan);
  CHECK(bodies.size() == 10);
  CHECK(volume_of<3>(bodies) == doctest::Approx(0.8 * 3 * 0.5).epsilon(1e-13));
  CHECK(fit_of<3>(bodies).deepest < 1e-12);
}

TEST_CASE_TEMPLATE("the volumes of Voronoi cells sum to the region's to rounding", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
  constexpr int D = Dim::value;
  for (const int count : {1, 2, 40, 300})
    for (const int relax : {0, 3}) {
      CAPTURE(count);
      VoronoiPlan<D> plan;
      Vec<D> sides = Vec<D>::Constant(1);
      sides[0] = 3;
      plan.region = box<D>(sides);
      plan.count = count;
      plan.seed = 7;
      plan.relax = relax;
      const auto bodies = voronoi_bodies(plan);
      CHECK(bodies.size() == static_cast<std::size_t>(count));
      CHECK(volume_of<D>(bodies) == doctest::Approx(3).epsilon(1e-12));
      if (count > 40) continue;
      const Fit fit = fit_of<D>(bodies);
      CHECK(fit.deepest < 1e-12);
      CHECK(fit.touching >= count - 1);
    }
}

TEST_CASE("cells of a region that is no box fit, too") {
  std::vector<Vec<3>> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 1}, {1, 1, 0.2}};
  VoronoiPlan<3> plan;
  plan.region = *convex_hull<3>(corners);
  plan.count = 60;
  const auto bodies = voronoi_bodies(plan);
  CHECK(volume_of<3>(bodies) ==
        doctest::Approx(mass_properties<3>(Shape<3>(plan.region)).volume).epsilon(1e-12));
  CHECK(fit_of<3>(bodies).deepest < 1e-12);
}
