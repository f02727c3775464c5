// SPDX-License-Identifier: Apache-2.0
// Walls of triangles in runs: a flat one is a plane, and nothing gets through a hilly one.
#include <random>

#include "engine/geometry/triangle_mesh.hpp"
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// Heights over a square grid of the given spacing, each cell cut along a random diagonal.
template <class Height>
BodyDescription<3> terrain(int cells, double spacing, std::mt19937& rng, Height&& height) {
  std::vector<Vec<3>> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int j = 0; j <= cells; ++j)
    for (int i = 0; i <= cells; ++i) {
      vertices.emplace_back(spacing * (i - cells / 2), spacing * (j - cells / 2), height(i, j));
      if (i == 0 || j == 0) continue;
      const int here = j * (cells + 1) + i, west = here - 1, south = here - cells - 1;
      if (rng() % 2 == 0) {
        triangles.push_back({south - 1, south, here});
        triangles.push_back({south - 1, here, west});
      } else {
        triangles.push_back({south - 1, south, west});
        triangles.push_back({south, here, west});
      }
    }
  BodyDescription<3> body;
  body.name = "terrain";
  body.shapes = {triangle_mesh(vertices, triangles)};
  body.fixed = true;
  return body;
}

struct Track {
  std::vector<Vec<3>> position, velocity;
};

Track track_of(const BodyDescription<3>& floor, const BodyDescription<3>& thrown, double mu) {
  World<3> world(scene_of<3>(1e-3, {.friction = mu}, {floor, thrown}));
  Track track;
  run(world, 800, [&](const Certificate&) {
    track.position.push_back(world.bodies().position[1]);
    track.velocity.push_back(world.bodies().velocity[1]);
  });
  return track;
}

}  // namespace

TEST_CASE("a ball and a block move over a triangulated plane as over a half-space") {
  std::mt19937 rng(5);
  const BodyDescription<3> mesh = terrain(60, 0.07, rng, [](int, int) { return 0.0; });
  BodyDescription<3> rolling = ball<3>(0.1, {-1.2, -0.3, 0.1}, {2.3, 0.7, 0});
  BodyDescription<3> sliding = block<3>({0.3, 0.2, 0.1}, {-1.2, -0.3, 0.05});
  sliding.velocity = {2.3, 0.7, 0};
  sliding.spin = {0, 0, 3};
  for (const BodyDescription<3>& thrown : {rolling, sliding}) {
    const Track on_mesh = track_of(mesh, thrown, 0.3),
                on_plane = track_of(ground<3>(), thrown, 0.3);
    double apart = 0, faster = 0;
    for (std::size_t k = 0; k < on_plane.position.size(); ++k) {
      apart = std::max(apart, (on_mesh.position[k] - on_plane.position[k]).norm());
      faster = std::max(faster, (on_mesh.velocity[k] - on_plane.velocity[k]).norm());
    }
    bound("triangulated plane, distance from the motion on a half-space [m]", apart, 1e-7);
    bound("triangulated plane, difference of velocity [m/s]", faster, 1e-7);
  }
}

TEST_CASE("nothing falls through hills and valleys") {
  std::mt19937 rng(6);
  std::uniform_real_distribution<double> height(0, 0.25), place(-0.8, 0.8), turn(-1, 1);
  const BodyDescription<3> hills = terrain(12, 0.2, rng, [&](int i, int j) {
    return i == 0 || j == 0 || i == 12 || j == 12 ? 1.5 : height(rng);  // a rim holds all in
  });
  std::vector<BodyDescription<3>> bodies = {hills};
  for (int k = 0; k < 36; ++k) {
    const Vec<3> centre(-0.75 + 0.3 * (k % 6), -0.75 + 0.3 * (k / 6), 0.6);
    BodyDescription<3> body = k % 3 == 0   ? ball<3>(0.07, centre)
                              : k % 3 == 1 ? block<3>({0.14, 0.1, 0.08}, centre)
                                           : ball<3>(0.07, centre);
    if (k % 3 == 2) body.shapes = {Capsule<3>{{Vec<3>(-0.05, 0, 0), Vec<3>(0.05, 0, 0)}, 0.05}};
    body.name = "body" + std::to_string(k);
    body.orientation = rotated<3>({}, Vec<3>(turn(rng), turn(rng), turn(rng)));
    body.velocity = {place(rng), place(rng), -2};
    bodies.push_back(body);
  }
  World<3> world(scene_of<3>(1e-3, {.friction = 0.4}, bodies));
  // run() holds in every step that no body sinks by more than 2 h v_max.
  run(world, 1500, [](const Certificate&) {});
  for (std::size_t i = 1; i < world.bodies().size(); ++i) {
    CHECK(world.bodies().position[i][2] > 0);
    CHECK(world.bodies().velocity[i].norm() < 1);
  }
}
