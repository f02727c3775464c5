// SPDX-License-Identifier: Apache-2.0
// Periodic cells that keep their shape: contacts with images are contacts like others, and momentum
// is that of a closed system.
#include "engine/detect/contact_search.hpp"
#include "tests/physics/cell/cell_scenes.hpp"

using namespace talus;
using namespace talus::physics;

TEST_CASE_TEMPLATE("two balls collide across the side of a cell as two balls do", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const Vec<D> middle = Vec<D>::Constant(0.5);
  for (int axis = 0; axis < D; ++axis) {
    BodyDescription<D> a = ball<D>(0.1, middle, -Vec<D>::Unit(axis));
    BodyDescription<D> b = ball<D>(0.1, middle, 0.5 * Vec<D>::Unit(axis));
    a.position[axis] = 0.15;
    b.position[axis] = 0.8;
    Scene<D> scene = scene_of<D>(1e-3, {.friction = 0.3, .restitution = 0.8}, {a, b});
    scene.gravity.setZero();
    scene.cell = cell_of<D>(Vec<D>::Ones());
    World<D> world(scene);
    run<D>(world, 300);
    // v′ = mean ∓ ½ e u
    compare("of a", world.bodies().velocity[0][axis], -0.25 + 0.8 * 0.75, 1e-12);
    compare("of b", world.bodies().velocity[1][axis], -0.25 - 0.8 * 0.75, 1e-12);
  }
}

// Moreau's law for touching balls in a row: v⁺ = −e v⁻ + (1 + e) proj(v⁻), onto velocities that
// do not decrease along the row. Around a ring these are all equal.
TEST_CASE_TEMPLATE("a ring of balls shares the velocity of one", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr int n = 8;
  for (const double e : {0.0, 0.5, 1.0}) {
    std::vector<BodyDescription<D>> balls;
    for (int i = 0; i < n; ++i) {
      Vec<D> centre = Vec<D>::Constant(0.5);
      centre[0] = (i + 0.25) / n;
      balls.push_back(ball<D>(0.5 / n, centre, i == 3 ? along<D>() : Vec<D>(Vec<D>::Zero())));
    }
    Scene<D> scene = scene_of<D>(1e-3, {.restitution = e}, balls);
    scene.gravity.setZero();
    scene.cell = cell_of<D>(Vec<D>::Ones());
    World<D> world(scene);
    world.step();
    for (std::size_t i = 0; i < n; ++i)
      compare("velocity", world.bodies().velocity[i][0], (1 + e) / n - (i == 3 ? e : 0), 1e-9);
  }
}

TEST_CASE_TEMPLATE("a gas keeps its momentum", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  World<D> world(gas<D>({.friction = 0.4, .restitution = 0.9}, D == 2 ? 8 : 5, 0.04, 7, 5e-4));
  const Vec<D> before = momentum<D>(world.bodies());
  const double scale = momentum_scale<D>(world.bodies());
  int contacts = 0;
  run<D>(world, 600, [&](const Certificate& step) { contacts += step.sticking + step.sliding; });
  CHECK(contacts > 50);
  bound("momentum", (momentum<D>(world.bodies()) - before).norm() / scale, 1e-12);
}

// A cell twice as large along one axis, with every body and its image, is the same gas.
TEST_CASE_TEMPLATE("two cells side by side move as one", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Scene<D> one = gas<D>({.friction = 0.4, .restitution = 0.9}, 4, 0.1, 3, 5e-4);
  Scene<D> two = one;
  two.cell->size[D - 1] = 2;
  for (const BodyDescription<D>& body : one.bodies) {
    two.bodies.push_back(body);
    two.bodies.back().position[D - 1] += 1;
  }
  World<D> small(one), large(two);
  int contacts = 0;
  for (int k = 0; k < 400; ++k) {
    const Certificate step = small.step();
    contacts += step.sticking + step.sliding;
    large.step();
  }
  CHECK(contacts > 10);
  const std::size_t n = one.bodies.size();
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec<D>& x = small.bodies().position[i];
    worst = maximum(worst, (large.bodies().position[i] - x).norm());
    worst = maximum(worst, (large.bodies().position[n + i] - x - Vec<D>::Unit(D - 1)).norm());
    worst = maximum(worst, (large.bodies().spin[n + i] - small.bodies().spin[i]).norm());
  }
  bound("difference", worst, 1e-7);
}

// Which images of the bodies are given is all the same.
TEST_CASE_TEMPLATE("bodies described outside of the cell are images", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Scene<D> inside = gas<D>({.friction = 0.4, .restitution = 0.9}, 4, 0.1, 5, 5e-4);
  Scene<D> outside = inside;
  for (std::size_t i = 0; i < outside.bodies.size(); ++i)
    outside.bodies[i].position[static_cast<int>(i) % D] += static_cast<double>(i % 5) - 2;
  World<D> a(inside), b(outside);
  for (int k = 0; k < 300; ++k) {
    a.step();
    b.step();
  }
  for (std::size_t i = 0; i < inside.bodies.size(); ++i)
    bound("difference", (a.bodies().velocity[i] - b.bodies().velocity[i]).norm(), 1e-7);
}

