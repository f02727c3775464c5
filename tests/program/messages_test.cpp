// SPDX-License-Identifier: Apache-2.0
// Messages that tell a user what to do next.
#include <doctest/doctest.h>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

const std::string scenes = TALUS_SOURCE_DIR "/scenes/";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the file of a bundled scene is named in every folder") {
  const Scratch scratch;
  for (const char* const name : {"wall.toml", "scenes/wall.toml"}) {
    const Outcome outcome = talus_program(std::string("run ") + name, scratch.path());
    CHECK(outcome.code == 2);
    CHECK(outcome.err == std::string(name) +
                             ": no such file; there is a bundled scene of that name: " + scenes +
                             "wall.toml\n");
  }
  CHECK(talus_program("run wall --until 0.001 --quiet", scratch.path()).code == 0);
  CHECK(talus_program("run nowhere.toml", scratch.path()).err ==
        "nowhere.toml: cannot open: No such file or directory\n");
}

TEST_CASE("a file of another kind is called what it is") {
  const Scratch scratch;
  REQUIRE(talus_program("run " + scenes + "row.toml -o run.h5 --quiet --until 1e-3", scratch.path())
              .code == 0);
  const auto refused = [&](const std::string& arguments) {
    const Outcome outcome = talus_program(arguments, scratch.path());
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK(refused("run run.h5") ==
        "run.h5: is an HDF5 file, not a text; talus info shows what is in it\n");
  CHECK(refused("batch run.h5") ==
        "run.h5: is an HDF5 file, not a text; talus info shows what is in it\n");
  CHECK(refused("batch " + scenes + "wall.toml") ==
        scenes + "wall.toml: is a scene, not a study: talus run simulates it\n");
  CHECK(refused("run " + scenes + "studies/friction.toml") ==
        scenes + "studies/friction.toml: is a study, not a scene: talus batch runs its cases\n");

  write_text(scratch / "comma2.toml", "dimension = 2\nallowed_overlap = 0,5\n");
  CHECK(refused("run comma2.toml")
            .starts_with("comma2.toml:2:20: TOML: a comma in a number; write 0.5, not 0,5\n"));
}

TEST_CASE("a row is drawn before and after, anything else as it stands") {
  const Scratch scratch;
  for (const char* const name : {"row", "cradle", "wall"}) {
    CAPTURE(name);
    REQUIRE(
        talus_program("run " + scenes + name + ".toml --quiet --until 0.01", scratch.path()).code ==
        0);
    const Outcome drawn = talus_program(std::string("picture ") + name + ".h5", scratch.path());
    CHECK(drawn.code == 0);
    const bool row = std::string(name) != "wall";
    CHECK(contains(read_text(scratch / (std::string(name) + ".svg")), "velocities along the row") ==
          row);
    const Outcome asked = talus_program(
        std::string("picture ") + name + ".h5 --from 0 -o asked.svg --force", scratch.path());
    CHECK(asked.code == (row ? 0 : 2));
    if (!row)
      CHECK(asked.err ==
            "the bodies do not stand in a row, which is what --from and --to are for; --at draws "
            "the scene at a time\n");
  }
}

TEST_CASE("an analysis of what does not touch yet says nothing of friction") {
  const Scratch scratch;
  const Outcome outcome = talus_program("analyze " + scenes + "kane.toml", scratch.path());
  CHECK(outcome.code == 0);
  CHECK(contains(outcome.out,
                 "in short: no contact and no joint acts at this moment; see the impacts above\n"));
}

TEST_CASE("every command shows an example of its own") {
  const Scratch scratch;
  for (const char* const command : {"run", "batch", "info", "check", "view", "views", "picture",
                                    "export", "scenes", "new", "solve", "analyze"}) {
    CAPTURE(command);
    const Outcome help = talus_program(std::string(command) + " --help", scratch.path());
    CHECK(help.code == 0);
    CHECK(contains(help.out, "Example:  talus "));
    CHECK_FALSE(contains(help.out, "First run:"));
  }
}
