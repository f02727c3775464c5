// SPDX-License-Identifier: Apache-2.0
// Every scene in scenes/ does what its `expect` line says. Each case runs the file itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "engine/outlook/monitor.hpp"
#include "solvers/climb/second_solution.hpp"
#include "tests/physics/bundled_scene.hpp"

using namespace talus;

namespace {

constexpr double g = 9.81;

}  // namespace

TEST_CASE("wall: the left half sinks with its foundation, the right half stands") {
  World<2> world = open<2>("wall");
  REQUIRE(world.bodies().size() == 107);
  const Displacement<2> displacement(world);
  const double penetration = run(world);
  CHECK(penetration <= 0.01 * 0.049);

  CHECK(world.bodies().position[body(world, "left plate")][1] ==
        doctest::Approx(-0.11).epsilon(1e-12));
  // What stands on the left plate went down with it; the two blocks next to the crack may hang
  // between their neighbours by friction, as they do when steps are solved to 1e-5.
  const auto sunk = [&](int k) {
    const std::size_t i = body(world, "wall.0." + std::to_string(k));
    return displacement.start[i][1] - world.bodies().position[i][1];
  };
  for (int k = 0; k < 3; ++k) CHECK(sunk(k) == doctest::Approx(0.06).epsilon(0.02));
  CHECK(sunk(3) <= sunk(2) + 1e-4);
  CHECK(sunk(4) <= sunk(3) + 1e-4);
  CHECK(sunk(4) > 0.005);
  // Right of the stair that rises from the joint of the plates by half a block per course.
  int moved = 0, beyond = 0;
  for (std::size_t i = 0; i < world.bodies().size(); ++i) {
    if (!world.bodies().moves_freely(i)) continue;
    const double course = std::floor(displacement.start[i][1] / 0.049);
    if (displacement.start[i][0] - 0.062 < course * 0.062 - 1e-9) continue;
    ++beyond;
    moved += displacement.of(world, i) > 1e-3;
  }
  CHECK(beyond >= 25);
  CHECK(moved == 0);
}

TEST_CASE("wall3d: the ball goes through the wall, whose lowest course stays") {
  World<3> world = open<3>("wall3d");
  const Displacement<3> displacement(world);
  const std::size_t ball = body(world, "ball");
  const double penetration = run(world);
  CHECK(penetration <= 0.02 * 0.1);
  CHECK(world.bodies().position[ball][1] > 1);
  CHECK(world.bodies().velocity[ball][1] > 1);
  CHECK(world.bodies().velocity[ball][1] < 7);
  for (int k = 0; k < 6; ++k) {
    CAPTURE(k);
    CHECK(displacement.of(world, body(world, "wall.0." + std::to_string(k))) < 1e-2);
    CHECK(displacement.of(world, body(world, "wall.5." + std::to_string(k))) > 0.1);
  }
}

TEST_CASE("rocking: each impact leaves the part of the spin that Housner found") {
  World<2> world = open<2>("rocking");
  const std::size_t block = body(world, "block");
  std::vector<double> angles, spins;
  run(world, [&] {
    angles.push_back(world.bodies().orientation[block].angle);
    spins.push_back(world.bodies().spin[block][0]);
  });
  std::vector<std::size_t> impacts;  // steps in which the block passes through the vertical
  for (std::size_t k = 1; k < angles.size(); ++k) {
    if (angles[k - 1] * angles[k] < 0) impacts.push_back(k);
  }
  REQUIRE(impacts.size() >= 3);
  CHECK(static_cast<double>(impacts[0]) * world.scene().h ==
        doctest::Approx(0.493803).epsilon(0.002));
  const double sine = std::sin(std::atan(0.25));
  for (int k = 0; k < 3; ++k) {
    // The percussion may be shared by two steps: compare the spins on both sides of them.
    CHECK(spins[impacts[k] + 2] / spins[impacts[k] - 3] ==
          doctest::Approx(1 - 1.5 * sine * sine).epsilon(0.005));
  }
}

