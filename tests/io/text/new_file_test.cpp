// SPDX-License-Identifier: Apache-2.0
// Files that take their place when they are whole, and names of files beside a run.
#include "io/text/new_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "io/text/input_error.hpp"
#include "io/text/text_file.hpp"
#include "io/trajectory/run_names.hpp"
#include "io/trajectory/view_layout.hpp"
#include "tests/scratch.hpp"

using namespace talus;

namespace {

std::size_t files_in(const Scratch& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()),
                                                std::filesystem::directory_iterator()));
}

}  // namespace

TEST_CASE("a new file is seen when it is whole, and leaves nothing if it is given up") {
  const Scratch folder;
  const auto place = folder / "table.csv";
  {
    NewFile file(place);
    file.write("a,b\n");
    CHECK_FALSE(std::filesystem::exists(place));
  }
  CHECK(files_in(folder) == 0);
  write_text_file(place, "1,2\n", Existing::keep);
  CHECK(read_text_file(place) == "1,2\n");
  CHECK_THROWS_AS(write_text_file(place, "3,4\n", Existing::keep), InputError);
  CHECK(read_text_file(place) == "1,2\n");
  write_text_file(place, "3,4\n", Existing::replace);
  CHECK(read_text_file(place) == "3,4\n");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a file that appears while another is being written is not replaced") {
  const Scratch folder;
  const auto place = folder / "table.csv";
  NewFile file(place);
  file.write("mine\n");
  std::ofstream(place) << "another's\n";
  CHECK_THROWS_WITH_AS(
      file.put_in_place(Existing::keep),
      (place.string() + ": exists already (use --force to overwrite it, or -o for another name)")
          .c_str(),
      InputError);
  CHECK(read_text_file(place) == "another's\n");
}

TEST_CASE("a new file replaces a symbolic link and leaves what the link leads to") {
  const Scratch folder;
  const auto place = folder / "table.csv", target = folder / "precious";
  std::ofstream(target) << "precious\n";
  std::filesystem::create_symlink(target, place);
  CHECK_THROWS_AS(write_text_file(place, "new\n", Existing::keep), InputError);
  write_text_file(place, "new\n", Existing::replace);
  CHECK(read_text_file(target) == "precious\n");
  CHECK(read_text_file(place) == "new\n");
  CHECK_FALSE(std::filesystem::is_symlink(place));
}

TEST_CASE("of programs that write one file at the same moment one succeeds") {
  const Scratch folder;
  for (int round = 0; round < 20; ++round) {
    const auto place = folder / std::to_string(round);
    std::set<pid_t> children;
    for (char who = 'a'; who < 'e'; ++who) {
      const pid_t child = fork();
      REQUIRE(child >= 0);
      if (child == 0) try {
          write_text_file(place, std::string(100'000, who), Existing::keep);
          _exit(0);
        } catch (const InputError&) {
          _exit(2);
        }
      children.insert(child);
    }
    int succeeded = 0, refused = 0;
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      succeeded += WIFEXITED(status) && WEXITSTATUS(status) == 0;
      refused += WIFEXITED(status) && WEXITSTATUS(status) == 2;
    }
    CHECK(succeeded == 1);
    CHECK(refused == 3);
    const std::string text = read_text_file(place);
    CHECK(text == std::string(100'000, text[0]));
  }
  CHECK(files_in(folder) == 20);
}

TEST_CASE("what a killed program left of a new file is found by its name and nothing else is") {
  const Scratch folder;
  const auto place = folder / "run.h5";
  for (const char* name : {"run.h5.ab12cd.part", "run.h5.part", "run.h5.ab12cd", "run.ab12cd.part",
                           "run.h5.AB12CD.part", "other.run.h5.ab12cd.part"})
    std::ofstream(folder / name) << "x";
  remove_unfinished(place);
  CHECK_FALSE(std::filesystem::exists(folder / "run.h5.ab12cd.part"));
  CHECK(files_in(folder) == 5);
}

TEST_CASE("files beside runs of different names have different names") {
  CHECK(companion("a/run.h5", "xmf2") == "a/run.xmf2");
  CHECK(companion("a/mu0.2.h5", "xmf2") == "a/mu0.2.xmf2");
  CHECK(companion("a/mu0.2", "xmf2") == "a/mu0.2-views.xmf2");
  CHECK(beside_run("run", "ckpt.A.h5") == "run-ckpt.A.h5");
  std::set<std::filesystem::path> names;
  const auto runs = {"run",   "run.h5", "run.hdf5", "run.H5", "run.",
                     "mu0.2", "mu0.3",  ".h5",      "run-"};
  for (const char* run : runs) names.insert(beside_run(run, "ckpt.A.h5"));
  CHECK(names.size() == runs.size());
}
