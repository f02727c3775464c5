// SPDX-License-Identifier: Apache-2.0
// Runs the built `talus` as a user would, and keeps what it said.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/scratch.hpp"

namespace talus {

struct Outcome {
  int code = -1;  // exit code
  std::string out, err;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// The opening of a plane scene: how time runs, a material and a floor.
inline std::string stone_floor(const std::string& time) {
  return "time = " + time + R"(
dimension = 2
gravity = [0, -9.81]

[material.stone]
density = 2500
friction = 0.5

[[body]]
name = "floor"
shape = { halfspace = [0, 1] }
material = "stone"
fixed = true
)";
}

// Runs shell text in `folder`.
inline Outcome shell(const std::string& text, const std::filesystem::path& folder) {
  const std::filesystem::path out = folder / ".stdout", err = folder / ".stderr";
  const std::string command =
      "cd '" + folder.string() + "' && " + text + " > .stdout 2> .stderr < /dev/null";
  const int status = std::system(command.c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text(out),
                  read_text(err)};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return outcome;
}

// `arguments` is shell text; the program runs in `folder`.
inline Outcome talus_program(const std::string& arguments, const std::filesystem::path& folder) {
  return shell("'" TALUS_PROGRAM "' " + arguments, folder);
}

}  // namespace talus
