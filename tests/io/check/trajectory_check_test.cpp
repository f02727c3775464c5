// SPDX-License-Identifier: Apache-2.0
// A sound run is certified; whatever is wrong with a step is found, and the step is named.
#include "io/check/trajectory_check.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "io/trajectory/series_columns.hpp"
#include "tests/io/sample_run.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

// A floor, a ball that rests on it and one that falls: the scheme of the engine, done by hand.
template <int D>
struct Fall {
  Scene<D> scene;
  Bodies<D> bodies;
  std::vector<ActiveContact<D>> contacts;
  Certificate certificate;
  std::int64_t steps = 0;

  Fall() {
    scene.gravity = direction<D>(D - 1, -9.81);
    scene.h = 1e-3;
    scene.end = 0.012;
    scene.materials = {{"stone", 2600}};
    scene.laws = PairTable(1);
    scene.laws.set(0, 0, {0.5, 0, 0});
    scene.bodies.resize(3);
    scene.bodies[0].shapes = {HalfSpace<D>{direction<D>(D - 1), 0}};
    scene.bodies[0].fixed = true;
    for (std::size_t i : {1u, 2u}) {
      scene.bodies[i].shapes = {Ball<D>{0.1, Vec<D>::Zero()}};
      scene.bodies[i].position = direction<D>(0, static_cast<double>(i)) + direction<D>(D - 1, 0.1);
    }
    scene.bodies[2].position[D - 1] = 2;
    scene.bodies[2].spin.setConstant(3);
    bodies = make_bodies<D>(scene);
  }

  void step() {
    const double h = scene.h, before = kinetic_energy<D>(bodies);
    const Vec<D> v_minus = bodies.velocity[2];
    bodies.velocity[2] += h * scene.gravity;
    const Vec<D> mean = 0.5 * (v_minus + bodies.velocity[2]);
    bodies.position[2] += h * mean;
    bodies.orientation[2] = rotated<D>(bodies.orientation[2], h * bodies.spin[2]);

    ActiveContact<D> active;
    active.contact.key = {0, 1, 0, 0, 0};
    active.contact.gap = -1e-6;
    active.contact.normal = direction<D>(D - 1);
    active.contact.point = bodies.position[1] - 0.1 * active.contact.normal;
    active.frame = frame_of_normal<D>(active.contact.normal);
    active.law = scene.laws(0, 0);
    active.percussion = direction<D>(0, -bodies.mass[1] * h * scene.gravity[D - 1]);
    active.u_minus = active.u_plus = Vec<D>::Zero();
    contacts = {active};

    certificate = {};
    certificate.step = ++steps;
    certificate.time = static_cast<double>(steps) * h;
    certificate.contacts = certificate.sticking = 1;
    certificate.max_penetration = certificate.mean_penetration = 1e-6;
    certificate.max_relative_penetration = 1e-5;
    certificate.sweeps = 2;
    certificate.error = 1e-9;
    certificate.kinetic = kinetic_energy<D>(bodies);
    certificate.potential = potential_energy<D>(bodies, scene);
    record_momentum<D>(bodies, certificate);
    certificate.external_work = bodies.mass[2] * h * scene.gravity.dot(mean);
    certificate.turnover = before + certificate.kinetic + certificate.external_work;
    certificate.defect = certificate.kinetic - before - certificate.external_work;
    certificate.bodies = 3;
    certificate.mass = bodies.mass[1] + bodies.mass[2];
  }
};

// The check of a run of 12 steps in which something was done to step 7.
template <int D>
RunCheck check_of(const std::function<void(Fall<D>&)>& spoil, const CheckOptions& options = {},
                  double energy_gain = 0) {
  const Folder folder;
  Fall<D> fall;
  fall.scene.certificate.energy_gain = energy_gain;
  auto writer =
      TrajectoryWriter<D>::create(folder / "run.h5", fall.scene, fall.bodies, info(), false);
  writer.append_frame(0, 0, fall.bodies, {});
  while (fall.steps < 12) {
    fall.step();
    Fall<D> saved = fall;
    if (fall.steps == 7) spoil(saved);
    writer.append_series(saved.certificate, 1e-3);
    writer.append_frame(saved.certificate.time, fall.steps, saved.bodies, saved.contacts);
  }
  writer.close();
  return check_run(TrajectoryReader(folder / "run.h5"), options);
}

