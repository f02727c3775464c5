// SPDX-License-Identifier: Apache-2.0
// Sums over many bodies and contacts: a lattice under a known load, with any number of threads.
#include "engine/measure/region_measures.hpp"

#include <doctest/doctest.h>

#include <numbers>

#include "engine/model/measure_region.hpp"
#include "solvers/math/parallel.hpp"

using namespace talus;

namespace {

constexpr int n = 80;      // a side
constexpr double r = 0.5;  // [m]

Bodies<2> lattice() {
  Scene<2> scene;
  scene.materials = {{"stone", 2000}};
  scene.laws = PairTable(1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      BodyDescription<2> disk;
      disk.shapes = {Ball<2>{r}};
      disk.position = {i + r, j + r};
      disk.velocity = {i % 2 == 0 ? 1.0 : -1.0, 5};
      scene.bodies.push_back(disk);
    }
  return make_bodies<2>(scene);
}

// Every disk presses on its neighbours to the right with 3 N and above with 7 N.
std::vector<ActiveContact<2>> pressed(const Bodies<2>& bodies, double h) {
  std::vector<ActiveContact<2>> contacts;
  const auto press = [&](int a, int b, double force) {
    ActiveContact<2> active;
    active.contact.key = {a, b, 0, 0, 0};
    const Vec<2>&x_a = bodies.position[static_cast<std::size_t>(a)],
          &x_b = bodies.position[static_cast<std::size_t>(b)];
    active.contact.point = (x_a + x_b) / 2;
    active.contact.normal = (x_b - x_a).normalized();
    active.frame = frame_of_normal<2>(active.contact.normal);
    active.percussion = {force * h, 0};
    active.u_minus = active.u_plus = Vec<2>::Zero();
    contacts.push_back(active);
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (j + 1 < n) press(i * n + j, i * n + j + 1, 7);
      if (i + 1 < n) press(i * n + j, (i + 1) * n + j, 3);
    }
  return contacts;
}

struct Restored {
  int before = threads();
  ~Restored() { set_threads(before); }
};

}  // namespace

TEST_CASE("a lattice has its solid fraction and its stresses, whatever the threads") {
  const Restored restored;
  const Bodies<2> bodies = lattice();
  const double h = 1e-3;
  const auto contacts = pressed(bodies, h);
  // Not along the cells of the lattice: faces cut disks and branches anywhere.
  const CutRegion<2> region(std::get<Polytope<2>>(
      moved<2>(box_region_polytope<2>({60, 70}), {n / 2.0, 5.0}, Orientation<2>{})));
  double solid = 0;
  Mat<2> stress, kinetic;
  for (const int count : {1, 2, 3, 7}) {
    set_threads(count);
    RegionScratch<2> scratch;
    const double v = solid_volume<2>(region, bodies, scratch);
    const Mat<2> s = contact_stress<2>(region, bodies, contacts, h, scratch);
    const Mat<2> k = kinetic_stress<2>(region, bodies, scratch);
    if (count > 1) {
      CHECK(v == solid);
      CHECK(s == stress);
      CHECK(k == kinetic);
    }
    solid = v;
    stress = s;
    kinetic = k;
  }
  CHECK(solid / region.volume == doctest::Approx(std::numbers::pi / 4).epsilon(1e-12));
  CHECK(stress(0, 0) == doctest::Approx(3).epsilon(1e-12));
  CHECK(stress(1, 1) == doctest::Approx(7).epsilon(1e-12));
  CHECK(std::abs(stress(0, 1)) + std::abs(stress(1, 0)) < 1e-12);
  CHECK(kinetic(0, 0) == doctest::Approx(2000 * std::numbers::pi / 4).epsilon(1e-12));
  CHECK(std::abs(kinetic(1, 1)) < 1e-9);

  const CutRegion<2> tilted(
      std::get<Polytope<2>>(moved<2>(box_region_polytope<2>({40, 30}), {35, 20}, {0.3})));
  RegionScratch<2> scratch;
  // Branches lie on lines a diameter apart, which a tilted region cuts to half a diameter.
  const Mat<2> s = contact_stress<2>(tilted, bodies, contacts, h, scratch);
  CHECK(s(0, 0) == doctest::Approx(3).epsilon(1e-3));
  CHECK(s(1, 1) == doctest::Approx(7).epsilon(1e-3));
}
