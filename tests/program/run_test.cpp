// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

const std::string bouncing = R"(
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 0.6, save_every = 20 }

[material.rubber]
density = 1000
friction = 0.3
restitution = 0.5

[[body]]
name = "floor"
shape = { halfspace = [0, 0, 1] }
material = "rubber"
fixed = true

[[body]]
name = "ball"
shape = { ball = 0.1 }
material = "rubber"
position = [0, 0, 0.6]
)";

}  // namespace

TEST_CASE("a run writes its file, its figures and nothing on standard output but them") {
  const Scratch scratch;
  write_text(scratch / "bouncing.toml", bouncing);
  const Outcome run = talus_program("run bouncing.toml --json", scratch.path());
  CHECK(run.code == 0);
  CHECK(std::filesystem::exists(scratch / "bouncing.h5"));
  REQUIRE(run.out.starts_with("{"));
  CHECK(std::count(run.out.begin(), run.out.end(), '\n') == 1);
  for (const char* key :
       {"scene", "steps", "time", "bodies", "contacts_last", "wall_s", "writing_s",
        "checkpointing_s", "max_error", "worst_contact_error", "max_penetration",
        "max_relative_penetration", "energy_defect", "unconverged_steps", "output"}) {
    CHECK_MESSAGE(run.out.find(fmt::format("\"{}\": ", key)) != std::string::npos, key);
  }
  CHECK(run.out.find("\"steps\": 600,") != std::string::npos);
  CHECK(run.err.find("wrote bouncing.h5") != std::string::npos);
  CHECK(talus_program("check bouncing.h5", scratch.path()).code == 0);
}

TEST_CASE("a run says what its check will refuse") {
  const Scratch scratch;
  write_text(scratch / "bouncing.toml", bouncing);
  // It lands at 3 m/s: half a step of 2 ms is 3 % of its radius, one of 24 ms a third.
  const Outcome fine = talus_program("run bouncing.toml --set time.step=2e-3", scratch.path());
  CHECK(fine.err.find("warning") == std::string::npos);
  const Outcome deep =
      talus_program("run bouncing.toml --force --set time.step=0.024", scratch.path());
  CHECK(deep.code == 0);
  CHECK(deep.err.find("warning: 1 of 25 steps let bodies overlap by more than 0.1 of the thinner "
                      "one's half width (by 0.") != std::string::npos);
  const Outcome judged = talus_program("check bouncing.h5", scratch.path());
  CHECK(judged.code == 3);
  CHECK(judged.out.find("NOT CERTIFIED: penetration") != std::string::npos);
  CHECK(talus_program("check bouncing.h5 --penetration 0.5", scratch.path()).code == 0);

  // A marble goes through a sheet of paper.
  write_text(scratch / "marble.toml", R"(dimension = 3
gravity = [0, 0, 0]
time = { step = 1e-2, end = 0.2 }

[material.glass]
density = 2500
friction = 0
restitution = 0.9

[[body]]
name = "sheet"
shape = { box = [1, 1, 1e-4] }
material = "glass"
fixed = true

[[body]]
name = "marble"
shape = { ball = 5e-3 }
material = "glass"
position = [0, 0, 0.21]
velocity = [0, 0, -5]
)");
  const Outcome through = talus_program("run marble.toml", scratch.path());
  CAPTURE(through.err);
  CHECK(through.err.find("steps let a body go through another, the first is step ") !=
        std::string::npos);
  CHECK(talus_program("check marble.h5", scratch.path()).code == 3);
}

TEST_CASE("an existing file is kept unless --force says otherwise") {
  const Scratch scratch;
  write_text(scratch / "bouncing.toml", bouncing);
  write_text(scratch / "bouncing.h5", "precious");
  const Outcome refused = talus_program("run bouncing.toml", scratch.path());
  CHECK(refused.code == 2);
  CHECK(refused.err ==
        "bouncing.h5: exists already (use --force to overwrite it, or -o for another name)\n");
  CHECK(read_text(scratch / "bouncing.h5") == "precious");
  CHECK(talus_program("run bouncing.toml --force", scratch.path()).code == 0);
  CHECK(read_text(scratch / "bouncing.h5") != "precious");
}