std::string failures(const RunCheck& check) {
  std::string names;
  for (const Criterion& criterion : check.criteria)
    if (!criterion.passed()) names += criterion.name + " ";
  return names;
}

}  // namespace

TEST_CASE_TEMPLATE("a sound run is certified", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const RunCheck check = check_of<D>([](Fall<D>&) {});
  CHECK(failures(check) == "");
  CHECK(check.passed());
  CHECK_FALSE(check.first_bad_step());
  CHECK(check.unconverged_steps == 0);
  CHECK(check.max_error == 1e-9);
  CHECK(check.max_penetration == 1e-6);
  CHECK(check.energy_defect < 1e-14);
  for (const Criterion& criterion : check.criteria) {
    CAPTURE(criterion.name);
    const bool needs_scene = std::string(" scene motion potential contacts impulses spin ")
                                 .find(" " + criterion.name + " ") != std::string::npos;
    if (needs_scene)
      CHECK(criterion.skipped == "the scene in the file cannot be read");
    else if (criterion.name.starts_with("impact"))
      CHECK(criterion.skipped == "no impacts were recorded");
    else
      CHECK(criterion.checked >= 12);
  }
}

TEST_CASE_TEMPLATE("what is wrong with a step fails the check and names the step", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    std::string fails;
    std::function<void(Fall<D>&)> spoil;
  };
  const std::vector<Case> cases = {
      {"order ", [](Fall<D>& f) { f.certificate.time += 1e-6; }},
      {"order ", [](Fall<D>& f) { f.certificate.step = 70; }},
      {"finite ", [&](Fall<D>& f) { f.certificate.potential = nan; }},
      {"finite ", [&](Fall<D>& f) { f.bodies.position[1][0] = nan; }},
      {"finite ", [&](Fall<D>& f) { f.contacts[0].u_plus[0] = 1 / 0.0; }},
      {"converged ", [](Fall<D>& f) { f.certificate.converged = false; }},
      {"converged ", [](Fall<D>& f) { f.certificate.error = 1.1e-4; }},
      {"finite converged ", [&](Fall<D>& f) { f.certificate.error = nan; }},
      {"penetration ", [](Fall<D>& f) { f.certificate.max_relative_penetration = 0.11; }},
      {"tunnelling ", [](Fall<D>& f) { f.certificate.passed_through = 1; }},
      {"energy ledger ", [](Fall<D>& f) { f.certificate.defect = 2e-10 * f.certificate.turnover; }},
      {"energy ",
       [](Fall<D>& f) {
         f.certificate.turnover = 0;
         f.certificate.defect = 1e-12;
       }},
      {"ledger ", [](Fall<D>& f) { f.certificate.contact_work = -1e-6; }},
      {"kinetic momentum ", [](Fall<D>& f) { f.bodies.velocity[2] *= 1 + 1e-6; }},
      {"kinetic ", [](Fall<D>& f) { f.bodies.spin[2] *= 1 + 1e-6; }},
      {"cone momentum ", [](Fall<D>& f) { f.contacts[0].percussion *= -1; }},
      {"cone momentum ",
       [](Fall<D>& f) { f.contacts[0].percussion[1] = 0.501 * f.contacts[0].percussion[0]; }},
      {"overlap ", [](Fall<D>& f) { f.contacts[0].contact.gap = -1.1e-6; }},
      {"momentum ", [](Fall<D>& f) { f.contacts[0].percussion *= 1 + 1e-6; }},
      {"momentum ", [](Fall<D>& f) { f.contacts.clear(); }},
      {"population ", [](Fall<D>& f) { f.certificate.bodies = 4; }},
      {"population ", [](Fall<D>& f) { f.certificate.removed = 1; }},
      {"population ", [](Fall<D>& f) { f.certificate.mass *= 1 + 1e-9; }},
      {"population ", [](Fall<D>& f) { f.certificate.waiting = -1; }},
      {"ledger ", [](Fall<D>& f) { f.certificate.inflow_kinetic = 1e-6; }},
  };
  for (const Case& c : cases) {
    const RunCheck check = check_of<D>(c.spoil);
    std::string found = failures(check);
    if (c.fails == "finite ") {  // other criteria may stumble over it, too
      CHECK(found.find("finite ") != std::string::npos);
    } else if (c.fails == "energy ") {
      CHECK(found.find("energy ") != std::string::npos);
    } else {
      CHECK(found == c.fails);
    }
    REQUIRE(check.first_bad_step());
    CHECK(*check.first_bad_step() == 7);
    CHECK_FALSE(check.passed());
  }
}

