// SPDX-License-Identifier: Apache-2.0
// Bodies born of emitters and removed by outlets: none is lost, none is made of nothing, and energy
// still balances.
#include "engine/step/population.hpp"

#include <bit>
#include <cstring>
#include <map>
#include <set>

#include "engine/build/random.hpp"
#include "tests/physics/bundled_scene.hpp"
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

template <int D>
BodyDescription<D> random_grain(int k, Random& random) {
  const double r = random.between(0.03, 0.05);
  BodyDescription<D> grain = k % 4 == 3
                                 ? block<D>(sides<D>(1.4 * r, 1.2 * r, r), Vec<D>::Zero())
                                 : ball<D>(r, Vec<D>::Zero(), -0.5 * up<D>() + 0.3 * along<D>());
  grain.name = "grain" + std::to_string(k);
  grain.spin = (k % 3) * turning<D>();
  grain.mass = (1 + k % 9) / 64.0;  // sums of such masses are exact
  return grain;
}

// Grains poured on a slope; an outlet at its foot takes what comes there, another what flies over.
template <int D>
Scene<D> chute(double rate, int count) {
  Scene<D> scene = scene_of<D>(2e-3, {.friction = 0.3, .restitution = 0.1}, {ground<D>(0.5)});
  scene.solver = {.tolerance = 1e-6, .max_sweeps = 2000};
  scene.end = 10;
  scene.bodies.push_back(ball<D>(0.05, at<D>(0.3, 0.2)));  // there from the start
  scene.bodies.back().mass = 0.25;
  Emitter<D> emitter;
  emitter.name = "hopper";
  emitter.zone = {box_region<D>(sides<D>(0.4, 0.3, 0.4)), at<D>(0, 0.4), {}};
  emitter.seed = 7;
  Random random(3);
  for (int k = 0; k < count; ++k) {
    emitter.grains.push_back(random_grain<D>(k, random));
    emitter.due.push_back(0.01 + k / rate);
  }
  scene.emitters.push_back(emitter);
  scene.outlets.push_back({"foot", {box_region<D>(sides<D>(0.5, 3, 10)), at<D>(1, -2), {}}});
  scene.outlets.push_back({"beyond", {half_space_region<D>(-along<D>()), at<D>(1.1, 0), {}}});
  return scene;
}

template <int D>
std::map<int, double> present(const Bodies<D>& bodies) {  // number → mass of those that can move
  std::map<int, double> masses;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.id[i] >= 0 && bodies.moves_freely(i))
      REQUIRE(masses.emplace(bodies.id[i], bodies.mass[i]).second);
  return masses;
}

template <int D>
bool same_bits(const WorldState<D>& a, const WorldState<D>& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0;
  };
  bool equal = a.steps == b.steps && same(a.position, b.position) && same(a.velocity, b.velocity) &&
               same(a.spin, b.spin) && same(a.orientation, b.orientation) &&
               a.percussions.size() == b.percussions.size() && a.population.id == b.population.id &&
               a.population.born == b.population.born &&
               a.population.removed == b.population.removed &&
               same(a.population.removed_mass, b.population.removed_mass);
  for (std::size_t i = 0; equal && i < a.percussions.size(); ++i)
    equal = a.percussions[i].key == b.percussions[i].key &&
            a.percussions[i].percussion == b.percussions[i].percussion;
  return equal;
}

}  // namespace

TEST_CASE_TEMPLATE("mass present and removed is the mass at the start and born, exactly", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  World<D> world(chute<D>(40, 60));
  std::map<int, double> before = present(world.bodies());
  double start = 0, born = 0, removed = 0;
  for (const auto& [id, mass] : before) start += mass;
  std::set<int> gone;
  std::int64_t births = 0;
  for (int k = 0; k < 1200; ++k) {
    const Certificate step = world.step();
    const std::map<int, double> now = present(world.bodies());
    double there = 0;
    for (const auto& [id, mass] : now) {
      there += mass;
      CHECK_FALSE(gone.contains(id));  // no one comes back
      if (before.contains(id)) continue;
      born += mass;
      ++births;
    }
    for (const auto& [id, mass] : before) {
      if (now.contains(id)) continue;
      gone.insert(id);
      removed += mass;
    }
    REQUIRE(there + removed - born - start == 0);
    REQUIRE(step.born == births);
    REQUIRE(step.removed == static_cast<std::int64_t>(gone.size()));
    REQUIRE(step.bodies == 1 + static_cast<std::int64_t>(now.size()));
    REQUIRE(step.mass == there);
    REQUIRE(step.born_mass == born);
    REQUIRE(step.removed_mass == removed);
    before = now;
  }
  CHECK(births == 60);
  CHECK(gone.size() > 40);
  CHECK(gone.contains(1));  // the ball of the start, too
}

