// SPDX-License-Identifier: Apache-2.0
// talus analyze of impacts: verdicts on laws, quasi-velocities, modes.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "io/trajectory/trajectory_reader.hpp"
#include "tests/program/program.hpp"

using namespace talus;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

double number_after(const std::string& text, const std::string& words) {
  const std::size_t found = text.find(words);
  REQUIRE_MESSAGE(found != std::string::npos, words);
  return std::stod(text.substr(found + words.size()));
}

Outcome analyze(const Scratch& folder, const std::string& arguments) {
  Outcome outcome = talus_program("analyze " + arguments, folder.path());
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return outcome;
}

// A block 0.3 m × 1 m that lands flat: G₁₂ = 0.602941.
constexpr const char* flat = R"(
dimension = 2
time = { step = 1e-3, end = 0.02 }
solver = { tolerance = 1e-12 }
[material.a]
density = 1
friction = 0
restitution = 0.5
[[body]]
name = "floor"
shape = { halfspace = [0, 1] }
material = "a"
fixed = true
[[body]]
name = "block"
shape = { polytope = [[-0.15, 1], [0.15, 1], [0.15, 0], [-0.15, 0]] }
material = "a"
velocity = [0, -1]
)";

}  // namespace

TEST_CASE("Moreau's law is proved for a block that lands flat, the same matrix by the letter not") {
  const Scratch folder;
  write_text(folder / "flat.toml", flat);
  for (const char* e : {"0", "0.5", "1"}) {
    const Outcome moreau =
        analyze(folder, fmt::format("flat.toml --set material.a.restitution={} --json", e));
    CHECK(contains(moreau.err, "by the letter, Proposition 8: kinematic yes, kinetic no"));
    CHECK(contains(moreau.err, "in short: proved to be admissible; for the present"));
    CHECK(contains(moreau.out, "\"proved_admissible\": \"yes\""));
  }
  const Outcome projection = analyze(folder, "flat.toml --set impact_law=projection");
  CHECK(contains(projection.out, "the law is taken by the letter: Proposition 8 decides"));
  CHECK(contains(projection.out, "m/s: a contact pulls with 0.603 of the largest percussion"));
  CHECK(contains(projection.out, "in short: NOT ADMISSIBLE for some velocities of arrival"));
  // Theorem 2, with G⁻¹: (1 − e²)/(1 + G₁₂).
  const Outcome rough = analyze(
      folder, "flat.toml --set material.a.friction=0.05 --set body.block.velocity=[0.1,-1] --json");
  CHECK(number_after(rough.out, "\"smallest_M\": ") == doctest::Approx(0.467890).epsilon(1e-5));
  CHECK(contains(rough.err, "2 rough contacts, all ways to slide or stick by their corners"));
  CHECK(contains(rough.err,
                 "in short: proved to be admissible for the present velocities, and as computed it "
                 "is admissible\n"));
  CHECK(contains(rough.err, "; an impact comes before these forces\n"));
  // Without gravity nothing presses on the contacts, and nothing opens them.
  const Outcome still = analyze(folder, "flat.toml --set material.a.friction=0.05");
  CHECK_MESSAGE(contains(still.out, "one motion (2 stick, 0 slide, 0 detach)"), still.out);
}

TEST_CASE("unequal coefficients are refuted by an arrival in which a contact opens") {
  const Scratch folder;
  write_text(folder / "chain.toml", R"(
dimension = 2
time = { step = 1e-4, end = 0.01 }
solver = { tolerance = 1e-12 }
[material.a]
density = 7800
[material.b]
density = 7800
[[contact]]
between = ["a", "a"]
friction = 0
restitution = 1
[[contact]]
between = ["a", "b"]
friction = 0
restitution = 0
[[body]]
name = "first"
shape = { ball = 0.01 }
material = "a"
position = [0, 0]
velocity = [1, 0]
[[body]]
name = "second"
shape = { ball = 0.01 }
material = "a"
position = [0.02, 0]
[[body]]
name = "third"
shape = { ball = 0.01 }
material = "b"
position = [0.04, 0]
)");
  const Outcome chain = analyze(folder, "chain.toml --json");
  CHECK(contains(chain.err, "where no contact opens: yes, where touching contacts open, too: no"));
  CHECK(contains(chain.err, "refuted by the arrival u_N = ("));
  CHECK(
      contains(chain.err, "proved to be admissible where no contact opens on arrival, NOT where"));
  CHECK(contains(chain.out, "\"no_gain_where_contacts_open\": \"no\""));
  CHECK(contains(chain.out, "\"refuted_by\": {\"normal_velocities\": ["));
}

