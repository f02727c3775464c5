// SPDX-License-Identifier: Apache-2.0
// Bonds: mortar between blocks and cement between balls, at loads with closed forms.
#include <array>
#include <functional>
#include <memory>

#include "engine/step/bonds.hpp"
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double h = 1e-3;

// A slab of 1 m in x, 0.02 m high and 0.5 m deep on another that is fixed, their bond, and a force
// at a point of the upper one. It is flat, so that what slides hardly leans.
constexpr double width = 1, height = 0.02, depth = 0.5;
template <int D>
constexpr double area = D == 2 ? width : width* depth;

template <int D>
AppliedForce<D> force_at(int body, const Vec<D>& force, const Vec<D>& point) {
  AppliedForce<D> applied;
  applied.body = body;
  applied.direction = force;
  applied.point = point;
  applied.signal = Constant{1};
  return applied;
}

template <int D>
Scene<D> two_blocks(const BondLaw& bond) {
  const Vec<D> side = sides<D>(width, height, depth);
  std::vector<BodyDescription<D>> bodies = {block<D>(side, at<D>(0, -height / 2)),
                                            block<D>(side, at<D>(0, height / 2))};
  bodies[0].name = "lower";
  bodies[0].fixed = true;
  bodies[1].mass = 500 * area<D>;
  ContactLaw law{.friction = 0.5};
  law.bond = bond;
  Scene<D> scene = scene_of<D>(h, law, std::move(bodies));
  scene.gravity.setZero();
  return scene;
}

const BondLaw mortar = {.tension = 2e4, .cohesion = 3e4, .friction = 0.6};

template <int D>
int broken(const World<D>& world) {
  int count = 0;
  for (const Bond<D>& bond : world.bonds()) count += bond.broken();
  return count;
}

// Runs under a load and says whether all bonds hold.
template <int D>
bool holds(Scene<D> scene, int steps = 20) {
  World<D> world(std::move(scene));
  REQUIRE(!world.bonds().empty());
  for (int k = 0; k < steps; ++k) {
    const Certificate step = world.step();
    CHECK(step.converged);
    CHECK(std::abs(step.defect) <= 1e-10 * step.turnover);
  }
  return broken(world) == 0;
}

// The load at which a bond fails, as a multiple of the one expected.
template <int D>
void fails_at(const std::string& what, const std::function<Scene<D>(double)>& loaded) {
  INFO(what);
  CHECK(holds<D>(loaded(1 - 1e-3)));
  CHECK_FALSE(holds<D>(loaded(1 + 1e-3)));
}

}  // namespace

TEST_CASE_TEMPLATE("bonds share out the area of a face", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const World<D> world(two_blocks<D>(mortar));
  REQUIRE(world.bonds().size() == (D == 2 ? 2 : 4));
  double sum = 0;
  for (const Bond<D>& bond : world.bonds()) {
    CHECK(bond.area == doctest::Approx(area<D> / static_cast<double>(world.bonds().size())));
    sum += bond.area;
  }
  CHECK(sum == doctest::Approx(area<D>).epsilon(1e-12));
}

TEST_CASE_TEMPLATE("a joint of two blocks fails at σ_t A, c A + μ N and σ_t A b/2", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const double A = area<D>;
  fails_at<D>("tension", [&](double factor) {
    Scene<D> scene = two_blocks<D>(mortar);
    scene.forces = {force_at<D>(1, factor * mortar.tension * A * up<D>(), Vec<D>::Zero())};
    return scene;
  });
  // At the joint itself, so that it is not bent.
  const Vec<D> foot = -height / 2 * up<D>();
  for (const double pressure : {0.0, 1e4, -1e4}) {
    fails_at<D>("shear", [&](double factor) {
      Scene<D> scene = two_blocks<D>(mortar);
      const double strength = mortar.cohesion + mortar.friction * pressure;
      scene.forces = {force_at<D>(1, factor * strength * A * along<D>(), foot),
                      force_at<D>(1, -pressure * A * up<D>(), Vec<D>::Zero())};
      return scene;
    });
  }
  // Bodies are rigid and are not crushed: a joint turns about its edge.
  fails_at<D>("bending", [&](double factor) {
    Scene<D> scene = two_blocks<D>(mortar);
    const double moment = factor * mortar.tension * A * width / 2;
    AppliedForce<D> couple;
    couple.body = 1;
    couple.axis = moment * turning<D>();
    couple.signal = Constant{1};
    scene.forces = {couple};
    return scene;
  });
}

