// SPDX-License-Identifier: Apache-2.0
// A made-up run with a body of every shape: positions follow a formula, contacts are drawn at
// random inside their cones. What a trajectory must hold is then known without an engine.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/world.hpp"
#include "io/trajectory/trajectory_writer.hpp"
#include "tests/scratch.hpp"

namespace talus::sample {

using Plane = std::integral_constant<int, 2>;
using Solid = std::integral_constant<int, 3>;

using Folder = Scratch;

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <int D>
Vec<D> direction(int axis, double length = 1) {
  Vec<D> v = Vec<D>::Zero();
  v[axis] = length;
  return v;
}

enum Body { floor_body, ball_body, block_body, capsule_body, compound_body, wall_body };

template <int D>
Scene<D> scene() {
  Scene<D> scene;
  scene.title = "one of each";
  scene.gravity = direction<D>(D - 1, -9.81);
  scene.h = 1e-3;
  scene.end = 1;
  scene.save_every = 10;
  scene.materials = {{"stone", 2600}, {"steel", 7800}};
  scene.laws = PairTable(2);
  scene.laws.set(0, 0, {0.5, 0, 0});
  scene.laws.set(0, 1, {0.3, 0.2, 0.1});
  scene.laws.set(1, 1, {0.1, 0.9, 0});
  const auto add = [&](const char* name, std::vector<Shape<D>> shapes, Vec<D> position) {
    BodyDescription<D> body;
    body.name = name;
    body.shapes = std::move(shapes);
    body.material = static_cast<int>(scene.bodies.size()) % 2;
    body.position = position;
    scene.bodies.push_back(body);
    return &scene.bodies.back();
  };
  const Vec<D> up = direction<D>(D - 1), along = direction<D>(0);
  add("floor", {HalfSpace<D>{up, 0}}, Vec<D>::Zero())->fixed = true;
  add("ball", {Ball<D>{0.1, Vec<D>::Zero()}}, 0.1 * up);
  add("block", {box<D>(Vec<D>::Constant(0.2))}, 0.1 * up + 0.4 * along);
  add("capsule", {Capsule<D>{{-0.1 * along, 0.1 * along}, 0.05}}, 0.05 * up + 0.8 * along);
  add("dumb-bell", {Ball<D>{0.05, -0.2 * along}, Ball<D>{0.1, 0.2 * along}}, 0.5 * up);
  auto* wall = add("wall", {box<D>(Vec<D>::Constant(0.5))}, -2.0 * along);
  wall->drives.push_back({Drive<D>::Kind::velocity, along, Spin<D>::Zero(), Constant{0.1}});
  return scene;
}

// Where the bodies are at the end of a step.
template <int D>
Bodies<D> bodies_at(const Scene<D>& scene, std::int64_t step) {
  Bodies<D> bodies = make_bodies<D>(scene);
  const double t = static_cast<double>(step) * scene.h;
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    const double rate = 0.3 + 0.7 * static_cast<double>(i);
    const Vec<D> velocity = direction<D>(static_cast<int>(i) % D, 0.1 * rate);
    const Spin<D> spin = Spin<D>::Constant(rate);
    bodies.velocity[i] = velocity;
    bodies.spin[i] = spin;
    bodies.position[i] += t * velocity;
    bodies.orientation[i] = rotated<D>(bodies.orientation[i], t * spin);
  }
  return bodies;
}

