// SPDX-License-Identifier: Apache-2.0
// Random scenes and the same scenes seen otherwise move alike.
#include "tests/random/deviation.hpp"

using namespace talus;
using namespace talus::random_scenes;

namespace {

template <class Make>
Property with_change(Make make) {
  return [make](const AnyScene& any, int steps, std::uint64_t seed) {
    return std::visit(
        [&]<int D>(const Scene<D>& scene) {
          Random random(seed);
          Change<D> change;
          if (!make(scene, random, change)) return Verdict{"", "has no such view"};
          return moves_alike<D>(scene, change, steps);
        },
        any);
  };
}

template <int D>
Mat<D> random_rotation(Random& random) {
  if constexpr (D == 2) {
    return rotation_matrix<2>({random.between(0, 6)});
  } else {
    const Vec<3> axis = Vec<3>(random.normal(), random.normal(), random.normal()).normalized();
    return rotation_matrix<3>(rotated<3>({}, random.between(0, 3) * axis));
  }
}

template <int D>
Vec<D> random_vector(Random& random, double size) {
  Vec<D> x;
  for (int d = 0; d < D; ++d) x[d] = size * random.normal();
  return x;
}

}  // namespace

TEST_CASE("a turned scene moves alike") {
  try_scenes(200, with_change([]<int D>(const Scene<D>&, Random& random, Change<D>& change) {
               change.linear = random_rotation<D>(random);
               return true;
             }));
}

TEST_CASE("a scene at another place moves alike") {
  try_scenes(200, with_change([]<int D>(const Scene<D>& scene, Random& random, Change<D>& change) {
               change.translation = random_vector<D>(random, 10 * extent<D>(scene));
               return true;
             }));
}

TEST_CASE("a scene seen from a moving frame moves alike") {
  try_scenes(200, with_change([]<int D>(const Scene<D>& scene, Random& random, Change<D>& change) {
               change.boost = random_vector<D>(random, 0.1 * extent<D>(scene) / scene.h);
               return !holds_to_world<D>(scene);
             }));
}

TEST_CASE("a scene in a mirror moves alike") {
  try_scenes(200, with_change([]<int D>(const Scene<D>&, Random&, Change<D>& change) {
               change.linear(0, 0) = -1;
               change.mirrors = true;
               return true;
             }));
}

TEST_CASE("a scene whose bodies have other numbers moves alike") {
  try_scenes(
      200, with_change([]<int D>(const Scene<D>& scene, Random& random, Change<D>& change) {
        change.body.resize(scene.bodies.size());
        std::iota(change.body.begin(), change.body.end(), 0);
        for (std::size_t i = change.body.size(); i > 1; --i)
          std::swap(
              change.body[i - 1],
              change.body[static_cast<std::size_t>(random.between(0, static_cast<double>(i)))]);
        return true;
      }));
}

TEST_CASE("a scene in other units moves alike") {
  try_scenes(200, with_change([]<int D>(const Scene<D>&, Random& random, Change<D>& change) {
               change.length = std::pow(10, random.between(-3, 3));
               change.time = std::pow(10, random.between(-3, 3));
               change.mass = std::pow(10, random.between(-3, 3));
               return true;
             }));
}

TEST_CASE("a scene in units that are powers of two gives the same bits, with friction, too") {
  try_scenes(400, [](const AnyScene& any, int steps, std::uint64_t seed) {
    return std::visit(
        [&]<int D>(const Scene<D>& scene) -> Verdict {
          Random random(seed);
          Change<D> change;
          for (double* unit : {&change.length, &change.time, &change.mass})
            *unit = std::ldexp(1.0, static_cast<int>(random.between(-10, 11)));
          change.mass *= change.mass;  // solvers take its root
          World<D> world(scene), other(changed<D>(scene, change));
          for (int k = 1; k <= steps; ++k) {
            world.step();
            other.step();
            for (std::size_t i = 0; i < scene.bodies.size(); ++i)
              if (other.bodies().velocity[i] != change.velocity(world.bodies().velocity[i]) ||
                  other.bodies().position[i] != change.point(world.bodies().position[i]) ||
                  change.time * other.bodies().spin[i] != world.bodies().spin[i])
                return {fmt::format("step {}: body {} moves otherwise", k, scene.bodies[i].name),
                        ""};
          }
          return {};
        },
        any);
  });
}
