// SPDX-License-Identifier: Apache-2.0
// talus limit: what it answers, in numbers, words and pictures, and what it refuses.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++found;
  return found;
}

// The number behind a key of the JSON object that ends the output.
double number(const Outcome& outcome, const std::string& key) {
  const std::size_t place = outcome.out.rfind("\"" + key + "\": ");
  REQUIRE_MESSAGE(place != std::string::npos, outcome.out);
  return std::strtod(outcome.out.c_str() + place + key.size() + 4, nullptr);
}

// VALIDATION C04: a wall of B/H = 2 in running bond.
std::string wall(double friction) {
  return stone_floor("{ step = 1e-3, end = 0.1 }") + fmt::format(R"(
[[contact]]
between = ["stone", "stone"]
friction = {}

[[wall]]
block    = [0.5, 0.25]
courses  = 4
blocks   = 4
material = "stone"
)",
                                                                 friction);
}

Outcome limit(const std::string& arguments, const Scratch& scratch) {
  return talus_program("limit " + arguments, scratch.path());
}

}  // namespace

TEST_CASE("C04: a wall slides at its friction, and overturns where that is higher than B/H") {
  const Scratch scratch;
  write_text(scratch / "wall.toml", wall(0.3));
  const Outcome slides = limit("wall.toml --push '[1,0]' --json", scratch);
  REQUIRE_MESSAGE(slides.code == 0, slides.err);
  CHECK(number(slides, "lambda_static") == doctest::Approx(0.3).epsilon(1e-7));
  CHECK(number(slides, "lambda_dual") == doctest::Approx(0.3).epsilon(1e-7));
  CHECK(number(slides, "lambda_least") == doctest::Approx(-0.3).epsilon(1e-7));
  CHECK(contains(slides.out, "\"outcome\": \"bounded\""));
  CHECK(contains(slides.err, "An upper bound: friction is associated"));
  CHECK(contains(slides.err, "wall.0.0 on floor"));

  const Outcome tilted = limit("wall.toml --tilt '[1,0]' --json", scratch);
  REQUIRE_MESSAGE(tilted.code == 0, tilted.err);
  CHECK(number(tilted, "angle_degrees") == doctest::Approx(std::atan(0.3) * 180 / M_PI));
}

// A block that is pushed out of a wall lifts what lies on it where sliding dilates, and does not by
// Coulomb's law: the bounds differ.
TEST_CASE("C04: runs slide at 0.30 ± 0.005, and may give way before the cone programme does") {
  const Scratch scratch;
  write_text(scratch / "wall.toml", wall(0.3));
  const Outcome whole = limit("wall.toml --push '[1,0]' --dynamic --json", scratch);
  REQUIRE_MESSAGE(whole.code == 0, whole.err);
  CHECK(number(whole, "stood") > 0.295);
  CHECK(number(whole, "gave_way") < 0.305);
  CHECK(contains(whole.err, "a run with λ = 0: stands"));

  const Outcome one = limit("wall.toml --push '[1,0]' --on wall.1.4 --dynamic --json", scratch);
  REQUIRE_MESSAGE(one.code == 0, one.err);
  CHECK(number(one, "lambda_static") == doctest::Approx(1.8).epsilon(1e-7));
  CHECK(number(one, "gave_way") - number(one, "stood") <= 0.0181);
  CHECK(number(one, "gave_way") < 1.3);
  CHECK(number(one, "stood") > 1.1);
  CHECK(number(one, "runs") == 9);

  const Outcome tilted = limit("wall.toml --tilt '[1,0]' --dynamic --within 0.02 --json", scratch);
  REQUIRE_MESSAGE(tilted.code == 0, tilted.err);
  CHECK(number(tilted, "stood") == doctest::Approx(0.3 * 0.98));
}

TEST_CASE("normal forces are bounded where they are not unique") {
  const Scratch scratch;
  write_text(scratch / "wall.toml", wall(0.3));
  const Outcome forces = limit("wall.toml --push '[1,0]' --forces 0 --json", scratch);
  REQUIRE_MESSAGE(forces.code == 0, forces.err);
  CHECK(contains(forces.err, "normal forces at λ = 0: unique at "));
  CHECK(contains(forces.out, "\"forces\": {\"lambda\": 0, \"joints\": [{\"joint\": "));
  const Outcome stack = limit("stack --push '[1,0]' --forces 0", scratch);
  REQUIRE_MESSAGE(stack.code == 0, stack.err);
  CHECK(contains(stack.out, "unique at 5 of 5 joints and 10 of 10 contacts"));
  CHECK(contains(stack.out, "stack.4 on stack.3           68.67 N"));
}