TEST_CASE("a number of the series that is none, or not finite, fails the check") {
  for_each_series_column([]<class T>(const char* name, const char*, T Certificate::*member) {
    if constexpr (std::is_same_v<T, double>) {
      for (const double lost :
           {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        CAPTURE(name);
        const RunCheck check = check_of<2>([&](Fall<2>& f) { f.certificate.*member = lost; });
        CHECK(failures(check).find("finite ") != std::string::npos);
        CHECK(*check.first_bad_step() == 7);
      }
    }
  });
}

TEST_CASE("the limit on penetration is the scene's, or that of whoever checks") {
  const auto sunk = [](Fall<2>& f) { f.certificate.max_relative_penetration = 0.02; };
  CHECK(check_of<2>(sunk).passed());
  CHECK(failures(check_of<2>(sunk, {.penetration = 0.01})) == "penetration ");
  CHECK(check_of<2>(sunk, {.penetration = 0.03}).passed());
}

TEST_CASE(
    "an impact that is not admissible fails the check, unless the scene lets it gain energy") {
  const auto gaining = [](Fall<2>& f) {
    f.certificate.impacts = f.certificate.impact_inadmissible = 1;
    f.certificate.impact_gain = 0.2;
  };
  CHECK(failures(check_of<2>(gaining)) == "impact_gain ");
  CHECK(check_of<2>(gaining, {}, 0.25).passed());
  CHECK(failures(check_of<2>(gaining, {}, 0.1)) == "impact_gain ");
  CHECK(failures(check_of<2>([](Fall<2>& f) {
          f.certificate.impacts = 1;
          f.certificate.impact_closing = 2e-4;
        })) == "impact_closing ");
  CHECK(failures(check_of<2>([](Fall<2>& f) {
          f.certificate.impacts = 1;
          f.certificate.impact_cone = 2e-4;
        })) == "impact_cone ");
}

TEST_CASE("a complete run has all of its steps") {
  const Folder folder;
  Fall<2> fall;
  auto writer =
      TrajectoryWriter<2>::create(folder / "run.h5", fall.scene, fall.bodies, info(), false);
  writer.append_frame(0, 0, fall.bodies, {});
  fall.step();
  writer.append_series(fall.certificate, 1e-3);
  writer.append_frame(fall.certificate.time, 1, fall.bodies, fall.contacts);
  writer.close();
  const RunCheck check = check_run(TrajectoryReader(folder / "run.h5"));
  CHECK(failures(check) == "order ");
  CHECK(*check.first_bad_step() == 2);
}

TEST_CASE("normals and orientations must have unit length") {
  const RunCheck check = check_of<3>([](Fall<3>& f) { f.bodies.orientation[1].q.coeffs() *= 1.1; });
  CHECK(failures(check) == "unit ");
  CHECK(*check.first_bad_step() == 7);
  const RunCheck other = check_of<3>([](Fall<3>& f) { f.contacts[0].contact.normal *= 1 + 1e-6; });
  CHECK(failures(other).find("unit ") == 0);
}

TEST_CASE("a run with forces that the file does not hold is not blamed for its momentum") {
  const Folder folder;
  Fall<3> fall;
  fall.scene.end = fall.scene.h;
  fall.scene.forces.resize(1);
  fall.scene.forces[0].body = 1;
  auto writer =
      TrajectoryWriter<3>::create(folder / "run.h5", fall.scene, fall.bodies, info(), false);
  writer.append_frame(0, 0, fall.bodies, {});
  fall.step();
  writer.append_series(fall.certificate, 1e-3);
  fall.contacts.clear();
  writer.append_frame(fall.certificate.time, 1, fall.bodies, fall.contacts);
  writer.close();
  CHECK(failures(check_run(TrajectoryReader(folder / "run.h5"))) == "");
}
