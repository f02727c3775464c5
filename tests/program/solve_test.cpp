// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/fclib/fclib.hpp"
#include "solvers/climb/ladder.hpp"
#include "solvers/problem/solver.hpp"
#include "tests/program/program.hpp"

using namespace talus;
namespace fs = std::filesystem;

namespace {

const std::string tower = stone_floor("{ step = 1e-3, end = 0.02 }") + R"(
[[stack]]
name = "tower"
block = [0.2, 0.1]
material = "stone"
count = 5
position = [0, 0]
)";

std::string stored(const char* name) {
  return fmt::format("{}/tests/fclib/{}.hdf5", TALUS_SOURCE_DIR, name);
}

}  // namespace

TEST_CASE("a saved step is the problem the run solved") {
  const Scratch scratch;
  write_text(scratch / "tower.toml", tower);
  const Outcome run =
      talus_program("run tower.toml --save-problem 7 --save-problem 20", scratch.path());
  REQUIRE_MESSAGE(run.code == 0, run.err);
  CHECK(run.err.find("wrote tower.step-000007.hdf5") != std::string::npos);
  CHECK(fs::exists(scratch / "tower.step-000020.hdf5"));

  const FclibFile file = read_own_fclib(scratch / "tower.step-000007.hdf5");
  CHECK(file.contacts() == 10);
  ContactProblem<2> problem = contact_problem<2>(file).problem;
  problem.velocity_floor = 1e-3 * 9.81;  // of the run; a file does not tell it
  // The percussions carry the tower: h m g on the floor, one block less at every joint above.
  const double weight = 1e-3 * 2500 * 0.2 * 0.1 * 9.81;
  REQUIRE(file.solution);
  double carried = 0;
  for (std::size_t i = 0; i < file.contacts(); ++i) carried += file.solution->r[2 * i];
  CHECK(carried == doctest::Approx((5 + 4 + 3 + 2 + 1) * weight).epsilon(1e-3));
  Percussions<2> p;
  for (std::size_t i = 0; i < file.contacts(); ++i)
    p.contact.emplace_back(file.solution->r[2 * i], file.solution->r[2 * i + 1]);
  CHECK(contact_error<2>(problem, p).relative <= 1e-4);

  const Outcome solve =
      talus_program("solve tower.step-000007.hdf5 --tol 1e-10 --json", scratch.path());
  CHECK(solve.code == 0);
  CHECK(solve.out.find("\"converged\": true") != std::string::npos);
}

TEST_CASE("steps that miss the tolerance are saved on request") {
  const Scratch scratch;
  write_text(scratch / "tower.toml", tower);
  const Outcome run = talus_program(
      "run tower.toml --set solver.tolerance=1e-15 --set solver.max_sweeps=2 --until 0.003 "
      "--save-problem unconverged",
      scratch.path());
  CHECK(run.code == 0);
  for (int step : {1, 2, 3})
    CHECK(fs::exists(scratch / fmt::format("tower.step-{:06}.hdf5", step)));

  // Nobody knows before the run which steps these are: a file that is there does not end it.
  write_text(scratch / "again.step-000002.hdf5", "precious");
  const std::string again =
      "run tower.toml --set solver.tolerance=1e-15 --set solver.max_sweeps=2 --until 0.003 "
      "--save-problem unconverged -o again.h5";
  const Outcome kept = talus_program(again, scratch.path());
  CHECK(kept.code == 0);
  CHECK(fs::exists(scratch / "again.step-000001.hdf5"));
  CHECK(fs::exists(scratch / "again.step-000003.hdf5"));
  CHECK(read_text(scratch / "again.step-000002.hdf5") == "precious");
  CHECK(kept.err.find("again.step-000002.hdf5: exists already and was kept") != std::string::npos);
  CHECK(talus_program(again + " --force", scratch.path()).code == 0);
  CHECK_NOTHROW(read_own_fclib(scratch / "again.step-000002.hdf5"));
}

TEST_CASE("--save-problem says what it cannot do before the run starts") {
  const Scratch scratch;
  write_text(scratch / "tower.toml", tower);
  for (const char* wish : {"0", "-3", "2.5", "last"}) {
    const Outcome run =
        talus_program(fmt::format("run tower.toml --save-problem={}", wish), scratch.path());
    CHECK(run.code == 2);
    CHECK(run.err.find("expected a step's number from 1 on, or 'unconverged'") !=
          std::string::npos);
    CHECK(!fs::exists(scratch / "tower.h5"));
  }
  write_text(scratch / "tower.step-000002.hdf5", "precious");
  CHECK(talus_program("run tower.toml --save-problem 2", scratch.path()).code == 2);
  CHECK(read_text(scratch / "tower.step-000002.hdf5") == "precious");
}

