// SPDX-License-Identifier: Apache-2.0
// Impacts under laws of their own, in the ordinary step.
#include "engine/step/impact.hpp"
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double r = 0.05;

template <int D>
Scene<D> chain_scene(const std::vector<double>& speeds, const ContactLaw& law, double gap,
                     const ImpactLaw& impact_law) {
  std::vector<BodyDescription<D>> bodies;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    const double x = static_cast<double>(i) * (2 * r + gap);
    bodies.push_back(ball<D>(r, at<D>(x, 0), at<D>(speeds[i], 0)));
  }
  Scene<D> scene = scene_of<D>(1e-4, law, bodies);
  scene.gravity.setZero();
  scene.solver.tolerance = 1e-13;
  scene.impact_law = impact_law;
  return scene;
}

template <int D>
std::vector<double> speeds_along(const World<D>& world) {
  std::vector<double> speeds;
  for (const Vec<D>& v : world.bodies().velocity) speeds.push_back(v[0]);
  return speeds;
}

double worst_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// Some audited steps: the last certificate, with the impacts of all of them. An elastic impact
// integrated to 1e-8 may gain that much.
template <int D>
Certificate steps(World<D>& world, int number) {
  Certificate last;
  int impacts = 0;
  run(
      world, number,
      [&](const Certificate& certificate) {
        last = certificate;
        impacts += certificate.impacts;
      },
      1e-7);
  last.impacts = impacts;
  return last;
}

RigidOperator<2> graph(int bodies, const std::vector<std::pair<int, int>>& contacts,
                       const std::vector<int>& fixed) {
  RigidOperator<2> W;
  W.bodies.assign(static_cast<std::size_t>(bodies), {1.0, SpinMat<2>::Identity()});
  for (const int i : fixed) W.bodies[static_cast<std::size_t>(i)] = {};
  for (const auto& [a, b] : contacts) {
    ContactRow<2> row;
    row.a = a;
    row.b = b;
    row.frame.setIdentity();
    row.arm_a.setZero();
    row.arm_b.setZero();
    W.contacts.push_back(row);
  }
  return W;
}

}  // namespace

namespace {

const std::vector<ImpactLaw> every_law = {MoreauLaw{}, MatrixLaw{}, PoissonLaw{}, LzbLaw{},
                                          ProjectionLaw{}};

}  // namespace

TEST_CASE("an impact takes with it what hangs together with it, but not through walls") {
  // floor 0; chains 1-2-3 and 4-5 on it; 6 and 7 touch each other alone.
  const RigidOperator<2> W = graph(8, {{0, 1}, {1, 2}, {2, 3}, {0, 4}, {4, 5}, {6, 7}}, {0});
  using Clusters = std::vector<std::vector<int>>;
  const std::vector<char> all(6, 1);
  CHECK(find_impact_clusters<2>(W, all, std::vector<char>{0, 0, 1, 0, 0, 0}).contacts ==
        Clusters{{0, 1, 2}});
  CHECK(find_impact_clusters<2>(W, all, std::vector<char>{0, 0, 1, 0, 0, 1}).contacts ==
        Clusters{{0, 1, 2}, {5}});
  CHECK(find_impact_clusters<2>(W, all, std::vector<char>{1, 1, 0, 1, 0, 0}).contacts ==
        Clusters{{0, 1, 2}, {3, 4}});
  // A contact that does not touch cuts the chain.
  CHECK(find_impact_clusters<2>(W, std::vector<char>{1, 0, 1, 1, 1, 1},
                                std::vector<char>{0, 0, 1, 0, 0, 0})
            .contacts == Clusters{{2}});
  CHECK(find_impact_clusters<2>(W, all, std::vector<char>(6, 0)).contacts.empty());
}

