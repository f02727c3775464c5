// SPDX-License-Identifier: Apache-2.0
// Cost of impact laws: an LZB impact of a long chain, and a run without impacts under every law
// compared with the same run under Moreau's law. Steps of both runs alternate.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "engine/world.hpp"
#include "tools/bench/measure.hpp"

using namespace talus;

namespace {

ImpactProblem<2> struck_chain(int balls, double restitution) {
  ImpactProblem<2> impact;
  for (int i = 0; i < balls; ++i) {
    impact.bodies.push_back({1.0, SpinMat<2>::Identity()});
    impact.v_minus.push_back({Vec<2>(i == 0 ? 1 : 0, 0), Spin<2>::Zero()});
  }
  for (int i = 0; i + 1 < balls; ++i) {
    ContactRow<2> row;
    row.a = i;
    row.b = i + 1;
    row.frame.setIdentity();
    row.arm_a.setZero();
    row.arm_b.setZero();
    impact.contacts.push_back(row);
  }
  impact.coefficients.assign(impact.size(), {.restitution = restitution});
  return impact;
}

void chain_impacts(double restitution) {
  fmt::print("LZB impact of 100 balls in a row, e* = {}, least of 5 runs\n", restitution);
  const ImpactProblem<2> impact = struck_chain(100, restitution);
  for (const double exponent : {1.0, 1.5}) {
    const auto speeds = [&](double tolerance) {
      return velocities_after<2>(
          impact,
          lzb_impact<2>(impact, {.exponent = exponent, .tolerance = tolerance}).percussions);
    };
    const auto exact = speeds(1e-11);
    for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9}) {
      double error = 0;
      std::vector<Twist<2>> v;
      const double least = bench::shortest_time([&] { v = speeds(tolerance); }, 5);
      for (std::size_t i = 0; i < v.size(); ++i)
        error = std::max(error, (v[i].v - exact[i].v).norm());
      fmt::print("  exponent {:3}, tolerance {:.0e}: {:6.1f} ms, error {:.1e}\n", exponent,
                 tolerance, 1e3 * least, error);
    }
  }
}

// Blocks at rest on each other: contacts, and no impact.
World<2> stacks(const ImpactLaw& law) {
  Scene<2> scene;
  scene.gravity = Vec<2>(0, -9.81);
  scene.h = 1e-3;
  scene.materials = {{"stone", 2000}};
  scene.laws = PairTable(1);
  scene.laws.set(0, 0, {.friction = 0.5, .restitution = 0.5});
  BodyDescription<2> floor;
  floor.shapes = {HalfSpace<2>{Vec<2>(0, 1), 0}};
  floor.fixed = true;
  scene.bodies.push_back(floor);
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 4; ++j) {
      BodyDescription<2> block;
      block.shapes = {box<2>(Vec<2>(0.2, 0.1))};
      block.position = Vec<2>(0.3 * i, 0.05 + 0.1 * j);
      scene.bodies.push_back(block);
    }
  }
  scene.impact_law = law;
  return World<2>(scene);
}

void quiet_runs() {
  fmt::print("800 blocks at rest: time of a step under a law over that under Moreau's\n");
  const std::pair<const char*, ImpactLaw> laws[] = {{"matrix", MatrixLaw{}},
                                                    {"poisson", PoissonLaw{}},
                                                    {"lzb", LzbLaw{}},
                                                    {"projection", ProjectionLaw{}}};
  constexpr int rounds = 101;  // their median is accurate to one percent
  for (const auto& [name, law] : laws) {
    World<2> moreau = stacks(MoreauLaw{}), other = stacks(law);
    std::vector<double> ratios;
    for (int round = 0; round < rounds; ++round) {
      const auto steps = [](World<2>& world) {
        const double start = bench::work_clock();
        for (int k = 0; k < 20; ++k) world.step();
        return bench::work_clock() - start;
      };
      const double reference = steps(moreau);
      ratios.push_back(steps(other) / reference);
    }
    const auto median = ratios.begin() + rounds / 2;
    std::nth_element(ratios.begin(), median, ratios.end());
    fmt::print("  {:10}: {:.3f}\n", name, *median);
  }
}

}  // namespace

int main() {
  set_threads(1);
  chain_impacts(1);
  chain_impacts(0.9);
  quiet_runs();
}