TEST_CASE("tangential: one contact point rebounds along the floor, the other stops") {
  World<2> world = open<2>("tangential");
  const std::size_t balls[] = {body(world, "left"), body(world, "right")};
  const auto sliding = [&](std::size_t i) {  // of the lowest point [m/s]
    return world.bodies().velocity[i][0] + 0.025 * world.bodies().spin[i][0];
  };
  double after_first_impact[2];
  bool landed[2] = {false, false};
  for (const std::size_t ball : balls) CHECK(sliding(ball) == 0.5);
  run(world, [&] {
    for (int k = 0; k < 2; ++k) {
      if (landed[k] || world.bodies().velocity[balls[k]][1] <= 0) continue;
      landed[k] = true;
      after_first_impact[k] = sliding(balls[k]);
    }
  });
  REQUIRE(landed[0]);
  REQUIRE(landed[1]);
  CHECK(after_first_impact[0] == doctest::Approx(-0.8 * 0.5).epsilon(1e-9));
  CHECK(std::abs(after_first_impact[1]) <= 1e-9);
  // A disk that has stopped sliding keeps 2/3 of its speed and rolls on.
  CHECK(world.bodies().velocity[balls[1]][0] == doctest::Approx(0.5 * 2 / 3).epsilon(1e-9));
  CHECK(std::abs(sliding(balls[1])) <= 1e-9);
}

TEST_CASE("chain: the law of Newton at both contacts gives -1/3, 2/3, 2/3") {
  World<2> world = open<2>("chain");
  run(world);
  const double expected[] = {-1.0 / 3, 2.0 / 3, 2.0 / 3};
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(world.bodies().velocity[k][0] == doctest::Approx(expected[k]).epsilon(1e-10));
  }

  World<2> apart = open<2>("chain", {"chain.0.gap=1e-3"});
  run(apart);
  CHECK(std::abs(apart.bodies().velocity[0][0]) <= 1e-9);
  CHECK(std::abs(apart.bodies().velocity[1][0]) <= 1e-9);
  CHECK(apart.bodies().velocity[2][0] == doctest::Approx(1).epsilon(1e-9));
}

TEST_CASE("row: Hertzian contacts hand nearly all of the impact to the last ball") {
  World<2> world = open<2>("row");
  run(world);
  // Integrated by hand as springs in tests/solvers/impact/lzb_test.cpp; known from Newton's cradle.
  const double expected[] = {-0.0711, -0.0303, -0.0145, 0.1270, 0.9888};
  for (std::size_t k = 0; k < 5; ++k)
    CHECK(std::abs(world.bodies().velocity[k][0] - expected[k]) <= 5e-5);
}

TEST_CASE("corner: only the wall it closes on strikes the particle") {
  for (const char* law : {"matrix", "poisson", "lzb", "projection", "moreau"}) {
    World<2> world = open<2>("corner", {std::string("impact_law=") + law});
    run(world);
    CHECK((world.bodies().velocity[body(world, "particle")] - Vec<2>(0.5, 0.5)).norm() <= 1e-6);
  }
}