TEST_CASE_TEMPLATE("a touching chain in a run leaves as the LZB law says", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double e : {1.0, 0.8}) {
    World<D> world(chain_scene<D>({1, 0, 0, 0, 0}, {.restitution = e}, 0, LzbLaw{}));
    ImpactProblem<D> impact;  // the same balls by hand
    const double mass = world.bodies().mass[0];
    for (int i = 0; i < 5; ++i) {
      impact.bodies.push_back({1 / mass, SpinMat<D>::Zero()});
      impact.v_minus.push_back({at<D>(i == 0 ? 1 : 0, 0), Spin<D>::Zero()});
    }
    for (int i = 0; i < 4; ++i) {
      ContactRow<D> row;
      row.a = i;
      row.b = i + 1;
      row.frame = frame_of_normal<D>(along<D>());
      row.arm_a.setZero();
      row.arm_b.setZero();
      impact.contacts.push_back(row);
    }
    impact.coefficients.assign(4, {.restitution = e});
    std::vector<double> expected;
    for (const Twist<D>& v :
         velocities_after<D>(impact, lzb_impact<D>(impact, LzbLaw{}).percussions))
      expected.push_back(v.v[0]);

    const double before = world.kinetic_energy();
    const Certificate certificate = steps<D>(world, 1);
    bound("LZB chain in a run, velocity − law [m/s]",
          worst_difference(speeds_along<D>(world), expected), 1e-12);
    CHECK(certificate.impacts == 1);
    CHECK(certificate.impact_contacts == 4);
    CHECK(certificate.converged);
    bound("LZB chain, energy in the certificate",
          std::abs(world.kinetic_energy() - before - certificate.impact_work) / before, 1e-13);
    CHECK(certificate.impact_closing <= 1e-8);
    CHECK(certificate.impact_cone <= 0);
    CHECK(certificate.impact_gain <= 1e-7);
    double momentum = -mass;
    for (const double v : speeds_along<D>(world)) momentum += mass * v;
    bound("LZB chain, momentum", std::abs(momentum) / mass, 1e-14);
    // and then they are alone
    CHECK(steps<D>(world, 20).impacts == 0);
  }
}

TEST_CASE_TEMPLATE("small gaps make a chain a sequence of binary impacts under any law", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const ImpactLaw& law : {ImpactLaw(MoreauLaw{}), ImpactLaw(LzbLaw{.tolerance = 1e-12})}) {
    World<D> world(chain_scene<D>({1, 0, 0, 0, 0}, {.restitution = 1}, 1e-3, law));
    CHECK(steps<D>(world, 100).impacts == 4);
    bound("A13 with gaps under impact laws [m/s]",
          worst_difference(speeds_along<D>(world), {0, 0, 0, 0, 1}), 1e-9);
  }
}

TEST_CASE_TEMPLATE("a ball bounces off a floor with e* of its speed", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double e : {0.0, 0.5, 1.0}) {
    Scene<D> scene = scene_of<D>(1e-4, {.friction = 0.3, .restitution = e},
                                 {ground<D>(), ball<D>(r, at<D>(0, r), at<D>(0, -2))});
    scene.impact_law = LzbLaw{.tolerance = 1e-10};
    World<D> world(scene);
    const Certificate certificate = steps<D>(world, 1);
    CHECK(certificate.impacts == 1);
    // gravity acts after the impact, unless the floor holds the ball
    const double expected = std::max(0.0, 2 * e - g * scene.h);
    bound("LZB bounce [m/s]", std::abs(world.bodies().velocity[1][D - 1] - expected), 1e-8);
  }
}

// VALIDATION A13: with one coefficient and no friction these laws are all Moreau's.
TEST_CASE_TEMPLATE("a touching chain keeps A13 under every law with one coefficient", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const ImpactLaw& law :
       {ImpactLaw(MatrixLaw{}), ImpactLaw(PoissonLaw{}), ImpactLaw(ProjectionLaw{})}) {
    struct Case {
      double e;
      std::vector<double> before, after;
    };
    for (const Case& c : {Case{1, {1, 0, 0}, {-1.0 / 3, 2.0 / 3, 2.0 / 3}},
                          Case{0.9, {1, 0, 0, 0, 0}, {-0.52, 0.38, 0.38, 0.38, 0.38}},
                          Case{0, {1, 0, 0, 0, 0}, {0.2, 0.2, 0.2, 0.2, 0.2}},
                          Case{1, {1, 1, 0, 0, 0}, {-0.2, -0.2, 0.8, 0.8, 0.8}}}) {
      World<D> world(chain_scene<D>(c.before, {.restitution = c.e}, 0, law));
      const Certificate certificate = steps<D>(world, 1);
      bound("A13 under an impact law [m/s]", worst_difference(speeds_along<D>(world), c.after),
            1e-10);
      CHECK(certificate.impacts == 1);
      CHECK(certificate.impact_closing <= 1e-10);
      CHECK(certificate.impact_cone <= 1e-10);
      CHECK(certificate.impact_gain <= 1e-10);
    }
    // a column leaves a wall with e times its speed
    std::vector<BodyDescription<D>> bodies = {ground<D>()};
    for (int i = 0; i < 5; ++i)
      bodies.push_back(ball<D>(r, at<D>(0, (2 * i + 1) * r), at<D>(0, -2)));
    Scene<D> scene = scene_of<D>(1e-4, {.restitution = 0.5}, bodies);
    scene.gravity.setZero();
    scene.impact_law = law;
    World<D> world(scene);
    steps<D>(world, 1);
    for (std::size_t i = 1; i <= 5; ++i)
      bound("A13 column on a wall under an impact law [m/s]",
            (world.bodies().velocity[i] - at<D>(0, 1)).norm(), 1e-10);
  }
}

