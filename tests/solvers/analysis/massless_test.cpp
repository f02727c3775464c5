// SPDX-License-Identifier: Apache-2.0
// Contact problems with massless freedoms [BBB16, (6), Propositions 1, 3(vi), 7(vii)].
#include <doctest/doctest.h>

#include <random>

#include "solvers/analysis/constrained_motion.hpp"
#include "solvers/analysis/contact_modes.hpp"
#include "solvers/analysis/well_posedness.hpp"

using namespace talus;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int whole(int low, int high) { return std::uniform_int_distribution(low, high)(engine_); }
  MatrixXd matrix(Index rows, Index columns) {
    return MatrixXd::NullaryExpr(rows, columns,
                                 [&] { return std::normal_distribution<double>()(engine_); });
  }

 private:
  std::mt19937 engine_;
};

// Freedoms of unit mass, then massless ones; w of joints that some motion keeps.
ContactSystem random_system(Index massive, Index massless, Index joints, Index contacts, double mu,
                            Random& random) {
  const Index n = massive + massless;
  ContactSystem system;
  system.massless = massless;
  system.load = random.matrix(massless, 1);
  system.bilateral = empty_constraints(joints, 1, n);
  system.unilateral = empty_constraints(contacts, 1, n);
  for (ConstraintSet* const set : {&system.bilateral, &system.unilateral}) {
    set->normal = random.matrix(set->size(), n).sparseView(1, 0);
    set->tangent = random.matrix(set->size(), n).sparseView(1, 0);
    set->w_normal = random.matrix(set->size(), 1);
    set->w_tangent = random.matrix(set->size(), 1);
  }
  system.unilateral.friction.setConstant(mu);
  system.unilateral.slip.setOnes();
  return system;
}

ConstrainedSystem joints_of(const ContactSystem& system) {
  const Index n = system.unilateral.normal.cols(), massive = n - system.massless;
  ConstrainedSystem same;
  same.M = MatrixXd::Zero(n, n);
  same.M.topLeftCorner(massive, massive).setIdentity();
  same.A = MatrixXd(system.bilateral.normal);
  same.Q = VectorXd::Zero(n);
  same.Q.tail(system.massless) = system.load;
  same.c = system.bilateral.w_normal;
  return same;
}

}  // namespace

TEST_CASE("joints that hold massless freedoms give the motion of the singular KKT system") {
  Random random(31);
  int determined = 0, open = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const Index massive = random.whole(1, 5), massless = random.whole(1, 4);
    const Index joints = random.whole(1, static_cast<int>(std::min<Index>(massive + massless, 5)));
    const ContactSystem system = random_system(massive, massless, joints, 0, 0, random);
    const ConstrainedSystem same = joints_of(system);
    CHECK(joints_determine_massless(system) == determines_motion(same));
    CHECK(joints_determine_massless(system) == (joints >= massless));
    if (!determines_motion(same)) {
      ++open;
      continue;
    }
    ++determined;
    const auto kkt = by_kkt(same);
    REQUIRE(kkt);
    const ModeList modes = enumerate_modes(system);
    REQUIRE(modes.solutions.size() == 1);
    const ModeSolution& motion = modes.solutions[0];
    const double size = 1 + kkt->acceleration.norm() + kkt->multipliers.norm();
    CHECK((motion.acceleration - kkt->acceleration).norm() < 1e-7 * size);
    CHECK((motion.normal_b - kkt->multipliers).norm() < 1e-7 * size);
  }
  CHECK(determined > 3000);
  CHECK(open > 1000);
}

// Two ways: massless accelerations as unknowns of the modes, and freedoms that the joints leave.
TEST_CASE("contacts that slide on massless parts are those of the freedoms that joints leave") {
  Random random(32);
  int solved = 0, paradoxes = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const Index massless = random.whole(1, 3), joints = massless + random.whole(0, 2);
    const Index massive = joints - massless + random.whole(2, 4);
    const ContactSystem system =
        random_system(massive, massless, joints, random.whole(1, 3), 0.5, random);
    const std::optional<ContactSystem> reduced = reduced_by_joints(system);
    REQUIRE(reduced);
    const ModeList full = enumerate_modes(system), rest = enumerate_modes(*reduced);
    REQUIRE(full.solutions.size() == rest.solutions.size());
    (full.solutions.empty() ? paradoxes : solved)++;
    for (const ModeSolution& motion : full.solutions) {
      double nearest = 1e300;
      for (const ModeSolution& other : rest.solutions)
        nearest = std::min(nearest, (motion.normal_u - other.normal_u).norm());
      CHECK(nearest < 1e-6 * (1 + motion.normal_u.norm()));
      // Forces on massless freedoms balance.
      const VectorXd force = system.bilateral.normal.transpose() * motion.normal_b +
                             system.unilateral.normal.transpose() * motion.normal_u +
                             system.unilateral.tangent.transpose() * motion.tangent_u;
      CHECK((force.tail(massless) + system.load).norm() < 1e-7 * (1 + force.norm()));
      CHECK((system.bilateral.normal * motion.acceleration + system.bilateral.w_normal).norm() <
            1e-7 * (1 + motion.acceleration.norm()));
    }
    // Bounds are those of the freedoms that the joints leave: below the bound one solution.
    const WellPosedness report = well_posedness(system);
    if (report.bounds.largest < report.bounds.best) CHECK(full.solutions.size() == 1);
  }
  CHECK(solved > 5000);
  CHECK(paradoxes > 0);
}
