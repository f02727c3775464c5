// Cost of contact detection: time and memory per body and per contact, beside the time the machine
// needs to move as many bytes.
//     bench_detection [bodies = 100000] [threads = 1]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <numeric>
#include <random>

#include "engine/broadphase.hpp"
#include "engine/narrowphase.hpp"
#include "solvers/parallel.hpp"

using namespace talus;

namespace {

// Processor time on one thread, which other work on the machine disturbs least; wall time
// otherwise.
double now() {
  timespec t{};
  clock_gettime(threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds_of(auto&& work, int repetitions) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repetitions; ++i) {
    const double start = now();
    work();
    best = std::min(best, now() - start);
  }
  return best;
}

// Bytes per second of a[i] = b[i] + s c[i].
double triad_bandwidth() {
  const std::size_t n = 8u << 20;
  std::vector<double> a(n), b(n, 1), c(n, 2);
  const double seconds =
      seconds_of([&] { parallel_for(n, [&](std::size_t i) { a[i] = b[i] + 3 * c[i]; }); }, 5);
  return 3 * 8 * static_cast<double>(n) / seconds;
}

// Balls of two sizes in five on a face-centred lattice, turned out of the axes: close pairs overlap
// and gape at random, about six contacts a ball, as in a settled packing.
Scene<3> packed_balls(int count) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> radius(0.9, 1.1);
  const Mat<3> R = rotation_matrix<3>(rotated<3>({}, Vec<3>(0.3, 0.5, 0.7)));
  Scene<3> scene;
  const int side = static_cast<int>(std::ceil(std::cbrt(count / 4.0)));
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      for (int k = 0; k < side; ++k) {
        for (const Vec<3>& corner :
             {Vec<3>(0, 0, 0), Vec<3>(0, 1, 1), Vec<3>(1, 0, 1), Vec<3>(1, 1, 0)}) {
          if (static_cast<int>(scene.bodies.size()) == count) return scene;
          BodyDescription<3> body;
          body.shapes = {Ball<3>{0.01 * std::round(100 * radius(rng)), Vec<3>::Zero()}};
          body.position = R * (std::sqrt(2.0) * (2 * Vec<3>(i, j, k) + corner));
          scene.bodies.push_back(body);
        }
      }
    }
  }
  return scene;
}

// A wall three blocks deep in running bond.
Scene<3> wall_of_boxes(int count) {
  Scene<3> scene;
  const Shape<3> block = box<3>({0.2, 0.1, 0.1});
  const int length = static_cast<int>(std::ceil(std::sqrt(count / 3.0)));
  for (int course = 0; course < length; ++course) {
    for (int i = 0; i < length; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (static_cast<int>(scene.bodies.size()) == count) return scene;
        BodyDescription<3> body;
        body.shapes = {block};
        body.position = {0.2 * (i + 0.5 * (course % 2)), 0.1 * j, 0.1 * course};
        scene.bodies.push_back(body);
      }
    }
  }
  return scene;
}

void measure(const char* name, Scene<3> scene, bool shuffled, double bandwidth) {
  scene.materials = {{"stone", 2500}};
  std::mt19937 rng(2);
  if (shuffled) std::shuffle(scene.bodies.begin(), scene.bodies.end(), rng);
  const Bodies<3> bodies = make_bodies(scene);
  std::vector<Reach<3>> reach(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    reach[i] = {Vec<3>::Zero(), 1e-3 * bodies.geometry_of(i).size};
  }

  std::vector<BodyPair> pairs;
  const double finding_anew = seconds_of(
      [&, fresh = Broadphase<3>()]() mutable {
        fresh = Broadphase<3>();
        fresh.find_pairs(bodies, reach, pairs);
      },
      3);
  Broadphase<3> broadphase;
  Narrowphase<3> narrowphase;
  std::vector<Contact<3>> contacts;
  const double finding_pairs = seconds_of([&] { broadphase.find_pairs(bodies, reach, pairs); }, 6);
  const double finding_contacts =
      seconds_of([&] { narrowphase.find_contacts(bodies, pairs, reach, contacts); }, 6);

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
  fmt::print("  memory    {:.0f} B/body of state and constants, {} B/contact, {} B/pair\n",
             bytes_per_body, sizeof(Contact<3>), sizeof(BodyPair));
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 100000;
  set_threads(argc > 2 ? std::max(1, std::atoi(argv[2])) : 1);
  const double bandwidth = triad_bandwidth();
  fmt::print("{} thread(s), triad {:.1f} GB/s\n", threads(), 1e-9 * bandwidth);
  for (bool shuffled : {false, true}) {
    measure("balls", packed_balls(count), shuffled, bandwidth);
    measure("boxes", wall_of_boxes(count), shuffled, bandwidth);
  }
}
