// SPDX-License-Identifier: Apache-2.0
// Arches: the thickness and the shaking at which they fold up.
#include <Eigen/LU>
#include <array>

#include "engine/outlook/limit_state.hpp"
#include "tests/physics/bundled_scene.hpp"

using namespace talus;

namespace {

constexpr double g = 9.81;

// inner_radius = 1 m: thickness over mean radius = ratio.
std::string thickness_of(double ratio) {
  return "arch.0.thickness=" + std::to_string(ratio / (1 - 0.5 * ratio));
}

// Largest displacement at the end [m]; stops once it has folded.
double fold(World<2>& world, double folded) {
  const Displacement<2> displacement(world);
  const auto steps = std::llround(world.scene().end / world.scene().h);
  for (std::int64_t k = 0; k < steps; ++k) {
    REQUIRE(world.step().converged);
    if (k % 100 == 0 && displacement.largest(world) > folded) break;
  }
  return displacement.largest(world);
}

// Whether the forces at the joints of an arch can carry it while its base accelerates sideways by
// a. The force and moment at the left springing (H, V, M) give those at every joint by equilibrium.
// A joint from inner to outer edge carries what presses between its edges, within friction μ:
//     N ≥ 0, |T| ≤ μ N, moment about the inner edge ≥ 0, about the outer edge ≤ 0.
// All are linear in (H, V, M); a bounded set of half-spaces is empty or has a corner.
class ThrustLine {
 public:
  ThrustLine(const World<2>& world, double inner, double outer, double friction)
      : friction_(friction), inner_(inner), outer_(outer) {
    for (std::size_t i = 0; i < world.bodies().size(); ++i) {
      if (!world.bodies().moves_freely(i)) continue;
      mass_.push_back(world.bodies().mass[i]);
      centre_.push_back(world.bodies().position[i]);
    }
  }

  bool carries(double a) {
    rows_.clear();
    for (std::size_t joint = 0; joint <= mass_.size(); ++joint) add_joint(joint, a);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        for (std::size_t k = 0; k < j; ++k)
          if (is_corner(rows_[i], rows_[j], rows_[k])) return true;
    return false;
  }

