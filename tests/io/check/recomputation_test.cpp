// SPDX-License-Identifier: Apache-2.0
// What `talus check` computes again from the file finds states, forces and sums that were changed
// afterwards, whether every step has a frame or every tenth.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <limits>

#include "io/check/trajectory_check.hpp"
#include "io/scene/scene_reader.hpp"
#include "tests/io/sample_run.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

// Three blocks on a floor, a ball that slides into them, and a plate that is driven beside.
template <int D>
std::string scene_text() {
  const auto vector = [](double x, double z) {
    return D == 2 ? fmt::format("[{}, {}]", x, z) : fmt::format("[{}, 0, {}]", x, z);
  };
  std::string text =
      fmt::format(R"(
dimension = {}
gravity = {}
time = {{ step = 1e-3, end = 0.06 }}
solver = {{ tolerance = 1e-8 }}
[material.stone]
density = 2500
friction = 0.5
[[body]]
shape = {{ halfspace = {} }}
material = "stone"
fixed = true
[[body]]
shape = {{ box = {} }}
material = "stone"
position = {}
drive = [{{ direction = {}, velocity = 0.2 }}]
)",
                  D, vector(0, -9.81), vector(0, 1), D == 2 ? "[0.2, 0.2]" : "[0.2, 0.2, 0.2]",
                  vector(3, 1), vector(1, 0));
  for (int i = 0; i < 3; ++i)
    text +=
        fmt::format("[[body]]\nshape = {{ box = {} }}\nmaterial = \"stone\"\nposition = {}\n",
                    D == 2 ? "[0.2, 0.1]" : "[0.2, 0.2, 0.1]", vector(0.02 * i, 0.05 + 0.1 * i));
  text += fmt::format(
      "[[body]]\nshape = {{ ball = 0.05 }}\nmaterial = \"stone\"\nposition = {}\nvelocity = {}\n",
      vector(-0.2, 0.05), vector(2, 0));
  return text;
}

enum { floor_place, plate, lowest, middle, top, sphere };

template <int D>
struct Saved {
  Bodies<D> bodies;
  std::vector<ActiveContact<D>> contacts;
  Certificate certificate;
  Scene<D> scene;
  std::int64_t step = 0;
};

// The check of a run with a frame every so many steps in which something was done to what is saved.
template <int D>
RunCheck check_of(int every, const std::function<void(Saved<D>&)>& forge,
                  const std::string& text = scene_text<D>()) {
  const Folder folder;
  RunInfo about = info();
  about.scene_text = text;
  about.overrides = {fmt::format("time.save_every={}", every)};
  const auto scene =
      std::get<Scene<D>>(read_scene_text(about.scene_text, "scene", about.overrides).scene);
  World<D> world(scene);
  const auto saved = [&](const Certificate& certificate) {
    Saved<D> now{world.bodies(),
                 {world.contacts().begin(), world.contacts().end()},
                 certificate,
                 scene,
                 world.steps()};
    forge(now);
    return now;
  };
  Saved<D> start = saved({});
  auto writer =
      TrajectoryWriter<D>::create(folder / "run.h5", start.scene, start.bodies, about, false);
  writer.append_frame(0, 0, start.bodies, {});
  while (world.steps() < scene.last_step()) {
    const Certificate certificate = world.step();
    const Saved<D> now = saved(certificate);
    writer.append_series(now.certificate, 1e-3, world.impacts());
    if (world.steps() % every == 0)
      writer.append_frame(world.time(), world.steps(), now.bodies, now.contacts);
  }
  writer.close();
  return check_run(TrajectoryReader(folder / "run.h5"));
}

std::string failures(const RunCheck& check) {
  std::string names;
  for (const Criterion& criterion : check.criteria)
    if (!criterion.passed()) names += criterion.name + " ";
  return names;
}

const Criterion& criterion(const RunCheck& check, const std::string& name) {
  for (const Criterion& criterion : check.criteria)
    if (criterion.name == name) return criterion;
  throw std::runtime_error("no criterion " + name);
}

}  // namespace

