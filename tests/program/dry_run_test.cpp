// SPDX-License-Identifier: Apache-2.0
// `talus run --dry-run` against runs that were made.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

// Balls that fall into a box: no contacts at the start, many at the end.
std::string falling(int count, double side, const std::string& time) {
  return "dimension = 3\ngravity = [0, 0, -9.81]\ntime = " + time + R"(
solver = { tolerance = 1e-3 }
[material.grain]
density = 2500
friction = 0.4
[[container]]
name = "box"
box = )" +
         "[" + std::to_string(side) + ", " + std::to_string(side) + ", " +
         std::to_string(3 * side) + R"(]
material = "grain"
[[packing]]
in = "box"
radius = [0.004, 0.006]
material = "grain"
count = )" +
         std::to_string(count) + "\n";
}

double number(const std::string& json, const std::string& key) {
  const std::string start = "\"" + key + "\": ";
  const auto found = json.find(start);
  REQUIRE_MESSAGE(found != std::string::npos, key);
  return std::stod(json.substr(found + start.size()));
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                                std::filesystem::directory_iterator()));
}

// Most memory that a run of scene.toml had at a time [bytes].
double peak_memory(const std::filesystem::path& folder) {
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.c_str()) != 0) _exit(9);
    execl(TALUS_PROGRAM, "talus", "run", "scene.toml", "-o", "scene.h5", "--quiet", nullptr);
    _exit(9);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

// A scene's estimates beside its run.
void check_estimates(const std::string& scene) {
  const Scratch scratch;
  write_text(scratch / "scene.toml", scene);
  const Outcome dry = talus_program("run scene.toml --dry-run --json", scratch.path());
  CHECK(dry.code == 0);
  CHECK(files_in(scratch.path()) == 1);
  CHECK(std::count(dry.out.begin(), dry.out.end(), '\n') == 1);
  CHECK(number(dry.out, "step_s") > 0);
  CHECK(number(dry.out, "total_s") ==
        doctest::Approx(number(dry.out, "step_s") * number(dry.out, "steps")));

  const double memory = peak_memory(scratch.path());
  CAPTURE(memory);
#ifndef __SANITIZE_ADDRESS__  // which keeps a shadow of all memory, and what was freed
  CHECK(number(dry.out, "memory_bytes") / memory > 0.5);
#endif
  CHECK(number(dry.out, "memory_bytes") / memory < 2);
  const auto bytes = static_cast<double>(std::filesystem::file_size(scratch / "scene.h5"));
  CAPTURE(bytes);
  CHECK(number(dry.out, "file_bytes") / bytes > 0.7);
  CHECK(number(dry.out, "file_bytes") / bytes < 1.3);
  const Outcome info = talus_program("info scene.h5 --json", scratch.path());
  CHECK(number(dry.out, "bodies") == number(info.out, "bodies"));
  CHECK(number(dry.out, "frames") == number(info.out, "frames"));
}

}  // namespace

TEST_CASE("memory and file size of grains that settle are estimated before the run") {
  check_estimates(falling(150, 0.05, "{ step = 1e-3, end = 0.6, save_every = 10 }"));
}

TEST_CASE("a rough run reaches the end of a small run and finds the contacts there") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", falling(12, 0.03, "{ step = 1e-3, end = 0.4 }"));
  const Outcome dry = talus_program("run scene.toml --dry-run --json", scratch.path());
  CHECK(number(dry.out, "sampled_moments") == 10);
  CHECK(number(dry.out, "sampled_until") == 1);
  CHECK(dry.err.find("steps at 10 moments of a rough run\n") != std::string::npos);
  const Outcome run = talus_program("run scene.toml --json", scratch.path());
  const double contacts = number(run.out, "contacts_last");
  CHECK(number(dry.out, "contacts_expected") > 0.7 * contacts);
  CHECK(number(dry.out, "contacts_expected") < 1.5 * contacts);
}

TEST_CASE("memory and file size of many grains are estimated before the run") {
  std::string scene = falling(3000, 0.2, "{ step = 1e-3, end = 0.01, save_every = 2 }");
  check_estimates(scene + "fill = \"deposit\"\n");
}

