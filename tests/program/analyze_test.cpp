// SPDX-License-Identifier: Apache-2.0
// talus analyze: what it reads, what it says, and what it refuses.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

std::string scene(const char* name) {
  return fmt::format("{}/scenes/{}.toml", TALUS_SOURCE_DIR, name);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  const std::size_t start = text.rfind('\n', end);
  return text.substr(start + 1, end - start);
}

}  // namespace

TEST_CASE("a report names the paradox and the way out of it") {
  const Scratch scratch;
  const Outcome beyond = talus_program("analyze " + scene("painleve"), scratch.path());
  REQUIRE_MESSAGE(beyond.code == 0, beyond.err);
  CHECK(contains(beyond.out, "critical friction 1.333333"));
  CHECK(contains(beyond.out, "no solution"));
  CHECK(contains(beyond.out, "in short: paradoxical"));

  const Outcome below = talus_program(
      "analyze " + scene("painleve") + " --set contact.0.friction=0.3 --json", scratch.path());
  REQUIRE_MESSAGE(below.code == 0, below.err);
  CHECK(contains(below.err, "one solution"));
  const std::string json = last_line(below.out);
  CHECK(json.front() == '{');
  CHECK(contains(json, "\"advice\": \"safe\""));
  CHECK(contains(json, "\"P_matrix\": \"yes\""));
}

TEST_CASE("a report says which forces are not unique, and what they are nevertheless") {
  const Scratch scratch;
  const Outcome loop = talus_program("analyze " + scene("four_bar"), scratch.path());
  REQUIRE_MESSAGE(loop.code == 0, loop.err);
  CHECK(contains(loop.out, "bilateral gradients 17 of 20"));
  CHECK(contains(loop.out, "hyperstatic, degree 3"));
  CHECK(contains(loop.out, "without friction the present loads have a solution"));
  CHECK(contains(loop.out, "joint forces not unique ("));
  CHECK(contains(loop.out, "in short: frictionless: "));
  CHECK(contains(last_line(loop.out), "and forces that are not unique"));
  CHECK(contains(loop.out, "least-norm ones are returned"));

  // VALIDATION A24
  const Outcome groove =
      talus_program("analyze " + scene("disk_in_angle") +
                        " --set body.left.drive.0.velocity=0 --set body.right.drive.0.velocity=0",
                    scratch.path());
  REQUIRE_MESSAGE(groove.code == 0, groove.err);
  CHECK(contains(groove.out, "indeterminate, degree 1: forces not unique at "));
}

// A tip without mass on a rod: where the ground does not press on it, nothing says how it turns.
TEST_CASE("what a freedom without mass does is called a choice where nothing determines it") {
  const Scratch scratch;
  write_text(scratch / "rod.toml", R"(dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 0.1 }
[material.steel]
density = 100
friction = 0.1
[[body]]
name = "ground"
shape = { halfspace = [0, 1] }
material = "steel"
fixed = true
[[body]]
name = "tip"
shape = { ball = 0.1 }
rotation_locked = true
material = "steel"
position = [0.8, 0.1]
[[body]]
name = "slide"
shape = { ball = 0.1 }
rotation_locked = true
material = "steel"
position = [0, 0.7]
[[joint]]
kind = "slider"
between = ["world", "slide"]
axis = [0, 1]
at = [0, 0]
[[joint]]
kind = "distance"
between = ["slide", "tip"]
anchors = [[0, 0], [0, 0]]
)");
  const Outcome found = talus_program("analyze rod.toml --massless tip", scratch.path());
  REQUIRE_MESSAGE(found.code == 0, found.err);
  CHECK(contains(found.out, "do not determine their accelerations"));
  CHECK_MESSAGE(contains(found.out, "forces or accelerations without mass that are one choice"),
                found.out);
}

