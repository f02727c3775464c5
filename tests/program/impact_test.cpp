// Impacts as a user meets them: what `talus check` says of them, what is kept of one that failed,
// and their picture.
#include <doctest/doctest.h>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

std::string scene(const std::string& name) { return TALUS_SOURCE_DIR "/scenes/" + name + ".toml"; }

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("check tells which impacts were not admissible") {
  const Scratch folder;
  REQUIRE(talus_program("run " + scene("kane") + " -o k.h5 --quiet", folder.path()).code == 0);
  const Outcome kane = talus_program("check k.h5", folder.path());
  CHECK(kane.code == 0);  // computed right, by a law that gains energy
  CHECK(contains(kane.out, "1 impacts\n"));
  CHECK(contains(kane.out, "NOT ADMISSIBLE: the impact gains energy"));
  CHECK_FALSE(contains(kane.out, "closes after"));

  REQUIRE(talus_program("run " + scene("kane") + " -o p.h5 --quiet --set impact_law=poisson",
                        folder.path())
              .code == 0);
  const Outcome poisson = talus_program("check p.h5 --json", folder.path());
  CHECK(contains(poisson.err, "1 impacts, all admissible"));
  CHECK(contains(poisson.out, "\"inadmissible_impacts\": []"));
}

TEST_CASE("an impact that fails is reported, and its step can be made again") {
  const Scratch folder;
  // One step of integration is not enough.
  const std::string run = "run " + scene("row") + " --set impact_law.max_steps=1 --until 0.002";
  const Outcome failed = talus_program(run + " -o r.h5", folder.path());
  CHECK(failed.code == 0);
  CHECK(contains(failed.err, "missed the tolerance"));
  CHECK(contains(failed.err, "make the step again with --start r.step-000001.h5"));
  CHECK(talus_program("check r.h5", folder.path()).code == 3);
  const Outcome again = talus_program(run + " -o again.h5 --start r.step-000001.h5", folder.path());
  CHECK(contains(again.err, "r.step-000001.h5") == false);
  CHECK(contains(again.err, "missed the tolerance"));
}

TEST_CASE("picture draws a row of bodies, and refuses what it cannot draw") {
  const Scratch folder;
  REQUIRE(talus_program("run " + scene("row") + " -o r.h5 --quiet", folder.path()).code == 0);
  CHECK(talus_program("picture r.h5", folder.path()).code == 0);
  const std::string svg = read_text(folder / "r.svg");
  CHECK(contains(svg, "<svg"));
  CHECK(contains(svg, "chain.4"));
  CHECK(contains(svg, "lost 0.00 %"));
  CHECK(talus_program("picture r.h5", folder.path()).code == 2);  // exists
  const Outcome beyond = talus_program("picture r.h5 --force --to 5000", folder.path());
  CHECK(beyond.code == 2);
  CHECK(contains(beyond.err, "has frames 0 to"));
}