// Three equal balls of mass m, the first at 1 m/s: q̇_norm⁻ = (−√(m/2), 0), q̇_tan⁻ = √(m/3) at
// first; elastic, q̇_norm⁺ = (√(m/2), 0).
TEST_CASE("analyze writes quasi-velocities and their energies before and after an impact") {
  const Scratch folder;
  const Outcome chain =
      analyze(folder, std::string(TALUS_SOURCE_DIR) + "/scenes/chain.toml --json");
  const double m = 7800 * std::numbers::pi * 1e-4;
  const std::size_t before = chain.out.find("\"before\": "), after = chain.out.find("\"after\": ");
  REQUIRE(before != std::string::npos);
  REQUIRE(after != std::string::npos);
  const std::string first = chain.out.substr(before), then = chain.out.substr(after);
  CHECK(number_after(first, "\"normal\": [") == doctest::Approx(-std::sqrt(m / 2)));
  CHECK(number_after(first, "\"tangential\": [") == doctest::Approx(std::sqrt(m / 3)));
  CHECK(number_after(first, "\"normal_energy\": ") == doctest::Approx(m / 3));
  CHECK(number_after(first, "\"tangential_energy\": ") == doctest::Approx(m / 6));
  CHECK(number_after(then, "\"normal\": [") == doctest::Approx(std::sqrt(m / 2)));
  CHECK(number_after(then, "\"tangential\": [") == doctest::Approx(std::sqrt(m / 3)));
  CHECK(number_after(chain.out, "\"energy_ratio\": ") == doctest::Approx(1));
  CHECK(contains(chain.err, "the impact leaves 1 of the kinetic energy"));
  CHECK(contains(chain.err, "modes of the impact: one motion\n      push, push\n"));
  CHECK(contains(chain.err, "E may be up to 1 times as large"));
}