TEST_CASE("a mechanism is drawn with its hinges, from a scene and from a frame of a run") {
  const Scratch scratch;
  const Outcome first = limit("arch --push '[1,0]' --picture arch.svg", scratch);
  REQUIRE_MESSAGE(first.code == 0, first.err);
  CHECK(contains(first.out, "4 hinges, 0 joints slide"));
  CHECK(contains(first.out, "hinge       arch.14 on ground"));
  const std::string svg = read_text(scratch / "arch.svg");
  CHECK(count(svg, "<circle") == 4 + 1);  // and one in the legend

  const Outcome again = limit("arch --push '[1,0]' --picture arch.svg", scratch);
  CHECK(again.code == 2);
  CHECK(contains(again.err, "arch.svg"));
  CHECK(read_text(scratch / "arch.svg") == svg);

  REQUIRE(talus_program("run arch --until 0.1 -o arch.h5 --quiet", scratch.path()).code == 0);
  const Outcome start = limit("arch --push '[1,0]' --json", scratch),
                frame = limit("arch.h5@0.1 --push '[1,0]' --json", scratch);
  REQUIRE_MESSAGE(frame.code == 0, frame.err);
  CHECK(number(frame, "time") == doctest::Approx(0.1));
  CHECK(number(frame, "lambda_static") ==
        doctest::Approx(number(start, "lambda_static")).epsilon(1e-3));
}

TEST_CASE("loads without a limit, effect or resistance are said in words, with their bodies") {
  const Scratch scratch;
  write_text(scratch / "wall.toml", wall(0.3));
  const Outcome down = limit("wall.toml --push '[0,-1]' --on 'wall.3.*' --json", scratch);
  CHECK(down.code == 0);
  CHECK(contains(down.err, "unbounded: every multiple of the live load on wall.3.0, wall.3.1"));
  CHECK(contains(down.out, "\"outcome\": \"unbounded\""));

  const Outcome none =
      limit("wall.toml --load wall.1.1:'[5,0]' --load wall.1.1:'[-5,0]' --json", scratch);
  CHECK(none.code == 0);
  CHECK(contains(none.err, "no effect: the live load does no work"));
  CHECK(contains(none.err, "(wall.1.1)"));
  CHECK(contains(none.out, "\"outcome\": \"no effect\""));

  write_text(scratch / "ice.toml", wall(0));
  const Outcome slips = limit("ice.toml --push '[1,0]' --on wall.3.4 --json", scratch);
  CHECK(slips.code == 0);
  CHECK(
      contains(slips.err, "not resisted: any multiple of the live load on wall.3.4 moves bodies"));

  const Outcome falls = limit("arch --set arch.0.thickness=0.1 --push '[1,0]' --json", scratch);
  CHECK(falls.code == 0);
  CHECK(contains(falls.err, "does not stand: no forces within the friction cones"));
  CHECK(contains(falls.out, "\"outcome\": \"falls\""));

  const Outcome flies = limit("bouncing --push '[1,0,0]' --json", scratch);
  CHECK(flies.code == 0);
  CHECK(contains(flies.err, "does not stand: no contact and no joint holds ball"));
  CHECK(contains(flies.out, "\"held_by_nothing\": [\"ball\"]"));
}

