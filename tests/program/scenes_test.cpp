// SPDX-License-Identifier: Apache-2.0
// `talus scenes`, `talus new` and broken scenes, as a user meets them.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

std::ptrdiff_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

TEST_CASE("talus scenes lists every bundled scene with its title, one line each") {
  const Scratch scratch;
  const Outcome outcome = talus_program("scenes", scratch.path());
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  std::ptrdiff_t bundled = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(TALUS_SOURCE_DIR) / "scenes"))
    bundled += entry.path().extension() == ".toml";
  CHECK(lines(outcome.out) == bundled);
  CHECK(outcome.out.find("scenes/wall.toml ") != std::string::npos);
  CHECK(
      outcome.out.find("  Moreau's wall: 105 blocks over a foundation that sinks on the left\n") !=
      std::string::npos);

  const Outcome among_sources = talus_program("scenes", TALUS_SOURCE_DIR);
  CHECK(among_sources.out.starts_with("scenes/adhesion.toml "));
}

TEST_CASE("talus scenes --json is one object with name, path and title of each") {
  const Scratch scratch;
  const Outcome outcome = talus_program("scenes --json", scratch.path());
  CHECK(outcome.code == 0);
  CHECK(lines(outcome.out) == 1);
  CHECK(outcome.out.starts_with("{\"scenes\": [{\"name\": \"adhesion\", \"path\": \"/"));
  CHECK(outcome.out.find("\"title\": \"a semicircular arch stands by itself\"}") !=
        std::string::npos);
}

TEST_CASE("talus new prints a template as it stands in the sources, and it runs") {
  const Scratch scratch;
  for (const std::string name : {"ball", "chain", "driven", "granular", "wall"}) {
    CAPTURE(name);
    const Outcome outcome = talus_program("new " + name, scratch.path());
    CHECK(outcome.code == 0);
    CHECK(outcome.out == read_text(TALUS_SOURCE_DIR "/tools/templates/" + name + ".toml"));
    write_text(scratch / "my.toml", outcome.out);
    const Outcome run = talus_program("run my.toml -o my.h5 --force", scratch.path());
    CHECK_MESSAGE(run.code == 0, run.err);
  }
}

TEST_CASE("talus new without a name lists the templates, with a wrong one too") {
  const Scratch scratch;
  const Outcome list = talus_program("new", scratch.path());
  CHECK(list.code == 0);
  CHECK(list.out ==
        "ball      a ball falls on a floor\n"
        "chain     an impact runs through a chain of balls\n"
        "driven    a block on a shaking table\n"
        "granular  grains fall into a box\n"
        "wall      a dry-stone wall pushed at its top\n");

  const Outcome wrong = talus_program("new bal", scratch.path());
  CHECK(wrong.code == 2);
  CHECK(wrong.out.empty());
  CHECK(wrong.err ==
        "talus new: no template 'bal' (there are: ball, chain, driven, granular, wall)\n");
}

TEST_CASE(
    "the name of a bundled scene runs it in any folder, and a file of that name goes before") {
  const Scratch scratch;
  const Outcome outcome = talus_program("run bouncing --until 0.01 --quiet", scratch.path());
  CHECK_MESSAGE(outcome.code == 0, outcome.err);
  const Outcome info = talus_program("info bouncing.h5", scratch.path());
  CHECK(info.out.find("talus run bouncing --until 0.01") != std::string::npos);
  CHECK(talus_program("analyze ladder", scratch.path()).code == 0);

  write_text(scratch / "bouncing", "dimension = 5\n");
  const Outcome own = talus_program("run bouncing --force", scratch.path());
  CHECK(own.code == 2);
  CHECK(own.err.starts_with("bouncing:1:13: dimension = 5"));
  const Outcome unknown = talus_program("run bouncin", scratch.path());
  CHECK(unknown.code == 2);
  CHECK(unknown.err.starts_with("bouncin: "));
}

TEST_CASE("a broken scene or override ends the run with its message and code 2") {
  const Scratch scratch;
  write_text(scratch / "my.toml", "dimension = 5\n");
  const Outcome broken = talus_program("run my.toml -o my.h5", scratch.path());
  CHECK(broken.code == 2);
  CHECK(broken.out.empty());
  CHECK(broken.err ==
        "my.toml:1:13: dimension = 5 is not 2 or 3\n"
        "    1 | dimension = 5\n"
        "      |             ^\n");

  const Outcome mistyped = talus_program(
      "run " TALUS_SOURCE_DIR "/scenes/chain.toml -o my.h5 --set time.stp=1", scratch.path());
  CHECK(mistyped.code == 2);
  CHECK(mistyped.err == "--set time.stp=1: time: unknown key 'stp' (did you mean 'step'?)\n");
  CHECK_FALSE(std::filesystem::exists(scratch / "my.h5"));
}
