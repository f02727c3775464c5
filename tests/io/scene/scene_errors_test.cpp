// SPDX-License-Identifier: Apache-2.0
// Every mistake in a scene is answered with one message, held here to the letter.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "io/scene/scene_reader.hpp"
#include "io/scene/toml_depth.hpp"
#include "io/text/spelling.hpp"

using namespace talus;
namespace fs = std::filesystem;

namespace {

const fs::path broken_scenes = fs::path(TALUS_SOURCE_DIR) / "tests/broken_scenes";

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string message_of(const auto& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// The message for a file, with paths as seen from its folder.
std::string message_of_file(const fs::path& path) {
  std::string message = message_of([&] { read_scene(path); });
  const std::string folder = path.parent_path().string() + "/";
  for (std::size_t at; (at = message.find(folder)) != std::string::npos;) {
    message.erase(at, folder.size());
  }
  return message;
}

// The message for a small good scene with one --set.
std::string message_of_set(const std::string& override_text) {
  const std::string text = R"(dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 1.0 }
material.stone = { density = 2000, friction = 0.5 }

[[body]]
name = "ball"
shape = { ball = 0.1 }
material = "stone"
drive = [{ direction = [0, 1], velocity = { table = [[0, 0], [1, 1]] } }]
)";
  REQUIRE(message_of([&] { read_scene_text(text, "scene.toml"); }) == "no error");
  return message_of(
      [&] { read_scene_text(text, "scene.toml", std::vector<std::string>{override_text}); });
}

}  // namespace

TEST_CASE("every broken scene is answered by its own message") {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(broken_scenes)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".toml") names.insert(path.stem().string());
    if (path.extension() == ".expected")
      CHECK(fs::exists(fs::path(path).replace_extension(".toml")));
  }
  CHECK(names.size() > 150);
  for (const std::string& name : names) {
    CAPTURE(name);
    std::string expected = contents(broken_scenes / (name + ".expected"));
    if (!expected.empty()) expected.pop_back();  // the end of the last line
    CHECK(message_of_file(broken_scenes / (name + ".toml")) == expected);
  }
}

TEST_CASE("files that cannot be read say why") {
  const fs::path folder = fs::temp_directory_path() / "talus_unreadable_test";
  fs::create_directories(folder / "folder.toml");
  CHECK(message_of_file(folder / "missing.toml") ==
        "missing.toml: cannot open: No such file or directory");
  CHECK(message_of_file(folder / "foldr.toml") ==
        "foldr.toml: cannot open: No such file or directory (did you mean 'folder.toml'?)");
  CHECK(message_of_file(folder / "folder.toml") == "folder.toml: is a folder, not a file");
  CHECK(mkfifo((folder / "pipe.toml").c_str(), 0600) == 0);
  CHECK(message_of_file(folder / "pipe.toml") == "pipe.toml: is a pipe, not a file");
  CHECK(message_of_file("/dev/zero") == "zero: is a device, not a file");
  CHECK(message_of_file("/proc/self/mem") == "mem: cannot read");

  std::ofstream(folder / "huge.toml") << "dimension = 2\n";
  fs::resize_file(folder / "huge.toml", (std::uintmax_t{64} << 20) + 1);
  CHECK(message_of_file(folder / "huge.toml") ==
        "huge.toml: is larger than 64 MB, the most that is read as text");
  fs::remove_all(folder);
}

TEST_CASE("keys of absurdly many parts are refused before they become tables in tables") {
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  const auto message = [](const std::string& text) {
    return message_of([&] { read_scene_text(text, "s.toml"); });
  };
  constexpr int most = max_key_parts, absurd = 100'000;
  const std::string refusal = "TOML: a key of more than 32 parts";
  CHECK(message(std::string("\n").append(repeated("a.", absurd)) + "a = 1\n") ==
        "s.toml:2: " + refusal);
  CHECK(message(std::string("[").append(repeated("a.", absurd)) + "a]\n") ==
        "s.toml:1: " + refusal);
  CHECK(message(std::string("a = { ").append(repeated("\"b.c\" . ", absurd)) + "a = 1 }\n") ==
        "s.toml:1: " + refusal);
  CHECK(message(repeated("a.", most) + "a = 1\n") == "s.toml:1: " + refusal);
  CHECK(message(repeated("a.", most - 1) + "a = 1\n").starts_with("s.toml:1:1: unknown key 'a'"));
  CHECK(message_of_set(repeated("a.", absurd) + "a=1") ==
        "--set a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.…: " + refusal);
  // Points elsewhere are no parts of keys.
  const std::string points = repeated("x. ", absurd);
  CHECK(message("# " + points + "\ntitle = \"" + points + "\\\"" + points + "\"\nx = \"\"\"\n" +
                points + "\n" + points + "\"\"\"\n" + "y = '" + points + "'\nz = [" +
                repeated("0.5, ", absurd) + "]\n")
            .starts_with("s.toml:3:1: unknown key 'x'"));
  CHECK(message("a = " + repeated("[", absurd)).starts_with("s.toml:1:"));
}