TEST_CASE("the limit as a function of keys of the scene, for all their combinations") {
  const Scratch scratch;
  write_text(scratch / "wall.toml", wall(0.3));
  // A column of n blocks, w = 0.5 m, h = 0.25 m: λ = min(μ, w/(n h)).
  std::string column = wall(0.3);
  column.resize(column.find("[[wall]]"));
  write_text(scratch / "column.toml", column + R"([[stack]]
block    = [0.5, 0.25]
count    = 4
overhang = 0
position = [0, 0]
material = "stone"
)");
  const Outcome sweep = limit(
      "column.toml --push '[1,0]' --sweep stack.0.count=4,10,20 --sweep "
      "contact.0.friction=0.15:0.3:2 --table table.csv",
      scratch);
  REQUIRE_MESSAGE(sweep.code == 0, sweep.err);
  CHECK(count(sweep.out, "bounded") == 6);
  CHECK(count(sweep.out, "\n") == 7);
  CHECK(sweep.err == "wrote table.csv\n");
  std::istringstream table(read_text(scratch / "table.csv"));
  std::string line;
  std::getline(table, line);
  CHECK(line == "stack.0.count,contact.0.friction,outcome,lambda_static,dual");
  for (const double blocks : {4.0, 10.0, 20.0})
    for (const double friction : {0.15, 0.3}) {
      CAPTURE(blocks);
      CAPTURE(friction);
      std::getline(table, line);
      double read[4] = {};
      REQUIRE(std::sscanf(line.c_str(), "%lf,%lf,bounded,%lf,%lf", &read[0], &read[1], &read[2],
                          &read[3]) == 4);
      CHECK(read[0] == blocks);
      CHECK(read[1] == friction);
      CHECK(read[2] == doctest::Approx(std::min(friction, 0.5 / (0.25 * blocks))).epsilon(1e-7));
      CHECK(read[3] == doctest::Approx(read[2]).epsilon(1e-8));
    }

  const Outcome json =
      limit("wall.toml --push '[0,-1]' --on 'wall.3.*' --sweep contact.0.friction=0.1,0.2 --json",
            scratch);
  CHECK(json.code == 0);
  CHECK(
      contains(json.out, "{\"sweep\": [{\"set\": {\"contact.0.friction\": \"0.1\"}, \"limit\": {"));
  CHECK(count(json.out, "\"outcome\": \"unbounded\"") == 2);
  CHECK(contains(json.err, "unbounded        -"));

  const Outcome dynamic =
      limit("wall.toml --push '[1,0]' --dynamic --within 0.05 --sweep contact.0.friction=0.2,0.3",
            scratch);
  CHECK(dynamic.code == 0);
  CHECK(contains(dynamic.out, "gave way"));
  CHECK(contains(dynamic.out, "0.19"));  // 0.95 μ stood
}

TEST_CASE("what is left out of the strength is said") {
  const Scratch scratch;
  const Outcome rolls = limit("rolling_friction --push '[1,0,0]' --json", scratch);
  CHECK(rolls.code == 0);
  CHECK(contains(rolls.err, "left out: rolling and spinning friction, which can make"));
  CHECK(contains(rolls.out, "\"left_out\": [\"rolling and spinning friction\"]"));
  CHECK(contains(limit("arch --push '[1,0]' --json", scratch).out, "\"left_out\": []"));
}

TEST_CASE("a support that yields is pressed by at least its share") {
  const Scratch scratch;
  const Outcome sinks =
      limit("wall --settle 'left plate:[0,-1]' --json --picture sinks.svg", scratch);
  REQUIRE_MESSAGE(sinks.code == 0, sinks.err);
  const double least = number(sinks, "pressing_least");
  CHECK(least == doctest::Approx(number(sinks, "pressing_dual")).epsilon(1e-8));
  CHECK(least > 0.1 * 11921);  // the wall bridges some of its weight, but not all of it
  CHECK(least < 0.5 * 11921);
  CHECK(contains(sinks.out, "{\"body\": \"wall.0.0\""));
  CHECK(!contains(sinks.out, "{\"body\": \"wall.0.9\""));  // far right: it stays
}

