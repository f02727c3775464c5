// SPDX-License-Identifier: Apache-2.0
// Files damaged on their way, as every command that opens one meets them: each is refused in one
// line or read. On some of them HDF5 1.10 crashes, loops or complains, which nobody may see.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "engine/world.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/trajectory/checkpoint.hpp"
#include "io/trajectory/scene_identity.hpp"
#include "io/trajectory/trajectory_writer.hpp"
#include "tests/program/program.hpp"

using namespace talus;

namespace {

const std::string scene_text = stone_floor("{ step = 1e-3, end = 0.03, save_every = 2 }") + R"(
[[body]]
name = "ball"
shape = { ball = 0.1 }
material = "stone"
position = [0, 0.1]

[[body]]
name = "block"
shape = { box = [0.2, 0.2] }
material = "stone"
position = [0.5, 0.1]
)";

// A run stopped at two thirds: its trajectory and its checkpoint.
struct StoppedRun {
  std::string trajectory, checkpoint;
};

StoppedRun stopped_run(const Scratch& scratch) {
  write_text(scratch / "scene.toml", scene_text);
  const SceneDocument document = read_scene(scratch / "scene.toml", {});
  const auto& scene = std::get<Scene<2>>(document.scene);
  const auto path = scratch / "run.h5";
  World<2> world(scene);
  RunInfo info;
  info.scene_text = document.text;
  info.scene_id = identity_of(document.text, {}, {}).hash();
  {
    auto writer = TrajectoryWriter<2>::create(path, scene, world.bodies(), info, false);
    for (;;) {
      if (world.steps() % scene.save_every == 0)
        writer.append_frame(world.time(), world.steps(), world.bodies(), world.contacts());
      if (world.steps() == 20) break;
      writer.append_series(world.step(), 1e-3);
    }
    writer.flush();
    write_checkpoint<2>(path, world.state(), info.scene_id);
  }
  return {read_text(path), read_text(scratch / "run.ckpt.A.h5")};
}

using RandomBits = std::mt19937_64;

// Where damage is felt: most of a small file are chunks that no row has filled yet.
std::vector<std::size_t> used_bytes(const std::string& bytes) {
  std::vector<std::size_t> places;
  std::size_t last = 0;  // one past the last byte that is not zero
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != 0) last = i + 1;
    if (last > 0 && i < last + 8) places.push_back(i);
  }
  return places;
}

// One to three wounds: a flipped bit, a wrong byte, a word of ones, a hole.
std::string damaged(std::string bytes, const std::vector<std::size_t>& places, RandomBits& random) {
  for (auto wounds = 1 + random() % 3; wounds > 0; --wounds) {
    const std::size_t at = places[random() % places.size()];
    const auto fill = [&](char value, std::size_t length) {
      std::fill_n(&bytes[at], std::min(length, bytes.size() - at), value);
    };
    switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 1:
        bytes[at] = static_cast<char>(random());
        break;
      case 2:
        fill('\xff', 8);
        break;
      default:
        fill('\0', 1 + random() % 64);
    }
  }
  return bytes;
}

const std::vector<std::string> commands = {"info run.h5",
                                           "check run.h5",
                                           "views run.h5",
                                           "export run.h5",
                                           "export run.h5 --what bodies",
                                           "export run.h5 --what contacts",
                                           "run scene.toml -o run.h5 --resume --quiet"};

// In order: done and silent, or `check` not content, or refused by the name of the file in a line.
bool in_order(const Outcome& outcome, const std::string& command) {
  if (outcome.code == 0 || (outcome.code == 3 && command.starts_with("check")))
    return outcome.err.empty();
  return outcome.code == 2 && outcome.err.starts_with("run.") &&
         std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1;
}

}  // namespace

TEST_CASE("a trajectory with damaged bytes is refused in one line or read, by every command") {
  const Scratch scratch;
  const StoppedRun run = stopped_run(scratch);
  const auto places = used_bytes(run.trajectory);
  RandomBits random(1);
  int refused = 0;
  for (std::size_t variant = 0; variant < 210; ++variant) {
    const std::string& command = commands[variant % commands.size()];
    CAPTURE(variant);
    CAPTURE(command);
    write_text(scratch / "run.h5", damaged(run.trajectory, places, random));
    write_text(scratch / "run.ckpt.A.h5", run.checkpoint);
    const Outcome outcome = talus_program(command, scratch.path());
    CHECK_MESSAGE(in_order(outcome, command), outcome.code, ": ", outcome.err);
    refused += outcome.code == 2;
  }
  CHECK(refused > 30);   // the damage was felt
  CHECK(refused < 180);  // and not everything is refused
}

TEST_CASE("a trajectory cut off anywhere is refused in one line by every command") {
  const Scratch scratch;
  const StoppedRun run = stopped_run(scratch);
  for (std::size_t k = 0; k < 28; ++k) {
    const std::string& command = commands[k % commands.size()];
    const std::size_t length = run.trajectory.size() * k / 28;
    CAPTURE(length);
    CAPTURE(command);
    write_text(scratch / "run.h5", run.trajectory.substr(0, length));
    const Outcome outcome = talus_program(command, scratch.path());
    CHECK_MESSAGE((outcome.code == 2 && in_order(outcome, command)), outcome.code, ": ",
                  outcome.err);
  }
}

TEST_CASE("a damaged checkpoint is refused in one line, or the run goes on as it would have") {
  const Scratch scratch;
  const StoppedRun run = stopped_run(scratch);
  const auto places = used_bytes(run.checkpoint);
  const std::string table = "export run.h5 --what bodies";
  REQUIRE(talus_program(commands.back(), scratch.path()).code == 0);
  const std::string whole = talus_program(table, scratch.path()).out;
  RandomBits random(2);
  for (int variant = 0; variant < 24; ++variant) {
    CAPTURE(variant);
    write_text(scratch / "run.h5", run.trajectory);
    write_text(scratch / "run.ckpt.A.h5", damaged(run.checkpoint, places, random));
    const Outcome outcome =
        talus_program(commands.back() + " --checkpoint-every 1e-9", scratch.path());
    CHECK_MESSAGE(in_order(outcome, commands.back()), outcome.code, ": ", outcome.err);
    if (outcome.code == 0) CHECK(talus_program(table, scratch.path()).out == whole);
  }
}
