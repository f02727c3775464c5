// SPDX-License-Identifier: Apache-2.0
// Well-posedness of the bundled scenes that are about it, against closed forms.
#include <doctest/doctest.h>

#include <Eigen/QR>
#include <cmath>
#include <numbers>

#include "engine/outlook/active_constraints.hpp"
#include "engine/outlook/configuration_motion.hpp"
#include "engine/world.hpp"
#include "io/scene/scene_reader.hpp"
#include "solvers/analysis/well_posedness.hpp"

using namespace talus;

namespace {

constexpr double g = 9.81;
constexpr double degree = std::numbers::pi / 180;

template <int D>
struct Analysed {
  ActiveConstraints<D> active;
  WellPosedness report;
};

template <int D>
Analysed<D> analysed(const std::string& name, const std::vector<std::string>& overrides = {}) {
  const auto path = std::filesystem::path(TALUS_SOURCE_DIR) / "scenes" / (name + ".toml");
  const World<D> world(std::get<Scene<D>>(read_scene(path, overrides).scene));
  Analysed<D> result{active_constraints<D>(world.scene(), world.bodies(), 0), {}};
  result.report = well_posedness(result.active.system);
  return result;
}

std::string set(const std::string& key, double value) {
  std::ostringstream text;
  text.precision(17);
  text << key << "=" << value;
  return text.str();
}

std::string point(double x, double y) {
  std::ostringstream text;
  text.precision(17);
  text << "[" << x << "," << y << "]";
  return text.str();
}

Analysed<2> rod(double theta, double mu) {
  return analysed<2>("painleve",
                     {set("body.rod.rotation.degrees", theta), set("contact.0.friction", mu)});
}

}  // namespace

// VALIDATION A14
TEST_CASE("painleve: the critical friction is (1 + 3 cos^2) / (3 sin cos), at least 4/3") {
  double least = 10;
  for (double theta = 5; theta < 90; theta += 2.5) {
    const double c = std::cos(theta * degree), s = std::sin(theta * degree);
    const double critical = (1 + 3 * c * c) / (3 * s * c);
    const Analysed<2> below = rod(theta, critical - 1e-6), above = rod(theta, critical + 1e-6);
    REQUIRE(below.active.unilateral.size() == 1);
    CHECK(below.report.painleve.critical[0] == doctest::Approx(critical).epsilon(1e-9));
    CHECK(below.report.painleve.ratio[0] < 1);
    CHECK(above.report.painleve.ratio[0] > 1);
    // The one-contact problem: the bound of Proposition 12 is the critical friction itself.
    CHECK(*below.report.bounds.proposition_12 == doctest::Approx(critical).epsilon(1e-9));
    CHECK(below.report.P == Verdict::yes);
    CHECK(above.report.P == Verdict::no);
    REQUIRE(below.report.modes);
    CHECK(below.report.modes->solutions.size() == 1);
    CHECK(below.report.advice == Advice::inside);
    // w = −g < 0 for a rod that does not turn: above, nothing fits.
    CHECK(above.report.modes->solutions.empty());
    CHECK(above.report.advice == Advice::paradoxical);
    least = std::min(least, critical);
  }
  CHECK(rod(std::atan(2) / degree, 1).report.painleve.critical[0] ==
        doctest::Approx(4.0 / 3).epsilon(1e-12));
  CHECK(least >= 4.0 / 3);
}

// [BBB16, Corollary 2], [B12, Proposition 15] for one contact, A = 1 + 3 c² − 3 μ s c: with the
// slip that friction drags no coupling is positive and every load will do; against it, at the
// critical friction exactly A = 0, idle forces are all v ≥ 0, and a load must not press.
TEST_CASE("painleve: the load condition is that of a single contact") {
  const Analysed<2> ahead = rod(60, 1.9),
                    behind = analysed<2>(
                        "painleve", {set("body.rod.rotation.degrees", 60), "contact.0.friction=1.9",
                                     "body.rod.velocity=[3,0]"});
  CHECK(ahead.report.copositive == (ahead.report.P == Verdict::yes ? Verdict::yes : Verdict::no));
  CHECK(ahead.report.couplings_nonpositive != behind.report.couplings_nonpositive);
  const Analysed<2>& drags = ahead.report.couplings_nonpositive ? ahead : behind;
  CHECK(drags.report.copositive == Verdict::yes);
  CHECK(drags.report.load_admissible == Verdict::yes);
  CHECK(drags.report.modes->solutions.size() == 1);
}