TEST_CASE("what cannot be read or written is one line and exit code 2") {
  const Scratch scratch;
  write_text(scratch / "bouncing.toml", bouncing);
  const auto one_line = [](const Outcome& outcome) {
    return std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1;
  };
  const Outcome no_scene = talus_program("run nowhere.toml", scratch.path());
  CHECK(no_scene.code == 2);
  CHECK(one_line(no_scene));
  const Outcome no_folder = talus_program("run bouncing.toml -o nowhere/run.h5", scratch.path());
  CHECK(no_folder.code == 2);
  CHECK(one_line(no_folder));
  const Outcome no_command = talus_program("rn bouncing.toml", scratch.path());
  CHECK(no_command.code == 2);
  CHECK(one_line(no_command));
  const Outcome bad_until = talus_program("run bouncing.toml --until -1", scratch.path());
  CHECK(bad_until.code == 2);
  CHECK(one_line(bad_until));
  CHECK_FALSE(std::filesystem::exists(scratch / "bouncing.h5"));
}

TEST_CASE("joints that contradict each other are refused, those that repeat each other are not") {
  const Scratch scratch;
  const std::string scene = R"(dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 0.01 }
[material.m]
density = 100
friction = 0.3
[[body]]
name = "cart"
shape = { ball = 0.1 }
material = "m"
drive = [{ direction = [1, 0], velocity = SPEED }]
[[body]]
name = "arm"
shape = { box = [1, 0.1] }
material = "m"
position = [0.5, 0]
[[joint]]
kind = "fixed"
between = ["cart", "arm"]
at = [0, 0]
[[joint]]
name = "wall"
kind = "KIND"
between = ["world", "arm"]
at = [1, 0]
AXIS
)";
  const auto with = [&](const char* speed, const char* kind, const char* axis) {
    std::string text = scene;
    const auto put = [&](const std::string& word, const char* value) {
      text.replace(text.find(word), word.size(), value);
    };
    put("SPEED", speed);
    put("KIND", kind);
    put("AXIS", axis);
    write_text(scratch / "cart.toml", text);
    return talus_program("run cart.toml --force", scratch.path());
  };
  const Outcome refused = with("1", "pin", "");
  CHECK(refused.code == 2);
  CHECK_MESSAGE(
      refused.err.find("cannot hold: together with the other joints") != std::string::npos,
      refused.err);
  CHECK(refused.err.starts_with("cart.toml:17:1: joint '"));
  CHECK(with("0", "pin", "").code == 0);                  // one too many, and yet they agree
  CHECK(with("1", "slider", "axis = [1, 0]").code == 0);  // along the drive
}

TEST_CASE("bodies that overlap at the start are named with their place") {
  const Scratch scratch;
  std::string text = bouncing;
  text.replace(text.find("[0, 0, 0.6]"), 11, "[0, 0, 0.05]");
  write_text(scratch / "sunk.toml", text);
  const Outcome run = talus_program("run sunk.toml", scratch.path());
  CHECK(run.code == 2);
  CHECK(run.err.starts_with("sunk.toml:17:1: body 'ball' overlaps 'floor' by 0.05 m at the start"));
  CHECK_FALSE(std::filesystem::exists(scratch / "sunk.h5"));
}

TEST_CASE("a run that was interrupted goes on to the same last bit") {
  const Scratch scratch;
  write_text(scratch / "bouncing.toml", bouncing);
  REQUIRE(
      talus_program("run bouncing.toml -o whole.h5 --set time.step=2e-5", scratch.path()).code ==
      0);

  const pid_t child = fork();
  if (child == 0) {
    if (chdir(scratch.path().c_str()) != 0) _exit(9);
    execl(TALUS_PROGRAM, "talus", "run", "bouncing.toml", "-o", "parts.h5", "--set",
          "time.step=2e-5", "--quiet", nullptr);
    _exit(9);
  }
  while (!std::filesystem::exists(scratch / "parts.h5")) usleep(1000);
  usleep(20000);
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  const int code = WEXITSTATUS(status);
  CHECK((code == 143 || code == 0));  // 0: it was faster than the signal
  const Outcome rest =
      talus_program("run bouncing.toml -o parts.h5 --set time.step=2e-5 --resume", scratch.path());
  CHECK(rest.code == 0);

  REQUIRE(
      talus_program("export whole.h5 --to csv --what bodies -o whole.csv", scratch.path()).code ==
      0);
  REQUIRE(
      talus_program("export parts.h5 --to csv --what bodies -o parts.csv", scratch.path()).code ==
      0);
  CHECK(read_text(scratch / "whole.csv") == read_text(scratch / "parts.csv"));
}

