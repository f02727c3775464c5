// SPDX-License-Identifier: Apache-2.0
#include "solvers/complementarity/cell.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>

using namespace talus;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

double excess(const RoundCone& cone, const VectorXd& x) {
  return std::hypot(x[cone.t], x[cone.t + 1]) - cone.slope * x[cone.n] - cone.slack;
}

}  // namespace

// x₀ = 1 and the line x₁ cos φ + x₂ sin φ = d: a chord of the circle ‖(x₁, x₂)‖ ≤ μ for d < μ.
TEST_CASE("a cell with a round cone is empty exactly where its plane passes the cone") {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> angle(0, 2 * std::numbers::pi), size(0.05, 3);
  for (int trial = 0; trial < 10000; ++trial) {
    const double phi = angle(engine), mu = size(engine);
    for (const double part : {0.0, 0.5, 1 - 1e-6, 1 + 1e-6, 1.3}) {
      Cell cell{MatrixXd(2, 3), MatrixXd(1, 3), VectorXd(2), VectorXd::Zero(1), {{0, 1, mu, 0}}};
      cell.A << 1, 0, 0, 0, std::cos(phi), std::sin(phi);
      cell.b << -1, -part * mu;
      cell.C << 1, 0, 0;
      const auto points = find_points(cell);
      CHECK(points.has_value() == (part < 1));
      if (!points) continue;
      CHECK(excess(cell.cones[0], points->x) <= 1e-8 * mu);
      CHECK(points->freedom == 1);
      // The least point is the foot of the origin, as far from it as the chord.
      CHECK(points->x.tail(2).norm() == doctest::Approx(part * mu).epsilon(1e-6));
    }
  }
}

// Cells about a point that is known to lie in them, and cells cut off by a plane that separates.
TEST_CASE("random cells with several cones are found, and separated ones are not") {
  std::mt19937 engine(6);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> slope(0.1, 1.5), part(0, 1);
  for (int trial = 0; trial < 3000; ++trial) {
    const Index contacts = 1 + trial % 4, n = 3 * contacts;
    VectorXd x(n);
    Cell cell;
    for (Index i = 0; i < contacts; ++i) {
      const RoundCone cone{3 * i, 3 * i + 1, slope(engine), 0};
      const double f = part(engine), phi = normal(engine);
      x[3 * i] = std::abs(normal(engine)) + 0.1;
      x[3 * i + 1] = f * cone.slope * x[3 * i] * std::cos(phi);
      x[3 * i + 2] = f * cone.slope * x[3 * i] * std::sin(phi);
      cell.cones.push_back(cone);
    }
    const Index m = std::min<Index>(n - 1, 1 + trial % 7);
    cell.A = MatrixXd::NullaryExpr(m, n, [&] { return normal(engine); });
    cell.b = -cell.A * x;
    cell.C.resize(0, n);
    cell.d.resize(0);
    const auto found = find_points(cell);
    REQUIRE(found);
    CHECK((cell.A * found->x + cell.b).norm() < 1e-8 * (1 + x.norm()));
    for (const RoundCone& cone : cell.cones) CHECK(excess(cone, found->x) < 1e-8 * (1 + x.norm()));
    CHECK(found->freedom > 0);
    CHECK(find_point(cell, true));

    // y in the dual cones, y·x > 0 within: no point has y·x = −1.
    VectorXd y(n);
    for (Index i = 0; i < contacts; ++i) {
      const double mu = cell.cones[static_cast<std::size_t>(i)].slope, phi = normal(engine);
      y[3 * i] = 1;
      y[3 * i + 1] = part(engine) / mu * std::cos(phi);
      y[3 * i + 2] = part(engine) / mu * 0.5 * std::sin(phi);
    }
    cell.A = y.transpose();
    cell.b = VectorXd::Constant(1, 1);
    cell.C = MatrixXd::Zero(contacts, n);
    for (Index i = 0; i < contacts; ++i) cell.C(i, 3 * i) = 1;
    cell.d = VectorXd::Zero(contacts);
    CHECK(!find_points(cell));
  }
}