// A rod that turns so fast that its tip would lift off by itself: detach and slide are both
// possible.
TEST_CASE("painleve: with spin there are two solutions of different accelerations") {
  const Analysed<2> fast = analysed<2>(
      "painleve", {"contact.0.friction=1.5", "body.rod.spin=-6",
                   // the tip must stay in contact: velocity of the centre = (-3, 0) - spin x arm
                   "body.rod.velocity=" + point(-3 + 6 * 2 / std::sqrt(5.0), -6 / std::sqrt(5.0))});
  REQUIRE(fast.active.unilateral.size() == 1);
  CHECK(fast.active.system.unilateral.w_normal[0] ==
        doctest::Approx(36 * 2 / std::sqrt(5.0) - g).epsilon(1e-6));
  REQUIRE(fast.report.modes);
  CHECK(fast.report.modes->solutions.size() == 2);
  CHECK(fast.report.advice == Advice::paradoxical);
}

// Rod of length 2l: A_nb has the eigenvalues 2/m and 6 cos²θ/m, A_tb the norm 6 sin θ cos θ/m.
TEST_CASE("painleve_klein: the bound is the closed form, below 2 / tan theta") {
  for (double theta = 3; theta < 90; theta += 3) {
    const double c = std::cos(theta * degree), s = std::sin(theta * degree);
    const Analysed<2> klein =
        analysed<2>("painleve_klein", {set("body.rod.rotation.degrees", theta),
                                       "joint.lower.friction=0.01", "joint.upper.friction=0.01"});
    REQUIRE(klein.active.bilateral.size() == 2);
    const double bound = std::min(2.0, 6 * c * c) / (6 * s * c);
    REQUIRE(klein.report.bounds.proposition_9);
    CHECK(*klein.report.bounds.proposition_9 == doctest::Approx(bound).epsilon(1e-10));
    CHECK(*klein.report.bounds.proposition_10 == doctest::Approx(bound / 3).epsilon(1e-10));
    CHECK(bound <= 2 / std::tan(theta * degree) * (1 + 1e-12));
    REQUIRE(klein.report.modes);
    CHECK(klein.report.modes->solutions.size() == 1);
  }
}

TEST_CASE("ladder: the mixed bound at 45 degrees, and a P-matrix below it") {
  const Analysed<2> ladder = analysed<2>("ladder");
  REQUIRE(ladder.active.bilateral.size() == 1);
  REQUIRE(ladder.active.unilateral.size() == 1);
  CHECK(ladder.active.impacts == 0);
  REQUIRE(ladder.report.bounds.proposition_13);
  CHECK(*ladder.report.bounds.proposition_13 == doctest::Approx(0.7519).epsilon(1e-4));
  CHECK(std::round(100 * *ladder.report.bounds.proposition_13_printed) == 65);  // [BBB16, Fig. 2b]
  CHECK(ladder.report.P == Verdict::yes);
  CHECK(ladder.report.modes->solutions.size() == 1);
  CHECK(ladder.report.advice == Advice::safe);

  // The forces by hand: the wall pushes by N_b at (−s, s) from the mass centre and by friction
  // upwards, against the fall; the ground by N_u at (s, −s) and by friction towards the wall. With
  // m = 1, I = 1/3 and ω² = 1/2 the ends go along wall and ground,
  //     ẍ − s φ̈ + s ω² = 0,   ÿ + s φ̈ + s ω² = 0.
  const double s = std::sqrt(0.5), mu = 0.2;
  // Forces on the two constraints, by units of N_b > 0 and N_u.
  const Mat<2> forces{{1 + 3 * s * s * (1 + mu), -mu - 3 * s * s * (1 - mu)},
                      {mu - 3 * s * s * (1 + mu), 1 + 3 * s * s * (1 - mu)}};
  const Vec<2> N = forces.inverse() * Vec<2>(-s / 2, g - s / 2);
  REQUIRE(N.minCoeff() > 0);
  const ModeSolution& solution = ladder.report.modes->solutions.front();
  CHECK(std::abs(solution.normal_b[0]) == doctest::Approx(N[0]).epsilon(1e-7));
  CHECK(std::abs(solution.tangent_b[0]) == doctest::Approx(mu * N[0]).epsilon(1e-7));
  CHECK(solution.normal_u[0] == doctest::Approx(N[1]).epsilon(1e-7));
  CHECK(std::abs(solution.tangent_u[0]) == doctest::Approx(mu * N[1]).epsilon(1e-7));

  for (const double mu_b : {0.1, 0.4, 0.75})
    for (const double mu_u : {0.1, 0.4, 0.75}) {
      const Analysed<2> inside = analysed<2>(
          "ladder", {set("joint.wall.friction", mu_b), set("contact.0.friction", mu_u)});
      CHECK(inside.report.P == Verdict::yes);
      CHECK(inside.report.modes->solutions.size() == 1);
    }
}