// [BBB16, §3.3.1] excludes contacts at rest from Propositions 9 to 14.
TEST_CASE("of contacts at rest nothing is said that is proved of sliding ones") {
  const Scratch scratch;
  const std::string still =
      " --set body.left.drive.0.velocity=0 --set body.right.drive.0.velocity=0";
  for (const char* const mu : {"0.2", "0.6", "0.9", "1.5"}) {
    const Outcome groove = talus_program(
        fmt::format("analyze {}{} --set contact.0.friction={} --set contact.1.friction={}",
                    scene("disk_in_angle"), still, mu, mu),
        scratch.path());
    REQUIRE_MESSAGE(groove.code == 0, groove.err);
    CHECK(contains(groove.out, "indeterminate, degree 1: forces not unique at "));
    CHECK(contains(groove.out, "contacts at rest, so that bounds are those of the slip to come"));
    const std::string end = last_line(groove.out);
    CHECK_MESSAGE(end.starts_with("in short: at rest: rough contacts may stick: the present loads "
                                  "leave one motion (2 stick, 0 slide, 0 detach), and its forces "
                                  "are not unique; "),
                  end);
    CHECK(contains(end, "once all of them slip, forces and accelerations") == (std::stod(mu) < 1));
  }
  // In a balance with forces that are not unique, too, the formulations agree.
  const Outcome balance = talus_program(
      fmt::format("analyze {}{} --json", scene("disk_in_angle"), still), scratch.path());
  CHECK(contains(balance.err, "accelerates by [0, 0] m/s², 0 rad/s²\n"));
  CHECK(contains(balance.err, "the same by the KKT system to "));
  CHECK(contains(balance.out, "\"apart\": {\"kkt\": "));

  const Outcome sliding = talus_program("analyze " + scene("disk_in_angle") +
                                            " --set contact.0.friction=0.4 --set "
                                            "contact.1.friction=0.4",
                                        scratch.path());
  CHECK(contains(last_line(sliding.out), "safe: "));

  // Joints are named, not the bodies that they hold.
  const Outcome rod = talus_program(
      "analyze " + scene("painleve_klein") + " --set body.rod.velocity=[0,0] --set body.rod.spin=0",
      scratch.path());
  REQUIRE_MESSAGE(rod.code == 0, rod.err);
  CHECK_MESSAGE(contains(rod.out, "forces not unique at lower, upper\n"), rod.out);
  CHECK(contains(rod.out, "Proposition 9 (bilateral)            below 0.57735\n"));
  CHECK(!contains(last_line(rod.out), "unique forces"));
}

TEST_CASE("a report of the ladder has the bound of the book and the sharper one") {
  const Scratch scratch;
  const Outcome report = talus_program("analyze " + scene("ladder") + " --json", scratch.path());
  REQUIRE_MESSAGE(report.code == 0, report.err);
  CHECK(contains(report.err, "Proposition 13 (mixed)               below 0.751896"));
  CHECK(contains(report.err, "Proposition 13, as in its example    below 0.649"));
  CHECK(contains(report.out, "\"proposition_13_printed\": 0.649"));
  CHECK(contains(report.out, "\"normalised_delassus\": [["));
  CHECK(contains(report.out, "\"sliding_matrix\": [["));
  CHECK(contains(report.out, "\"frictionless_solvable\": \"yes\""));
  // Accelerations and all forces are results.
  CHECK(contains(report.err,
                 "      ladder                       accelerates by [1.85682, -2.56393] "
                 "m/s², 3.12594 rad/s²\n"));
  CHECK(
      contains(report.err, "wall                         slide, -3.17888 N, friction 0.635776 N"));
  CHECK(contains(report.err, "by Gauss's principle to "));
  CHECK(contains(report.out, "\"tangential_bilateral\": [0.635"));
  CHECK(contains(report.out, "\"accelerations\": [{\"body\": \"ladder\", \"linear\": [1.85"));
  CHECK(contains(report.out, "\"joints\": [\"wall\"]"));
}