  double limit() {
    double low = 0, high = 3 * g;
    REQUIRE(carries(low));
    REQUIRE(!carries(high));
    for (int k = 0; k < 12; ++k) {
      const double middle = 0.5 * (low + high);
      (carries(middle) ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

 private:
  using Row = Eigen::Vector4d;  // c·(H, V, M) + c₄ ≥ 0

  // Joint k is left of voussoir k, counted from the left springing.
  void add_joint(std::size_t joint, double a) {
    const double angle =
        M_PI * (1 - static_cast<double>(joint) / static_cast<double>(mass_.size()));
    const Vec<2> radial(std::cos(angle), std::sin(angle)), tangent(radial[1], -radial[0]);
    // Force on the part right of the joint and its moment about a point: what enters at the left
    // springing and the weights and inertia forces of the voussoirs before the joint.
    Eigen::Matrix<double, 2, 4> force = Eigen::Matrix<double, 2, 4>::Zero();
    force(0, 0) = force(1, 1) = 1;
    Row about_origin = Row::Zero();
    about_origin[2] = 1;
    for (std::size_t i = 0; i < joint; ++i) {
      const Vec<2> load = mass_[i] * Vec<2>(-a, -g);
      force.col(3) += load;
      about_origin[3] += centre_[i][0] * load[1] - centre_[i][1] * load[0];
    }
    const auto moment_about = [&](const Vec<2>& p) -> Row {
      return about_origin - (p[0] * force.row(1) - p[1] * force.row(0)).transpose();
    };
    const Row normal = force.transpose() * tangent, shear = force.transpose() * radial;
    rows_.push_back(friction_ * normal - shear);
    rows_.push_back(friction_ * normal + shear);
    // A thrust N along the tangent at the radius r has the moment −r N about the origin.
    rows_.push_back(-moment_about(inner_ * radial));
    rows_.push_back(moment_about(outer_ * radial));
  }

  bool is_corner(const Row& p, const Row& q, const Row& r) const {
    Eigen::Matrix3d A;
    A << p.head<3>().transpose(), q.head<3>().transpose(), r.head<3>().transpose();
    const double determinant = A.determinant();
    if (std::abs(determinant) < 1e-12) return false;
    const Eigen::Vector3d x = -A.inverse() * Eigen::Vector3d(p[3], q[3], r[3]);
    for (const Row& row : rows_)
      if (row.head<3>().dot(x) + row[3] < -1e-7 * mass_.front() * g) return false;
    return true;
  }

  double friction_, inner_, outer_;
  std::vector<double> mass_;
  std::vector<Vec<2>> centre_;
  std::vector<Row> rows_;
};

}  // namespace

// Milankovitch: a semicircular arch needs a thickness of 0.1075 of its mean radius. Joints at a
// finite number of places leave it a little less: the thrust line gives 0.10607 for 15 voussoirs
// and 0.10731 for 45.
TEST_CASE("an arch folds up where it is thinner than 0.1075 of its radius") {
  const auto world = [](double ratio, const std::string& count) {
    return open<2>("arch", {thickness_of(ratio), "arch.0.count=" + count, "time.end=6"});
  };
  const auto carries = [&](double ratio) {
    return ThrustLine(world(ratio, "15"), 1, 1 + ratio / (1 - 0.5 * ratio), 0.7).carries(0);
  };
  CHECK(carries(0.1062));
  CHECK(!carries(0.1059));
  World<2> stands = world(0.1071, "15"), folds = world(0.105, "15");
  CHECK(fold(stands, 0.1) <= 1e-5);
  CHECK(fold(folds, 0.1) > 0.1);
  World<2> of_many = world(0.1087, "45"), too_thin = world(0.1061, "45");
  CHECK(fold(of_many, 0.1) <= 1e-5);
  CHECK(fold(too_thin, 0.1) > 0.1);
}

TEST_CASE(
    "arch_shaken: it follows its base up to the acceleration at which the thrust line leaves it") {
  World<2> world = open<2>("arch_shaken");
  ThrustLine line(world, 1, 1.25, 0.7);
  const double limit = line.limit();
  CHECK(limit == doctest::Approx(3.345).epsilon(1e-3));  // as the scene says
  const auto opened = [&](double share) {                // relative to the base
    // Peak acceleration 2π V at 1 Hz; velocity starts at 0 and acceleration at its peak.
    World<2> shaken = open<2>("arch_shaken", {"body.ground.drive.0.velocity.sinusoid.amplitude=" +
                                                  std::to_string(share * limit / (2 * M_PI)),
                                              "time.end=1"});
    const Displacement<2> displacement(shaken);
    const std::size_t ground = body(shaken, "ground");
    double worst = 0;
    run(shaken, [&] {
      const Vec<2> base = shaken.bodies().position[ground] - displacement.start[ground];
      for (std::size_t i = 0; i < shaken.bodies().size(); ++i)
        worst =
            std::max(worst, (shaken.bodies().position[i] - displacement.start[i] - base).norm());
    });
    return worst;
  };
  CHECK(opened(0.95) <= 1e-5);
  CHECK(opened(1.3) > 1e-3);
}

TEST_CASE("limit analysis finds the acceleration at which the thrust line leaves an arch") {
  for (const char* const thickness : {"0.15", "0.25", "0.5"}) {
    CAPTURE(thickness);
    const World<2> world = open<2>("arch", {"arch.0.thickness=" + std::string(thickness)});
    const Bodies<2>& bodies = world.bodies();
    std::vector<BodyLoad<2>> sideways(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) sideways[i].force[0] = -bodies.mass[i];
    const LimitAnalysis<2> analysis(world.scene(), bodies, 0);
    const LimitState<2> state = analysis.largest(sideways);
    REQUIRE(state.verdict == ConeVerdict::solved);
    ThrustLine line(world, 1, 1 + std::stod(thickness), 0.7);
    CHECK(line.carries(state.multiplier * (1 - 1e-5)));
    CHECK(!line.carries(state.multiplier * (1 + 1e-5)));
  }
}
