// SPDX-License-Identifier: Apache-2.0
// Help, the manual page and the completion of shells are made from one list of options. Every
// command has an example of its own, and it works.
#include <doctest/doctest.h>

#include <regex>
#include <vector>

#include "tests/program/clone.hpp"

using namespace talus;

namespace {

std::vector<std::string> commands(const Scratch& scratch) {
  const std::string help = talus_program("--help", scratch.path()).out;
  std::vector<std::string> names;
  std::istringstream lines(help.substr(help.find("Subcommands:")));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line) && line.starts_with("  ");)
    if (line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
  return names;
}

// What stands behind "Example:", with the lines that continue it.
std::string example(const std::string& help) {
  std::smatch found;
  static const std::regex form(R"(Example: +(talus (?:.*\\\n)*.*))");
  return std::regex_search(help, found, form) ? found[1].str() : "";
}

// Words that bash offers for the last word of a command line.
std::string completed(const std::string& line, const Scratch& scratch) {
  write_text(scratch / "complete.bash",
             ". ./talus.bash\nCOMP_WORDS=(" + line +
                 ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_talus\n"
                 "printf '%s\\n' \"${COMPREPLY[@]}\" | sort | tr '\\n' ' '\n");
  const Outcome outcome = shell("bash complete.bash", scratch.path());
  CHECK(outcome.err == "");
  return outcome.out;
}

}  // namespace

TEST_CASE("the example in the help of every command works") {
  const Scratch scratch;
  make_clone(scratch, 0.02);
  const std::string path = "export PATH='" +
                           std::filesystem::path(TALUS_PROGRAM).parent_path().string() +
                           "':\"$PATH\" MANPAGER=cat; ";
  REQUIRE(shell("tools/talus run scenes/wall.toml --quiet", scratch.path()).code == 0);
  const std::vector<std::string> names = commands(scratch);
  CHECK(names.size() >= 14);
  for (const std::string& name : names) {
    const Outcome help = talus_program(name + " --help", scratch.path());
    std::string command = example(help.out);
    CAPTURE(name);
    CHECK(command.starts_with("talus "));
    CHECK(command.find("talus " + name) != std::string::npos);
    const std::size_t reader = command.find(" && man ");  // not every machine has one
    if (reader != std::string::npos) command.erase(reader);
    write_text(scratch / "example.bash", path + ending_early(command, 0.02) + "\n");
    const Outcome outcome = shell("bash example.bash", scratch.path());
    CHECK_MESSAGE(outcome.code == 0, command << ": " << outcome.err);
  }
}

TEST_CASE("talus --version names commit, trajectory format and libraries, and a run keeps them") {
  const Scratch scratch;
  const std::string version = talus_program("--version", scratch.path()).out;
  static const std::regex form(
      R"(talus \d+\.\d+\.\d+\ncommit ([0-9a-f]{12}(?:-changed)?|unknown)\ntrajectory format 1\.\d+\n)"
      R"(compiler \D+ \d+.*\nEigen 3\.\d+\.\d+\nHDF5 \d+\.\d+\.\d+\nfmt \d+\.\d+\.\d+\n)"
      R"(toml\+\+ 3\.\d+\.\d+\nzlib [0-9.]+\nCLI11 [0-9.]+\n)");
  std::smatch found;
  CHECK_MESSAGE(std::regex_match(version, found, form), version);
  REQUIRE(talus_program("run wall --until 0.001 --quiet", scratch.path()).code == 0);
  CHECK(talus_program("info wall.h5", scratch.path()).out.find("(commit " + found[1].str() + ")") !=
        std::string::npos);
}

TEST_CASE("the manual page and the reference name every command and option") {
  const Scratch scratch;
  const std::string page = talus_program("manual", scratch.path()).out;
  const std::string reference = talus_program("manual --markdown", scratch.path()).out;
  CHECK(page.starts_with(".TH TALUS 1 "));
  static const std::regex control(R"(^\.([A-Z]|nf$|fi$))");
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('.')) CHECK_MESSAGE(std::regex_search(line, control), line);
  const std::string plain = std::regex_replace(page, std::regex(R"(\\-)"), "-");
  static const std::regex option(R"(\n  (?:-\w,)?(--[a-z-]+))");
  for (const std::string& name : commands(scratch)) {
    CHECK(plain.find(".SS talus " + name) != std::string::npos);
    CHECK(reference.find("\n## talus " + name + "\n") != std::string::npos);
    const std::string help = talus_program(name + " --help", scratch.path()).out;
    for (std::sregex_iterator match(help.begin(), help.end(), option), none; match != none;
         ++match) {
      CAPTURE(name);
      CHECK_MESSAGE(plain.find((*match)[1].str()) != std::string::npos, (*match)[1].str());
      CHECK_MESSAGE(reference.find((*match)[1].str()) != std::string::npos, (*match)[1].str());
    }
  }
  CHECK(plain.find("--tell-parent") == std::string::npos);  // between processes
}

TEST_CASE("bash completes commands, options and files") {
  const Scratch scratch;
  write_text(scratch / "talus.bash", talus_program("completion bash", scratch.path()).out);
  write_text(scratch / "falling wall.toml", "");
  write_text(scratch / "falling wall.h5", "");
  CHECK(completed("talus comp", scratch) == "completion ");
  CHECK(completed("talus ch", scratch) == "check ");
  CHECK(completed("talus run --un", scratch) == "--until ");
  CHECK(completed("talus run fal", scratch) == "falling wall.toml ");
  CHECK(completed("talus info fal", scratch) == "falling wall.h5 ");
  CHECK(completed("talus run --output fal", scratch) == "falling wall.h5 falling wall.toml ");
  CHECK(completed("talus export --to c", scratch) == "csv ");
  CHECK(completed("talus completion z", scratch) == "zsh ");
}

TEST_CASE("the script for zsh offers every command") {
  const Scratch scratch;
  write_text(scratch / "_talus", talus_program("completion zsh", scratch.path()).out);
  const std::string script = read_text(scratch / "_talus");
  CHECK(script.starts_with("#compdef talus\n"));
  for (const std::string& name : commands(scratch)) {
    CHECK(script.find("\n    '" + name + ":") != std::string::npos);
    CHECK(script.find("\n    " + name + ")\n") != std::string::npos);
  }
  CHECK(script.find("'(-o --output)'{-o,--output}'[") != std::string::npos);
  if (shell("command -v zsh", scratch.path()).code == 0)
    CHECK(shell("zsh -n _talus", scratch.path()).code == 0);
}
