// SPDX-License-Identifier: Apache-2.0
// Videos of runs: with ffmpeg, without it, and with one that fails.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/program/program.hpp"

using namespace talus;
namespace fs = std::filesystem;

namespace {

// 11 frames of 0.01 s.
const std::string falling = stone_floor("{ step = 1e-3, end = 0.1, save_every = 10 }") + R"(
[[body]]
name = "ball"
shape = { ball = 0.1 }
material = "stone"
position = [0, 0.5]
)";

void make_run(const Scratch& scratch) {
  write_text(scratch / "a.toml", falling);
  REQUIRE(talus_program("run a.toml --quiet", scratch.path()).code == 0);
}

std::size_t files_in(const fs::path& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++count;
  return count;
}

Outcome without_ffmpeg(const std::string& arguments, const Scratch& scratch) {
  return shell("PATH=/nowhere '" TALUS_PROGRAM "' " + arguments, scratch.path());
}

// An ffmpeg that does this instead.
Outcome with_false_ffmpeg(const std::string& what, const std::string& arguments,
                          const Scratch& scratch) {
  fs::create_directories(scratch / "bin");
  write_text(scratch / "bin/ffmpeg", "#!/bin/sh\n" + what + "\n");
  fs::permissions(scratch / "bin/ffmpeg", fs::perms::owner_all);
  return shell("PATH=\"$PWD/bin:$PATH\" '" TALUS_PROGRAM "' " + arguments, scratch.path());
}

}  // namespace

TEST_CASE("a video has a picture of every frame, in the size asked for") {
  const Scratch scratch;
  if (shell("command -v ffmpeg && command -v ffprobe", scratch.path()).code != 0) {
    MESSAGE("skipped: ffmpeg is not installed");
    return;
  }
  make_run(scratch);
  const auto probed = [&](const std::string& file) {
    return shell(
               "ffprobe -v error -count_frames -show_entries "
               "stream=codec_name,width,height,avg_frame_rate,nb_read_frames -of csv=p=0 " +
                   file,
               scratch.path())
        .out;
  };
  Outcome outcome = talus_program("video a.h5 --size 160x120", scratch.path());
  CHECK_MESSAGE(outcome.code == 0, outcome.err);
  CHECK(outcome.err ==
        "wrote a.mp4: 11 frames, 0.44 s at 25 a second, 0.23 times as fast as the run\n");
  CHECK(probed("a.mp4") == "h264,160,120,25/1,11\n");
  outcome =
      talus_program("video a.h5 --size 128x96 --from 0.02 --to 0.06 --every 2 --fps 10 -o b.webm",
                    scratch.path());
  CHECK_MESSAGE(outcome.code == 0, outcome.err);
  CHECK(probed("b.webm").starts_with("vp9,128,96,10/1,3"));
  outcome = talus_program("video a.h5 --size 160x120", scratch.path());
  CHECK(outcome.code == 2);
  CHECK(outcome.err ==
        "a.mp4: exists already (use --force to overwrite it, or -o for another name)\n");
  CHECK(talus_program("video a.h5 --size 160x120 --force", scratch.path()).code == 0);
}

TEST_CASE("without ffmpeg a video is a folder of numbered pictures") {
  const Scratch scratch;
  make_run(scratch);
  const Outcome outcome = without_ffmpeg("video a.h5 --size 160x120 -o b.webm", scratch);
  CHECK(outcome.code == 0);
  CHECK(outcome.err ==
        "ffmpeg is not installed: wrote 11 pictures to b.frames\n"
        "with it:  ffmpeg -framerate 25 -i 'b.frames/frame-%06d.png' -pix_fmt yuv420p 'b.webm'\n");
  CHECK(files_in(scratch / "b.frames") == 11);
  // The first picture is that of `talus picture`.
  REQUIRE(talus_program("picture a.h5 --at 0 --size 160x120 -o first.png", scratch.path()).code ==
          0);
  CHECK(read_text(scratch / "b.frames/frame-000000.png") == read_text(scratch / "first.png"));
  CHECK(!fs::exists(scratch / "b.webm"));

  CHECK(without_ffmpeg("video a.h5 --size 160x120 -o b.mp4", scratch).err ==
        "b.frames: exists already (use --force to overwrite it, or -o for another name)\n");
  CHECK(without_ffmpeg("video a.h5 --size 160x120 -o b.mp4 --force --to 0.05", scratch).code == 0);
  CHECK(files_in(scratch / "b.frames") == 6);
  write_text(scratch / "b.frames/notes.txt", "mine");
  CHECK(without_ffmpeg("video a.h5 --size 160x120 -o b.mp4 --force", scratch).err ==
        "b.frames: is not replaced: it holds notes.txt\n");
  CHECK(files_in(scratch / "b.frames") == 7);
}

TEST_CASE("a failing ffmpeg is reported with its last line, and leaves nothing") {
  const Scratch scratch;
  make_run(scratch);
  const std::size_t files = files_in(scratch.path());
  for (const char* eats : {"", "cat > /dev/null; "}) {  // at once, and at the end
    const Outcome outcome = with_false_ffmpeg(
        std::string(eats) + "echo much >&2; echo 'No space left on device' >&2; exit 1",
        "video a.h5 --size 160x120", scratch);
    CHECK(outcome.code == 1);
    CHECK(outcome.err == "talus: ffmpeg failed: No space left on device\n");
  }
  const Outcome killed =
      with_false_ffmpeg("cat > /dev/null; kill -9 $$", "video a.h5 --size 160x120", scratch);
  CHECK(killed.code == 1);
  CHECK(killed.err == "talus: ffmpeg failed: killed by signal 9\n");
  CHECK(files_in(scratch.path()) == files + 1);  // bin
}

TEST_CASE("a video that is stopped leaves nothing") {
  const Scratch scratch;
  make_run(scratch);
  const std::size_t files = files_in(scratch.path());
  // Stops its parent when the first bytes have come.
  const Outcome outcome =
      with_false_ffmpeg("head -c 1 > /dev/null; kill -INT $PPID; cat > /dev/null",
                        "video a.h5 --size 640x480", scratch);
  CHECK(outcome.code == 130);
  CHECK(files_in(scratch.path()) == files + 1);
}

TEST_CASE("what a video cannot be is said") {
  const Scratch scratch;
  make_run(scratch);
  const auto refused = [&](const std::string& options) {
    const Outcome outcome = talus_program("video a.h5 " + options, scratch.path());
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK(refused("--size 161x120") == "--size 161x120: both numbers must be even in a video\n");
  CHECK(refused("-o b.avi") == "b.avi: a video is NAME.mp4 or NAME.webm\n");
  CHECK(refused("--from 2 --to 3") ==
        "a.h5: no frame from 2 s to 3 s: the run has frames from 0 s to 0.1 s\n");
  CHECK(refused("--size 10x10").find("'10x10' is no WIDTHxHEIGHT of 64 to 8192 pixels") !=
        std::string::npos);
  CHECK(refused("--colour pink").find("pink") != std::string::npos);
}
