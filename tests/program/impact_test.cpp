// SPDX-License-Identifier: Apache-2.0
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
  CHECK(kane.code == 0);  // by a law that gains energy, as the scene says
  CHECK(contains(kane.out, "1 impact, work 0.05523 J, all admissible\n"));
  CHECK(contains(kane.out, "pass  impact_gain"));
  const Outcome strict = talus_program("check k.h5 --penetration 0.01", folder.path());
  CHECK(strict.code == 3);
  CHECK(contains(strict.out, "k.h5: NOT CERTIFIED: penetration"));
  REQUIRE(talus_program("run " + scene("kane") + " -o g.h5 --quiet --set certificate.energy_gain=0",
                        folder.path())
              .code == 0);
  const Outcome gains = talus_program("check g.h5", folder.path());
  CHECK(gains.code == 3);
  CHECK(contains(gains.out, "1 impact, work 0.05523 J, 1 not admissible\n"));
  CHECK(contains(gains.out, "FAIL  impact_gain"));
  CHECK(contains(gains.out, "g.h5: NOT CERTIFIED: impact_gain"));

  REQUIRE(talus_program("run " + scene("kane") + " -o p.h5 --quiet --set impact_law=poisson",
                        folder.path())
              .code == 0);
  const Outcome poisson = talus_program("check p.h5 --json", folder.path());
  CHECK(contains(poisson.err, ", all admissible"));
  CHECK(contains(poisson.out, "\"impacts_not_admissible\": 0"));
}

TEST_CASE("an elastic box that gains energy is not certified") {
  const Scratch folder;
  write_text(folder / "box.toml", R"(
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 2, save_every = 10 }
[material.m]
density = 2500
friction = 0.5
restitution = 1
[[body]]
name = "floor"
shape = { halfspace = [0, 0, 1] }
material = "m"
fixed = true
[[body]]
shape = { box = [0.1, 0.2, 0.3] }
material = "m"
position = [0, 0, 1]
rotation = { axis = [1, 1, 0], degrees = 33 }
spin = [1, 2, 3]
)");
  REQUIRE(talus_program("run box.toml -o box.h5 --quiet", folder.path()).code == 0);
  const Outcome check = talus_program("check box.h5", folder.path());
  CHECK(check.code == 3);
  CHECK(contains(check.out, "box.h5: NOT CERTIFIED: impact_gain"));
}

TEST_CASE("analyze tells beforehand which impacts are admissible") {
  const Scratch folder;
  const Outcome chain = talus_program("analyze " + scene("chain") + " --json", folder.path());
  REQUIRE_MESSAGE(chain.code == 0, chain.err);
  CHECK(contains(chain.err, "closing: chain.1 on chain.0, chain.2 on chain.1\n"));
  CHECK(contains(chain.err, "Proposition 8: kinematic yes, kinetic yes, energetic yes"));
  CHECK(
      contains(chain.err, "proved to be admissible; for the present velocities it is admissible"));
  CHECK(contains(chain.out, "\"proved_admissible\": \"yes\""));
  CHECK(contains(chain.out, "\"as_it_comes\": {\"admissible\": true"));

  // Kane's paradox: the conditions do not hold, and the impact that comes gains energy.
  const Outcome kane = talus_program("analyze " + scene("kane"), folder.path());
  REQUIRE_MESSAGE(kane.code == 0, kane.err);
  CHECK(contains(kane.out,
                 "Theorem 2 for this arrival, 2 rough contacts, all ways to slide or stick "
                 "by their corners:\n      couplings small (Lemma 1) no"));
  CHECK(contains(kane.out, "modes of the impact: one motion\n"));
  CHECK(contains(kane.out, "NOT ADMISSIBLE: it gains energy (0.055"));
  const Outcome poisson =
      talus_program("analyze " + scene("kane") + " --set impact_law=poisson", folder.path());
  CHECK(contains(poisson.out, "for the present velocities it is admissible"));

  // Distance effects on top of elastic contacts: outside the ellipse of RR-8158, (52).
  const Outcome matrix = talus_program(
      "analyze " + scene("chain") + " --set 'impact_law={law=\"matrix\", matrix=[[1,0],[1,0]]}'",
      folder.path());
  REQUIRE_MESSAGE(matrix.code == 0, matrix.err);
  CHECK(contains(matrix.out, "kinematic yes, kinetic yes, energetic no"));
  CHECK(contains(matrix.out,
                 "NOT ADMISSIBLE for some velocities of arrival; for the present velocities NOT"));

  CHECK(contains(matrix.out, "refuted by the arrival u_N = ("));

  // Contacts that rest have conditions, too; what has none says nothing.
  const Outcome rests = talus_program("analyze " + scene("disk_in_angle"), folder.path());
  CHECK(contains(rests.out, "touching: disk on left, disk on right\n"));
  CHECK_FALSE(
      contains(talus_program("analyze " + scene("bouncing"), folder.path()).out, "impacts, law"));
}

TEST_CASE("an impact that fails is reported, and its step can be made again") {
  const Scratch folder;
  // One step of integration is not enough.
  const std::string run = "run " + scene("row") + " --set impact_law.max_steps=1 --until 0.002";
  const Outcome failed = talus_program(run + " -o r.h5", folder.path());
  CHECK(failed.code == 0);
  CHECK(contains(failed.err, "missed the tolerance"));
  CHECK(contains(failed.err, "make the step again with --start r.step-000001.h5"));
  const Outcome check = talus_program("check r.h5", folder.path());
  CHECK(check.code == 3);
  CHECK(contains(check.out, "1 not solved"));
  const Outcome again = talus_program(run + " -o again.h5 --start r.step-000001.h5", folder.path());
  CHECK(contains(again.err, "r.step-000001.h5") == false);
  CHECK(contains(again.err, "missed the tolerance"));
}

TEST_CASE("the state before a failed impact replaces no file without --force") {
  const Scratch folder;
  const std::string run =
      "run " + scene("row") + " --set impact_law.max_steps=1 --until 0.002 -o r.h5";
  for (const std::string slot : {"A", "B"})
    write_text(folder / ("r.step-000001.ckpt." + slot + ".h5"), "precious");
  const Outcome kept = talus_program(run, folder.path());
  CHECK(kept.code == 0);
  CHECK(contains(kept.err, "r.step-000001.h5: a state is there already and was kept (--force "));
  CHECK_FALSE(contains(kept.err, "--start r.step-000001.h5"));
  for (const std::string slot : {"A", "B"})
    CHECK(read_text(folder / ("r.step-000001.ckpt." + slot + ".h5")) == "precious");
  CHECK(contains(talus_program(run + " --force", folder.path()).err,
                 "make the step again with --start r.step-000001.h5"));
  CHECK_FALSE(std::filesystem::exists(folder / "r.step-000001.ckpt.B.h5"));
}

TEST_CASE("ropes that take part in impacts are in the file, and it is certified") {
  const Scratch folder;
  REQUIRE(
      talus_program("run " + scene("cradle") + " --set impact_law=lzb --until 0.4 -o c.h5 --quiet",
                    folder.path())
          .code == 0);
  const Outcome check = talus_program("check c.h5", folder.path());
  CHECK(check.code == 0);
  CHECK(contains(check.out, "all admissible"));
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