TEST_CASE("a wall is analysed by Lemke's method, or the report says why not") {
  const Scratch scratch;
  const Outcome rest = talus_program("analyze " + scene("wall") + " --json", scratch.path());
  REQUIRE_MESSAGE(rest.code == 0, rest.err);
  CHECK(contains(rest.err,
                 "too many contacts to try all modes, and 2288 unknowns are too many for Lemke's "
                 "method:\n  the contact solver has this solution of the next time step: "));
  CHECK(contains(rest.err, "wall.0.0 on left plate       stick, "));
  CHECK(contains(rest.out, "\"unilateral\": [\"stick\", "));
  // An arch stands by itself: where a corner carries nothing, the joint does not open.
  const Outcome arch = talus_program("analyze " + scene("arch"), scratch.path());
  REQUIRE_MESSAGE(arch.code == 0, arch.err);
  CHECK(contains(arch.out, "Lemke's method finds a motion: 32 stick, 0 slide, 0 detach\n"));
  CHECK(contains(arch.out, "stick, 0 N\n"));
  CHECK(contains(last_line(arch.out), "a motion was found (32 stick, 0 slide, 0 detach); whether"));
  const Outcome smooth = talus_program(
      "analyze " + scene("wall") + " --set material.stone.friction=0", scratch.path());
  REQUIRE_MESSAGE(smooth.code == 0, smooth.err);
  CHECK(contains(smooth.out, "Lemke's method finds a motion: 0 stick, "));
}

// Four balls that touch and one on top of them, friction 1 % above its threshold tan 22.5°.
TEST_CASE("a pile of five balls is found standing in seconds, and the search says what it left") {
  const Scratch scratch;
  std::string text = R"(dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 0.1 }
material.stone = { density = 1000, friction = 0.41836 }
)";
  text +=
      "\n[[body]]\nname = \"floor\"\nshape = { halfspace = [0, 0, 1] }\nmaterial = \"stone\"\n"
      "fixed = true\n";
  const double r = 0.1, s = std::sqrt(0.5);
  const double places[][3] = {
      {r, r, r}, {-r, r, r}, {-r, -r, r}, {r, -r, r}, {0, 0, r + 2 * r * s}};
  for (const auto& x : places)
    text += fmt::format(
        "\n[[body]]\nmaterial = \"stone\"\nshape = {{ ball = {} }}\nposition = [{}, {}, {}]\n", r,
        x[0], x[1], x[2]);
  write_text(scratch / "pile.toml", text);
  const Outcome pile = talus_program("analyze pile.toml --seconds 1 --json", scratch.path());
  REQUIRE_MESSAGE(pile.code == 0, pile.err);
  CHECK(contains(pile.err,
                 "  one solution found, with forces that are one choice of infinitely many; the "
                 "search was stopped at its limit, whether there are more is undecided\n"));
  CHECK(!contains(pile.err, "start to slide"));
  CHECK(contains(last_line(pile.err),
                 "in short: at rest: rough contacts may stick: a motion was "
                 "found (12 stick, 0 slide, 0 detach); whether there is another is undecided; "
                 "its forces are not unique; "));
  CHECK(contains(pile.out, "\"all_modes_tried\": false"));
  CHECK(contains(pile.out, "\"round_cones\": {\"solved\": true"));
}

TEST_CASE("a report says what of the scene it leaves out") {
  const Scratch scratch;
  const auto left_out = [&](const std::string& source, const std::string& words) {
    const Outcome report = talus_program("analyze --json " + source, scratch.path());
    REQUIRE_MESSAGE(report.code == 0, report.err);
    CHECK_MESSAGE(contains(report.err, "  left out of what follows: " + words + "\n"), report.err);
    CHECK(contains(report.out, "\"" + words + "\""));
  };
  left_out(scene("rolling_friction"), "rolling and spinning friction");
  left_out(scene("settle_soft"), "that contacts yield: all are taken as rigid");
  left_out(scene("compressed_cell"), "the flow of the periodic cell");
  left_out(scene("nonconvex_room"), "sets given by functions");
  left_out(scene("cradle"), "ropes and stops, in what is said of impacts");
  left_out(scene("sweeping"), "that the scene has no inertia: bodies are taken with their masses");
  const Outcome all = talus_program("analyze --json " + scene("ladder"), scratch.path());
  CHECK(!contains(all.err, "left out"));
  CHECK(contains(all.out, "\"left_out\": []"));
}