TEST_CASE_TEMPLATE("energy changes by work and by what bodies bring and take", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  World<D> world(chute<D>(40, 60));
  double kinetic = world.kinetic_energy(), potential = world.potential_energy(), worst = 0,
         ledger = 0, inflow = 0;
  for (int k = 0; k < 1200; ++k) {
    const Certificate step = world.step();
    const double work = step.contact_work + step.external_work;
    ledger = std::max(ledger,
                      std::abs(step.kinetic - kinetic - work - step.inflow_kinetic - step.defect) /
                          (step.turnover + std::abs(step.correction_work)));
    if (step.turnover > 0) ledger = std::max(ledger, std::abs(step.defect) / step.turnover);
    const double change = step.kinetic + step.potential - kinetic - potential;
    worst = std::max(worst, std::abs(change - step.contact_work - step.correction_work -
                                     step.inflow_kinetic - step.inflow_potential));
    inflow += std::abs(step.inflow_kinetic);
    kinetic = step.kinetic;
    potential = step.potential;
  }
  CHECK(inflow > 1);
  CHECK(ledger <= 1e-10);
  CHECK(worst <= 1e-12 * inflow);
}

// Grains fall freely from a small box into an outlet: how long each is there follows from the
// scheme, x = y − n h v − ½ n² h² g for balls let go at rest, and so how many are there at once.
TEST_CASE_TEMPLATE("grains are born on time, fall as free bodies and leave on time", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  Scene<D> scene = scene_of<D>(1e-3, {.friction = 0}, {});
  Emitter<D> emitter;
  emitter.zone = {box_region<D>(sides<D>(0.1, 0.1, 0.1)), at<D>(0, 1), {}};
  for (int k = 0; k < 100000; ++k) {
    emitter.grains.push_back(ball<D>(0.05, Vec<D>::Zero()));  // fills the box: born at its middle
    emitter.due.push_back(k * 0.15);
  }
  scene.emitters.push_back(emitter);
  scene.outlets.push_back({"below", {half_space_region<D>(up<D>()), Vec<D>::Zero(), {}}});
  World<D> world(scene);
  const double height = 1.05;
  int fall = 0;  // steps until the centre is below the plane
  while (height - 0.5 * g * std::pow(fall * 1e-3, 2) > 0) ++fall;
  for (int k = 0; k < 1000; ++k) {
    const Certificate step = world.step();
    REQUIRE(step.born == 1 + k / 150);
    REQUIRE(step.waiting == 0);
    REQUIRE(step.removed == (k >= fall ? 1 + (k - fall) / 150 : 0));
  }
  CHECK(world.bodies().size() <= 64);  // 10⁵ grains to come take no place
}

TEST_CASE_TEMPLATE("a grain waits until there is room, and is born into no other", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  Scene<D> scene = chute<D>(2000, 200);  // far more than the box lets out
  World<D> world(scene);
  std::int64_t waiting = 0;
  double deepest = 0;
  for (int k = 0; k < 500; ++k) {
    std::set<int> before;
    for (const auto& [id, mass] : present(world.bodies())) before.insert(id);
    const Certificate step = world.step();
    waiting = std::max(waiting, step.waiting);
    const std::int64_t due =
        std::min<std::int64_t>(200, std::max<std::int64_t>(0, 1 + (k * 2 - 10) * 2));
    if (k * 2 >= 10) CHECK(step.born + step.waiting == due);
    // A body born into another would be pushed out of it from the first step on.
    for (const ActiveContact<D>& contact : world.contacts())
      for (const int place : {contact.contact.key.a, contact.contact.key.b})
        if (!before.contains(world.bodies().id[static_cast<std::size_t>(place)]))
          deepest = std::max(deepest, -contact.contact.gap);
  }
  CHECK(waiting > 50);
  CHECK(deepest < 5e-3);  // what falls through a step, not a radius
}