TEST_CASE_TEMPLATE("a run as it was made is certified, frame by frame", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const int every : {1, 10}) {
    CAPTURE(every);
    const RunCheck check = check_of<D>(every, [](Saved<D>&) {});
    CHECK(failures(check) == "");
    for (const char* name : {"scene", "motion", "potential", "contacts", "impulses"})
      CHECK_MESSAGE(criterion(check, name).checked > 0, name);
    for (const char* name : {"momentum", "spin"}) {
      if (every == 1)
        CHECK(criterion(check, name).checked > 0);
      else
        CHECK(criterion(check, name).skipped ==
              "no two frames are one step apart (time.save_every = 1)");
    }
  }
}

TEST_CASE_TEMPLATE("what was changed afterwards is found", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  struct Forgery {
    std::string name, found_by;  // among others
    std::function<void(Saved<D>&)> forge;
  };
  const auto once = [](std::function<void(Saved<D>&)> change) {
    return [change](Saved<D>& now) {
      if (now.step == 30) change(now);
    };
  };
  const Vec<D> along = direction<D>(0), up = direction<D>(D - 1);
  const std::vector<Forgery> forgeries = {
      {"a body moved by 10 m", "motion ",
       once([&](Saved<D>& s) { s.bodies.position[middle] += 10 * along; })},
      {"a body moved by 10 m for good", "motion ",
       [&](Saved<D>& s) {
         if (s.step >= 30) s.bodies.position[sphere] += 10 * along;
       }},
      {"a body moved by 10 cm", "motion ",
       once([&](Saved<D>& s) { s.bodies.position[top] += 0.1 * along; })},
      {"all positions tripled", "motion ",
       [](Saved<D>& s) {
         for (Vec<D>& x : s.bodies.position) x *= 3;
       }},
      {"all positions lifted", "potential ",
       [&](Saved<D>& s) {
         for (std::size_t i = 1; i < s.bodies.size(); ++i) s.bodies.position[i] += 0.2 * up;
       }},
      {"the driven plate elsewhere", "motion ",
       once([&](Saved<D>& s) { s.bodies.position[plate] += 1e-6 * along; })},
      {"the floor elsewhere", "motion ",
       once([&](Saved<D>& s) { s.bodies.position[floor_place] -= 1e-6 * up; })},
      {"a body turned by half a turn", "motion ", once([](Saved<D>& s) {
         Spin<D> half = Spin<D>::Zero();
         half[0] = 3.14159;
         s.bodies.orientation[middle] = rotated<D>(s.bodies.orientation[middle], half);
       })},
      {"a body nowhere", "motion ", once([](Saved<D>& s) {
         s.bodies.position[middle].setConstant(std::numeric_limits<double>::quiet_NaN());
       })},
      {"a body beyond all bounds", "motion ",
       once([](Saved<D>& s) { s.bodies.position[middle].setConstant(1e300); })},
      {"a velocity", "kinetic ", once([&](Saved<D>& s) { s.bodies.velocity[sphere] += along; })},
      {"velocities exchanged", "kinetic ",
       once([](Saved<D>& s) { std::swap(s.bodies.velocity[sphere], s.bodies.velocity[top]); })},
      {"forces doubled", "impulses ", once([](Saved<D>& s) {
         for (ActiveContact<D>& contact : s.contacts) contact.percussion *= 2;
       })},
      {"a force left out", "impulses ", once([](Saved<D>& s) { s.contacts.clear(); })},
      {"bodies of contacts exchanged", "contacts ", once([](Saved<D>& s) {
         for (ActiveContact<D>& contact : s.contacts) contact.contact.key.b = plate;
       })},
      {"contact points moved", "contacts ", once([&](Saved<D>& s) {
         for (ActiveContact<D>& contact : s.contacts) contact.contact.point += 0.05 * up;
       })},
      {"a force that pulls", "cone ", once([](Saved<D>& s) {
         for (ActiveContact<D>& contact : s.contacts) contact.percussion *= -1;
       })},
      {"potential energy zeroed", "potential ", [](Saved<D>& s) { s.certificate.potential = 0; }},
      {"potential energy of a step without a frame", "ledger ",
       [](Saved<D>& s) {
         if (s.step == 33) s.certificate.potential *= 1.001;
       }},
      {"friction's work", "ledger ", [](Saved<D>& s) { s.certificate.friction_work = 1e9; }},
      {"work of contacts", "ledger ", once([](Saved<D>& s) {
         s.certificate.normal_work -= 1;
         s.certificate.contact_work -= 1;
       })},
      {"gravity's work", "ledger ", once([](Saved<D>& s) { s.certificate.external_work += 1; })},
      {"kinetic energy", "kinetic ", once([](Saved<D>& s) { s.certificate.kinetic *= 1.001; })},
      {"momentum", "kinetic ", once([](Saved<D>& s) { s.certificate.momentum_x += 1; })},
      {"the fastest body", "motion ", once([](Saved<D>& s) { s.certificate.max_speed = 1e9; })},
      {"impulses of a step", "impulses ",
       once([](Saved<D>& s) { s.certificate.normal_impulse *= 1.001; })},
      {"the tolerance", "scene ", [](Saved<D>& s) { s.scene.solver.tolerance = 1; }},
      {"the limit of penetration", "scene ",
       [](Saved<D>& s) { s.scene.certificate.penetration = 10; }},
      {"friction", "scene ",
       [](Saved<D>& s) {
         s.scene.laws.set(0, 0, {0.9, 0, 0});
       }},
      {"a mass", "scene ", [](Saved<D>& s) { s.bodies.mass[top] *= 1.001; }},
  };
  for (const int every : {1, 10}) {
    for (const Forgery& forgery : forgeries) {
      CAPTURE(every);
      CAPTURE(forgery.name);
      const std::string found = failures(check_of<D>(every, forgery.forge));
      CAPTURE(found);
      CHECK(found.find(forgery.found_by) != std::string::npos);
    }
  }
}