namespace {

struct Crack {
  double energy = 0, friction = 0;  // [J]
  double way = 0;                   // of the upper block [m]
};

// The upper block under a constant force until all bonds are broken.
template <int D>
Crack torn(Scene<D> scene, const Vec<D>& direction, int most_steps) {
  World<D> world(std::move(scene));
  const Vec<D> start = world.bodies().position[1];
  const int all = static_cast<int>(world.bonds().size());
  Crack crack;
  double damage = 0;
  for (int k = 0; k < most_steps && broken(world) < all; ++k) {
    const Certificate step = world.step();
    CHECK(step.converged);
    CHECK(std::abs(step.defect) <= 1e-10 * step.turnover);
    crack.energy -= step.bond_work;
    crack.friction -= step.friction_work;
    double now = 0;
    for (const Bond<D>& bond : world.bonds()) now += bond.damage;
    CHECK(now >= damage);
    damage = now;
  }
  CHECK(broken(world) == all);
  crack.way = (world.bodies().position[1] - start).dot(direction);
  return crack;
}

}  // namespace

// A crack of the area A dissipates G_f A, whatever the load and the step, and is through where the
// traction ends: δ_f = 2 G_f/σ_t.
TEST_CASE_TEMPLATE("a crack dissipates its fracture energy", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  BondLaw bond = mortar;
  bond.fracture_energy = 20;
  const double A = area<D>;
  const Vec<D> foot = -height / 2 * up<D>();
  for (const double step : {1e-3, 1e-4}) {
    for (const double factor : {1.05, 2.0}) {
      CAPTURE(step);
      CAPTURE(factor);
      Scene<D> scene = two_blocks<D>(bond);
      scene.h = step;
      scene.forces = {force_at<D>(1, factor * bond.tension * A * up<D>(), Vec<D>::Zero())};
      const Crack opened = torn<D>(scene, up<D>(), 2000);
      compare("energy of opening [J]", opened.energy, bond.fracture_energy * A,
              0.01 * bond.fracture_energy * A);
      CHECK(opened.way == doctest::Approx(2 * bond.fracture_energy / bond.tension)
                              .epsilon(step == 1e-4 ? 0.02 : 0.3));

      constexpr double pressure = 1e4;
      const double strength = bond.cohesion + bond.friction * pressure;
      scene.forces = {force_at<D>(1, factor * strength * A * along<D>(), foot),
                      force_at<D>(1, -pressure * A * up<D>(), Vec<D>::Zero())};
      const Crack slid = torn<D>(scene, along<D>(), 2000);
      compare("energy of sliding [J]", slid.energy, bond.fracture_energy * A,
              0.01 * bond.fracture_energy * A);
      // Beside it friction, μ N δ. In space the four corners share N in more than one way.
      if (D == 2)
        CHECK(slid.friction == doctest::Approx(bond.friction * pressure * A * slid.way)
                                   .epsilon(step == 1e-4 ? 0.02 : 0.2));
    }
  }
}

// Half torn, then pushed back: it closes without a pull, is pressed, and has kept its damage.
TEST_CASE("a crack that closes carries nothing until its surfaces meet") {
  BondLaw bond = mortar;
  bond.fracture_energy = 20;
  Scene<2> scene = two_blocks<2>(bond);
  scene.h = 1e-4;
  const double F = 1.2 * bond.tension * area<2>;
  scene.forces = {force_at<2>(1, Vec<2>(0, 1), Vec<2>::Zero())};
  scene.forces[0].signal = Table{{0, 0.01, 0.0101, 1}, {F, F, -F, -F}};
  World<2> world(std::move(scene));
  double damage = 0, highest = 0, after = 0;
  for (int k = 0; k < 600; ++k) {
    const Certificate step = world.step();
    CHECK(step.converged);
    CHECK(std::abs(step.defect) <= 1e-10 * step.turnover);
    const double y = world.bodies().position[1][1] - height / 2;
    highest = std::max(highest, y);
    if (y < 0.5 * highest && world.bodies().velocity[1][1] < 0) after -= step.bond_work;
    damage = world.bonds()[0].damage;
  }
  CHECK(highest > 1e-4);
  CHECK(damage > 0.05);
  CHECK(damage < 0.95);
  CHECK(std::abs(after) < 1e-9);
  CHECK(world.bodies().position[1][1] - height / 2 < 1e-6);
}

namespace {

constexpr double R = 0.1;

// A ball on another that is fixed, bonded at the origin.
template <int D>
Scene<D> two_balls(const BondLaw& bond) {
  std::vector<BodyDescription<D>> bodies = {ball<D>(R, at<D>(0, -R)), ball<D>(R, at<D>(0, R))};
  bodies[0].name = "lower";
  bodies[0].fixed = true;
  ContactLaw law{.friction = 0.5};
  law.bond = bond;
  Scene<D> scene = scene_of<D>(h, law, std::move(bodies));
  scene.gravity.setZero();
  return scene;
}

template <int D>
Scene<D> turned_by(const Spin<D>& moment) {
  Scene<D> scene = two_balls<D>(mortar);
  AppliedForce<D> couple;
  couple.body = 1;
  couple.axis = moment;
  couple.signal = Constant{1};
  scene.forces = {couple};
  return scene;
}

}  // namespace

