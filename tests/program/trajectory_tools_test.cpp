// SPDX-License-Identifier: Apache-2.0
// info, check, views and export, on the files of real runs.
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

// A few bodies of every shape fall on a floor.
std::string falling(int dimension) {
  const auto vector = [&](double x, double up) {
    return dimension == 2 ? fmt::format("[{}, {}]", x, up) : fmt::format("[{}, 0, {}]", x, up);
  };
  const auto body = [&](const char* name, const std::string& shape, double x, double up) {
    return fmt::format("[[body]]\nname = \"{}\"\nshape = {}\nmaterial = \"stone\"\nposition = {}\n",
                       name, shape, vector(x, up));
  };
  return fmt::format("dimension = {}\ngravity = {}\n", dimension, vector(0, -9.81)) +
         "time = { step = 1e-3, end = 0.3, save_every = 25 }\n"
         "solver = { tolerance = 1e-8, max_sweeps = 100000 }\n"
         "[material.stone]\ndensity = 2500\nfriction = 0.5\n" +
         body("floor", fmt::format("{{ halfspace = {} }}", vector(0, 1)), 0, 0) + "fixed = true\n" +
         body("ball", "{ ball = 0.1 }", 0, 0.2) +
         body("block",
              fmt::format("{{ box = [{}] }}", dimension == 2 ? "0.2, 0.2" : "0.2, 0.2, 0.2"), 0.5,
              0.15);
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int check_layout(const std::filesystem::path& run) {
  const std::string command = "/usr/bin/python3 '" TALUS_SOURCE_DIR
                              "/tests/check_trajectory.py' '" +
                              run.string() + "' >&2";
  return std::system(command.c_str());
}

}  // namespace

TEST_CASE("the file of a run has the layout that is documented") {
  for (int dimension : {2, 3}) {
    const Scratch scratch;
    write_text(scratch / "scene.toml", falling(dimension));
    REQUIRE(talus_program("run scene.toml -o run.h5", scratch.path()).code == 0);
    CHECK(check_layout(scratch / "run.h5") == 0);
  }
}

TEST_CASE("info says what is in a file, to people and to programs") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", falling(3));
  REQUIRE(talus_program("run scene.toml -o run.h5 --set time.theta=0.75", scratch.path()).code ==
          0);
  const Outcome people = talus_program("info run.h5", scratch.path());
  CHECK(people.code == 0);
  CHECK(contains(people.out, "run.h5: trajectory in 3 dimensions"));
  CHECK(contains(people.out, "complete"));
  CHECK(contains(people.out, "3: 1 sphere, 1 polyhedron, 1 half-space; 1 fixed, 0 driven"));
  CHECK(contains(people.out, "13, from t = 0 s to 0.3 s"));
  CHECK(contains(people.out, "time.theta=0.75"));
  const Outcome programs = talus_program("info run.h5 --json", scratch.path());
  CHECK(programs.code == 0);
  CHECK(lines(programs.out) == 1);
  for (const char* item :
       {"\"bodies\": 3", "\"frames\": 13", "\"steps\": 300", "\"complete\": true",
        "\"dimension\": 3", "\"theta\": 0.75", "\"balls\": 1"})
    CHECK_MESSAGE(contains(programs.out, item), item);
}

TEST_CASE("check certifies a sound run and ends with 3 for one that missed its tolerance") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", falling(2));
  REQUIRE(talus_program("run scene.toml -o run.h5", scratch.path()).code == 0);
  const Outcome sound = talus_program("check run.h5 --json", scratch.path());
  CHECK(sound.code == 0);
  CHECK(contains(sound.err, "run.h5: certified"));
  CHECK(contains(sound.out, "\"passed\": true"));
  CHECK(contains(sound.out, "\"first_bad_step\": null"));
  CHECK(lines(sound.out) == 1);
  CHECK(contains(sound.err, "skip  impacts"));
  CHECK(contains(sound.out, "\"skipped\": [{\"name\": \"impacts\", \"reason\": "));
  CHECK(talus_program("check run.h5 --penetration 0", scratch.path()).code == 2);

  // one sweep is not enough for a block on two contacts
  const std::string hasty = "run scene.toml -o hasty.h5 --set solver.max_sweeps=1";
  REQUIRE(talus_program(hasty, scratch.path()).code != 2);
  const Outcome missed = talus_program("check hasty.h5 --json", scratch.path());
  CHECK(missed.code == 3);
  CHECK(contains(missed.err, "FAIL  converged"));
  CHECK(contains(missed.err, "hasty.h5: NOT CERTIFIED: converged"));
  CHECK(contains(missed.out, "\"passed\": false"));
}

TEST_CASE("views come back when they were lost") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", falling(2));
  REQUIRE(talus_program("run scene.toml -o run.h5", scratch.path()).code == 0);
  const std::string before = read_text(scratch / "run.xmf2");
  std::filesystem::remove(scratch / "run.xmf2");
  std::filesystem::remove(scratch / "run.vtkhdf");
  const Outcome views = talus_program("views run.h5", scratch.path());
  CHECK(views.code == 0);
  CHECK(contains(views.out, "run.h5: 13 frames\n"));
  CHECK(read_text(scratch / "run.xmf2") == before);
  CHECK(std::filesystem::exists(scratch / "run.vtkhdf"));
  CHECK(check_layout(scratch / "run.h5") == 0);
}