TEST_CASE_TEMPLATE("threads and a restart change no bit in a cell", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Scene<D> scene =
      gas<D>({.friction = 0.4, .restitution = 0.5}, D == 2 ? 24 : 9, 0.018, 11, 2e-3);
  World<D> one(scene), two(scene), resumed(scene);
  one.use_threads(1);
  two.use_threads(2);
  for (int k = 0; k < 60; ++k) {
    one.step();
    two.step();
    if (k == 29) resumed.restore(one.state());
  }
  for (int k = 30; k < 60; ++k) resumed.step();
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    CHECK(one.bodies().position[i] == two.bodies().position[i]);
    CHECK(one.bodies().position[i] == resumed.bodies().position[i]);
    CHECK(one.bodies().velocity[i] == resumed.bodies().velocity[i]);
  }
}

TEST_CASE_TEMPLATE("a block slides on a floor through the side of the cell", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double mu = 0.2, h = 1e-3;
  BodyDescription<D> slider = block<D>(sides<D>(0.2, 0.1, 0.2), at<D>(0.9, 0.05));
  slider.velocity = 2 * along<D>();
  Scene<D> scene = scene_of<D>(h, {.friction = mu}, {ground<D>(), slider});
  scene.cell = cell_of<D>(Vec<D>::Ones());
  scene.cell->periodic[D - 1] = false;
  World<D> world(scene);
  run<D>(world, 500);
  compare("velocity", world.bodies().velocity[1][0], 2 - mu * g * 0.5, 1e-9);
  CHECK(world.bodies().lattice.place(world.bodies().position[1])[0] < 1);
  CHECK(world.bodies().position[1][0] > 1.5);
}

// All images of all pairs of random bodies in a sheared cell, one after the other.
TEST_CASE_TEMPLATE("no contact with an image is missed and none invented", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::size_t all = 0;
  for (int trial = 0; trial < 20; ++trial) {
    Scene<D> scene = scene_of<D>(1e-3, {}, {});
    for (int i = 0; i < 40; ++i) {
      Vec<D> centre;
      for (int k = 0; k < D; ++k) centre[k] = 3 * uniform(random);
      scene.bodies.push_back(i % 3 == 0
                                 ? block<D>(sides<D>(0.2, 0.15, 0.1), centre, uniform(random))
                                 : ball<D>(0.05 + 0.05 * (i % 2), centre));
      scene.bodies.back().fixed = i % 7 == 0;
    }
    scene.cell = cell_of<D>(Vec<D>::Ones());
    if (trial % 2 == 0) scene.cell->periodic[static_cast<std::size_t>(trial / 2 % D)] = false;
    Bodies<D> bodies = make_bodies<D>(scene);
    if (trial % 2 == 1) bodies.lattice.A(0, D - 1) = 3 * uniform(random);
    const std::vector<Reach<D>> reach(bodies.size(), {Vec<D>::Zero(), 0.01});
    std::vector<Contact<D>> found;
    ContactSearch<D>().find(bodies, reach, ExcludedPairs<D>(scene), found);

    // The same through cells that are looked at one by one.
    std::size_t expected = 0;
    Bodies<D> open = bodies;
    open.lattice = {};
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t j = i + 1; j < bodies.size(); ++j) {
        if (!bodies.moves_freely(i) && !bodies.moves_freely(j)) continue;
        const Vec<D> way = bodies.position[j] - bodies.position[i];
        const Vec<D> near = bodies.lattice.nearest_image(way);
        const UprightBasis<D> basis = upright_basis<D>(bodies.lattice);
        for (int cell = 0; cell < (D == 2 ? 9 : 27); ++cell) {
          Vec<D> n;
          bool counts = true;
          for (int k = 0, rest = cell; k < D; ++k, rest /= 3) {
            n[k] = rest % 3 - 1;
            counts = counts && (n[k] == 0 || bodies.lattice.periodic[static_cast<std::size_t>(k)]);
          }
          if (!counts) continue;
          open.position[j] = bodies.position[j] + bodies.lattice.A * (basis.U * n - near);
          std::vector<Contact<D>> here;
          const std::vector<BodyPair> pair = {{static_cast<int>(i), static_cast<int>(j)}};
          find_contacts<D>(open, pair, reach, here);
          for (const Contact<D>& contact : here) {
            ++expected;
            const bool is_found = std::any_of(found.begin(), found.end(), [&](const auto& other) {
              return other.key == contact.key && std::abs(other.gap - contact.gap) < 1e-12 &&
                     (other.normal - contact.normal).norm() < 1e-9 &&
                     (other.point - contact.point).norm() < 1e-9;
            });
            CHECK(is_found);
          }
        }
        open.position[j] = bodies.position[j];
      }
    CHECK(found.size() == expected);
    all += expected;
  }
  CHECK(all > 100);
}