TEST_CASE("column_on_wall: elastic beads come back one faster than the other") {
  World<3> world = open<3>("column_on_wall");
  const double before = world.kinetic_energy();
  run(world);
  // Five unit masses on Hertzian springs over a wall, integrated in time by Störmer and Verlet.
  const double expected[] = {0.42408, 0.84429, 1.02846, 1.10916, 1.34884};
  for (int k = 0; k < 5; ++k) {
    const double v = world.bodies().velocity[body(world, "column." + std::to_string(k))][2];
    CHECK(std::abs(v - expected[k]) <= 1e-5);
  }
  CHECK(world.kinetic_energy() == doctest::Approx(before).epsilon(1e-6));

  World<3> moreau = open<3>("column_on_wall", {"impact_law=moreau"});
  run(moreau);
  for (std::size_t i = 1; i <= 5; ++i)
    CHECK(moreau.bodies().velocity[i][2] == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("dimer: the end that rests is thrown up, and no impact gains energy") {
  World<2> world = open<2>("dimer");
  const auto steps = std::llround(world.scene().end / world.scene().h);
  int impacts = 0;
  bool thrown = false;
  for (std::int64_t k = 0; k < steps; ++k) {
    const Certificate step = world.step();
    CHECK(step.converged);
    CHECK(step.impact_gain <= 1e-6);
    if (step.impacts > 0 && impacts == 0) thrown = step.impact_contacts == 2;
    impacts += step.impacts;
  }
  CHECK(thrown);
  CHECK(impacts > 3);
}

TEST_CASE("kane: Newton's law with friction gains energy, Poisson's and LZB do not") {
  const auto gain = [](const std::vector<std::string>& overrides, double& judged) {
    World<2> world = open<2>("kane", overrides);
    const double before = world.kinetic_energy();
    judged = 0;
    for (int k = 0; k < 5; ++k) judged = std::max(judged, world.step().impact_gain);
    return world.kinetic_energy() / before - 1;
  };
  double judged = 0;
  CHECK(gain({}, judged) == doctest::Approx(0.081).epsilon(0.02));
  CHECK(judged > 0.01);
  for (const char* law : {"impact_law=poisson", "impact_law=lzb"}) {
    CHECK(gain({law}, judged) < 0);
    CHECK(judged <= 1e-7);
  }
}

// Every law that knows friction leaves the spin Housner found, for restitution 0 at both corners.
TEST_CASE("rocking: the block rocks alike under Moreau's, Poisson's, the matrix law and LZB") {
  const double ratio = 1 - 1.5 / 17;
  for (const char* law : {"poisson", "matrix", "lzb"}) {
    World<2> world = open<2>("rocking", {std::string("impact_law=") + law});
    const std::size_t block = body(world, "block");
    double before = 0, after = 0;
    for (int k = 0; k < 6000 && after == 0; ++k) {
      const double spin = world.bodies().spin[block][0];
      if (world.step().impacts > 0 && world.time() > 0.4) {
        before = spin;
        for (int j = 0; j < 5; ++j) world.step();
        after = world.bodies().spin[block][0];
      }
    }
    CAPTURE(law);
    CHECK(world.time() == doctest::Approx(0.4938).epsilon(5e-3));
    CHECK(after / before == doctest::Approx(ratio).epsilon(1e-2));
  }
}

TEST_CASE("incline: the rough block stays, the smooth one slides") {
  World<2> world = open<2>("incline");
  const Displacement<2> displacement(world);
  run(world);
  CHECK(displacement.of(world, body(world, "stays")) <= 1e-9);
  const double slope = M_PI / 6;
  CHECK(
      world.bodies().velocity[body(world, "slides")].norm() ==
      doctest::Approx(g * (std::sin(slope) - 0.3 * std::cos(slope)) * world.time()).epsilon(1e-8));
}

TEST_CASE("bouncing: 0.8 of the speed comes back each time, until all bounces are over") {
  World<3> world = open<3>("bouncing");
  const std::size_t ball = body(world, "ball");
  const double h = world.scene().h;
  double v = 0, last_moving = 0;
  std::vector<double> ratios;
  run(world, [&] {
    const double now = world.bodies().velocity[ball][2];
    if (v < 0 && now > 0) ratios.push_back(-now / v);
    if (std::abs(now) > 10 * g * h) last_moving = world.time();
    v = now;
  });
  REQUIRE(ratios.size() > 10);
  // By the law of the step: v⁺ = −0.8 v⁻, whatever gravity does in it.
  for (int k = 0; k < 5; ++k) CHECK(ratios[k] == doctest::Approx(0.8).epsilon(1e-9));
  CHECK(last_moving == doctest::Approx(std::sqrt(2 / g) * 1.8 / 0.2).epsilon(0.01));
  CHECK(std::abs(v) <= 1e-12);
}

TEST_CASE("logs: the pile stands above the threshold of friction and falls below") {
  World<2> world = open<2>("logs");
  const Displacement<2> displacement(world);
  run(world);
  CHECK(displacement.largest(world) <= 1e-6);

  World<2> slippery = open<2>("logs", {"contact.0.friction=0.265"});
  const Displacement<2> slipped(slippery);
  run(slippery);
  CHECK(slipped.largest(slippery) > 0.05);
}

TEST_CASE("stack: 0.99 of the harmonic overhang stands, 1.01 falls") {
  World<2> world = open<2>("stack");
  const Displacement<2> displacement(world);
  run(world);
  CHECK(displacement.largest(world) <= 1e-6);

  World<2> leaning = open<2>("stack", {"stack.0.factor=1.01"});
  const Displacement<2> leant(leaning);
  run(leaning);
  CHECK(leant.largest(leaning) > 0.05);
}

TEST_CASE("arch: a thick one stands, a thin one folds up") {
  World<2> world = open<2>("arch");
  const Displacement<2> displacement(world);
  run(world);
  CHECK(displacement.largest(world) <= 1e-6);

  World<2> thin = open<2>("arch", {"arch.0.thickness=0.1"});
  const Displacement<2> folded(thin);
  run(thin);
  CHECK(folded.largest(thin) > 0.1);
}

TEST_CASE("sweeping: each step projects the point on the room") {
  World<2> world = open<2>("sweeping");
  const std::size_t point = body(world, "point");
  const double half = 0.95;
  Vec<2> q(0, 0);
  double error = 0;
  run(world, [&] {
    const double t = world.time();
    const Vec<2> centre(0.25 * t, 1.5 * std::sin(2 * M_PI * t / 6));
    for (int i = 0; i < 2; ++i) q[i] = std::clamp(q[i], centre[i] - half, centre[i] + half);
    error = std::max(error, (world.bodies().position[point] - q).norm());
  });
  CHECK(error <= 1e-9);
  CHECK(q[0] == doctest::Approx(3 - half));  // swept along in x
}

TEST_CASE("column: the grains run out into a heap in which most lie still") {
  World<2> world = open<2>("column");
  const Bodies<2>& bodies = world.bodies();
  std::vector<std::size_t> grains;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.moves_freely(i)) grains.push_back(i);
  }
  REQUIRE(grains.size() == 190);
  const auto sorted = [&](const auto& quantity) {
    std::vector<double> values;
    for (const std::size_t i : grains) values.push_back(quantity(i));
    std::sort(values.begin(), values.end());
    return values;
  };
  const auto x = [&] { return sorted([&](std::size_t i) { return bodies.position[i][0]; }); };
  const auto y = [&] { return sorted([&](std::size_t i) { return bodies.position[i][1]; }); };
  const double height = y().back(), width = x().back() - x().front();
  const double penetration = run(world);
  CHECK(penetration <= 0.03 * 0.008);
  CHECK(y().back() < height / 2);
  CHECK(x().back() - x().front() > 2 * width);
  const std::vector<double> speeds =
      sorted([&](std::size_t i) { return bodies.velocity[i].norm(); });
  CHECK(speeds[95] < 0.05);
}