TEST_CASE("a state for ParaView names the run and scales that suit all its frames") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", falling(2));
  REQUIRE(talus_program("run scene.toml -o 'a\"run.h5'", scratch.path()).code == 0);
  const std::string views = "views 'a\"run.h5' --state state.py";
  REQUIRE(talus_program(views, scratch.path()).code == 0);
  CHECK(talus_program(views, scratch.path()).code == 2);  // it is there
  const std::string state = read_text(scratch / "state.py");
  const std::string begin =
      "\nRUN, PLANE, SPEED, FORCE = \"" + scratch.path().string() + "/a\\\"run.\", True, ";
  REQUIRE(contains(state, begin));
  double speed = 0, force = 0;
  CHECK(std::sscanf(state.c_str() + state.find(begin) + begin.size(), "%lf, %lf", &speed, &force) ==
        2);
  CHECK((speed > 0.1 && speed < 10));
  CHECK((force > 0.1 && force < 1e6));
  if (shell("command -v python3", scratch.path()).code == 0)
    CHECK(shell("python3 -m py_compile state.py", scratch.path()).code == 0);
}

TEST_CASE("export writes tables, and no file over another") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", falling(2));
  REQUIRE(talus_program("run scene.toml -o run.h5", scratch.path()).code == 0);
  const Outcome series = talus_program("export run.h5 --to csv", scratch.path());
  CHECK(series.code == 0);
  CHECK(lines(series.out) == 301);
  CHECK(talus_program("export run.h5 --what bodies -o bodies.csv", scratch.path()).code == 0);
  CHECK(lines(read_text(scratch / "bodies.csv")) == 1 + 13 * 3);
  CHECK(talus_program("export run.h5 --what contacts -o contacts.csv", scratch.path()).code == 0);
  CHECK(lines(read_text(scratch / "contacts.csv")) > 10);

  const Outcome again = talus_program("export run.h5 -o bodies.csv", scratch.path());
  CHECK(again.code == 2);
  CHECK(again.err ==
        "bodies.csv: exists already (use --force to overwrite it, or -o for another name)\n");
  CHECK(lines(read_text(scratch / "bodies.csv")) == 1 + 13 * 3);
  CHECK(talus_program("export run.h5 -o bodies.csv --force", scratch.path()).code == 0);
  CHECK(lines(read_text(scratch / "bodies.csv")) == 301);
  CHECK(talus_program("export run.h5 -o nowhere/x.csv", scratch.path()).err ==
        "nowhere/x.csv: cannot write: No such file or directory\n");
  CHECK(talus_program("export run.h5 --what fish", scratch.path()).code == 2);
  CHECK(talus_program("export run.h5 --to xls", scratch.path()).code == 2);
  CHECK(talus_program("export run.h5 > /dev/full 2> full.txt && true", scratch.path()).code == 1);
  CHECK(read_text(scratch / "full.txt") == "talus: standard output: No space left on device\n");
}

TEST_CASE("what is no trajectory is one line and exit code 2 for every tool") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", falling(2));
  REQUIRE(talus_program("run scene.toml -o run.h5", scratch.path()).code == 0);
  write_text(scratch / "text.h5", "not HDF5");
  const std::string whole = read_text(scratch / "run.h5");
  write_text(scratch / "short.h5", whole.substr(0, whole.size() / 2));
  std::string scrambled = whole;  // holes where the file keeps its tables
  for (std::size_t i = 96; i < scrambled.size(); i += 512) scrambled[i] = '\x5a';
  write_text(scratch / "scrambled.h5", scrambled);
  for (const char* tool : {"info", "check", "views", "export"})
    for (const char* file : {"text.h5", "short.h5", "scrambled.h5", "nowhere.h5", "."}) {
      const Outcome outcome = talus_program(fmt::format("{} {}", tool, file), scratch.path());
      CHECK_MESSAGE(outcome.code == 2, tool, " ", file);
      CHECK_MESSAGE(lines(outcome.err) == 1, tool, " ", file, ": ", outcome.err);
      CHECK(outcome.err.starts_with(file));
      CHECK(outcome.out == "");
    }
}

TEST_CASE("a run that is killed leaves a file with every frame it had finished") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", falling(2));
  int with_frames = 0;
  for (int round = 0; round < 12; ++round) {
    const std::string name = fmt::format("run{}.h5", round);
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(scratch.path().c_str()) != 0) _exit(9);
      execl(TALUS_PROGRAM, "talus", "run", "scene.toml", "-o", name.c_str(), "--set",
            "time.end=1000", "--set", "time.save_every=1", "--quiet", "--threads", "1", nullptr);
      _exit(9);
    }
    while (!std::filesystem::exists(scratch / name)) usleep(500);
    usleep(static_cast<useconds_t>(2000 + 7919 * round));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));

    const Outcome info = talus_program("info --json " + name, scratch.path());
    REQUIRE_MESSAGE(info.code == 0, info.err);
    CHECK(contains(info.out, "\"complete\": false"));
    if (contains(info.out, "\"frames\": 0,")) continue;
    ++with_frames;
    const Outcome check = talus_program("check " + name, scratch.path());
    CHECK_MESSAGE(check.code == 0, check.out);
  }
  CHECK(with_frames > 0);
}