TEST_CASE("an override that cannot be applied says which") {
  CHECK(message_of_set("fast") == "--set fast: expected key=value, as in time.step=1e-4");
  CHECK(message_of_set("=3") == "--set =3: expected key=value, as in time.step=1e-4");
  CHECK(message_of_set("[time]=3") == "--set [time]=3: expected key=value, as in time.step=1e-4");
  CHECK(message_of_set("# a=3") == "--set # a=3: expected key=value, as in time.step=1e-4");
  CHECK(message_of_set("time.step=1e-3\ntitle=1") ==
        "--set time.step=1e-3?title=1: expected key=value, as in time.step=1e-4");
  CHECK(message_of_set("time.step=") ==
        "--set time.step=: TOML: key-value pair: encountered end-of-file");
  CHECK(message_of_set("gravity=[1,") == "--set gravity=[1,: TOML: array: encountered end-of-file");
  CHECK(message_of_set("gravity.5=1") == "--set gravity.5=1: 'gravity' has entries 0 to 1, not 5");
  CHECK(message_of_set("body.1.mass=1") == "--set body.1.mass=1: 'body' has one entry, 0, not 1");
  CHECK(message_of_set("body.bal.mass=1") ==
        "--set body.bal.mass=1: 'body' has no entry named 'bal' (did you mean 'ball'?)");
  CHECK(message_of_set("body.floor.mass=1") ==
        "--set body.floor.mass=1: 'body' has no entry named 'floor'; use its number, from 0");
  CHECK(message_of_set("time.step.x=1") ==
        "--set time.step.x=1: 'step' is a single value and has no 'x'");
}

TEST_CASE("an override that is applied is checked like the scene itself") {
  CHECK(message_of_set("time.stp=1e-3") ==
        "--set time.stp=1e-3: time: unknown key 'stp' (did you mean 'step'?)");
  CHECK(message_of_set("tme.step=1e-3") ==
        "--set tme.step=1e-3: unknown key 'tme' (did you mean 'time'?)");
  CHECK(message_of_set("time.step=0") == "--set time.step=0: time: step = 0 is not positive");
  CHECK(message_of_set("body.ball.material=stoen") ==
        "--set body.ball.material=stoen: body 'ball': material = \"stoen\" is no material (did you "
        "mean 'stone'?)");
  CHECK(message_of_set("body.0.shape={ball=-1}") ==
        "--set body.0.shape={ball=-1}: body 'ball', shape: ball = -1 is not positive");
  CHECK(message_of_set("body.0.drive.0.velocity.table.1=[-1, 0]") ==
        "--set body.0.drive.0.velocity.table.1=[-1, 0]: body 'ball', drive[0], velocity: table[1]: "
        "time -1 does not come after 0");
  // What an override makes wrong elsewhere is reported there.
  CHECK(message_of_set("dimension=3") ==
        "scene.toml:2:11: gravity = [0, -9.81] has 2 components, expected 3 (dimension = 3)\n"
        "    2 | gravity = [0, -9.81]\n"
        "      |           ^");
  CHECK(message_of_set("material.stone.frction=1") ==
        "--set material.stone.frction=1: material 'stone': unknown key 'frction' (did you mean "
        "'friction'?)");
  CHECK(message_of_set("material.stone.friction=1") == "no error");
  CHECK(message_of_set("material.stone={density=1, friction=1}") == "no error");
}

TEST_CASE("an override makes no new material, whatever its form") {
  CHECK(message_of_set("material.ston.friction=1") ==
        "--set material.ston.friction=1: the scene has no material 'ston' (did you mean 'stone'?)");
  CHECK(message_of_set("material.\"stone \".friction=1") ==
        "--set material.\"stone \".friction=1: the scene has no material 'stone ' (did you mean "
        "'stone'?)");
  CHECK(message_of_set("material.glass={density=1}") ==
        "--set material.glass={density=1}: the scene has no material 'glass' (expected 'stone')");
  CHECK(message_of_set("material={ston={density=1}}") ==
        "--set material={ston={density=1}}: the scene has no material 'ston' (did you mean "
        "'stone'?)");
}

TEST_CASE("a message stays on its lines whatever a name contains") {
  const std::string message = message_of_file(broken_scenes / "name_with_escapes.toml");
  CHECK(message.find('\x1b') == std::string::npos);
  CHECK(message.substr(0, message.find('\n')) ==
        "name_with_escapes.toml:9:8: body 'a?[31m?b': name = \"a?[31m?b\" contains a control "
        "character");
}

TEST_CASE("the word that was meant is the nearest by letters added, lost, changed or swapped") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("friction", "frction") == 1);
  CHECK(edit_distance("stone", "stoen") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  const std::vector<std::string_view> words = {"density", "friction", "restitution"};
  CHECK(nearest("fricton", words) == "friction");
  CHECK(nearest("dens", words).empty());
  CHECK(nearest("x", words).empty());
}