TEST_CASE("the impacts of a run have quasi-normal velocities, with joints taken out of them") {
  const Scratch folder;
  const std::string scenes = std::string(TALUS_SOURCE_DIR) + "/scenes/";
  REQUIRE(talus_program("run " + scenes + "chain.toml -o chain.h5 --quiet", folder.path()).code ==
          0);
  const ImpactTable chain = TrajectoryReader(folder / "chain.h5").impacts();
  const double m = 7800 * std::numbers::pi * 1e-4;
  REQUIRE(chain.size() == 2);
  CHECK(chain.quasi_before[0] == doctest::Approx(-std::sqrt(m / 2)));
  CHECK(chain.quasi_after[0] == doctest::Approx(std::sqrt(m / 2)));
  CHECK(std::abs(chain.quasi_before[1]) < 1e-12);
  CHECK(std::abs(chain.quasi_after[1]) < 1e-12);
  for (const std::size_t row : {0, 1}) {
    CHECK(chain.normal_energy_before[row] == doctest::Approx(m / 3));
    CHECK(chain.normal_energy_after[row] == doctest::Approx(m / 3));
    CHECK(chain.tangential_energy_before[row] == doctest::Approx(m / 6));
    CHECK(chain.tangential_energy_after[row] == doctest::Approx(m / 6));
  }

  // A rod of mass m on a pin at one end strikes a floor with the other: it turns with the inertia
  // m l²/3 about the pin, so that ½ q̇_norm² is all its energy.
  write_text(folder / "rod.toml", R"(
dimension = 2
time = { step = 1e-4, end = 0.1 }
solver = { tolerance = 1e-12 }
[material.a]
density = 1000
friction = 0
restitution = 0.5
[[body]]
name = "floor"
shape = { halfspace = [0, 1] }
material = "a"
fixed = true
[[body]]
name = "rod"
shape = { polytope = [[-0.5, -0.01], [0.5, -0.01], [0.5, 0.01], [-0.5, 0.01]] }
material = "a"
mass = 3
inertia = 0.25
position = [0, 0.03]
spin = -1
velocity = [0, -0.5]
[[joint]]
kind = "pin"
between = ["world", "rod"]
at = [-0.5, 0.03]
)");
  REQUIRE(talus_program("run rod.toml -o rod.h5 --quiet", folder.path()).code == 0);
  const ImpactTable rod = TrajectoryReader(folder / "rod.h5").impacts();
  REQUIRE(rod.size() >= 1);
  const double energy = 0.5 * (0.25 + 3 * 0.25) * 1;  // ½ (I + m/4) spin²
  CHECK(0.5 * rod.quasi_before[0] * rod.quasi_before[0] == doctest::Approx(energy).epsilon(1e-5));
  CHECK(0.5 * rod.quasi_after[0] * rod.quasi_after[0] == doctest::Approx(energy / 4).epsilon(1e-6));
  CHECK(rod.normal_energy_before[0] == doctest::Approx(energy).epsilon(1e-5));
  CHECK(rod.normal_energy_after[0] == doctest::Approx(energy / 4).epsilon(1e-5));
  CHECK(rod.tangential_energy_before[0] < 1e-5 * energy);
}

// In free flight ÿ = −g and ω is constant; with the arm (a, b) of the corner, ȧ = −b ω,
//     q̇_norm = (ẏ + a ω)/f, f² = 1/m + a²/I,   q̇_tan,2 = (−m a ẏ + I ω)/D, D² = I + m a²,
// whose derivatives are −F_norm and −F_tan [B12, (10), (24)]; q̇_tan,1 = √m ẋ.
TEST_CASE("analyze writes the quasi-Lagrange forces F_norm and F_tan") {
  const Scratch folder;
  const double a = -0.3, I = 0.04, g = 9.81, y = -0.2, w = 0.7, rate = w;  // b = −1, m = 1
  const Outcome box =
      analyze(folder, std::string(TALUS_SOURCE_DIR) +
                          "/scenes/box_on_corner.toml --json --set body.box.spin=0.7 --set "
                          "body.box.velocity=[-1,-0.2]");
  const double f = std::sqrt(1 + a * a / I), D = std::sqrt(I + a * a);
  const double f_dot = a * rate / (I * f), D_dot = a * rate / D;
  const double normal = (-g + rate * w) / f - (y + a * w) * f_dot / (f * f);
  const double tangential = (-rate * y + a * g) / D - (-a * y + I * w) * D_dot / (D * D);
  CHECK(number_after(box.out, "\"F_norm\": [") == doctest::Approx(-normal).epsilon(1e-6));
  const std::string second = box.out.substr(box.out.find("\"F_tan\": ["));
  CHECK(std::abs(number_after(second, "[")) < 1e-9);
  CHECK(number_after(second, ", ") == doctest::Approx(-tangential).epsilon(1e-6));
}