TEST_CASE(
    "box_on_incline: both corners slide with the forces of statics, and it tips by the books") {
  for (const double mu : {0.1, 0.3, 0.5}) {
    const Analysed<2> box = analysed<2>("box_on_incline", {set("material.stone.friction", mu)});
    REQUIRE(box.active.unilateral.size() == 2);
    CHECK(box.report.ranks.hyperstatic() == 0);
    REQUIRE(box.report.modes);
    REQUIRE(box.report.modes->solutions.size() == 1);
    const ModeSolution& solution = box.report.modes->solutions.front();
    const double weight = 50 * g * std::cos(30 * degree);
    Vec<2> force = solution.normal_u;
    std::sort(force.begin(), force.end());
    CHECK(force[0] == doctest::Approx(weight * (1 - mu * 0.5) / 2).epsilon(1e-9));
    CHECK(force[1] == doctest::Approx(weight * (1 + mu * 0.5) / 2).epsilon(1e-9));
    for (const ContactMode mode : solution.unilateral) CHECK(mode == ContactMode::slide);
  }
  // h/b = 1/2: it tips above mu = 2.
  const Analysed<2> tips = analysed<2>("box_on_incline", {"material.stone.friction=2.1"});
  REQUIRE(tips.report.modes);
  REQUIRE(tips.report.modes->solutions.size() == 1);
  CHECK(std::count(tips.report.modes->solutions[0].unilateral.begin(),
                   tips.report.modes->solutions[0].unilateral.end(), ContactMode::detach) == 1);
}

