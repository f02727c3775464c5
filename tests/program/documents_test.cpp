// SPDX-License-Identifier: Apache-2.0
// What the pages of docs/ tell a reader to type works, in the order in which it stands: commands
// (indented lines), scenes (blocks that begin with `# NAME.toml:`, which are saved) and Python.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/program/clone.hpp"

using namespace talus;
namespace fs = std::filesystem;

namespace {

const fs::path root = TALUS_SOURCE_DIR;
const fs::path tested_by_python = root / "docs/python.md";  // tests/python/docs_test.py

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const fs::path& folder : {root / "docs", root / "docs/tutorial"})
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".md" && entry.path() != tested_by_python)
        found.push_back(entry.path());
  found.push_back(root / "scenes/README.md");
  std::sort(found.begin(), found.end());
  return found;
}

struct Piece {
  enum class Kind { command, scene, python } kind;
  std::string text;
};

std::vector<Piece> pieces(const std::string& page) {
  std::vector<Piece> found;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    tools/talus ")) {
      while (line.ends_with('\\')) {
        std::string more;
        std::getline(lines, more);
        line += "\n" + more;
      }
      const std::size_t comment = line.find(" # ");
      if (line.find(" --serve") == std::string::npos)  // does not end; tests/view/serve_test.py
        found.push_back({Piece::Kind::command, line.substr(4, comment - 4)});
    }
    if (!line.starts_with("```") || line.size() == 3) continue;
    const std::string language = line.substr(3);
    std::string text;
    while (std::getline(lines, line) && line != "```") text += line + "\n";
    if (language == "python") found.push_back({Piece::Kind::python, text});
    if (language == "toml" && text.starts_with("# ") &&
        text.substr(0, text.find(':')).ends_with(".toml"))
      found.push_back({Piece::Kind::scene, text});
  }
  return found;
}

// Words with which indented lines may begin that no test runs: they need programs or machines that
// a test does not have, or take too long. tools/docs, tools/validation and tools/bench have tests
// of their own.
bool is_left_out(const std::string& line) {
  static const std::vector<std::string> words = {
      "tools/docs",   "tools/scripts/",     "tools/validation/",
      "tools/bench/", "tools/reliability/", "TALUS_THOROUGH=1 tools/test",
      "tools/test"};
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return line.starts_with("    " + word); });
}

}  // namespace

TEST_CASE("the pages of the documentation work as they stand") {
  constexpr double latest = 0.06;
  for (const fs::path& page : pages()) {
    const std::vector<Piece> list = pieces(read_text(page));
    if (list.empty()) continue;
    CAPTURE(page.string());
    const Scratch scratch;
    make_clone(scratch, latest);
    for (const Piece& piece : list) {
      CAPTURE(piece.text);
      std::string command = ending_early(piece.text, latest);
      if (piece.kind == Piece::Kind::scene) {
        write_text(scratch / piece.text.substr(2, piece.text.find(':') - 2), command);
        continue;
      }
      if (piece.kind == Piece::Kind::python) {
        write_text(scratch / "snippet.py", piece.text);
        command = "/usr/bin/python3 snippet.py";
      }
      const Outcome outcome = shell("{ " + command + "; }", scratch.path());
      CHECK_MESSAGE(outcome.code == 0, outcome.err);
    }
  }
}

TEST_CASE("every indented command of a page is run, or known not to be") {
  for (const fs::path& page : pages()) {
    std::istringstream lines(read_text(page));
    bool fenced = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("```")) fenced = !fenced;
      const std::string word = line.substr(0, line.find(' ', 4));
      if (fenced || !line.starts_with("    ")) continue;
      if (word != "    talus" && word.find('/') == std::string::npos) continue;
      CAPTURE(page.string());
      CHECK_MESSAGE((line.starts_with("    tools/talus ") || is_left_out(line)), line);
    }
  }
}

// In the map from the documents: `folder/name_test.cpp` below tests/, or `name_test.cpp` beside the
// one before it; scenes and files of the library by their paths.
TEST_CASE("the map from the documents names tests, scenes and files that are there") {
  const std::string page = read_text(root / "docs/theory.md");
  std::vector<std::string> quoted;
  for (std::size_t at = page.find('`'); at != std::string::npos; at = page.find('`', at + 1)) {
    const std::size_t end = page.find('`', at + 1);
    REQUIRE(end != std::string::npos);
    quoted.push_back(page.substr(at + 1, end - at - 1));
    at = end;
  }
  fs::path folder;
  int tests = 0, files = 0;
  for (const std::string& text : quoted) {
    CAPTURE(text);
    if (text.ends_with("_test.cpp")) {
      ++tests;
      const fs::path file = text;
      if (file.has_parent_path() && *file.begin() != "tests") folder = file.parent_path();
      const bool whole = *file.begin() == "tests";
      CHECK(fs::exists(whole ? root / file : root / "tests" / folder / file.filename()));
    } else if (text.ends_with(".hpp") && text.find('/') != std::string::npos) {
      ++files;
      CHECK(fs::exists(root / text));
    } else if (const std::size_t toml = text.find(".toml"); toml != std::string::npos) {
      ++files;
      const std::size_t space = text.rfind(' ', toml);
      const std::string name = text.substr(space + 1, toml - space + 4);
      CHECK(fs::exists(root / "scenes" / fs::path(name).filename()));
    }
  }
  CHECK(tests > 80);
  CHECK(files > 20);
}

// A missing picture is drawn, and the page written, by tools/scripts/gallery build/talus.
TEST_CASE("the gallery shows every bundled scene, and none that is not there") {
  std::vector<std::string> shown, bundled;
  std::istringstream lines(read_text(root / "docs/gallery.md"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("## ")) shown.push_back(line.substr(3));
  for (const auto& entry : fs::directory_iterator(root / "scenes"))
    if (entry.path().extension() == ".toml") bundled.push_back(entry.path().stem().string());
  std::sort(bundled.begin(), bundled.end());
  CHECK(shown == bundled);
  for (const std::string& name : shown) {
    CAPTURE(name);
    CHECK(fs::exists(root / "docs/gallery" / (name + ".png")));
  }
}