// A puck of 1 kg flies towards a wall that turns at Ω, whose normal points along x at this moment:
// n = −(cos Ωt, sin Ωt), q̇_norm = n·v and q̇_tan,1 = (−sin Ωt, cos Ωt)·v, so that F_norm = Ω ẏ and
// F_tan,1 = Ω ẋ. x alone is along the normal, at this moment and at no other.
TEST_CASE("F_tan is that of tangents which go on beyond a normal along an axis") {
  const Scratch folder;
  write_text(folder / "wall.toml", R"(
dimension = 2
time = { step = 1e-4, end = 0.01 }
[material.a]
density = 1
friction = 0
[[body]]
name = "wall"
shapes = [{ box = [0.2, 0.2], position = [1.1, 0] }]
material = "a"
drive = [{ spin = 3 }]
[[body]]
name = "puck"
shape = { ball = 0.1 }
mass = 1
material = "a"
position = [0.9, 0]
velocity = [0.5, 2.7]
[[body]]                                # far away, and no part of this
name = "bullet"
shape = { ball = 1e-4 }
material = "a"
position = [50, 0]
velocity = [3000, 0]
)");
  const Outcome puck = analyze(folder, "wall.toml --json");
  CHECK(number_after(puck.out, "\"F_norm\": [") == doctest::Approx(3 * 2.7).epsilon(1e-6));
  CHECK(number_after(puck.out, "\"F_tan\": [") == doctest::Approx(3 * 0.5).epsilon(1e-6));
}

// A ball on a floor that is lifted by 0.1 m (1 − cos 2πt): with G = 1 and m = 1, q̈_norm + F_norm =
// λ makes F_norm the force that the contact has, g + 0.1 (2π)², and not the weight.
TEST_CASE("F_norm of a ball on a lift is the force that carries it") {
  const Scratch folder;
  write_text(folder / "lift.toml", R"(
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-4, end = 0.1 }
[material.a]
density = 1
friction = 0.3
[[body]]
name = "floor"
shape = { halfspace = [0, 1] }
material = "a"
drive = [{ direction = [0, 1], position = { sinusoid = { amplitude = 0.1, frequency = 1, phase = -1.5707963267948966, offset = 0.1 } } }]
[[body]]
name = "ball"
shape = { ball = 0.1 }
mass = 1
material = "a"
position = [0, 0.1]
)");
  const Outcome lift = analyze(folder, "lift.toml --json");
  CHECK(number_after(lift.out, "\"normal_unilateral\": [") ==
        doctest::Approx(13.757842).epsilon(1e-6));
  CHECK(number_after(lift.out, "\"F_norm\": [") == doctest::Approx(13.757842).epsilon(1e-6));
}

// A ladder slides and does not close: what rounding leaves of its normal velocity is no arrival.
TEST_CASE("Theorem 2 does not take rounding for a contact that opens") {
  const Scratch folder;
  const Outcome ladder = analyze(folder, std::string(TALUS_SOURCE_DIR) + "/scenes/ladder.toml");
  CHECK(contains(ladder.out, "percussions push yes"));
  CHECK(contains(ladder.out, "normal over tangential 0, at least"));
  CHECK(contains(ladder.out, "normal (0), tangential ("));
}

// A = (k² + a²)/|a b| with a = l sin φ − r cos φ, b = l cos φ + r sin φ [B12, §2.3.4 and §4.1].
TEST_CASE("box_on_corner: its critical friction is that of RR-8158, r/l as the inertia vanishes") {
  const Scratch folder;
  const std::string scene = std::string(TALUS_SOURCE_DIR) + "/scenes/box_on_corner.toml";
  for (const double k : {0.2, 0.001}) {
    for (const double degrees : {0.0, 10.0}) {
      const double phi = degrees * std::numbers::pi / 180, l = 1, r = 0.3;
      const double a = l * std::sin(phi) - r * std::cos(phi),
                   b = l * std::cos(phi) + r * std::sin(phi);
      const Outcome report = analyze(
          folder, fmt::format("{} --set body.box.inertia={} --set body.box.rotation.degrees={} "
                              "--set body.box.position=[0,{:.17g}]",
                              scene, k * k, degrees, l * std::cos(phi) + r * std::sin(phi)));
      CHECK(number_after(report.out, "critical friction ") ==
            doctest::Approx((k * k + a * a) / std::abs(a * b)).epsilon(1e-5));
    }
  }
  const Outcome limit = analyze(folder, scene + " --set body.box.inertia=1e-12");
  CHECK(number_after(limit.out, "critical friction ") == doctest::Approx(0.3).epsilon(1e-5));
}