// Up to five contacts, every fourth step none, and always one that carries nothing.
template <int D>
std::vector<ActiveContact<D>> contacts_at(const Scene<D>& scene, std::int64_t step) {
  std::mt19937_64 random(static_cast<std::uint64_t>(step));
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto draw = [&] {
    Vec<D> v;
    for (int k = 0; k < D; ++k) v[k] = unit(random);
    return v;
  };
  const int count = step % 4 == 0 ? 0 : 1 + static_cast<int>(random() % 5);
  std::vector<ActiveContact<D>> contacts;
  for (int i = 0; i <= count; ++i) {
    ActiveContact<D> active;
    active.contact.key = {i, i + 1, 0, 0, static_cast<std::uint64_t>(step)};
    if (i + 1 > wall_body) active.contact.key = {floor_body, block_body, 0, 0, 7};
    active.contact.gap = 1e-4 * unit(random);
    active.contact.normal = draw().normalized();
    active.contact.point = draw();
    active.frame = frame_of_normal<D>(active.contact.normal);
    active.law = scene.laws(active.contact.key.a % 2, active.contact.key.b % 2);
    active.u_minus = draw();
    active.u_plus = draw();
    const Vec<D> p = draw();
    active.percussion[0] = 0.01 + std::abs(p[0]);
    const double share = i % 2 == 1 ? 1 : 0.5;  // sliding or sticking
    active.percussion.template tail<D - 1>() =
        share * active.law.friction * active.percussion[0] * p.template tail<D - 1>().normalized();
    if (i == count) active.percussion.setZero();
    contacts.push_back(active);
  }
  return contacts;
}

inline Certificate certificate_at(double h, std::int64_t step) {
  const double x = static_cast<double>(step);
  Certificate c;
  c.step = step;
  c.time = x * h;
  c.contacts = static_cast<int>(step % 7);
  c.sticking = 1;
  c.sliding = 2;
  c.separating = 3;
  c.max_penetration = 1e-5 * x;
  c.mean_penetration = 1e-6 * x;
  c.sweeps = static_cast<int>(10 + step);
  c.error = 1e-7 / x;
  c.converged = step % 5 != 0;
  c.kinetic = 3 + x;
  c.potential = 4 - x;
  c.contact_work = -0.1 * x;
  c.external_work = 0.2 * x;
  c.spring_work = 0.3 * x;
  c.driven_work = 0.4 * x;
  c.defect = 1e-17 * x;
  c.turnover = 10 + x;
  c.correction_work = 1e-9 * x;
  return c;
}

// Every seventh step has an impact of two contacts.
template <int D>
std::vector<ImpactedContact<D>> impacts_at(std::int64_t step) {
  if (step % 7 != 0) return {};
  const auto x = static_cast<double>(step);
  std::vector<ImpactedContact<D>> impacts;
  for (const int i : {0, 1})
    impacts.push_back({0,
                       i,
                       i + 1,
                       direction<D>(0),
                       direction<D>(0, x),
                       direction<D>(0, -2),
                       direction<D>(D - 1, 1.0 + i),
                       -x,
                       0.5,
                       {x, 2 * x},
                       {3 * x, 4 * x}});
  return impacts;
}

inline RunInfo info() {
  return {.scene_text = "# one of each\n",
          .scene_file = "sample.toml",
          .overrides = {"time.step=1e-3", "gravity=[0, 0, -9.81]"},
          .command_line = "talus run sample.toml",
          .solver = "gauss-seidel",
          .threads = 2};
}

// Steps first … last, with a frame at every tenth.
template <int D>
void write_steps(TrajectoryWriter<D>& writer, const Scene<D>& scene, std::int64_t first,
                 std::int64_t last) {
  for (std::int64_t step = first; step <= last; ++step) {
    if (step > 0) writer.append_series(certificate_at(scene.h, step), 1e-3, impacts_at<D>(step));
    if (step % scene.save_every == 0)
      writer.append_frame(static_cast<double>(step) * scene.h, step, bodies_at<D>(scene, step),
                          contacts_at<D>(scene, step / scene.save_every));
  }
}

template <int D>
void write_run(const std::filesystem::path& path, std::int64_t last_step, bool force = false) {
  const Scene<D> s = scene<D>();
  auto writer = TrajectoryWriter<D>::create(path, s, bodies_at<D>(s, 0), info(), force);
  write_steps<D>(writer, s, 0, last_step);
  writer.close();
}

}  // namespace talus::sample