TEST_CASE("memory and file size of a wall are estimated before the run") {
  check_estimates(stone_floor("{ step = 1e-3, end = 0.3, save_every = 10 }") + R"(
[[wall]]
block = [0.124, 0.049]
courses = 10
blocks = 10
material = "stone"
)");
}

TEST_CASE("a dry run warns of overlaps, of steps too long and of bodies that nothing holds") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", stone_floor("{ step = 1e-2, end = 1 }") + R"(
[[body]]
name = "high"
shape = { ball = 0.1 }
position = [0, 5]
material = "stone"

[[body]]
name = "sunk"
shape = { ball = 0.1 }
position = [3, 0.05]
material = "stone"
)");
  const Outcome dry = talus_program("run scene.toml --dry-run --json", scratch.path());
  CHECK(dry.code == 0);
  CHECK(dry.err.find("warning: scene.toml:21:1: 1 bodies overlap at the start, 'sunk' and 'floor' "
                     "by 0.05 m: the run will be refused\n") != std::string::npos);
  // 9.9 m/s after a fall of 5 m.
  CHECK(dry.err.find("warning: time.step = 0.01: bodies may reach 9.9 m/s and cover 0.99 of the "
                     "smallest radius in a step; 0.001 s or less keeps impacts sharp\n") !=
        std::string::npos);
  CHECK(dry.err.find("leak") == std::string::npos);
  CHECK(dry.out.find("\"warnings\": [\"scene.toml:21:1: 1 bodies") != std::string::npos);
  CHECK(files_in(scratch.path()) == 1);

  write_text(scratch / "scene.toml", R"(dimension = 2
gravity = [0, -9.81]
time = { step = 1e-5, end = 0.1 }
[material.grain]
density = 2500
friction = 0.4
[[container]]
box = [1, 1]
open = ["bottom"]
material = "grain"
[[packing]]
in = "container"
count = 20
radius = 0.02
material = "grain"
)");
  const Outcome leak = talus_program("run scene.toml --dry-run", scratch.path());
  CHECK(leak.code == 0);
  CHECK(leak.err.find(
            "warning: scene.toml:11:1: 20 bodies, the first is 'packing.0', not directly "
            "above a fixed body: they fall out of the scene unless other bodies carry them\n") !=
        std::string::npos);
  CHECK(leak.err.find("time.step") == std::string::npos);
}

TEST_CASE("a scene that asks too much is refused by one line, and nothing is overwritten") {
  const Scratch scratch;
  write_text(scratch / "scene.h5", "precious");
  for (const char* count : {"1e12", "1000000000", "2000001"}) {
    std::string text = falling(10, 0.1, "{ step = 1e-3, end = 1 }");
    text.replace(text.find("count = 10"), 10, std::string("count = ") + count);
    write_text(scratch / "scene.toml", text);
    for (const char* option : {"--force", "--dry-run"}) {
      CAPTURE(count);
      const Outcome run = talus_program(std::string("run scene.toml ") + option, scratch.path());
      CHECK(run.code == 2);
      CHECK(run.err.starts_with("scene.toml:"));
      CHECK(read_text(scratch / "scene.h5") == "precious");
    }
  }
}

// The address sanitizer maps terabytes for itself before the program begins, so no limit leaves
// room for it.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("a scene that does not fit into memory is refused by one line") {
  const Scratch scratch;
  write_text(scratch / "scene.h5", "precious");
  write_text(scratch / "scene.toml", stone_floor("{ step = 1e-3, end = 1 }") + R"(
[[grid]]
shape = { ball = 0.1 }
counts = [1000, 1000]
spacing = 1
position = [0, 1]
material = "stone"
)");
  const std::string limited = "cd '" + scratch.path().string() + "' && ulimit -v 400000 && '" +
                              TALUS_PROGRAM + "' run scene.toml --force --threads 1 2> said";
  const int status = std::system(limited.c_str());
  CHECK(WEXITSTATUS(status) == 2);
  CHECK(read_text(scratch / "said") == "scene.toml: takes more memory than there is\n");
  CHECK(read_text(scratch / "scene.h5") == "precious");
}
#endif
