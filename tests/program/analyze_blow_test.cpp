// SPDX-License-Identifier: Apache-2.0
// talus analyze --blow: bodies that are struck, against closed forms.
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

double number_after(const std::string& text, const std::string& words) {
  const std::size_t found = text.find(words);
  REQUIRE_MESSAGE(found != std::string::npos, words);
  return std::stod(text.substr(found + words.size()));
}

std::string struck(const Scratch& folder, const std::string& arguments) {
  const Outcome outcome = talus_program("analyze scene.toml --json " + arguments, folder.path());
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  const std::size_t blow = outcome.out.find("\"blow\": ");
  REQUIRE(blow != std::string::npos);
  return outcome.out.substr(blow);
}

// A rod of 2 m and 3 kg that hangs on a pin at its end.
constexpr const char* pendulum = R"(
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 1 }
[material.a]
density = 1
friction = 0
[[body]]
name = "rod"
shape = { box = [0.1, 2] }
material = "a"
position = [0, -1]
mass = 3
inertia = 1
[[joint]]
name = "pin"
kind = "pin"
between = ["world", "rod"]
at = [0, 0]
)";

constexpr const char* block_on_floor = R"(
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 1 }
[material.a]
density = 1
friction = 0.3
restitution = 0.5
[[body]]
name = "floor"
shape = { halfspace = [0, 1] }
material = "a"
fixed = true
[[body]]
name = "block"
shape = { box = [1, 0.2] }
material = "a"
position = [0, 0.1]
mass = 2
rotation_locked = true
)";

}  // namespace

TEST_CASE("a rod on a pin turns by the moment of the blow, and its pin feels the rest") {
  const Scratch folder;
  write_text(folder / "scene.toml", pendulum);
  // About the pin I = 1 + 3·1² = 4; a blow of 6 N s at the depth y gives ω = 6 y/4, the centre
  // moves at ω, and the pin passes 3 ω − 6: nothing at y = I/(m r) = 4/3.
  for (const double depth : {0.5, 1.0, 4.0 / 3, 2.0}) {
    const std::string json = struck(folder, fmt::format("--blow 'rod:[6,0]@[0,{}]'", -depth));
    const double omega = 6 * depth / 4;
    CHECK(component(json, "angular", 0) == doctest::Approx(omega).epsilon(1e-11));
    CHECK(component(json, "linear", 0) == doctest::Approx(omega).epsilon(1e-11));
    CHECK(std::abs(component(json, "impulse", 0) - (3 * omega - 6)) < 1e-10);
    CHECK(number_after(json, "\"energy_after\": ") == doctest::Approx(2 * omega * omega));
    CHECK(number_after(json, "\"projection_apart\": ") < 1e-10);
  }
  // Two blows at once add up.
  const std::string both = struck(folder, "--blow 'rod:[6,0]@[0,-1]' --blow 'rod:[-6,0]@[0,-2]'");
  CHECK(component(both, "angular", 0) == doctest::Approx(1.5 - 3));
}

TEST_CASE(
    "a blow onto a floor goes into it, slides the body beyond the cone, and does not bounce") {
  const Scratch folder;
  write_text(folder / "scene.toml", block_on_floor);
  CHECK(struck(folder, "--blow 'block:[0,-4]'").find("\"velocities\": []") != std::string::npos);
  CHECK(struck(folder, "--blow 'block:[1,-4]'").find("\"velocities\": []") != std::string::npos);
  const std::string slides = struck(folder, "--blow 'block:[2,-4]'");
  CHECK(component(slides, "linear", 0) == doctest::Approx((2 - 0.3 * 4) / 2).epsilon(1e-10));
  const std::string away = struck(folder, "--blow 'block:[0,4]'");
  CHECK(component(away, "linear", 1) == doctest::Approx(2));

  // What closed before returns with e: v⁺ = −e v⁻, and the floor passes 2·3·1.5 + 4.
  const std::string landing = struck(folder,
                                     "--set body.block.velocity=[0,-3] --blow 'block:[0,-4]' "
                                     "--set material.a.friction=0");
  CHECK(number_after(landing, "\"normal\": ") == doctest::Approx(2 * 3 * 1.5 + 4));
  CHECK(number_after(landing, "\"projection_apart\": ") < 1e-10);
}

TEST_CASE("a blow that is not understood is refused in one line") {
  const Scratch folder;
  write_text(folder / "scene.toml", pendulum);
  const auto refused = [&](const char* blow) {
    const Outcome outcome =
        talus_program(fmt::format("analyze scene.toml --blow '{}'", blow), folder.path());
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  const std::string expected = ": expected BODY:[px,py] [N s] or BODY:[px,py]@[x,y] [m]\n";
  for (const char* const blow : {"rod", "rod:[1]", "rod:[1,2,3]", "rod:[1,2]@[1]", "rod:1,2",
                                 "rod:[1,x]", ":[1,2]", "rod:[1,2]@[0,nan]"})
    CHECK(refused(blow) == fmt::format("--blow {}{}", blow, expected));
  CHECK(refused("bar:[1,2]") == "'bar' is no body of the scene\n");
}