TEST_CASE_TEMPLATE("births and removals are the same bits on any number of threads and resumed",
                   Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Scene<D> scene = chute<D>(150, 120);
  World<D> once(scene);
  std::vector<WorldState<D>> middle;
  for (int k = 0; k < 800; ++k) {
    if (k == 13 || k == 377 || k == 640) middle.push_back(once.state());
    once.step();
  }
  REQUIRE(once.state().population.removed[0] > 10);
  for (const int count : {2, 3, 7}) {
    set_threads(count);
    World<D> again(scene);
    for (int k = 0; k < 800; ++k) again.step();
    set_threads(1);
    CHECK(same_bits(again.state(), once.state()));
  }
  for (const WorldState<D>& state : middle) {
    World<D> resumed(scene);
    for (int k = 0; k < 50; ++k) resumed.step();  // a world that has gone elsewhere
    resumed.restore(state);
    Certificate step;
    while (resumed.steps() < 800) step = resumed.step();
    CHECK(same_bits(resumed.state(), once.state()));
    CHECK(step.born_mass > 0);
  }
}

TEST_CASE_TEMPLATE("bodies that something names stay, whatever outlet they are in", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  Scene<D> scene =
      scene_of<D>(1e-3, {}, {ball<D>(0.1, at<D>(0, 1), 3 * along<D>()), ball<D>(0.1, at<D>(1, 1))});
  Spring<D> spring;
  spring.a = 1;
  spring.anchor_b = at<D>(1, 1);
  spring.stiffness = 1e4;
  scene.springs.push_back(spring);
  scene.outlets.push_back({"all", {half_space_region<D>(up<D>()), at<D>(0, 5), {}}});
  World<D> world(scene);
  const Certificate step = world.step();
  CHECK(step.removed == 1);
  CHECK(world.bodies().id == std::vector<std::int32_t>{-1, 1});
  // What leaves takes its energy, and is part of what a defect is measured against.
  CHECK(step.inflow_kinetic == doctest::Approx(-0.5 * step.removed_mass * 9));
  CHECK(step.turnover >= -step.inflow_kinetic);
}

TEST_CASE_TEMPLATE("an emitter inside a wall is found out before the first step", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  Scene<D> scene = chute<D>(40, 60);
  CHECK_FALSE(blocked_emitter<D>(scene, World<D>(scene).bodies()));
  scene.emitters[0].zone.position = at<D>(0, -1);  // under the ground
  CHECK(blocked_emitter<D>(scene, World<D>(scene).bodies()) == std::optional<std::size_t>(0));
}

TEST_CASE("a state of other bodies does not fit") {
  const Scene<2> scene = chute<2>(40, 60);
  World<2> world(scene);
  for (int k = 0; k < 300; ++k) world.step();
  const PopulationState state = world.state().population;
  REQUIRE(fits<2>(state, scene));
  const auto spoiled = [&](auto change) {
    PopulationState copy = state;
    change(copy);
    return !fits<2>(copy, scene);
  };
  CHECK(spoiled([](PopulationState& s) { s.id[0] = -1; }));  // the ground has left
  CHECK(spoiled([](PopulationState& s) { s.id.back() = 0; }));
  CHECK(spoiled([](PopulationState& s) { s.id.back() = 1000; }));
  CHECK(spoiled([](PopulationState& s) { s.id.back() = -2; }));
  CHECK(spoiled([](PopulationState& s) { s.born[0] = 61; }));
  CHECK(spoiled([](PopulationState& s) { s.born[0] = 0; }));  // and yet grains are there
  CHECK(spoiled([](PopulationState& s) { s.removed.clear(); }));
}

TEST_CASE("chute: as many leave as are born, and the number on the chute is steady") {
  World<2> world = open<2>("chute");
  std::vector<Certificate> steps;
  for (int k = 0; k < 2400; ++k) steps.push_back(world.step());
  for (const Certificate& step : steps) REQUIRE(step.converged);
  const Certificate &middle = steps[1399], &end = steps.back();
  CHECK(end.born == 288);
  CHECK(end.waiting == 0);
  CHECK(static_cast<double>(end.removed - middle.removed) == doctest::Approx(120).epsilon(0.05));
  std::int64_t fewest = end.bodies, most = end.bodies;
  for (std::size_t k = 1400; k < steps.size(); ++k) {
    fewest = std::min(fewest, steps[k].bodies);
    most = std::max(most, steps[k].bodies);
  }
  CHECK(static_cast<double>(most - fewest) < 0.15 * static_cast<double>(most));
}