// Friction 0.1 along and 0.6 across: neither is the mean, √0.06.
TEST_CASE("friction of an ellipse is reported by its radii, and its motions are those of a run") {
  const Scratch scratch;
  const Outcome skis = talus_program("analyze --seconds 0.2 " + scene("skis"), scratch.path());
  REQUIRE_MESSAGE(skis.code == 0, skis.err);
  CHECK(contains(skis.out, "downhill on slope            friction 0.1 to 0.6, by its direction\n"));
  CHECK(contains(skis.out, "friction, 0.244949 at most (ellipses count by the mean"));
  // g (sin 20° − 0.1 cos 20°)
  CHECK(contains(skis.out, "downhill                     accelerates by [2.43338, 0, 0] m/s²"));
  CHECK(contains(skis.out, "across                       accelerates by [0, 0, 0] m/s²"));
}

TEST_CASE("where nothing is held there are no ranks to report") {
  const Scratch scratch;
  const Outcome flight = talus_program("analyze " + scene("bouncing"), scratch.path());
  REQUIRE_MESSAGE(flight.code == 0, flight.err);
  CHECK(!contains(flight.out, "ranks"));
  CHECK(contains(flight.out, "possible motions\n  nothing touches\n"));
}

TEST_CASE("every component of a joint's force says along which direction it is") {
  const Scratch scratch;
  const Outcome loop = talus_program("analyze " + scene("four_bar"), scratch.path());
  REQUIRE_MESSAGE(loop.code == 0, loop.err);
  CHECK_MESSAGE(contains(loop.out, "base                         hold, 0 N, along [0, 1, 0]\n"),
                loop.out);
  CHECK(contains(loop.out, "base (torque)                hold, 0 N m, about ["));
}

TEST_CASE("a run is analysed where it was, and its bound drawn") {
  const Scratch scratch;
  REQUIRE(
      talus_program("run " + scene("ladder") + " -o ladder.h5 --set time.end=0.05", scratch.path())
          .code == 0);
  const Outcome report = talus_program("analyze ladder.h5 --at 0.03", scratch.path());
  REQUIRE_MESSAGE(report.code == 0, report.err);
  CHECK(contains(report.out, "ladder.h5 at t = 0.03 s"));
  CHECK(contains(report.out, "1 bilateral, 1 unilateral"));

  const Outcome drawn = talus_program("analyze ladder.h5 --plot bound.svg", scratch.path());
  REQUIRE_MESSAGE(drawn.code == 0, drawn.err);
  std::ifstream svg(scratch / "bound.svg");
  std::string first;
  std::getline(svg, first);
  CHECK(contains(first, "<svg"));
  for (const char* const name : {"painleve", "painleve_klein"})
    CHECK(talus_program(fmt::format("analyze {} --plot {}.svg --sweep "
                                    "body.rod.rotation.degrees=20:80:5",
                                    scene(name), name),
                        scratch.path())
              .code == 0);
}

TEST_CASE("a run into Painleve's region is certified, and says where it was paradoxical") {
  const Scratch scratch;
  REQUIRE(talus_program("run " + scene("painleve_entry") + " -o entry.h5", scratch.path()).code ==
          0);
  const Outcome check = talus_program("check entry.h5 --json", scratch.path());
  CHECK(check.code == 0);
  CHECK(contains(check.err, "watched 1500 steps: "));
  CHECK(contains(check.err, ", 1 paradoxical, the first is "));
  CHECK(contains(check.out, "\"paradoxical_steps\": 1"));
  CHECK(contains(check.out, "\"passed\": true"));
}