TEST_CASE("four_bar: a redundant loop keeps its plane, its joints and its energy") {
  World<3> world = open<3>("four_bar");
  world.step();  // brings the velocities of coupler and rocker in line with the crank's
  const double energy = world.kinetic_energy() + world.potential_energy();
  double change = 0, kinetic = 0, across = 0;
  run(world, [&] {
    change = std::max(change, std::abs(world.kinetic_energy() + world.potential_energy() - energy));
    kinetic = std::max(kinetic, world.kinetic_energy());
    for (const Vec<3>& x : world.bodies().position) across = std::max(across, std::abs(x[1]));
  });
  CHECK(change <= 1e-4 * kinetic);
  CHECK(across <= 1e-9);
}

TEST_CASE("pendulum_chain: twelve links keep their energy and their pins") {
  World<2> world = open<2>("pendulum_chain");
  const double energy = world.potential_energy();
  double change = 0, kinetic = 0, apart = 0;
  run(world, [&] {
    change = std::max(change, std::abs(world.kinetic_energy() + world.potential_energy() - energy));
    kinetic = std::max(kinetic, world.kinetic_energy());
    const Bodies<2>& bodies = world.bodies();
    for (std::size_t i = 1; i < bodies.size(); ++i) {
      const auto end = [&](std::size_t k, double x) -> Vec<2> {
        return bodies.position[k] + rotation_matrix<2>(bodies.orientation[k]) * Vec<2>(x, 0);
      };
      apart = std::max(apart, (end(i, -0.075) - end(i - 1, 0.075)).norm());
    }
  });
  CHECK(change <= 1e-3 * kinetic);
  CHECK(apart <= 1e-8 * 1.8);
}

TEST_CASE("cradle: the last ball rises as high as the first was lifted") {
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>(), std::vector<std::string>{"impact_law=lzb", "time.end=1"}}) {
    World<3> world = open<3>("cradle", overrides);
    const double lifted = world.bodies().position[0][2] + 0.5;
    double risen = 0, others = 0, longest = 0;
    run(world, [&] {
      const auto& x = world.bodies().position;
      risen = std::max(risen, x[4][2] + 0.5);
      if (risen < 0.9 * lifted)  // on the way there
        for (const std::size_t i : {1, 2, 3}) others = std::max(others, x[i][2] + 0.5);
      for (std::size_t i = 0; i < 5; ++i)
        longest = std::max(longest, std::hypot(x[i][0] - 0.1005 * static_cast<double>(i), x[i][2]));
    });
    CHECK(risen == doctest::Approx(lifted).epsilon(1e-4));
    CHECK(others <= 1e-4 * lifted);
    CHECK(longest <= 0.5 + 1e-10);
  }
}