// Taut strings and a stop are contacts without friction behind the contacts of the step.
TEST_CASE("a saved step with ropes and stops is the problem the run solved") {
  const Scratch scratch;
  write_text(scratch / "hanging.toml", R"(dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 0.02 }
solver = { tolerance = 1e-10 }
[material.m]
density = 100
friction = 0.4
[[body]]
name = "left"
shape = { ball = 0.1 }
material = "m"
position = [-0.0999999, 0]
[[body]]
name = "right"
shape = { ball = 0.1 }
material = "m"
position = [0.1, 0]
[[body]]
name = "arm"
shape = { box = [1, 0.1] }
material = "m"
position = [3, 0]
[[joint]]
kind = "rope"
between = ["world", "left"]
anchors = [[0, 1], [0, 0]]
[[joint]]
kind = "rope"
between = ["world", "right"]
anchors = [[0, 1], [0, 0]]
[[joint]]
kind = "pin"
between = ["world", "arm"]
at = [2.5, 0]
limits = { lower = 0 }
)");
  const Outcome run = talus_program("run hanging.toml --save-problem 20", scratch.path());
  REQUIRE_MESSAGE(run.code == 0, run.err);
  const FclibFile file = read_own_fclib(scratch / "hanging.step-000020.hdf5");
  REQUIRE(file.contacts() == 4);  // of the balls, two ropes, the stop
  REQUIRE(file.solution);
  Percussions<2> p;
  for (std::size_t i = 0; i < 4; ++i)
    p.contact.emplace_back(file.solution->r[2 * i], file.solution->r[2 * i + 1]);
  const ContactProblem<2> problem = contact_problem<2>(file).problem;
  CHECK(contact_error<2>(problem, p).relative <= 1e-6);
  // h m g / 2 and h m g are what hangs on a rope and lies on the stop. That holds a moment, as a
  // force at the arm's radius.
  const double ball = 1e-3 * 9.81 * 100 * M_PI * 0.01;
  for (const std::size_t rope : {1, 2}) {
    const double carried = ball * std::sqrt(1 + 0.01);  // at a slope of 1 in 10
    CHECK(p.contact[rope][0] == doctest::Approx(carried).epsilon(2e-2));
    CHECK(p.contact[rope][1] == 0);
  }
  const double radius = std::hypot(0.5, 0.05);
  CHECK(p.contact[3][0] * radius == doctest::Approx(1e-3 * 9.81 * 10 * 0.5).epsilon(1e-3));

  const Outcome solve = talus_program(
      "solve hanging.step-000020.hdf5 --tol 1e-10 --write-solution s.hdf5 --json", scratch.path());
  REQUIRE_MESSAGE(solve.code == 0, solve.err);
  const FclibFile solved = read_own_fclib(scratch / "s.hdf5");
  REQUIRE(solved.solution);
  for (std::size_t i = 0; i < 8; ++i)
    CHECK(std::abs(solved.solution->r[i] - file.solution->r[i]) <= 1e-6 * ball);

  const Outcome refused = talus_program(
      fmt::format("run {}/scenes/ladder.toml -o ladder.h5 --save-problem 1", TALUS_SOURCE_DIR),
      scratch.path());
  CHECK(refused.code == 2);
  CHECK(refused.err ==
        "--save-problem: joint 'wall' has friction, a percussion bounded from both sides: FCLib "
        "has no form for that\n");
  CHECK(!fs::exists(scratch / "ladder.h5"));
}