TEST_CASE("a run that solves its steps again says whether they have several solutions") {
  const Scratch scratch;
  const std::string again = " --set 'monitor={every=1,solve_again=true}' --set time.end=0.002";

  // A triangle of 45 disks that touch: friction may hold or let slide whole rows of them.
  std::string triangle = stone_floor("{ step = 1e-3, end = 1 }");
  const double r = 0.1;
  for (int row = 0; row < 9; ++row)
    for (int k = 0; k < 9 - row; ++k)
      triangle += fmt::format(
          "\n[[body]]\nmaterial = \"stone\"\nshape = {{ ball = {} }}\nposition = [{}, {}]\n", r,
          (2 * k + row) * r, (1 + row * std::sqrt(3.0)) * r);
  write_text(scratch / "triangle.toml", triangle);
  const Outcome several = talus_program(
      "run triangle.toml --json --set material.stone.friction=0.3" + again, scratch.path());
  REQUIRE_MESSAGE(several.code == 0, several.err);
  CHECK(contains(several.err, "have several solutions, the first is 1 (t = 0.001 s)"));
  CHECK(contains(several.out, "\"steps_solved_again\": 2"));
  CHECK(!contains(several.out, "\"steps_with_several_solutions\": 0"));
  const Outcome check = talus_program("check triangle.h5", scratch.path());
  CHECK(contains(check.out, "have several solutions, the first is 1 (t = 0.001 s)"));

  write_text(scratch / "ball.toml",
             stone_floor("{ step = 1e-3, end = 1 }") +
                 "\n[[body]]\nmaterial = \"stone\"\nshape = { ball = 0.1 }\nposition = [0, 0.1]\n"
                 "velocity = [1, 0]\n");
  const Outcome one = talus_program("run ball.toml" + again, scratch.path());
  REQUIRE_MESSAGE(one.code == 0, one.err);
  CHECK(contains(one.err, "solved 2 steps again: no second solution was found"));
  CHECK(!contains(one.err, "several"));

  const Outcome silent =
      talus_program("run ball.toml --force --set time.end=0.002", scratch.path());
  CHECK(!contains(silent.err, "again"));
}