TEST_CASE("a run stops after the wall time it is given, and goes on to the same last bit") {
  const Scratch scratch;
  write_text(scratch / "bouncing.toml", bouncing);
  const std::string run = "run bouncing.toml --set time.step=2e-5 ";
  REQUIRE(talus_program(run + "-o whole.h5", scratch.path()).code == 0);
  const Outcome stopped = talus_program(run + "-o parts.h5 --stop-after 0.01s", scratch.path());
  CHECK(stopped.code == 0);
  CHECK(stopped.err.find("s of wall time; go on with --resume\n") != std::string::npos);
  CHECK(talus_program("info parts.h5", scratch.path()).code == 0);
  REQUIRE(
      talus_program(run + "-o parts.h5 --resume --checkpoint-interval 0.1", scratch.path()).code ==
      0);
  const std::string table = " --what bodies";
  CHECK(talus_program("export whole.h5" + table, scratch.path()).out ==
        talus_program("export parts.h5" + table, scratch.path()).out);
  for (const char* span : {"", "0", "5x", "1m2h", "-3s", "h"}) {
    CAPTURE(span);
    const Outcome refused =
        talus_program(fmt::format("{} -o other.h5 --stop-after '{}'", run, span), scratch.path());
    CHECK(refused.code == 2);
    CHECK_FALSE(std::filesystem::exists(scratch / "other.h5"));
  }
}

TEST_CASE("a mistyped command is one line that says what was meant") {
  const Scratch scratch;
  const Outcome near = talus_program("chekc run.h5", scratch.path());
  CHECK(near.code == 2);
  CHECK(near.err == "talus: unknown command 'chekc' (did you mean 'check'?)\n");
  CHECK(talus_program("xylophone", scratch.path()).err ==
        "talus: unknown command 'xylophone' (see talus --help)\n");
}

TEST_CASE("a mistyped option is one line that says what was meant") {
  const Scratch scratch;
  const Outcome near = talus_program("run --theads 2 scene.toml", scratch.path());
  CHECK(near.code == 2);
  CHECK(near.err == "talus: unknown option '--theads' (did you mean '--threads'?)\n");
  CHECK(talus_program("run scene.toml --xylophone=3", scratch.path()).err ==
        "talus: unknown option '--xylophone' (see talus run --help)\n");
  // Values, and what comes after two dashes, are no options.
  CHECK(talus_program("run -o --theads.h5 none.toml", scratch.path()).err ==
        "none.toml: cannot open: No such file or directory\n");
  CHECK(talus_program("run -- --theads.toml", scratch.path()).err ==
        "--theads.toml: cannot open: No such file or directory\n");
}

TEST_CASE("what cannot be said is not said to be done") {
  const Scratch scratch;
  // Outputs shorter and longer than the buffer of stdout.
  for (const char* command :
       {"scenes", "new wall", "--help", "run --help", "--version", "manual", "completion bash"}) {
    const Outcome full =
        talus_program(fmt::format("{} > /dev/full 2> full.txt && true", command), scratch.path());
    CHECK(full.code == 1);
    CHECK(read_text(scratch / "full.txt") == "talus: standard output: No space left on device\n");
  }
  // Not even the complaint: the exit code is left.
  CHECK(talus_program("scenes > /dev/full 2> /dev/full && true", scratch.path()).code == 1);
  CHECK(talus_program("run nowhere.toml 2> /dev/full && true", scratch.path()).code == 2);
}