namespace {

// The error of the stored solution in the problem of the file, and whether its u is that of the
// file's matrices.
template <int D>
double error_of_solution(const FclibFile& file) {
  const RollingProblem<D> problem = rolling_problem<D>(file);
  const FclibSolution& solution = *file.solution;
  const std::size_t contacts = problem.blocks.size();
  constexpr int components = rolling_components<D>;
  const Eigen::VectorXd r = Eigen::Map<const Eigen::VectorXd>(
      solution.r.data(), static_cast<Eigen::Index>(solution.r.size()));
  const Eigen::VectorXd u = problem.W * r + problem.b;
  for (std::size_t i = 0; i < solution.u.size(); ++i)
    CHECK(u[static_cast<Eigen::Index>(i)] == doctest::Approx(solution.u[i]).epsilon(1e-9).scale(1));
  std::vector<Wrench<D>> x(contacts, Wrench<D>::Zero()), y;
  const std::vector<Wrench<D>> units =
      problem.blocks.in_given_units(std::vector<Wrench<D>>(contacts, Wrench<D>::Ones()));
  for (std::size_t i = 0; i < contacts; ++i)
    for (int c = 0; c < components; ++c) {
      const int k = wrench_component<D>(c);
      x[i][k] = solution.r[components * i + static_cast<std::size_t>(c)] / units[i][k];
    }
  problem.blocks.velocities(x, y);
  return problem.blocks.error(x, y);
}

}  // namespace

// FCLib's global form with rolling friction. Its M, H, G and w are those of the step: the
// percussions of the run solve the file, and what the bodies gain in velocity is what they give.
TEST_CASE("--save-problem writes steps with rolling friction") {
  const Scratch scratch;
  const auto compare = [&]<int D>(std::integral_constant<int, D>, const char* space,
                                  const char* bodies) {
    constexpr int components = rolling_components<D>;
    write_text(scratch / "rolling.toml",
               fmt::format("{}\n[solver]\ntolerance = 1e-10\nmax_sweeps = 20000\n"
                           "[material.stone]\ndensity = 1000\nfriction = 0.5\n"
                           "rolling_friction = 2e-3\n{}",
                           space, bodies));
    const Outcome run =
        talus_program("run rolling.toml --force --save-problem 1 -o rolling.h5", scratch.path());
    REQUIRE_MESSAGE(run.code == 0, run.err);
    const FclibFile file = read_own_fclib(scratch / "rolling.step-000001.hdf5");
    REQUIRE(file.rolling());
    CHECK(file.spacedim == components);
    REQUIRE(file.solution);
    const std::vector<double>& r = file.solution->r;
    double moments = 0;
    for (std::size_t i = 0; i < r.size(); ++i)
      if (i % components >= D) moments += std::abs(r[i]);
    CHECK(moments > 1e-6);
    CHECK(error_of_solution<D>(file) <= 1e-9);
    const FclibGlobal& global = *file.global();
    std::vector<double> balance(global.f.size(), 0.0);  // M v − H r − G λ
    const auto add = [&](const FclibMatrix& A, const std::vector<double>& x, double sign) {
      for (std::size_t k = 0; k < A.x.size(); ++k)
        balance[static_cast<std::size_t>(A.i[k])] +=
            sign * A.x[k] * x[static_cast<std::size_t>(A.p[k])];
    };
    add(global.M, file.solution->v, 1);
    add(global.H, r, -1);
    if (global.G) add(*global.G, file.solution->l, -1);
    for (const double missing : balance) CHECK(std::abs(missing) <= 1e-13);
    CHECK(talus_program("solve rolling.step-000001.hdf5 --tol 1e-10", scratch.path()).code == 0);
  };
  compare(std::integral_constant<int, 2>{},
          "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 0.004 }",
          R"(
[[body]]
name = "floor"
shape = { halfspace = [0, 1] }
fixed = true
material = "stone"
[[body]]
name = "left"
shape = { ball = 0.05 }
position = [0, 0.05]
velocity = [1, 0]
spin = -20
material = "stone"
[[body]]
name = "right"
shape = { ball = 0.05 }
position = [0.1, 0.05]
material = "stone"
[[body]]
name = "tied"
shape = { ball = 0.02 }
position = [0.2, 0.02]
velocity = [0.5, 0]
material = "stone"
[[joint]]
name = "rod"
kind = "distance"
between = ["right", "tied"]
anchors = [[0, 0], [0, 0]]
)");
  compare(std::integral_constant<int, 3>{},
          "dimension = 3\ngravity = [0, 0, -9.81]\ntime = { step = 1e-3, end = 0.004 }",
          R"(
[[body]]
name = "floor"
shape = { halfspace = [0, 0, 1] }
fixed = true
material = "stone"
[[body]]
name = "left"
shape = { ball = 0.05 }
position = [0, 0, 0.05]
velocity = [1, 0.2, 0]
spin = [-4, 20, 0]
material = "stone"
[[body]]
name = "right"
shape = { box = [0.1, 0.1, 0.1] }
position = [0.1, 0.01, 0.05]
material = "stone"
)");

  const Outcome refused = talus_program(
      fmt::format("run {}/scenes/rolling_friction.toml -o r.h5 --save-problem 1", TALUS_SOURCE_DIR),
      scratch.path());
  CHECK(refused.code == 2);
  CHECK(refused.err == "--save-problem: spinning friction: FCLib has no form for that\n");
  CHECK(!fs::exists(scratch / "r.h5"));
}