TEST_CASE("what cannot be analysed is refused in a line") {
  const Scratch scratch;
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    CAPTURE(arguments);
    const Outcome outcome = limit(arguments, scratch);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err == why + "\n");
  };
  refused("arch",
          "give one live load: --push [x,y], --load BODY:[fx,fy], --tilt [x,y] or --settle "
          "BODY:[x,y]");
  refused("arch --push '[1,0]' --tilt '[1,0]'",
          "give one live load: --push [x,y], --load BODY:[fx,fy], --tilt [x,y] or --settle "
          "BODY:[x,y], not several");
  refused("arch --push 1,0", "--push 1,0: expected a direction, [x,y]");
  refused("arch --push '[0,0]'", "--push [0,0]: expected a direction, [x,y]");
  refused("arch --push '[1,0,0]'", "--push [1,0,0]: expected a direction, [x,y]");
  refused("arch --push '[1,0]' --on brick", "--on brick: fits the name of no body");
  refused("arch --push '[1,0]' --on ground",
          "--on ground: does not move freely: a load on it does nothing");
  refused("arch --tilt '[1,0]' --on arch.1", "--on chooses the bodies of a --push");
  refused("arch --tilt '[0,-1]'", "--tilt [0,-1]: gravity has this direction already");
  refused("arch --load arch.3:'[0,-1'",
          "--load arch.3:[0,-1: expected BODY:[fx,fy] [N] or BODY:[fx,fy]@[x,y] [m]");
  refused("arch --load ground:'[0,-1]'",
          "--load: 'ground' does not move freely: a load on it does nothing");
  refused("arch --load brick:'[0,-1]'", "--load: 'brick' is no body of the scene");
  refused("arch --settle arch.3:'[0,-1]'", "--settle: 'arch.3' moves freely: it is no support");
  refused("arch --settle ground",
          "--settle ground: expected BODY:[x,y], the direction in which it "
          "yields");
  refused("arch.h5@soon --push '[1,0]'", "arch.h5@soon: 'soon' is no time; write RUN.h5@0.5");
  refused("none.h5@1 --push '[1,0]' --at 2", "none.h5@1: gives a time, as --at does");
  refused("bouncing --push '[1,0,0]' --set gravity=[0,0,0]",
          "--push: λ is a part of the weight, and the scene has no gravity; give forces, --load");
  refused("arch --tilt '[1,0]' --set gravity=[0,0]",
          "--tilt: λ is a part of the weight, and the scene has no gravity; give forces, --load");
  refused("arch --settle 'ground:[0,-1]' --dynamic",
          "--dynamic: a support that yields is a run; give it a `drive`");
  refused("arch --push '[1,0]' --forces 0.5",
          "--forces 0.5: no forces within the friction cones carry this load");
  refused("adhesion --tilt '[1,0,0]'",
          "--tilt: ball bears more than its weight (forces, springs or adhesion), which does not "
          "tilt");
  refused("sweeping --push '[1,0]'", std::string(TALUS_SOURCE_DIR) +
                                         "/scenes/sweeping.toml: bodies without inertia feel no "
                                         "force; dynamics = \"second-order\"");
  refused("arch --push '[0,-1]' --picture none.svg",
          std::string(TALUS_SOURCE_DIR) + "/scenes/arch.toml: there is no mechanism to draw");
  CHECK(!std::filesystem::exists(scratch / "none.svg"));

  const std::string expected =
      ": expected KEY=FROM:TO:COUNT or KEY=VALUE,VALUE,…, as in arch.0.thickness=0.1:0.3:5";
  for (const char* const text :
       {"arch.0.thickness", "=1,2", "a=1:2", "a=1:2:1", "a=1:2:2.5", "a=1:two:3", "a=1,,2", "a="})
    refused("arch --push '[1,0]' --sweep " + std::string(text),
            "--sweep " + std::string(text) + expected);
  refused("arch --push '[1,0]' --sweep arch.0.thickness=0.2,0.3 --sweep arch.0.thickness=0.2,0.3",
          "--sweep arch.0.thickness: is given twice");
  refused("arch --push '[1,0]' --sweep arch.0.thickness=0.2,0.3 --forces 0",
          "--forces: is of one configuration; give it without --sweep");
  refused("arch --push '[1,0]' --sweep arch.0.thickness=0.2,0.3 --picture none.svg",
          "--picture: is of one configuration; give it without --sweep");
  refused("arch --push '[1,0]' --table none.csv", "--table: is of a --sweep");
  const Outcome typo =
      limit("arch --push '[1,0]' --sweep arch.0.thicknes=0.2,0.3 --table none.csv --json", scratch);
  CHECK(typo.code == 2);
  CHECK(typo.out.empty());
  CHECK(contains(typo.err, "did you mean 'thickness'?"));
  CHECK(!std::filesystem::exists(scratch / "none.csv"));
}