// VALIDATION A12, a superball, and A10 in a run, under the laws that know τ, or friction.
TEST_CASE_TEMPLATE("a superball exchanges speed and spin under the matrix law", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  Scene<D> scene =
      scene_of<D>(1e-4, {.friction = 100, .restitution = 1, .tangential_restitution = 1},
                  {ground<D>(), ball<D>(r, at<D>(0, r), at<D>(1, -1))});
  scene.gravity.setZero();
  scene.bodies[1].inertia = SpinMat<D>::Identity() * 0.4 * r * r;
  scene.bodies[1].mass = 1;
  scene.impact_law = MatrixLaw{};
  World<D> world(scene);
  steps<D>(world, 1);
  bound("A12 velocity along [m/s]", std::abs(world.bodies().velocity[1][0] - 3.0 / 7), 1e-12);
  bound("A12 velocity up [m/s]", std::abs(world.bodies().velocity[1][D - 1] - 1), 1e-12);
  bound("A12 spin times radius [m/s]", std::abs(r * world.bodies().spin[1].norm() - 10.0 / 7),
        1e-12);
}

// A floor that rises at 1 m/s throws a ball at rest with 1 + e of its speed, and goes on with it.
TEST_CASE_TEMPLATE("a floor that rises throws a ball up under every law", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  std::vector<ImpactLaw> laws = every_law;
  MatrixLaw blocks;
  blocks.E_nn = Eigen::MatrixXd::Constant(1, 1, 0.5);
  constexpr int tangential = D - 1 + spin_dim<D>;
  blocks.E_tt = -Eigen::MatrixXd::Identity(tangential, tangential);
  laws.emplace_back(blocks);
  for (const ImpactLaw& law : laws) {
    CAPTURE(law.index());
    Scene<D> scene = scene_of<D>(1e-3, {.friction = 0.3, .restitution = 0.5},
                                 {ground<D>(), ball<D>(0.1, at<D>(0, 0.1))});
    scene.bodies[0].fixed = false;
    scene.bodies[0].drives = {drive_along<D>(Drive<D>::Kind::velocity, up<D>(), Constant{1})};
    scene.gravity.setZero();
    scene.impact_law = law;
    World<D> world(scene);
    const Certificate step = world.step();
    CHECK(step.impact_inadmissible == 0);
    CHECK((world.bodies().velocity[1] - 1.5 * up<D>()).norm() < 1e-6);
  }
}

TEST_CASE("restitution that depends on speed is taken at the speed of arrival") {
  const std::vector<CoefficientOfSpeed> coefficients = {TableOfSpeed{{0.5, 1, 3}, {0.9, 0.8, 0.4}},
                                                        PowerOfSpeed{0.7, 2, 0.25}};
  for (const ImpactLaw& law :
       {ImpactLaw(MoreauLaw{}), ImpactLaw(PoissonLaw{}), ImpactLaw(LzbLaw{.tolerance = 1e-11}),
        ImpactLaw(MatrixLaw{}), ImpactLaw(ProjectionLaw{})}) {
    for (const int which : {0, 1}) {
      for (const double v : {0.2, 0.75, 2.0, 5.0}) {
        Scene<2> scene = scene_of<2>(1e-4, {.restitution_of_speed = which},
                                     {ground<2>(), ball<2>(r, at<2>(0, r), at<2>(0, -v))});
        scene.gravity.setZero();
        scene.coefficients_of_speed = coefficients;
        scene.impact_law = law;
        World<2> world(scene);
        world.step();
        const double table = v <= 0.5 ? 0.9 : v <= 1 ? 1 - 0.2 * v : v <= 3 ? 1 - 0.2 * v : 0.4;
        const double power = std::min(1.0, 0.7 * std::pow(v / 2, -0.25));
        bound("restitution of speed [m/s]",
              std::abs(world.bodies().velocity[1][1] - (which == 0 ? table : power) * v), 1e-9 * v);
      }
    }
  }
}

TEST_CASE_TEMPLATE("a stack at rest has no impacts under any law", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (int i = 0; i < 4; ++i) bodies.push_back(ball<D>(r, at<D>(0, (2 * i + 1) * r)));
  for (const ImpactLaw& law : every_law) {
    Scene<D> scene = scene_of<D>(1e-3, {.friction = 0.3, .restitution = 0.8}, bodies);
    scene.impact_law = law;
    World<D> world(scene);
    CHECK(steps<D>(world, 200).impacts == 0);
    for (std::size_t i = 1; i <= 4; ++i) CHECK(world.bodies().velocity[i].norm() <= 1e-9);
  }
}