TEST_CASE("painleve: the run jams, is marked as paradoxical, and stays finite and certified") {
  for (const double friction : {0.5, 1.5}) {
    World<2> world = open<2>("painleve", {"contact.0.friction=" + std::to_string(friction)});
    const std::size_t rod = body(world, "rod");
    int paradoxical = 0, first = 0, step = 0;
    double energy = world.kinetic_energy() + world.potential_energy(), gain = 0;
    const auto steps = std::llround(world.scene().end / world.scene().h);
    for (std::int64_t k = 0; k < steps; ++k) {
      const Certificate certificate = world.step();
      ++step;
      CHECK(certificate.converged);
      CHECK(std::abs(certificate.defect) <= 1e-10 * certificate.turnover);
      if (certificate.region == static_cast<int>(ContactRegion::paradoxical) && ++paradoxical == 1)
        first = step;
      const double now = certificate.kinetic + certificate.potential;
      gain = std::max(gain, now - energy);
      energy = now;
    }
    CHECK(world.bodies().position[rod].allFinite());
    CHECK(world.bodies().velocity[rod].norm() < 20);
    CHECK(gain < 1e-5);  // of some 10 J, in a step: what turning on a contact is uncertain by
    if (friction > 4.0 / 3) {
      CHECK(paradoxical > 0);
      CHECK(first < 50);
    } else {
      CHECK(paradoxical == 0);
    }
  }
}

// Painlevé's rod that turns so fast that its tip lifts off by itself, or else jams
// (analysis_test.cpp): the first step has both for solutions. The step solved again is the same.
TEST_CASE("painleve: a step with two solutions is found out, and is not changed by that") {
  const std::vector<std::string> fast = {
      "body.rod.spin=-6", "body.rod.velocity=[" + std::to_string(-3 + 12 / std::sqrt(5.0)) + ", " +
                              std::to_string(-6 / std::sqrt(5.0)) + "]"};
  std::vector<std::string> again = fast;
  again.push_back("monitor.solve_again=true");
  World<2> plain = open<2>("painleve", fast), watched = open<2>("painleve", again);
  const Certificate before = plain.step(), after = watched.step();
  CHECK(before.solutions == static_cast<int>(Solutions::not_looked_at));
  CHECK(after.solutions == static_cast<int>(Solutions::several));
  CHECK(after.solution_difference > 1);  // [m/s]: the tip slides at 3
  CHECK(after.kinetic == before.kinetic);
  CHECK(after.error == before.error);

  World<2> slippery = open<2>("painleve", {"monitor.solve_again=true", "contact.0.friction=0.5"});
  for (int k = 0; k < 20; ++k)
    CHECK(slippery.step().solutions == static_cast<int>(Solutions::one_found));
}