// VALIDATION A24 and [B12, Example 6]
TEST_CASE("disk_in_angle: unique without friction, indeterminate with, P exactly for mu1 mu2 < 1") {
  const std::vector<std::string> still = {"body.left.drive.0.velocity=0",
                                          "body.right.drive.0.velocity=0"};
  std::vector<std::string> smooth = still;
  smooth.insert(smooth.end(), {"contact.0.friction=0", "contact.1.friction=0"});
  const Analysed<2> rest = analysed<2>("disk_in_angle", smooth);
  REQUIRE(rest.report.modes);
  REQUIRE(rest.report.modes->solutions.size() == 1);
  const double weight = 100 * std::numbers::pi * 0.04 * g;
  for (const double force : rest.report.modes->solutions[0].normal_u)
    CHECK(force == doctest::Approx(weight / std::sqrt(2)).epsilon(1e-10));
  CHECK(rest.report.ranks.hyperstatic_with_friction() == 0);

  const Analysed<2> rough = analysed<2>("disk_in_angle", still);
  CHECK(rough.report.ranks.hyperstatic_with_friction() == 1);
  CHECK(rough.report.free_unilateral_with_friction == std::vector<int>{0, 1});
  REQUIRE(rough.report.modes);
  CHECK(one_acceleration(*rough.report.modes));
  int freedom = 0;
  for (const ModeSolution& solution : rough.report.modes->solutions)
    freedom = std::max(freedom, solution.freedom);
  CHECK(freedom == 1);
  for (const ModeSolution& solution : rough.report.modes->solutions) {
    const ConstraintSet& u = rough.active.system.unilateral;
    for (Eigen::Index i = 0; i < 2; ++i)
      CHECK(std::abs(solution.tangent_u[i]) <=
            u.friction[i] * solution.normal_u[i] + 1e-10 * weight);
    // N λ_n + T λ_t = −w along every constraint: the disk stays.
    const Eigen::VectorXd along_normals = u.normal * solution.acceleration + u.w_normal;
    const Eigen::VectorXd along_tangents = u.tangent * solution.acceleration + u.w_tangent;
    CHECK(along_normals.cwiseAbs().maxCoeff() < 1e-10 * g);
    CHECK(along_tangents.cwiseAbs().maxCoeff() < 1e-10 * g);
  }

  for (const double mu_1 : {0.2, 0.7, 1.3, 2.5})
    for (const double mu_2 : {0.2, 0.7, 1.3, 2.5}) {
      const Analysed<2> pulled = analysed<2>(
          "disk_in_angle", {set("contact.0.friction", mu_1), set("contact.1.friction", mu_2)});
      CHECK((pulled.report.P == Verdict::yes) == (mu_1 * mu_2 < 1));
      // λ₁ − μ₂ λ₂ = λ₂ − μ₁ λ₁ = m g / √2
      if (mu_1 * mu_2 < 1) {
        REQUIRE(pulled.report.modes->solutions.size() == 1);
        CHECK(
            pulled.report.modes->solutions[0].normal_u[0] ==
            doctest::Approx(weight / std::sqrt(2) * (1 + mu_2) / (1 - mu_1 * mu_2)).epsilon(1e-9));
      } else {
        CHECK(pulled.report.modes->solutions.empty());
      }
    }
}

// VALIDATION A20: no friction at the wall, the foot sticks; at rest the reactions are those of
// statics.
TEST_CASE("a ladder on a smooth wall has the reactions of statics") {
  const double phi = 52 * degree, c = std::cos(phi), s = std::sin(phi);
  const Analysed<2> ladder = analysed<2>(
      "ladder", {"joint.wall.friction=0", "contact.0.friction=0.4", "body.ladder.spin=0",
                 "body.ladder.velocity=[0,0]", set("body.ladder.rotation.degrees", -52),
                 "body.ladder.position=" + point(c, s)});
  REQUIRE(ladder.report.modes);
  REQUIRE(ladder.report.modes->solutions.size() == 1);
  const ModeSolution& solution = ladder.report.modes->solutions.front();
  CHECK(solution.unilateral[0] == ContactMode::stick);
  CHECK(solution.normal_u[0] == doctest::Approx(g).epsilon(1e-8));
  CHECK(std::abs(solution.tangent_u[0]) == doctest::Approx(g / 2 * c / s).epsilon(1e-8));
  CHECK(std::abs(solution.normal_b[0]) == doctest::Approx(g / 2 * c / s).epsilon(1e-8));
}

TEST_CASE("four_bar: three joint forces too many, and the report says so") {
  const Analysed<3> linkage = analysed<3>("four_bar");
  CHECK(linkage.active.bilateral.size() == 20);
  CHECK(linkage.report.ranks.all == 17);
  CHECK(linkage.report.ranks.hyperstatic() == 3);
  CHECK(!linkage.report.free_bilateral.empty());
  // Of all joint forces with this acceleration those returned are the shortest.
  REQUIRE(linkage.report.modes);
  REQUIRE(linkage.report.modes->solutions.size() == 1);
  CHECK(linkage.report.frictionless == Verdict::yes);
  const ModeSolution& solution = linkage.report.modes->solutions[0];
  CHECK(solution.freedom == 3);
  const Eigen::MatrixXd N(linkage.active.system.bilateral.normal);
  const Eigen::VectorXd shortest = (N * N.transpose())
                                       .completeOrthogonalDecomposition()
                                       .solve(-linkage.active.system.bilateral.w_normal);
  CHECK((solution.normal_b - shortest).norm() < 1e-6 * shortest.norm());
}

