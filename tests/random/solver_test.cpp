// SPDX-License-Identifier: Apache-2.0
// Random scenes stepped by the solver of a run, every step judged by the plain oracle.
#include "tests/random/plain_law.hpp"
#include "tests/random/trial.hpp"

using namespace talus;
using namespace talus::random_scenes;

namespace {

// The largest difference of two velocities at a contact or row, per scale.
template <int D>
double difference(const ContactProblem<D>& problem, const Percussions<D>& p,
                  const Percussions<D>& q) {
  const std::vector<Twist<D>> v = plain_jump<D>(problem, p), w = plain_jump<D>(problem, q);
  const Vec<D> none = Vec<D>::Zero();
  double largest = 0;
  for (std::size_t i = 0; i < problem.size(); ++i)
    largest = std::max(
        largest,
        (plain_velocity<D>(problem, i, v, none) - plain_velocity<D>(problem, i, w, none)).norm());
  return largest;
}

template <int D>
Verdict judged_steps(const Scene<D>& scene, int steps) {
  World<D> world(scene);
  Verdict verdict;
  for (int k = 1; k <= steps; ++k) {
    const Certificate certificate = world.step();
    const ContactProblem<D>& problem = world.problem();
    const Judgement judgement = judge<D>(problem, world.percussions());
    const std::string where = fmt::format("step {}: ", k);
    if (!judgement.finite) return {where + "percussions are not finite", ""};
    if (!judgement.in_cones) return {where + "a percussion is outside of its cone", ""};
    if (std::abs(certificate.defect) > 1e-9 * certificate.turnover)
      return {where + fmt::format("energy defect {:.2g} of {:.2g} J", certificate.defect,
                                  certificate.turnover),
              ""};
    if (!certificate.converged) {
      verdict.skipped = "a step missed its tolerance, and said so";
      continue;
    }
    double speed = 0;  // whose rounding velocities at contacts have
    for (const Vec<D>& v : world.bodies().velocity) speed = std::max(speed, v.norm());
    const double tolerance = 10 * scene.solver.tolerance * judgement.scale + 1e-13 * speed;
    if (judgement.violation > tolerance)
      return {where + fmt::format("said to be solved to {:.2g}; the law is broken by {:.2g} of "
                                  "{:.2g} m/s",
                                  certificate.error, judgement.violation, judgement.scale),
              ""};
    if (!is_frictionless<D>(problem)) continue;
    Percussions<D> plain;
    if (!plain_gauss_seidel<D>(problem, plain, 1e-13 * judgement.speed + 1e-15 * speed, 20000)) {
      verdict.skipped = "the oracle did not come to rest in a step";
      continue;
    }
    const double off = difference<D>(problem, world.percussions(), plain);
    if (off > 1e-4 * judgement.speed + 1e-11 * speed)
      return {where + fmt::format("velocities differ from the oracle's by {:.2g} of {:.2g} m/s",
                                  off, judgement.speed),
              ""};
  }
  return verdict;
}

}  // namespace

TEST_CASE("every step of a random scene obeys the laws of contact, judged by plain arithmetic") {
  try_scenes(1000, [](const AnyScene& any, int steps, std::uint64_t) {
    return std::visit([&](const auto& scene) { return judged_steps(scene, steps); }, any);
  });
}