TEST_CASE("solve tells by its exit code whether the tolerance was reached") {
  const Scratch scratch;
  const std::string problem = stored("BoxesStack1-i100000-32");
  CHECK(talus_program("solve " + problem + " --tol 1e-8", scratch.path()).code == 0);
  const Outcome short_of =
      talus_program("solve " + problem + " --solver nsgs --max-iter 3 --json", scratch.path());
  CHECK(short_of.code == 3);
  CHECK(short_of.out.find("\"converged\": false") != std::string::npos);
  const Outcome unknown = talus_program("solve " + problem + " --solver magic", scratch.path());
  CHECK(unknown.code == 2);
  CHECK(unknown.err.find("expected one of auto, nsgs") != std::string::npos);
  CHECK(talus_program("solve nowhere.hdf5", scratch.path()).code == 2);
}

TEST_CASE("a written solution can be read back, and is not written over") {
  const Scratch scratch;
  const std::string command =
      "solve " + stored("BoxesStack1-i100000-32") + " --write-solution solved.hdf5";
  CHECK(talus_program(command, scratch.path()).code == 0);
  const FclibFile solved = read_own_fclib(scratch / "solved.hdf5");
  REQUIRE(solved.solution);
  CHECK(solved.solution->r.size() == 3 * solved.contacts());
  CHECK(talus_program(command, scratch.path()).code == 2);
  CHECK(talus_program(command + " --force", scratch.path()).code == 0);
}

TEST_CASE("a problem with rolling friction is solved, its solution written") {
  const Scratch scratch;
  const std::string rolling = stored("Chute-rolling-ndof-768-nc-4-3");
  const Outcome solved =
      talus_program("solve " + rolling + " --write-solution s.hdf5 --json", scratch.path());
  CHECK(solved.code == 0);
  CHECK(solved.out.find("\"converged\": true") != std::string::npos);
  const FclibFile file = read_fclib(scratch / "s.hdf5");
  REQUIRE(file.solution);
  CHECK(file.solution->r.size() == 5 * file.contacts());
  CHECK(file.solution->v.size() == file.global()->f.size());

  const Outcome refused = talus_program("solve " + rolling + " --solver admm", scratch.path());
  CHECK(refused.code == 2);
  CHECK(refused.err ==
        "--solver admm: rolling friction is solved by auto, nsgs, anderson, nncg or alternating\n");
}

TEST_CASE("damage and nonsense are refused in one line, exit code 2") {
  const Scratch scratch;

  const std::string bytes = read_text(stored("Rover4609"));
  write_text(scratch / "cut.hdf5", bytes.substr(0, bytes.size() / 2));
  write_text(scratch / "text.hdf5", "dimension = 3\n");
  FclibFile nan = read_own_fclib(stored("Rover4609"));
  std::get<FclibLocal>(nan.problem).q[1] = std::nan("");
  write_fclib(scratch / "nan.hdf5", nan);
  for (const char* name : {"cut.hdf5", "text.hdf5", "nan.hdf5"}) {
    const Outcome outcome = talus_program(fmt::format("solve {}", name), scratch.path());
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.err.starts_with(fmt::format("{}: ", name)));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}

TEST_CASE("a problem without contacts is solved by every method") {
  const Scratch scratch;
  FclibFile file;
  FclibLocal none;
  none.W.p = {0};
  file.problem = none;
  write_fclib(scratch / "none.hdf5", file);
  for (const MethodName& entry : method_names()) {
    const Outcome outcome = talus_program(
        fmt::format("solve none.hdf5 --solver {} --write-solution s.hdf5 --force", entry.name),
        scratch.path());
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(read_own_fclib(scratch / "s.hdf5").solution->r.empty());
  }
}
