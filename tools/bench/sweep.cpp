// SPDX-License-Identifier: Apache-2.0
// Speed of the Gauss–Seidel sweep: contact-iterations per second for balls, for balls that resist
// rolling and spinning, and for bodies of any shape, compared with the memory bandwidth of the
// machine, and the cost of contact detection.
//     bench_sweep [--bodies 1000,10000,100000,1000000] [--threads 1,2]
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <random>

#include "engine/detect/broadphase.hpp"
#include "engine/detect/narrowphase.hpp"
#include "engine/step/body_order.hpp"
#include "solvers/sweep/sweep_solver.hpp"
#include "tools/bench/measure.hpp"
#include "tools/bench/scenes.hpp"

using namespace talus;
using namespace talus::bench;

namespace {

// Least memory traffic of a sweep per contact in an average packing: the contact once, and its
// share of the bodies once.
constexpr double bytes_per_ball_contact = 142, bytes_per_rolling_contact = 270,
                 bytes_per_general_contact = 310;

constexpr double friction = 0.3;
constexpr int loading_sweeps = 30;

struct Packing {
  Bodies<3> bodies;
  std::vector<Reach<3>> reach;
  std::vector<Contact<3>> contacts;
};

Packing packing_of(int count) {
  Scene<3> scene = packed_balls(count);
  scene.materials = {{"stone", 2500}};
  Packing packing{make_bodies(scene), {}, {}};
  for (std::size_t i = 0; i < packing.bodies.size(); ++i) {
    packing.reach.push_back({Vec<3>::Zero(), 1e-3 * packing.bodies.geometry_of(i).size});
  }
  return packing;
}

// Detection as in a running simulation: candidate pairs are known, all contacts are found again.
double find_contacts_again(Packing& packing) {
  Broadphase<3> broadphase;
  Narrowphase<3> narrowphase;
  std::vector<BodyPair> pairs;
  return shortest_time(
      [&] {
        broadphase.find_pairs(packing.bodies, packing.reach, pairs);
        narrowphase.find_contacts(packing.bodies, pairs, packing.reach, packing.contacts);
      },
      20, 2);
}

// The packing compressed from all sides with some disorder, so that most contacts carry force and
// some slide. For grains that are not balls: the same contacts, with lever arms off the normal and
// unequal moments of inertia.
ContactProblem<3> squeezed(const Packing& packing, bool balls) {
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  const auto random_vector = [&] { return Vec<3>(normal(rng), normal(rng), normal(rng)); };
  const Bodies<3>& bodies = packing.bodies;
  RigidOperator<3> W;
  std::vector<Twist<3>> v(bodies.size());
  Vec<3> middle = Vec<3>::Zero();
  for (const Vec<3>& x : bodies.position) middle += x / static_cast<double>(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    SpinMat<3> J = bodies.inverse_inertia[i];
    if (!balls) {
      const Vec<3> a = 0.3 * random_vector();
      J += J(0, 0) * a * a.transpose();
    }
    W.bodies.push_back({bodies.inverse_mass[i], J});
    v[i] = {-0.1 * (bodies.position[i] - middle) + 0.05 * random_vector(), 0.05 * random_vector()};
  }
  W.bodies.emplace_back();  // the world at rest
  BodyOrder<3>().find(bodies, W.body_order);
  ContactProblem<3> problem;
  for (const Contact<3>& contact : packing.contacts) {
    ContactRow<3> row;
    row.a = contact.key.a;
    row.b = contact.key.b;
    row.frame = frame_of_normal<3>(contact.normal);
    const std::size_t a = static_cast<std::size_t>(row.a), b = static_cast<std::size_t>(row.b);
    row.arm_a = contact.point - bodies.position[a];
    row.arm_b = contact.point - bodies.position[b];
    if (!balls) {
      row.arm_a += 0.2 * random_vector();
      row.arm_b += 0.2 * random_vector();
    }
    problem.b.push_back(relative_velocity<3>(row, v[a], v[b]));
    problem.law.push_back({friction});
    W.contacts.push_back(row);
  }
  problem.W = std::move(W);
  return problem;
}

// With rolling and spinning friction of a tenth and a twentieth of a typical radius.
ContactProblem<3> with_moments(const Packing& packing, ContactProblem<3> problem) {
  const auto& W = std::get<RigidOperator<3>>(problem.W);
  std::mt19937 rng(4);
  std::normal_distribution<double> normal;
  double speed = 0;
  for (const Vec<3>& b : problem.b) speed += b.norm() / static_cast<double>(problem.size());
  for (const ContactRow<3>& row : W.contacts) {
    const double radius = packing.bodies.geometry_of(static_cast<std::size_t>(row.b)).size;
    problem.rolling.push_back({{0.05 * radius, 0.025 * radius},
                               speed / radius * Vec<3>(normal(rng), normal(rng), normal(rng))});
  }
  return problem;
}

Percussions<3> no_percussions(const ContactProblem<3>& problem) {
  return {std::vector<Vec<3>>(problem.size(), Vec<3>::Zero()),
          {},
          std::vector<Spin<3>>(problem.rolling.size(), Spin<3>::Zero())};
}

double heap_bytes() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd);
}

