// SPDX-License-Identifier: Apache-2.0
// talus analyze with friction in sliders and hinges in space and in pins, and with adhesion: closed
// forms.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

// Component k of the first vector of this name.
double component(const std::string& text, const std::string& name, int k) {
  std::size_t found = text.find(fmt::format("\"{}\": [", name));
  REQUIRE_MESSAGE(found != std::string::npos, name);
  for (int comma = 0; comma < k; ++comma) found = text.find(',', found + 1);
  return std::stod(text.substr(text.find_first_of("-0123456789", found + (k == 0 ? 0 : 1))));
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Outcome analyze(const Scratch& folder, const std::string& text, const std::string& options = "") {
  write_text(folder / "scene.toml", text);
  Outcome outcome = talus_program("analyze scene.toml --json " + options, folder.path());
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return outcome;
}

// A collar of 2 kg on a straight rod that falls by 30°: its friction is on the force m g cos 30°,
// which has two components across the rod.
constexpr const char* collar = R"(
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 1 }
[material.a]
[[body]]
name = "collar"
shape = { ball = 0.1 }
material = "a"
mass = 2
rotation_locked = true
velocity = [0.8660254037844387, 0, -0.5]
[[joint]]
name = "rod"
kind = "slider"
between = ["world", "collar"]
at = [0, 0, 0]
axis = [0.8660254037844387, 0, -0.5]
friction = 0.2
)";

}  // namespace

TEST_CASE("a collar slides down a rod with g (sin − μ cos), and stays at rest below tan = μ") {
  const Scratch folder;
  const Outcome slides = analyze(folder, collar);
  const double a = 9.81 * (0.5 - 0.2 * std::sqrt(0.75));
  CHECK(component(slides.out, "linear", 0) == doctest::Approx(a * std::sqrt(0.75)).epsilon(1e-9));
  CHECK(contains(slides.out, "\"advice\": \"friction in joints\""));
  CHECK(contains(slides.err, "in short: friction in joints: every load has one motion"));

  const std::string at_rest = "--set body.collar.velocity=[0,0,0] --set joint.rod.friction=";
  const Outcome stays = analyze(folder, collar, at_rest + "0.58");  // tan 30° = 0.5774
  CHECK(std::abs(component(stays.out, "linear", 0)) < 1e-9);
  const Outcome starts = analyze(folder, collar, at_rest + "0.57");
  CHECK(component(starts.out, "linear", 0) ==
        doctest::Approx(9.81 * (0.5 - 0.57 * std::sqrt(0.75)) * std::sqrt(0.75)).epsilon(1e-7));
}

TEST_CASE("a flywheel on a hinge is slowed by μ r m g") {
  const Scratch folder;
  const Outcome outcome = analyze(folder, R"(
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 1 }
[material.a]
[[body]]
name = "wheel"
shape = { ball = 0.5 }
material = "a"
mass = 3
inertia = [0.25, 0.4, 0.25]
spin = [0, 7, 0]
[[joint]]
name = "axle"
kind = "hinge"
between = ["world", "wheel"]
at = [0, 0, 0]
axis = [0, 1, 0]
friction = 0.1
radius = 0.02
)");
  const double alpha = -0.1 * 0.02 * 3 * 9.81 / 0.4;
  CHECK(component(outcome.out, "angular", 1) == doctest::Approx(alpha).epsilon(1e-9));
  CHECK(contains(outcome.err, "N m"));
}

TEST_CASE("a ball hangs from a ceiling by adhesion that bears its weight, and falls otherwise") {
  const Scratch folder;
  constexpr const char* ball = R"(
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 1 }
[material.a]
friction = 0.5
adhesion = 25
[[body]]
name = "ceiling"
shape = { halfspace = [0, 0, -1] }
material = "a"
fixed = true
[[body]]
name = "ball"
shape = { ball = 0.1 }
material = "a"
mass = 2
position = [0, 0, -0.1]
)";
  const Outcome hangs = analyze(folder, ball);
  CHECK(std::abs(component(hangs.out, "linear", 2)) < 1e-9);
  CHECK(component(hangs.out, "normal_unilateral", 0) == doctest::Approx(-2 * 9.81));
  CHECK(contains(hangs.err, "adhesion of 25 N included"));
  const Outcome falls = analyze(folder, ball, "--set material.a.adhesion=15");
  CHECK(component(falls.out, "linear", 2) == doctest::Approx(-9.81 + 15.0 / 2).epsilon(1e-9));
  // A sideways pull slides it beyond μ (F − m g).
  const double threshold = 0.5 * (25 - 2 * 9.81) / 2;
  for (const double factor : {0.99, 1.01}) {
    const Outcome pulled =
        analyze(folder, ball,
                fmt::format("--set gravity=[{},0,-9.81] --set body.ball.rotation_locked=true",
                            factor * threshold));
    CHECK(contains(pulled.out, "\"stick\"") == (factor < 1));
  }
}