TEST_CASE("over two keys a map shows where the matrix is P and where the bound holds") {
  const Scratch scratch;
  const auto map = [&](const std::string& range) {
    const std::string keys =
        " --sweep joint.wall.friction=" + range + " --sweep contact.0.friction=" + range;
    const Outcome drawn = talus_program(
        "analyze " + scene("ladder") + " --plot map.svg --force" + keys, scratch.path());
    REQUIRE_MESSAGE(drawn.code == 0, drawn.err);
    std::ifstream file(scratch / "map.svg");
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  std::string svg = map("0.05:2:14");
  const auto cells = [&](const std::string& colour) {
    int count = 0;
    for (std::size_t at = svg.find(colour); at != std::string::npos; at = svg.find(colour, at + 1))
      ++count;
    return (count - 1) / 2;  // fill and stroke of a cell, and one in the legend
  };
  // Steps of 0.15: up to 0.65 the bound, 0.7519, holds, for both keys, and is a square.
  CHECK(cells("#7fb2e5") == 25);
  // A P-matrix where all four pieces of the map from forces to accelerations, a 2×2 matrix each for
  // a wall that pushes or pulls and a ground that carries or not, keep the orientation.
  int coherent = 0;
  for (int k = 0; k < 196; ++k) {
    const double mu_b = 0.05 + 0.15 * (k % 14), mu_u = 0.05 + 0.15 * (k / 14);
    bool all = true;
    for (const int sign : {1, -1}) {
      const double a = 2.5 + sign * 1.5 * mu_b, b = -1.5 + 0.5 * mu_u;
      const double c = -1.5 - sign * 0.5 * mu_b, d = 2.5 - 1.5 * mu_u;
      all = all && a > 0 && a * d - b * c > 0;
    }
    coherent += all;
  }
  CHECK(cells("#7fb2e5") + cells("#333333") == coherent);
  CHECK(cells("#7fb2e5") + cells("#333333") + cells("#f3d9a4") + cells("#d98880") == 196);
  // Of 0.745, 0.750, 0.755 and 0.760 the bound holds for two.
  svg = map("0.745:0.76:4");
  CHECK(cells("#7fb2e5") == 4);
  CHECK(talus_program("analyze " + scene("ladder") +
                          " --plot m.svg --sweep joint.wall.friction=0:1:2" +
                          " --sweep contact.0.friction=0:1:2 --sweep time.step=1e-3:1e-2:2",
                      scratch.path())
            .code == 2);
}

TEST_CASE("what cannot be analysed is refused in one line") {
  const Scratch scratch;
  REQUIRE(
      talus_program("run " + scene("ladder") + " -o ladder.h5 --set time.end=0.05", scratch.path())
          .code == 0);
  std::ofstream(scratch / "text.h5") << "not a trajectory";
  const auto refused = [&](const std::string& arguments, const std::string& line) {
    const Outcome outcome = talus_program("analyze " + arguments, scratch.path());
    CHECK(outcome.code == 2);
    CHECK_MESSAGE(contains(outcome.err, line), outcome.err);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  };
  refused("ladder.h5 --at 0.06",
          "ladder.h5: --at 0.06 is outside of the run, which has frames from 0 s to 0.05 s");
  refused("ladder.h5 --at -1", "--at -1 is outside of the run");
  refused(scene("ladder") + " --at 1", "is outside of the scene, which ends at 0.3 s");
  refused("nothing.h5", "nothing.h5: no such file");
  refused("text.h5", "text.h5: not an HDF5 file");
  refused("ladder.h5 --set time.end=1", "is a run: --set changes scenes only");
  refused(scene("ladder") + " --plot x.svg", "is a scene: plot a run of it");
  refused(scene("ladder") + " --plot x.svg --sweep nonsense",
          "--sweep nonsense: expected KEY=FROM:TO:COUNT");
  refused("ladder.h5 --plot no/such/folder.svg", "no/such/folder.svg: cannot write");
}

TEST_CASE("joints that cannot be are refused at their place, as in a run") {
  const Scratch scratch;
  const std::string wheel = R"(dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 0.1 }
material.steel = { density = 7800, friction = 0.3 }
[[body]]
name = "wheel"
shape = { box = [0.2, 0.2] }
material = "steel"
[[joint]]
kind = "pin"
between = ["world", "wheel"]
at = [0, 0]
motor = { velocity = SPEED }
[[joint]]
)";
  const auto analysed = [&](const std::string& speed, const std::string& second) {
    std::string text = wheel + second;
    text.replace(text.find("SPEED"), 5, speed);
    std::ofstream(scratch / "wheel.toml") << text;
    return talus_program("analyze wheel.toml", scratch.path());
  };
  const std::string pin = "kind = \"pin\"\nbetween = [\"world\", \"wheel\"]\nat = [0.1, 0]\n";
  CHECK(analysed("0", pin).code == 0);  // one too many, and yet they agree
  const auto refused = [&](const Outcome& outcome, const std::string& line) {
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK_MESSAGE(outcome.err.starts_with(line), outcome.err);
  };
  refused(analysed("1", pin), "wheel.toml:");
  CHECK(contains(analysed("1", pin).err, "cannot hold: together with the other joints"));
  refused(analysed("1",
                   "kind = \"distance\"\nbetween = [\"world\", \"wheel\"]\n"
                   "anchors = [[0, 0], [0, 0]]\n"),
          "wheel.toml:17:11: joint 'joint1': 'anchors' are one point: a rod needs a length");
  refused(analysed("1",
                   "kind = \"slider\"\nbetween = [\"world\", \"wheel\"]\nat = [0, 0]\n"
                   "axis = [0, 0]\n"),
          "wheel.toml:18:8: joint 'joint1': axis = [0, 0] has no direction");
  refused(analysed("1", "kind = \"pin\"\nbetween = [\"world\", \"wheal\"]\nat = [0, 0]\n"),
          "wheel.toml:16:21: joint 'joint1': between[1] = \"wheal\" is no body");
}