// The tip of a rod at the angle θ stops if its friction exceeds (1 + 3 cos²θ)/(3 sin θ cos θ),
// although nothing collides: that is the percussion which takes the tip's velocity away. It passes
// through the tip, about which the rod keeps its angular momentum,
//     (I + m l²) ω⁺ = I ω⁻ + m r × v⁻.
TEST_CASE("painleve_entry: the tip stops at the edge of the rough plate, in one reported step") {
  const double h = 2e-4;
  for (const double friction : {1.2, 1.6}) {
    World<2> world = open<2>("painleve_entry", {"contact.1.friction=" + std::to_string(friction)});
    const std::size_t rod = body(world, "rod");
    const auto arm = [&]() -> Vec<2> {  // from the tip to the mass centre, 1 m
      const double angle = world.bodies().orientation[rod].angle;
      return {std::cos(angle), std::sin(angle)};
    };
    const auto tip = [&]() -> Vec<2> { return world.bodies().position[rod] - arm(); };
    const auto tip_speed = [&] {
      return (world.bodies().velocity[rod] - cross<2>(world.bodies().spin[rod], arm()))[0];
    };
    int paradoxical = 0;
    double entered = 0, gain = 0, expected_spin = 0, spin = 0, stopped = 1;
    const auto steps = std::llround(world.scene().end / world.scene().h);
    for (std::int64_t k = 0; k < steps; ++k) {
      const double before = tip()[0], speed = tip_speed();
      const Vec<2> r = arm(), v = world.bodies().velocity[rod];
      const double momentum = world.bodies().spin[rod][0] / 3 + r[0] * v[1] - r[1] * v[0];
      const double energy = world.kinetic_energy() + world.potential_energy();
      const Certificate step = world.step();
      CHECK(step.converged);
      CHECK(std::abs(step.defect) <= 1e-10 * step.turnover);
      gain = std::max(gain, step.kinetic + step.potential - energy);
      if (step.region != static_cast<int>(ContactRegion::paradoxical) || ++paradoxical > 1)
        continue;
      entered = before;
      CHECK(speed < -3);
      stopped = tip_speed();
      spin = world.bodies().spin[rod][0];
      expected_spin = momentum / (4.0 / 3);
    }
    CHECK(world.bodies().position[rod].allFinite());
    CHECK(world.bodies().velocity[rod].norm() < 10);
    CHECK(gain < 1e-5);
    CHECK(paradoxical == (friction > 4.0 / 3 ? 1 : 0));
    if (paradoxical == 0) continue;
    CHECK(std::abs(entered) < 3.5 * h);              // the edge is at 0, and a step 3.3 m/s long
    CHECK(std::abs(stopped) < 1e-3);                 // the rod turns on for half a step
    CHECK(std::abs(spin - expected_spin) < 10 * h);  // gravity's part of a step
    CHECK(spin > 1);
  }
}

// The guides carry the weight, N₁ + N₂ = m g, and hold the rod from turning, cos θ (N₂ − N₁) =
// sin θ (μ₁ N₁ − μ₂ N₂): it loses (μ₁ N₁ + μ₂ N₂)/m of its velocity per second.
TEST_CASE("painleve_klein: the rod slows down by the friction of its guides") {
  World<2> world = open<2>("painleve_klein");
  const double tangent = std::tan(M_PI / 3), mu_1 = 0.3, mu_2 = 0.2;
  const double ratio = (1 + mu_1 * tangent) / (1 + mu_2 * tangent);  // N₂/N₁
  const double slowing = g * (mu_1 + mu_2 * ratio) / (1 + ratio);
  double off = 0;
  run(world, [&] {
    const double expected = std::max(2 - slowing * world.time(), 0.0);
    off = std::max(off, std::abs(world.bodies().velocity[0][0] - expected));
  });
  CHECK(off <= 1e-6);
  CHECK(2 / slowing < world.time());
}

TEST_CASE("ladder: it slides down with its upper end on the wall") {
  World<2> world = open<2>("ladder");
  const auto end = [&](double x) -> Vec<2> {
    return world.bodies().position[1] +
           rotation_matrix<2>(world.bodies().orientation[1]) * Vec<2>(x, 0);
  };
  const double height = end(-1)[1];
  double off = 0, sunk = 0;
  run(world, [&] {
    off = std::max(off, std::abs(end(-1)[0]));
    sunk = std::max(sunk, -end(1)[1]);
  });
  CHECK(off <= 1e-9);
  CHECK(sunk <= 1e-5);
  CHECK(end(-1)[1] < height - 0.05);
}

TEST_CASE("box_on_incline: it slides down by g (sin - mu cos)") {
  World<2> world = open<2>("box_on_incline");
  run(world);
  const double a = g * (std::sin(M_PI / 6) - 0.3 * std::cos(M_PI / 6));
  CHECK(world.bodies().velocity[1].norm() == doctest::Approx(1 + a * 1.0).epsilon(1e-6));
}

TEST_CASE("disk_in_angle: the belts press the disk, and it stays") {
  World<2> world = open<2>("disk_in_angle");
  const Vec<2> start = world.bodies().position[2];
  run(world);
  CHECK((world.bodies().position[2] - start).norm() <= 1e-6);
  const double weight = world.bodies().mass[2] * g * world.scene().h;
  REQUIRE(world.contacts().size() == 2);
  for (const ActiveContact<2>& contact : world.contacts())
    CHECK(contact.percussion[0] == doctest::Approx(weight / std::sqrt(2) / 0.5).epsilon(1e-6));
}
