// SPDX-License-Identifier: Apache-2.0
// Pictures of frames, plots of series, and the page for a browser, as far as no browser is needed.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/program/program.hpp"

namespace talus {

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

// A disk of 0.1 m rests on the floor between two blocks; a second on top of it.
std::string two_disks() {
  return stone_floor("{ step = 1e-3, end = 0.1, save_every = 50 }") + R"(
[[body]]
name = "lower"
shape = { ball = 0.1 }
material = "stone"
position = [0, 0.1]

[[body]]
name = "upper"
shape = { ball = 0.1 }
material = "stone"
position = [0, 0.3]

[[body]]
name = "block"
shape = { box = [0.4, 0.2] }
material = "stone"
position = [0.6, 0.1]

[[measure]]
name = "all"
region = { box = [4, 4] }
every = 10
)";
}

}  // namespace

TEST_CASE("a picture in the plane has every body, chain, a scale bar and a legend") {
  const Scratch scratch;
  write_text(scratch / "a.toml", two_disks());
  REQUIRE(talus_program("run a.toml --quiet", scratch.path()).code == 0);
  REQUIRE(talus_program("picture a.h5 --at 0.05", scratch.path()).err == "wrote a.svg\n");
  const std::string svg = read_text(scratch / "a.svg");
  CHECK(count(svg, "<circle") == 2);
  CHECK(count(svg, "<polygon") == 1);
  // disk on disk, disk on floor, the block's two corners
  CHECK(count(svg, "stroke-linecap='round'") == 4);
  CHECK(contains(svg, ">t = 0.05 s</text>"));
  CHECK(contains(svg, ">contact force</text>"));
  // 0.7 m and the block's half diagonal, √0.05 m, on 852 pixels
  CHECK(contains(svg, "r='92.25'"));
  CHECK(contains(svg, ">0.2 m</text>"));
}

TEST_CASE("the force in the legend is the weight that it carries") {
  const Scratch scratch;
  std::string scene = two_disks();
  scene.erase(scene.find("[[body]]\nname = \"block\""));
  write_text(scratch / "a.toml", scene);
  REQUIRE(talus_program("run a.toml --quiet", scratch.path()).code == 0);
  REQUIRE(talus_program("picture a.h5 --at 0.1", scratch.path()).code == 0);
  // 2500 kg/m² π 0.1² m² 9.81 m/s² of the upper disk; the reference is what one contact in fifty
  // exceeds, of two forces the smaller
  CHECK(contains(read_text(scratch / "a.svg"), ">770.5 N</text>"));
}

TEST_CASE("plots of series, and what there is when a series is not") {
  const Scratch scratch;
  write_text(scratch / "a.toml", two_disks());
  REQUIRE(talus_program("run a.toml --quiet", scratch.path()).code == 0);
  REQUIRE(talus_program("picture a.h5 --plot energies", scratch.path()).code == 0);
  const std::string energies = read_text(scratch / "a.energies.svg");
  CHECK(count(energies, "<polyline") == 3);
  CHECK(contains(energies, ">energy [J]</text>"));
  REQUIRE(talus_program("picture a.h5 --plot error -o e.svg", scratch.path()).code == 0);
  CHECK(contains(read_text(scratch / "e.svg"), "stroke-dasharray"));  // the tolerance
  REQUIRE(
      talus_program("picture a.h5 --plot measure.all.coordination -o m.svg", scratch.path()).code ==
      0);
  CHECK(contains(read_text(scratch / "m.svg"), ">coordination</text>"));

  const auto refused = [&](const std::string& plot) {
    const Outcome outcome = talus_program("picture a.h5 -o x.svg --plot " + plot, scratch.path());
    CHECK(outcome.code == 2);
    CHECK(!std::filesystem::exists(scratch / "x.svg"));
    return outcome.err;
  };
  CHECK(refused("measure.some") == "--plot measure.some: the run has measure.all\n");
  CHECK(refused("measure.all.x").starts_with("--plot measure.all.x: the measure has "));
  CHECK(refused("power") == "--plot power: expected energies, error or measure.NAME\n");
  const Outcome late = talus_program("picture a.h5 --at 3 -o x.svg", scratch.path());
  CHECK(late.code == 2);
  CHECK(late.err == "--at 3: the run has frames from 0 s to 0.1 s\n");
}

TEST_CASE("a page is written once, thinned to its size, and never for runs of two dimensions") {
  const Scratch scratch;
  write_text(scratch / "a.toml", two_disks());
  REQUIRE(talus_program("run a.toml --quiet", scratch.path()).code == 0);
  CHECK(talus_program("view a.h5", scratch.path()).err.starts_with("wrote a.html: "));
  const Outcome again = talus_program("view a.h5", scratch.path());
  CHECK(again.code == 2);
  CHECK(again.err ==
        "a.html: exists already (use --force to overwrite it, or -o for another name)\n");
  const std::string scenes = std::string(TALUS_SOURCE_DIR) + "/scenes/";
  REQUIRE(
      talus_program("run " + scenes + "bouncing.toml --quiet --until 0.1", scratch.path()).code ==
      0);
  const Outcome mixed = talus_program("view a.h5 bouncing.h5 -o both.html", scratch.path());
  CHECK(mixed.code == 2);
  CHECK(mixed.err == "a.h5 has 2 dimensions, bouncing.h5 has 3: they cannot be compared\n");

  REQUIRE(talus_program("run " + scenes + "chute.toml --quiet --until 1", scratch.path()).code ==
          0);
  REQUIRE(talus_program("view chute.h5 -o whole.html", scratch.path()).code == 0);
  const Outcome small = talus_program("view chute.h5 --size 0.69", scratch.path());
  CHECK(small.code == 0);
  CHECK(contains(small.err, "is shown, for a page below the size (--size)"));
  CHECK(std::filesystem::file_size(scratch / "chute.html") < 690000);
  CHECK(std::filesystem::file_size(scratch / "whole.html") > 700000);
  CHECK(contains(read_text(scratch / "chute.html"), "Thinned: one frame in "));
}

}  // namespace talus