struct Speed {
  double sweep = 0, accelerated = 0;  // [s]
};

Speed speed_of(const ContactProblem<3>& problem) {
  Percussions<3> p = no_percussions(problem);
  Speed speed;
  parallel_team([&] {
    Sweep<3> sweep;
    sweep.load(problem, Islands<3>(problem), p);
    const auto sweep_all = [&] {
      for (std::size_t i = 0; i < sweep.islands().size(); ++i) sweep.sweep(i, Direction::forward);
    };
    for (std::size_t i = 0; i < sweep.islands().size(); ++i) sweep.rebuild_velocities(i);
    for (int k = 0; k < loading_sweeps; ++k) sweep_all();
    speed.sweep = shortest_time(sweep_all, 300, 4);
  });
  // The difference between a solve with few sweeps and one with more is the cost of accelerated
  // sweeps. So few sweeps do not reach the tolerance; with a tighter one v would be rebuilt more
  // often.
  const auto solve = [&](int sweeps) {
    Percussions<3> q = p;
    SweepSolver<3> solver({.tolerance = 1e-6, .max_sweeps = sweeps});
    return shortest_time([&] { solver.solve(problem, q); }, 5, 4);
  };
  speed.accelerated = (solve(24) - solve(8)) / 16;
  return speed;
}

double solver_bytes(const ContactProblem<3>& problem) {
  Percussions<3> p = no_percussions(problem);
  const double before = heap_bytes();
  // The method for large problems.
  SweepSolver<3> solver({.tolerance = 0, .max_sweeps = 1}, {.method = Method::momentum});
  solver.solve(problem, p);
  return heap_bytes() - before;
}

// Memory of a solver per contact, without that per body: the saving if every second contact is left
// out [bytes].
double bytes_per_contact(const ContactProblem<3>& problem) {
  ContactProblem<3> half;
  RigidOperator<3> W = std::get<RigidOperator<3>>(problem.W);
  for (std::size_t i = 0; i < problem.size(); i += 2) {
    half.b.push_back(problem.b[i]);
    half.law.push_back(problem.law[i]);
    if (problem.has_moments()) half.rolling.push_back(problem.rolling[i]);
    W.contacts[i / 2] = W.contacts[i];
  }
  W.contacts.resize(half.b.size());
  half.W = std::move(W);
  return (solver_bytes(problem) - solver_bytes(half)) /
         static_cast<double>(problem.size() - half.size());
}

void measure(int count, const std::vector<int>& thread_counts) {
  Packing packing = packing_of(count);
  set_threads(1);
  find_contacts_again(packing);
  const double contacts = static_cast<double>(packing.contacts.size());
  fmt::print("\n{} bodies, {} contacts\n", packing.bodies.size(), packing.contacts.size());
  double plain = 0;  // a sweep of balls on one thread [s]
  enum Kind { balls, rolling, general };
  for (const Kind kind : {balls, rolling, general}) {
    ContactProblem<3> problem = squeezed(packing, kind != general);
    if (kind == rolling) problem = with_moments(packing, std::move(problem));
    constexpr const char* names[] = {"balls", "rolling", "general"};
    constexpr double least_bytes[] = {bytes_per_ball_contact, bytes_per_rolling_contact,
                                      bytes_per_general_contact};
    const char* const name = names[kind];
    const double least = least_bytes[kind];
    double alone = 0;
    for (const int threads : thread_counts) {
      set_threads(threads);
      const double bandwidth = triad_bandwidth();
      const double detection = find_contacts_again(packing);
      const Speed speed = speed_of(problem);
      if (alone == 0) alone = speed.sweep;
      if (plain == 0) plain = speed.sweep;
      if (kind == rolling && threads == thread_counts.front())
        fmt::print("  a rolling sweep costs {:.2f} plain ones\n", speed.sweep / plain);
      const double rate = contacts / speed.sweep;
      fmt::print(
          "  {:7} {} thread{} {:6.1f} M contact-iterations/s  {:5.2f} of triad ({:.1f} "
          "GB/s)/{:.0f} "
          "B  x{:.2f}  accelerated sweep = {:.2f} sweeps  detection = {:.1f} sweeps  load {:.1f}\n",
          name, threads, threads == 1 ? " " : "s", 1e-6 * rate, rate * least / bandwidth,
          1e-9 * bandwidth, least, alone / speed.sweep, speed.accelerated / speed.sweep,
          detection / speed.sweep, load_average());
    }
    set_threads(1);
    fmt::print("  {:7} the solver keeps {:.0f} B/contact, {:.0f} B with its share of the bodies\n",
               name, bytes_per_contact(problem), solver_bytes(problem) / contacts);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<int> threads = option(argc, argv, "--threads", {1, 2});
  fmt::print("kernels {}; shortest of many sweeps\n", wide_kernels().name);
  for (const int count : option(argc, argv, "--bodies", {1000, 10000, 100000, 1000000})) {
    measure(count, threads);
  }
}
