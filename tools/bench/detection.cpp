// SPDX-License-Identifier: Apache-2.0
// Cost of contact detection and of the assembly of the contact problem: time and memory per body
// and per contact, compared with the time the machine needs to move as many bytes.
//     bench_detection [bodies = 100000] [threads = 1]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "engine/detect/broadphase.hpp"
#include "engine/detect/narrowphase.hpp"
#include "engine/step/assembly.hpp"
#include "solvers/math/parallel.hpp"
#include "tools/bench/measure.hpp"
#include "tools/bench/scenes.hpp"

using namespace talus;
using namespace talus::bench;

namespace {

void measure(const char* name, Scene<3> scene, bool shuffled, double bandwidth) {
  scene.materials = {{"stone", 2500}};
  scene.laws = PairTable(1);
  scene.laws.set(0, 0, {.friction = 0.5});
  scene.gravity = {0, 0, -9.81};
  scene.h = 1e-3;
  std::mt19937 rng(2);
  if (shuffled) std::shuffle(scene.bodies.begin(), scene.bodies.end(), rng);
  const Bodies<3> bodies = make_bodies(scene);
  std::vector<Reach<3>> reach(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    reach[i] = {Vec<3>::Zero(), 1e-3 * bodies.geometry_of(i).size};
  }

  std::vector<BodyPair> pairs;
  const double finding_anew = shortest_time(
      [&, fresh = Broadphase<3>()]() mutable {
        fresh = Broadphase<3>();
        fresh.find_pairs(bodies, reach, pairs);
      },
      3);
  Broadphase<3> broadphase;
  Narrowphase<3> narrowphase;
  std::vector<Contact<3>> contacts;
  const double finding_pairs =
      shortest_time([&] { broadphase.find_pairs(bodies, reach, pairs); }, 6);
  const double finding_contacts =
      shortest_time([&] { narrowphase.find_contacts(bodies, pairs, reach, contacts); }, 6);

  // As in a step of a heap at rest.
  std::vector<Part> parts;
  std::vector<int> taking_part;
  std::vector<ActiveContact<3>> active;
  ContactProblem<3> problem;
  std::vector<double> row_guess;
  const std::vector<Twist<3>> v(bodies.size() + 1);
  const double assembling = shortest_time(
      [&] {
        find_parts<3>(bodies, scene, v, v, {}, contacts, parts, taking_part);
        assemble<3>(bodies, scene, contacts, parts, taking_part, v, v, active, problem, row_guess);
      },
      6);

  const double n = static_cast<double>(bodies.size());
  const double bytes_per_body = sizeof(Vec<3>) * 4.0 + sizeof(Orientation<3>) + 2 * sizeof(Mat<3>) +
                                2 * sizeof(double) + 2 * sizeof(int);
  const double total = finding_pairs + finding_contacts;
  const double moved = n * bytes_per_body + static_cast<double>(pairs.size()) * sizeof(BodyPair) +
                       static_cast<double>(contacts.size()) * sizeof(Contact<3>);
  fmt::print("{}{}: {} bodies, {} pairs, {} contacts\n", name, shuffled ? ", shuffled" : "",
             bodies.size(), pairs.size(), contacts.size());
  fmt::print("  pairs     {:8.2f} ms  {:6.0f} ns/body  {:6.1f} ns/pair  ({:.2f} ms anew)\n",
             1e3 * finding_pairs, 1e9 * finding_pairs / n,
             1e9 * finding_pairs / static_cast<double>(pairs.size()), 1e3 * finding_anew);
  fmt::print("  contacts  {:8.2f} ms  {:6.1f} ns/pair  {:6.1f} ns/contact\n",
             1e3 * finding_contacts, 1e9 * finding_contacts / static_cast<double>(pairs.size()),
             1e9 * finding_contacts / static_cast<double>(contacts.size()));
  fmt::print("  together  {:8.2f} ms; moving {:.0f} MB once takes {:.2f} ms\n", 1e3 * total,
             1e-6 * moved, 1e3 * moved / bandwidth);
  fmt::print("  assembly  {:8.2f} ms  {:6.1f} ns/contact of {}; with detection {:.1f} ns/contact\n",
             1e3 * assembling, 1e9 * assembling / static_cast<double>(contacts.size()),
             active.size(), 1e9 * (assembling + total) / static_cast<double>(contacts.size()));
  fmt::print("  memory    {:.0f} B/body of state and constants, {} B/contact, {} B/pair\n",
             bytes_per_body, sizeof(Contact<3>), sizeof(BodyPair));
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 100000;
  set_threads(argc > 2 ? std::max(1, std::atoi(argv[2])) : 1);
  const double bandwidth = triad_bandwidth();
  fmt::print("{} thread(s), triad {:.1f} GB/s, load average {:.1f}\n", threads(), 1e-9 * bandwidth,
             load_average());
  for (bool shuffled : {false, true}) {
    measure("balls", packed_balls(count), shuffled, bandwidth);
    measure("boxes", wall_of_boxes(count), shuffled, bandwidth);
  }
}