TEST_CASE("an impact that cannot be ended is a step that failed") {
  // A ball that just fits between two walls and bounces between them for ever; so slow that at q_m
  // it touches both.
  Scene<2> scene;
  scene.h = 1e-3;
  scene.materials = {{"wall", 1}, {"ball", 1}};
  scene.laws = PairTable(2);
  scene.laws.set(0, 1, {.restitution = 1});
  for (const double side : {-1.0, 1.0}) {
    BodyDescription<2> wall;
    wall.name = side < 0 ? "left" : "right";
    wall.shapes = {HalfSpace<2>{Vec<2>(-side, 0), 0}};
    wall.position = Vec<2>(side * r, 0);
    wall.fixed = true;
    scene.bodies.push_back(wall);
  }
  scene.bodies.push_back(ball<2>(r, Vec<2>(0, 0), Vec<2>(5e-8, 0)));
  scene.impact_law = LzbLaw{.max_steps = 1000};
  World<2> world(scene);
  const Certificate certificate = world.step();
  CHECK_FALSE(certificate.converged);
  CHECK(certificate.impact_failed == 1);
  CHECK(world.bodies().velocity[2].norm() <= 1e-16);  // stopped, not lost
}

// Balls thrown at each other without a floor: whatever the law, momentum is kept to rounding, the
// books of energy balance, and what the certificate says of the impacts is so.
TEST_CASE_TEMPLATE("under every law momentum is kept and the certificate is true", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const ImpactLaw& law : every_law) {
    CAPTURE(law.index());
    std::vector<BodyDescription<D>> bodies;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        bodies.push_back(ball<D>(r, at<D>(0.1001 * i, 0.1003 * j + 0.01 * (i % 2)),
                                 at<D>(0.5 - 0.3 * i, 0.4 - 0.25 * j)));
    Scene<D> scene = scene_of<D>(1e-3, {.friction = 0.2, .restitution = 0.6}, bodies);
    scene.gravity.setZero();
    scene.solver.tolerance = 1e-10;
    scene.impact_law = law;
    World<D> world(scene);
    const auto momentum = [&] {
      Vec<D> sum = Vec<D>::Zero();
      for (std::size_t i = 0; i < world.bodies().size(); ++i)
        sum += world.bodies().mass[i] * world.bodies().velocity[i];
      return sum;
    };
    double scale = 0;
    for (std::size_t i = 0; i < world.bodies().size(); ++i)
      scale += world.bodies().mass[i] * world.bodies().velocity[i].norm();
    const Vec<D> before = momentum();
    int impacts = 0;
    for (int k = 0; k < 40; ++k) {
      const double energy = world.kinetic_energy();
      const Certificate certificate = world.step();
      impacts += certificate.impacts;
      CHECK(certificate.converged);
      double work = 0;
      for (const ImpactedContact<D>& contact : world.impacts()) work += contact.work;
      CHECK(std::abs(work - certificate.impact_work) <= 1e-12 * energy);
      // Only the projection may pull, and forgets friction: no other law gains energy here.
      if (!std::holds_alternative<ProjectionLaw>(law))
        CHECK(world.kinetic_energy() <= energy * (1 + 1e-9));
      else if (certificate.impacts == 0)
        CHECK(world.kinetic_energy() <= energy * (1 + 1e-9));
      if (certificate.impact_inadmissible == 0)
        CHECK(world.kinetic_energy() <= energy * (1 + 1e-6));
    }
    CHECK(impacts > 5);
    CHECK((momentum() - before).norm() <= 1e-13 * scale);
  }
}

TEST_CASE("a run has the same bits for any number of threads, under every law") {
  const auto state = [](const ImpactLaw& law, int number) {
    set_threads(number);
    std::vector<BodyDescription<2>> bodies = {ground<2>()};
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        bodies.push_back(ball<2>(r, at<2>(0.1001 * i + 0.03 * (j % 2), r + 0.101 * j),
                                 at<2>(0.1 * ((3 * i + j) % 5) - 0.2, -1)));
    Scene<2> scene = scene_of<2>(1e-3, {.friction = 0.3, .restitution = 0.6}, bodies);
    scene.impact_law = law;
    World<2> world(scene);
    int impacts = 0;
    for (int k = 0; k < 60; ++k) impacts += world.step().impacts;
    CHECK(impacts > 5);
    return world.bodies().velocity;
  };
  for (const ImpactLaw& law : every_law) {
    const auto one = state(law, 1);
    for (const int number : {2, 3, 7}) CHECK(state(law, number) == one);
  }
  set_threads(1);
}