// The forces of a configuration give accelerations, and so do other formulations of its problem.
TEST_CASE("accelerations are those of KKT, Gauss and Aghili's projection, to rounding") {
  const auto agree = [](const auto& result) {
    REQUIRE(result.report.modes);
    REQUIRE(!result.report.modes->solutions.empty());
    for (const ModeSolution& motion : result.report.modes->solutions) {
      const auto apart = other_formulations(result.active, motion);
      REQUIRE(apart);
      CHECK(apart->kkt < 1e-10);
      CHECK(apart->gauss < 1e-10);
      CHECK(apart->projection < 1e-10);
    }
  };
  agree(analysed<3>("four_bar"));  // three joint forces too many
  agree(analysed<2>("disk_in_angle", {"contact.0.friction=0", "contact.1.friction=0"}));
  agree(analysed<2>("disk_in_angle"));
  agree(analysed<2>("painleve_klein"));
  agree(analysed<2>("box_on_incline", {"material.stone.friction=0.3"}));
  const Analysed<2> ladder = analysed<2>("ladder");
  agree(ladder);
  // The ends go along wall and ground: ẍ = s (φ̈ − ω²), ÿ = −s (φ̈ + ω²), with ω² = 1/2.
  const Twist<2> a = accelerations(ladder.active, ladder.report.modes->solutions[0])[1];
  const double s = std::sqrt(0.5);
  CHECK(a.v[0] == doctest::Approx(s * (a.omega[0] - 0.5)).epsilon(1e-7));
  CHECK(a.v[1] == doctest::Approx(-s * (a.omega[0] + 0.5)).epsilon(1e-7));
  const ModeSolution& motion = ladder.report.modes->solutions[0];
  CHECK(a.v[1] == doctest::Approx(motion.normal_u[0] + std::abs(motion.tangent_b[0]) - g));
}

TEST_CASE("the wall of 105 blocks is analysed without dense matrices") {
  const Analysed<2> wall = analysed<2>("wall");
  CHECK(wall.active.unilateral.size() > 200);
  CHECK(wall.report.ranks.hyperstatic() > 0);
  CHECK(wall.report.free_unilateral.size() > 0);
  CHECK(wall.report.frictionless == Verdict::yes);
  CHECK(!wall.report.lemke);  // contacts that may stick, four unknowns each: too many
  CHECK(wall.report.lemke_unknowns == 4 * static_cast<Eigen::Index>(wall.active.unilateral.size()));
}

// Courses that slide on each other, the faster the higher, and a wall without friction: Lemke's
// method finds forces with which the plates carry the wall.
TEST_CASE("a wall that slides or has no friction is solved by Lemke's method") {
  const auto path = std::filesystem::path(TALUS_SOURCE_DIR) / "scenes" / "wall.toml";
  for (const double speed : {0.0, 0.1}) {
    std::vector<std::string> overrides = {"solver.tolerance=1e-6"};
    if (speed == 0) overrides.push_back("material.stone.friction=0");
    if (speed > 0) overrides.push_back("material.stone.friction=0.2");
    Scene<2> scene = std::get<Scene<2>>(read_scene(path, overrides).scene);
    for (BodyDescription<2>& body : scene.bodies)
      if (body.name.starts_with("wall."))
        body.velocity[0] = speed * (1 + std::stod(body.name.substr(5)));
    const World<2> world(scene);
    const ActiveConstraints<2> active = active_constraints<2>(world.scene(), world.bodies(), 0);
    const WellPosedness report = well_posedness(active.system);
    CHECK(active.unilateral.size() > 350);  // those that close or stay
    CHECK(report.slides == (speed > 0));
    REQUIRE(report.lemke);
    REQUIRE(report.lemke->end == LemkeEnd::solved);
    double weight = 0, carried = 0;
    for (std::size_t i = 0; i < world.bodies().size(); ++i)
      if (world.bodies().moves_freely(i)) weight += world.bodies().mass[i] * g;
    for (std::size_t i = 0; i < active.unilateral.size(); ++i)
      for (const int body : {active.unilateral[i].a, active.unilateral[i].b})
        if (scene.bodies[static_cast<std::size_t>(body)].name.ends_with("plate"))
          carried += report.lemke->motion.normal_u[static_cast<Eigen::Index>(i)];
    CHECK(carried == doctest::Approx(weight).epsilon(1e-6));
  }
}