// A disc of the radius R: tension, shear, torsion as rigid-plastic limits of its points.
TEST_CASE_TEMPLATE("balls are bonded against force and moment", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const double A = D == 2 ? 2 * R : pi * R * R;
  fails_at<D>("tension", [&](double factor) {
    Scene<D> scene = two_balls<D>(mortar);
    scene.forces = {force_at<D>(1, factor * mortar.tension * A * up<D>(), Vec<D>::Zero())};
    return scene;
  });
  fails_at<D>("shear", [&](double factor) {
    Scene<D> scene = two_balls<D>(mortar);
    scene.forces = {force_at<D>(1, factor * mortar.cohesion * A * along<D>(), -R * up<D>())};
    return scene;
  });
  if constexpr (D == 2) {
    fails_at<D>("bending", [&](double factor) {
      return turned_by<D>(Spin<D>(factor * mortar.tension * A * R));
    });
  } else {
    fails_at<D>("torsion", [&](double factor) {
      return turned_by<D>(factor * mortar.cohesion * A * 2 / 3 * R * Vec<3>::UnitZ());
    });
    // Points of the hexagon: the first is on the first tangent.
    const Mat<3> frame = frame_of_normal<3>(up<3>());
    fails_at<D>("bending about a corner", [&](double factor) {
      return turned_by<D>(factor * mortar.tension * A * 2 / 3 * R * frame.col(2));
    });
    fails_at<D>("bending about a side", [&](double factor) {
      return turned_by<D>(factor * mortar.tension * A / std::sqrt(3) * R * frame.col(1));
    });
  }
}

namespace {

// A flower of seven bonded disks, thrown on the ground.
Scene<2> flower(double speed) {
  std::vector<BodyDescription<2>> bodies = {ground<2>()};
  const Vec<2> centre(0, 3.2 * R);
  bodies.push_back(ball<2>(R, centre, {0.1, -speed}));
  for (int k = 0; k < 6; ++k) {
    const double angle = (k + 0.3) * pi / 3;
    bodies.push_back(
        ball<2>(R, centre + 2 * R * Vec<2>(std::cos(angle), std::sin(angle)), {0.1, -speed}));
  }
  ContactLaw law{.friction = 0.5};
  Scene<2> scene = scene_of<2>(h, law, bodies);
  law.bond = {.tension = 2e5, .cohesion = 3e5, .friction = 0.5};
  scene.laws.set(1, 1, law);
  scene.solver = {.tolerance = 1e-8, .max_sweeps = 20000};
  return scene;
}

}  // namespace

TEST_CASE("an aggregate stays whole at a slow impact and breaks at a fast one") {
  for (const double speed : {0.05, 5.0}) {
    CAPTURE(speed);
    World<2> world(flower(speed));
    CHECK(world.bonds().size() == 24);
    for (int k = 0; k < 200; ++k) {
      const Certificate step = world.step();
      CHECK(step.converged);
      CHECK(std::abs(step.defect) <= 1e-10 * step.turnover);
    }
    if (speed < 1)
      CHECK(broken(world) == 0);
    else
      CHECK(broken(world) >= 4);
  }
}

TEST_CASE("bonds give the same bits on any number of threads and after a restart") {
  const auto run_on = [](int threads, int restart_at) {
    auto world = std::make_unique<World<2>>(flower(5.0));
    world->use_threads(threads);
    for (int k = 0; k < 120; ++k) {
      if (k == restart_at) {
        const WorldState<2> state = world->state();
        world = std::make_unique<World<2>>(flower(5.0));
        world->use_threads(threads);
        world->restore(state);
      }
      world->step();
    }
    return world->state();
  };
  const WorldState<2> once = run_on(1, -1);
  CHECK(once.bonds.size() == 24);
  for (const WorldState<2>& other : {run_on(3, -1), run_on(1, 20), run_on(1, 70)}) {
    for (std::size_t i = 0; i < once.position.size(); ++i) {
      CHECK(once.position[i] == other.position[i]);
      CHECK(once.velocity[i] == other.velocity[i]);
    }
    for (std::size_t i = 0; i < once.bonds.size(); ++i)
      CHECK(once.bonds[i].damage == other.bonds[i].damage);
  }
}
