// SPDX-License-Identifier: Apache-2.0
// The contact error of a step is measured on v⁺, whatever the solver says; and only by what acts.
#include <functional>
#include <limits>
#include <memory>

#include "solvers/climb/run_solver.hpp"
#include "tests/physics/joint_scenes.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// Solves well, spoils the answer, and reports that all is well.
template <int D>
class LyingSolver final : public Solver<D> {
 public:
  using Spoil = std::function<void(Percussions<D>&)>;
  LyingSolver(double tolerance, Spoil spoil)
      : honest_({.tolerance = tolerance, .max_sweeps = 100000}), spoil_(std::move(spoil)) {}

 private:
  SolveReport solve_islands(const ContactProblem<D>& problem, const Islands<D>& islands,
                            Percussions<D>& p) override {
    SolveReport report = honest_.solve(problem, islands, p);
    spoil_(p);
    report.converged = true;
    report.error = 0;
    return report;
  }

  RunSolver<D> honest_;
  Spoil spoil_;
};

// Five blocks, one upon the other, and a second stack a long way off.
template <int D>
Scene<D> two_stacks() {
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (const double x : {0.0, 100.0})
    for (int level = 0; level < 5; ++level)
      bodies.push_back(block<D>(sides<D>(1, 0.5, 1), at<D>(x, 0.25 + 0.5 * level)));
  Scene<D> scene = scene_of<D>(1e-3, {.friction = 0.6}, std::move(bodies));
  scene.solver.tolerance = 1e-6;
  return scene;
}

template <int D>
Certificate step_of(typename LyingSolver<D>::Spoil spoil) {
  const Scene<D> scene = two_stacks<D>();
  World<D> world(scene, std::make_unique<LyingSolver<D>>(scene.solver.tolerance, spoil));
  return world.step();
}

template <int D>
std::size_t pressed(const Percussions<D>& p) {  // the contact that presses most
  std::size_t most = 0;
  for (std::size_t i = 0; i < p.contact.size(); ++i)
    if (p.contact[i][0] > p.contact[most][0]) most = i;
  return most;
}

}  // namespace

TEST_CASE_TEMPLATE("a solver's wrong answer is found out, whatever it reports", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Certificate honest = step_of<D>([](Percussions<D>&) {});
  CHECK(honest.converged);
  CHECK(honest.error <= 1e-6);
  CHECK(honest.worst_error <= 1e-5);

  const auto found_out = [](const Certificate& step, double at_least) {
    CHECK(!step.converged);
    CHECK(!(step.error <= at_least));  // larger, or no number
    CHECK(!(step.worst_error <= at_least));
  };
  SUBCASE("a percussion that is one part in a thousand too large") {
    found_out(step_of<D>([](Percussions<D>& p) { p.contact[pressed(p)] *= 1.001; }), 1e-5);
  }
  SUBCASE("a contact left out") {
    found_out(step_of<D>([](Percussions<D>& p) { p.contact[pressed(p)].setZero(); }), 1e-2);
  }
  SUBCASE("friction outside of its cone") {
    found_out(step_of<D>([](Percussions<D>& p) {
                Vec<D>& own = p.contact[pressed(p)];
                own[1] = 2 * own[0];
              }),
              1e-2);
  }
  SUBCASE("a contact that pulls") {
    found_out(step_of<D>([](Percussions<D>& p) { p.contact[pressed(p)][0] *= -0.01; }), 1e-2);
  }
  SUBCASE("no answer at all") {
    found_out(step_of<D>([](Percussions<D>& p) {
                for (Vec<D>& own : p.contact) own.setZero();
              }),
              0.1);
  }
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Certificate step = step_of<D>([&](Percussions<D>& p) { p.contact[0][0] = value; });
    found_out(step, 1);
    CHECK(!finite(step));
  }
}

// Far things: they must change neither the error of what they do not touch nor its motion.
TEST_CASE_TEMPLATE("a body, rope or stop far away loosens no error and moves nothing", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  constexpr int steps = 20;
  const auto error_of = [](const Scene<D>& scene, std::vector<Vec<D>>& end) {
    // A spoilt answer, so that there is an error to compare.
    World<D> world(scene, std::make_unique<LyingSolver<D>>(
                              1e-10, [](Percussions<D>& p) { p.contact[0] *= 1.0001; }));
    double error = 0;
    for (int k = 0; k < steps; ++k) error = std::max(error, world.step().error);
    end.assign(world.bodies().position.begin(), world.bodies().position.begin() + 11);
    return error;
  };
  const Scene<D> alone = two_stacks<D>();
  std::vector<Vec<D>> end;
  const double error = error_of(alone, end);
  REQUIRE(error > 1e-6);

  const auto same_with = [&](const Scene<D>& scene) {
    std::vector<Vec<D>> moved;
    CHECK(error_of(scene, moved) == doctest::Approx(error).epsilon(1e-3));
    for (std::size_t i = 0; i < end.size(); ++i) CHECK((moved[i] - end[i]).norm() <= 1e-12);
  };
  SUBCASE("a fast body that falls") {
    Scene<D> scene = alone;
    scene.bodies.push_back(ball<D>(1, at<D>(1e4, 1e4), at<D>(1e3, -1e3)));
    same_with(scene);
  }
  SUBCASE("a fast body that hits the ground") {
    Scene<D> scene = alone;
    scene.bodies.push_back(ball<D>(1, at<D>(1e4, 1), at<D>(10, -1e3)));
    same_with(scene);
  }
  SUBCASE("a slack rope from the world to the top of a stack") {
    Scene<D> scene = alone;
    scene.joints = {span_joint<D>(JointKind::rope, -1, 5, at<D>(0, 10), 1000)};
    same_with(scene);
  }
  SUBCASE("a slack rope that ties the stacks") {
    Scene<D> scene = alone;
    scene.joints = {span_joint<D>(JointKind::rope, 5, 10, Vec<D>::Zero(), 500)};
    same_with(scene);
  }
  SUBCASE("a slider with stops far away, on a body of its own") {
    Scene<D> scene = alone;
    scene.bodies.push_back(ball<D>(0.1, at<D>(-1e3, 5)));
    Joint<D> slider;
    slider.kind = JointKind::slider;
    slider.b = 11;
    slider.anchor_a = at<D>(-1e3, 5);
    slider.axis = along<D>();
    slider.limits = {-1e6, 1e6};
    scene.joints = {slider};
    same_with(scene);
  }
}
