// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// Balls and blocks falling into a trough.
template <int D>
Scene<D> falling(int count, ContactLaw law = {.friction = 0.4, .restitution = 0.2}) {
  std::vector<BodyDescription<D>> bodies = {ground<D>(0.5), ground<D>(-0.5)};
  const int columns = D == 2 ? 40 : 12;
  for (int i = 0; i < count; ++i) {
    const int column = i % columns, layer = D == 2 ? 0 : i / columns % columns;
    const int row = D == 2 ? i / columns : i / (columns * columns);
    Vec<D> x = at<D>(0.1 * column + 0.01 * (row % 3), 0.1 * row);
    x += (0.0273 * columns + 0.15) * up<D>() - 0.05 * columns * along<D>();
    if constexpr (D == 3) x[1] = 0.1 * layer + 0.003 * row;
    BodyDescription<D> body = i % 5 == 0 ? block<D>(sides<D>(0.06, 0.05, 0.06), x, 0.1 * i)
                                         : ball<D>(0.04 + 0.0001 * (i % 7), x);
    body.velocity = -2 * up<D>();
    bodies.push_back(body);
  }
  Scene<D> scene = scene_of<D>(2e-3, law, bodies);
  scene.solver = {.tolerance = 1e-4, .max_sweeps = 100};
  return scene;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <int D>
bool same_bits(const WorldState<D>& a, const WorldState<D>& b) {
  bool same = a.steps == b.steps && same_bits(a.position, b.position) &&
              same_bits(a.velocity, b.velocity) && same_bits(a.spin, b.spin) &&
              same_bits(a.orientation, b.orientation) &&
              a.percussions.size() == b.percussions.size();
  for (std::size_t i = 0; same && i < a.percussions.size(); ++i)
    same = a.percussions[i].key == b.percussions[i].key &&
           a.percussions[i].percussion == b.percussions[i].percussion;
  return same;
}

template <int D>
WorldState<D> after(const Scene<D>& scene, int steps, int thread_count) {
  set_threads(thread_count);
  World<D> world(scene);
  for (int k = 0; k < steps; ++k) world.step();
  set_threads(1);
  return world.state();
}

}  // namespace

TEST_CASE_TEMPLATE("a run gives the same bits again, on any number of threads", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Scene<D> scene = falling<D>(2500);
  const WorldState<D> once = after(scene, 120, 1);
  REQUIRE(once.percussions.size() > 200);
  for (const int thread_count : {1, 2, 3, 7}) {
    CAPTURE(thread_count);
    CHECK(same_bits(after(scene, 120, thread_count), once));
  }
}

TEST_CASE("two worlds in one program have their own numbers of threads") {
  const Scene<2> scene = falling<2>(2500);
  World<2> alone(scene), shared(scene);
  alone.use_threads(1);
  shared.use_threads(3);
  for (int k = 0; k < 60; ++k) {
    alone.step();
    shared.step();
  }
  CHECK(same_bits(alone.state(), shared.state()));
  CHECK(threads() == 1);
}

TEST_CASE_TEMPLATE("a run taken up from its state goes on with the same bits", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Scene<D> scene = falling<D>(300);
  World<D> first(scene);
  for (int k = 0; k < 100; ++k) first.step();
  const WorldState<D> middle = first.state();
  for (int k = 0; k < 100; ++k) first.step();

  World<D> second(scene);
  second.restore(middle);
  CHECK(second.time() == doctest::Approx(0.2));
  for (int k = 0; k < 100; ++k) second.step();
  CHECK(same_bits(second.state(), first.state()));

  // and a world that has already gone elsewhere
  first.restore(middle);
  for (int k = 0; k < 100; ++k) first.step();
  CHECK(same_bits(second.state(), first.state()));
}

TEST_CASE_TEMPLATE("the same bits with adhesion, on any number of threads and after a restart", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  ContactLaw law{.friction = 0.4};
  law.adhesion = 2;
  law.range = 2e-3;
  const Scene<D> scene = falling<D>(2500, law);
  const WorldState<D> once = after(scene, 120, 1);
  REQUIRE(once.percussions.size() > 200);
  CHECK(same_bits(after(scene, 120, 3), once));

  World<D> first(scene);
  for (int k = 0; k < 100; ++k) first.step();
  World<D> second(scene);
  second.restore(first.state());
  for (int k = 0; k < 20; ++k) second.step();
  CHECK(same_bits(second.state(), once));
}
