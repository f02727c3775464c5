// SPDX-License-Identifier: Apache-2.0
// What the program writes and says, whatever names and numbers it meets.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

// Two disks in a row, of names that mean something to XML.
std::string scene_of(const std::string& name) {
  return stone_floor("{ step = 1e-3, end = 0.01 }") + R"(
[[body]]
name = ")" +
         name + R"("
shape = { ball = 0.1 }
material = "stone"
position = [0, 0.1]
[[body]]
name = "other"
shape = { ball = 0.1 }
material = "stone"
position = [0.5, 0.1]
velocity = [-1, 0]
)";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("names in pictures and plots are escaped") {
  const Scratch scratch;
  write_text(scratch / "a.toml", scene_of("<&'b>"));
  REQUIRE(talus_program("run a.toml --quiet -o '<&>.h5'", scratch.path()).code == 0);
  REQUIRE(talus_program("picture '<&>.h5' -o row.svg", scratch.path()).code == 0);
  const std::string row = read_text(scratch / "row.svg");
  CHECK(contains(row, ">&lt;&amp;&gt;</text>"));
  CHECK(contains(row, ">&lt;&amp;&apos;b&gt;</text>"));

  const std::string plot = "analyze a.toml --plot plot.svg --sweep ";
  CHECK(talus_program(plot + "'body.\"<&'\"'\"'b>\".mass=1:2:2'", scratch.path()).err ==
        "wrote plot.svg\n");
  CHECK(contains(read_text(scratch / "plot.svg"), ">body.&quot;&lt;&amp;&apos;b&gt;&quot;.mass<"));
}

TEST_CASE("a plot is not overwritten without --force") {
  const Scratch scratch;
  write_text(scratch / "a.toml", scene_of("ball"));
  write_text(scratch / "plot.svg", "precious");
  const std::string plot = "analyze a.toml --plot plot.svg --sweep material.stone.friction=0:1:2";
  const Outcome refused = talus_program(plot, scratch.path());
  CHECK(refused.code == 2);
  CHECK(refused.err ==
        "plot.svg: exists already (use --force to overwrite it, or -o for another name)\n");
  CHECK(read_text(scratch / "plot.svg") == "precious");
  CHECK(talus_program(plot + " --force", scratch.path()).code == 0);
  CHECK(contains(read_text(scratch / "plot.svg"), "</svg>"));
}

TEST_CASE("no message repeats the lines of a file that is no scene") {
  const Scratch scratch;
  write_text(scratch / "secret", "root:hunter2:0\nkey = \"hunter2\"\n");
  write_text(scratch / "secret.txt", "hunter2 1\n");
  write_text(scratch / "key", "key = \"hunter2\"\n");
  write_text(scratch / "study.toml",
             "scene = \"secret\"\n[[axis]]\nkey = \"time.step\"\nvalues = [1]\n");
  write_text(scratch / "a.toml", scene_of("ball") +
                                     "drive = [{ direction = [1, 0], velocity = "
                                     "{ file = \"secret.txt\" } }]\n");
  for (const char* const arguments :
       {"run secret", "run key", "run a.toml", "batch secret", "batch study.toml", "analyze secret",
        "info secret", "check secret", "solve secret"}) {
    CAPTURE(arguments);
    const Outcome outcome = talus_program(arguments, scratch.path());
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK_FALSE(contains(outcome.out + outcome.err, "hunter2"));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
  CHECK(talus_program("run secret", scratch.path()).err ==
        "secret:1:5: is not TOML: scenes and studies are .toml files\n");
}

TEST_CASE("control characters of names do not reach the terminal") {
  const Scratch scratch;
  write_text(scratch / "a.toml", scene_of("\\u001b[31m"));
  CHECK(talus_program("run a.toml", scratch.path())
            .err.starts_with(
                "a.toml:16:8: body '?[31m': name = \"?[31m\" contains a control character\n"));
  CHECK(talus_program("run \"$(printf 'a\\033.toml')\"", scratch.path())
            .err.starts_with("a?.toml: cannot open"));
  CHECK(talus_program("run a.toml --until \"$(printf '\\033')\"", scratch.path()).err ==
        "talus: --until: '?' is not a positive number (see talus --help)\n");
  // A trajectory may come from others: any word of it may hold anything.
  write_text(scratch / "b.toml", scene_of("ball"));
  REQUIRE(shell("'" TALUS_PROGRAM "' run b.toml --quiet --set \"title='$(printf 'x\\303\\251')'\" "
                "-o \"$(printf 'b\\033.h5')\"",
                scratch.path())
              .code == 0);
  const Outcome told = shell("mv b?.h5 b.h5 && '" TALUS_PROGRAM "' info b.h5", scratch.path());
  CHECK(told.code == 0);
  CHECK(contains(told.out, "-o b?.h5"));
  CHECK_FALSE(contains(told.out, "\x1b"));
}

TEST_CASE("a run whose numbers overflow ends with exit code 1 and one line") {
  const Scratch scratch;
  write_text(scratch / "a.toml", scene_of("ball") +
                                     "[[force]]\nbody = \"ball\"\ndirection = [1, 0]\n"
                                     "force = { table = [[0, 0], [0.004, 0], [0.005, 1e300]] }\n");
  for (const char* const again : {"", " --resume"}) {
    const Outcome outcome =
        talus_program(std::string("run a.toml --quiet") + again, scratch.path());
    CAPTURE(outcome.err);
    CHECK(outcome.code == 1);
    CHECK(outcome.err.starts_with("talus: a.h5: step 5, t = 0.005 s: the motion is not finite"));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
  const Outcome told = talus_program("info a.h5", scratch.path());
  CHECK(contains(told.out, "5 of 0.001 s to t = 0.005 s (of 0.01 s)"));
  CHECK(contains(told.out, "not (yet) complete"));
  CHECK(talus_program("check a.h5", scratch.path()).code == 3);
}

TEST_CASE("scripts find their folder through a symbolic link") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "project/tools/scripts");
  std::filesystem::create_directories(scratch / "project/build");
  std::filesystem::copy(TALUS_SOURCE_DIR "/tools/talus", scratch / "project/tools/talus");
  const auto script = [&](const std::string& name, const std::string& text) {
    write_text(scratch / name, "#!/bin/sh\n" + text + "\n");
    std::filesystem::permissions(scratch / name, std::filesystem::perms::owner_all);
  };
  script("project/tools/scripts/prepare", ":");
  script("project/build/talus", "echo \"$@\"");
  std::filesystem::create_symlink("project/tools/talus", scratch / "talus");
  const Outcome outcome = shell("./talus info 'a b'", scratch.path());
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "info a b\n");
}