TEST_CASE("a scene that cannot be read leaves what needs it skipped, with the reason") {
  const Folder folder;
  write_run<2>(folder / "run.h5", 20);
  const RunCheck check = check_run(TrajectoryReader(folder / "run.h5"));
  for (const char* name : {"scene", "motion", "potential", "contacts", "impulses", "spin"}) {
    CAPTURE(name);
    CHECK(criterion(check, name).checked == 0);
    CHECK(criterion(check, name).skipped == "the scene in the file cannot be read");
  }
}

// A board slides across its axis; the force turned by 90° is as large, and outside of the ellipse.
TEST_CASE("a force outside of its friction ellipse is found, by the axis the body has at contact") {
  const std::string text = R"(
dimension = 3
gravity = [0, 7, -7]
time = { step = 1e-3, end = 0.06 }
solver = { tolerance = 1e-10 }
material.snow = {}
material.ski = { density = 600 }
[[contact]]
between = ["snow", "ski"]
friction = { along = 0.1, across = 0.6, axis = [0, 1, 0], of = "ski" }
[[body]]
shape = { halfspace = [0, 0, 1] }
material = "snow"
fixed = true
[[body]]
shape = { box = [0.2, 1, 0.05] }
material = "ski"
position = [0, 0, 0.025]
rotation = { axis = [0, 0, 1], degrees = 90 }
)";
  for (const int every : {1, 5}) {
    const RunCheck sound = check_of<3>(
        every, [](Saved<3>&) {}, text);
    CHECK(failures(sound) == "");
    const RunCheck forged = check_of<3>(
        every,
        [](Saved<3>& saved) {
          if (saved.step != 30) return;
          for (ActiveContact<3>& contact : saved.contacts)
            std::swap(contact.percussion[1], contact.percussion[2]);
        },
        text);
    CHECK(criterion(forged, "cone").first_bad_step == 30);
  }
}
