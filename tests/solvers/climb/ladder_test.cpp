// SPDX-License-Identifier: Apache-2.0
// Every method on stored problems, judged by the shared error; the whole ladder on all of them.
#include "solvers/climb/ladder.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <set>
#include <type_traits>

#include "io/fclib/fclib.hpp"
#include "solvers/math/parallel.hpp"
#include "tests/solvers/nsgs.hpp"

namespace fs = std::filesystem;
using namespace talus;

namespace {

const fs::path stored = fs::path(TALUS_SOURCE_DIR) / "tests/fclib";

template <int D>
ContactProblem<D> load(const std::string& name) {
  return contact_problem<D>(read_own_fclib(stored / (name + ".hdf5"))).problem;
}

template <int D>
Percussions<D> nothing(const ContactProblem<D>& problem) {
  Percussions<D> p;
  p.contact.assign(problem.size(), Vec<D>::Zero());
  p.row.assign(problem.rows.size(), 0);
  return p;
}

// Solves and checks the promises every solver makes; returns the percussions.
template <int D>
Percussions<D> solved(const ContactProblem<D>& problem, Method method, double tolerance,
                      int iterations = 100000) {
  Percussions<D> p = nothing<D>(problem);
  const SolveReport report =
      LadderSolver<D>(method, {.tolerance = tolerance, .max_sweeps = iterations}).solve(problem, p);
  const double error = contact_error<D>(problem, p).relative;
  CHECK(report.error == error);
  CHECK(report.converged);
  CHECK(error <= tolerance);
  return p;
}

std::string_view name(Method method) {
  for (const MethodName& entry : method_names())
    if (entry.method == method) return entry.name;
  return "?";
}

// ½ Pᵀ(W P) + Pᵀ b …: the work of the percussions, the same for every P that gives the same û.
template <int D>
double work(const ContactProblem<D>& problem, const Percussions<D>& p) {
  const std::vector<Vec<D>> u = velocities<D>(problem, p).contact;
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) sum += 0.5 * p.contact[i].dot(u[i] + problem.b[i]);
  return sum;
}

}  // namespace

TEST_CASE("the ladder solves every stored problem to 1e-8 and to 1e-12") {
  // The rock pile takes seconds beyond 1e-6: it has its own test.
  const std::set<std::string> slow = {"RockPile_tob1"};
  int solved_files = 0;
  for (const auto& entry : fs::directory_iterator(stored)) {
    const std::string file_name = entry.path().stem().string();
    if (entry.path().extension() != ".hdf5" || slow.contains(file_name)) continue;
    const FclibFile file = read_own_fclib(entry.path());
    if (file.rolling()) continue;
    INFO(file_name);
    for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
      if (file.spacedim == 2) {
        solved<2>(contact_problem<2>(file).problem, Method::automatic, tolerance);
      } else {
        solved<3>(contact_problem<3>(file).problem, Method::automatic, tolerance);
      }
    }
    ++solved_files;
  }
  CHECK(solved_files >= 25);
}

TEST_CASE("every method on every stored problem tells the error of what it returns") {
  // A few iterations of each: none may end worse than it began, or with anything but numbers.
  const auto judge = [](const auto& problem, auto dimension) {
    constexpr int D = decltype(dimension)::value;
    const double before = contact_error<D>(problem, nothing<D>(problem)).relative;
    for (const MethodName& entry : method_names()) {
      INFO(entry.name);
      Percussions<D> p = nothing<D>(problem);
      const SolveReport report =
          LadderSolver<D>(entry.method, {.tolerance = 1e-8, .max_sweeps = 12, .time_limit = 2})
              .solve(problem, p);
      REQUIRE(p.contact.size() == problem.size());
      CHECK(report.error == contact_error<D>(problem, p).relative);
      CHECK(report.error <= before);
      CHECK(report.converged == (report.error <= 1e-8));
    }
  };
  for (const auto& entry : fs::directory_iterator(stored)) {
    if (entry.path().extension() != ".hdf5") continue;
    const FclibFile file = read_own_fclib(entry.path());
    if (file.rolling()) continue;
    INFO(entry.path().stem().string());
    if (file.spacedim == 2) {
      judge(contact_problem<2>(file).problem, std::integral_constant<int, 2>{});
    } else {
      judge(contact_problem<3>(file).problem, std::integral_constant<int, 3>{});
    }
  }
}

TEST_CASE("in the plane every method finds one of the answers that enumeration finds") {
  // Three contacts, each of which opens, sticks, or slides to either side: 64 linear systems.
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 60; ++trial) {
    constexpr int n = 3;
    Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(2 * n, 2 * n, [&] { return uniform(random); });
    const Eigen::MatrixXd W = A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(2 * n, 2 * n);
    const Eigen::VectorXd q = Eigen::VectorXd::NullaryExpr(2 * n, [&] { return uniform(random); });
    ContactProblem<2> problem;
    DelassusOperator<2> blocks;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        blocks.column.push_back(j);
        blocks.block.push_back(W.block<2, 2>(2 * i, 2 * j));
      }
      blocks.row_start.push_back(blocks.column.size());
      problem.b.push_back(q.segment<2>(2 * i));
      problem.law.push_back({0.15 * (1 + i)});
    }
    problem.W = blocks;

    std::vector<Eigen::VectorXd> answers;
    for (int code = 0; code < 64; ++code) {
      // Rows: p = 0; u = 0; or u_N = 0 and p_T = ±μ p_N.
      Eigen::MatrixXd M = W;
      Eigen::VectorXd rhs = -q;
      const auto mode = [&](int i) { return code >> (2 * i) & 3; };
      for (int i = 0; i < n; ++i) {
        const double mu = problem.law[i].mu;
        if (mode(i) == 0) {
          M.middleRows<2>(2 * i).setZero();
          M.block<2, 2>(2 * i, 2 * i).setIdentity();
          rhs.segment<2>(2 * i).setZero();
        } else if (mode(i) >= 2) {
          M.row(2 * i + 1).setZero();
          M(2 * i + 1, 2 * i + 1) = 1;
          M(2 * i + 1, 2 * i) = mode(i) == 2 ? mu : -mu;
          rhs[2 * i + 1] = 0;
        }
      }
      const Eigen::VectorXd p = M.fullPivLu().solve(rhs), u = W * p + q;
      bool holds = (M * p - rhs).norm() < 1e-9;
      for (int i = 0; i < n; ++i) {
        const double p_N = p[2 * i], p_T = p[2 * i + 1], u_T = u[2 * i + 1];
        holds = holds && p_N >= -1e-12 && u[2 * i] >= -1e-12 &&
                std::abs(p_T) <= problem.law[i].mu * p_N + 1e-12 &&
                (mode(i) < 2 || (mode(i) == 2 ? u_T : -u_T) >= -1e-12);
      }
      if (holds) answers.push_back(p);
    }
    REQUIRE(!answers.empty());
    for (const MethodName& entry : method_names()) {
      INFO(trial, " ", entry.name);
      const Percussions<2> p = solved<2>(problem, entry.method, 1e-9);
      double nearest = 1e300;
      for (const Eigen::VectorXd& answer : answers) {
        double squared = 0;
        for (int i = 0; i < n; ++i)
          squared += (p.contact[i] - answer.segment<2>(2 * i)).squaredNorm();
        nearest = std::min(nearest, std::sqrt(squared));
      }
      CHECK(nearest <= 1e-6);
    }
  }
}

TEST_CASE("islands that know nothing of each other are solved side by side by every method") {
  const ContactProblem<3> a = load<3>("LMGC_CubeH8-00046-condensed"), b = load<3>("NESpheres_10_1");
  ContactProblem<3> both = a;
  auto& W = std::get<DelassusOperator<3>>(both.W);
  const auto& W_b = std::get<DelassusOperator<3>>(b.W);
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t k = W_b.row_start[i]; k < W_b.row_start[i + 1]; ++k) {
      W.column.push_back(W_b.column[k] + static_cast<int>(a.size()));
      W.block.push_back(W_b.block[k]);
    }
    W.row_start.push_back(W.column.size());
    both.b.push_back(b.b[i]);
    both.law.push_back(b.law[i]);
  }
  const std::vector<Vec<3>> u_a = velocities<3>(a, solved<3>(a, Method::automatic, 1e-12)).contact,
                            u_b = velocities<3>(b, solved<3>(b, Method::automatic, 1e-12)).contact;
  for (const MethodName& entry : method_names()) {
    INFO(entry.name);
    const std::vector<Vec<3>> u = velocities<3>(both, solved<3>(both, entry.method, 1e-9)).contact;
    for (std::size_t i = 0; i < both.size(); ++i)
      CHECK((u[i] - (i < a.size() ? u_a[i] : u_b[i - a.size()])).norm() <= 1e-6);
  }
}

TEST_CASE("numbers too large to reckon with, or none at all, are never called solved") {
  for (const double poison : {std::numeric_limits<double>::quiet_NaN(), 1e200}) {
    for (const MethodName& entry : method_names()) {
      INFO(poison, " ", entry.name);
      ContactProblem<3> problem = load<3>("NESpheres_10_1");
      problem.b[4] = Vec<3>(-poison, poison, 0);
      for (Mat<3>& block : std::get<DelassusOperator<3>>(problem.W).block) block *= 1e180;
      Percussions<3> p = nothing<3>(problem);
      const SolveReport report =
          LadderSolver<3>(entry.method, {.tolerance = 1e-8, .max_sweeps = 200}).solve(problem, p);
      REQUIRE(p.contact.size() == problem.size());
      CHECK(report.converged == (contact_error<3>(problem, p).relative <= 1e-8));
      if (std::isnan(poison)) CHECK_FALSE(report.converged);
    }
  }
}

TEST_CASE("the ladder takes the rock pile, on which Gauss-Seidel cycles, to 1e-6") {
  const ContactProblem<3> problem = load<3>("RockPile_tob1");
  solved<3>(problem, Method::automatic, 1e-6);
  Percussions<3> p = nothing<3>(problem);
  CHECK_FALSE(LadderSolver<3>(Method::nsgs, {.tolerance = 1e-4, .max_sweeps = 3000})
                  .solve(problem, p)
                  .converged);
}

TEST_CASE(
    "an island of the rock pile is solved by letting go of a contact that presses and parts") {
  // 25 contacts, on which Newton ends at 8e-8 from wherever it starts: two points a hair apart.
  bool met = false;
  for (const BlockProblem<3>& island : island_problems<3>(
           load<3>("RockPile_tob1"), Islands<3>(load<3>("RockPile_tob1")).members())) {
    if (island.size() != 25) continue;
    met = true;
    const RungLimits limits{.tolerance = 1e-12, .iterations = 20000};
    std::vector<Vec<3>> p(island.size(), Vec<3>::Zero());
    CHECK_FALSE(solve_island<3>(island, Method::interior_point, limits, p).done);
    p.assign(island.size(), Vec<3>::Zero());
    const IslandReport report = solve_island<3>(island, Method::automatic, limits, p);
    CHECK(report.done);
    CHECK(report.rung == Method::release);
    std::vector<Vec<3>> u;
    island.velocities(p, u);
    CHECK(island.error(p, u) <= limits.tolerance);
    // The one let go of parts, by little: it carries nothing.
    int let_go = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
      let_go += p[i].norm() == 0 && u[i][0] > 0 && u[i][0] < 1e-5;
    CHECK(let_go >= 1);
  }
  CHECK(met);
}

TEST_CASE("each method by itself solves what it is made for, with the same velocities and work") {
  struct Case {
    std::string file;
    std::vector<Method> methods;
  };
  const std::vector<Method> sweeps = {Method::nsgs, Method::anderson, Method::nncg,
                                      Method::alternating};
  const std::vector<Method> factors = {Method::proximal, Method::newton, Method::interior_point};
  std::vector<Method> all = sweeps;
  all.insert(all.end(), factors.begin(), factors.end());
  all.push_back(Method::admm);
  all.push_back(Method::de_saxce);
  const std::vector<Case> cases = {
      {"NESpheres_10_1", all}, {"LMGC_CubeH8-00046", all},     {"Example1", all},
      {"Confeti-ex03", all},   {"Box_Stacks-i0122-82-5", all}, {"Capsules-i125-1213", factors}};
  for (const Case& c : cases) {
    const ContactProblem<3> problem = load<3>(c.file);
    const Percussions<3> reference = solved<3>(problem, Method::automatic, 1e-12);
    const std::vector<Vec<3>> u_reference = velocities<3>(problem, reference).contact;
    double scale = 0;
    for (const Vec<3>& b : problem.b) scale += b.squaredNorm();
    scale = std::sqrt(scale);
    for (const Method method : c.methods) {
      INFO(c.file, " ", name(method));
      const Percussions<3> p = solved<3>(problem, method, 1e-7);
      const std::vector<Vec<3>> u = velocities<3>(problem, p).contact;
      double difference = 0;
      for (std::size_t i = 0; i < u.size(); ++i)
        difference += (u[i] - u_reference[i]).squaredNorm();
      CHECK(std::sqrt(difference) <= 1e-4 * scale);
      CHECK(work<3>(problem, p) == doctest::Approx(work<3>(problem, reference)).epsilon(1e-4));
    }
  }
}

TEST_CASE("the plane is solved by the same methods") {
  const ContactProblem<2> problem = load<2>("Disks2D-00071");
  const Percussions<2> reference = solved<2>(problem, Method::automatic, 1e-12);
  const double expected = work<2>(problem, reference);
  for (const MethodName& entry : method_names()) {
    INFO(entry.name);
    if (entry.method == Method::admm || entry.method == Method::de_saxce) continue;
    CHECK(work<2>(problem, solved<2>(problem, entry.method, 1e-8)) ==
          doctest::Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE("percussions are the same bytes on any number of threads") {
  const ContactProblem<3> problem = load<3>("Capsules-i125-1213");
  std::vector<Percussions<3>> answers;
  for (const int count : {1, 2, 3, 7}) {
    set_threads(count);
    answers.push_back(solved<3>(problem, Method::automatic, 1e-8));
  }
  set_threads(1);
  for (const Percussions<3>& p : answers)
    CHECK(std::memcmp(p.contact.data(), answers[0].contact.data(),
                      p.contact.size() * sizeof(Vec<3>)) == 0);
}

TEST_CASE("units of mass and of time do not matter") {
  for (const double mass : {1e-9, 1.0, 1e9}) {
    for (const double speed : {1e-9, 1e9}) {
      ContactProblem<3> problem = load<3>("OneObject-i1028-138");
      for (Mat<3>& block : std::get<DelassusOperator<3>>(problem.W).block) block /= mass;
      for (Vec<3>& b : problem.b) b *= speed;
      INFO(mass, " ", speed);
      solved<3>(problem, Method::automatic, 1e-10);
    }
  }
}

TEST_CASE("frictionless contacts, rods and springs are solved with the rest") {
  // A row of balls on a floor, every other contact smooth, neighbours joined by rods or springs.
  RigidOperator<2> rigid;
  ContactProblem<2> problem;
  const int balls = 6;
  rigid.bodies.resize(balls + 1);
  for (int k = 1; k <= balls; ++k) {
    rigid.bodies[k].inverse_mass = 1.0 / k;
    rigid.bodies[k].inverse_inertia = SpinMat<2>(2.0 / k);
    ContactRow<2> row;
    row.a = 0;
    row.b = k;
    row.frame = Mat<2>{{0, -1}, {1, 0}};
    row.arm_a = Vec<2>(k, 0);
    row.arm_b = Vec<2>(0, -0.5);
    rigid.contacts.push_back(row);
    problem.b.push_back(Vec<2>(-1.0 + 0.1 * k, 0.3 * k - 1));
    problem.law.push_back({k % 2 ? 0.0 : 0.3});
  }
  for (int k = 1; k < balls; ++k) {
    LinearRow<2> row;
    row.a = k;
    row.b = k + 1;
    row.direction = Vec<2>(0.8, 0.6);
    row.moment_a = Spin<2>(0.1);
    row.moment_b = Spin<2>(-0.2);
    row.compliance = k % 2 ? 0 : 0.5;
    row.bias = 0.2;
    problem.rows.push_back(row);
  }
  problem.W = rigid;
  Percussions<2> oracle = nothing<2>(problem);
  REQUIRE(Nsgs<2>({.tolerance = 1e-13, .max_sweeps = 100000}).solve(problem, oracle).converged);
  const Velocities<2> expected = velocities<2>(problem, oracle);
  for (const MethodName& entry : method_names()) {
    INFO(entry.name);
    const Percussions<2> p = solved<2>(problem, entry.method, 1e-9);
    const Velocities<2> u = velocities<2>(problem, p);
    for (int k = 0; k < balls; ++k) CHECK((u.contact[k] - expected.contact[k]).norm() < 1e-7);
    for (int k = 0; k + 1 < balls; ++k)
      CHECK(p.row[k] == doctest::Approx(oracle.row[k]).epsilon(1e-6));
  }
}

TEST_CASE("a problem that needs no percussion, or has no contact, is left alone") {
  ContactProblem<3> none;
  none.W = DelassusOperator<3>{};
  Percussions<3> p;
  CHECK(LadderSolver<3>().solve(none, p).converged);

  ContactProblem<3> opening = load<3>("NESpheres_10_1");
  for (Vec<3>& b : opening.b) b = Vec<3>(1, 0.2, -0.1);
  p = solved<3>(opening, Method::automatic, 1e-12);
  for (const Vec<3>& x : p.contact) CHECK(x.norm() == 0);
}

TEST_CASE("the answer is never worse than the guess, however few iterations are allowed") {
  const ContactProblem<3> problem = load<3>("BoxesStack1-i100000-32");
  Percussions<3> good = solved<3>(problem, Method::automatic, 1e-6);
  const double error = contact_error<3>(problem, good).relative;
  for (const MethodName& entry : method_names()) {
    INFO(entry.name);
    Percussions<3> p = good;
    const SolveReport report =
        LadderSolver<3>(entry.method, {.tolerance = 1e-15, .max_sweeps = 3}).solve(problem, p);
    CHECK(report.error <= error);
    CHECK_FALSE(report.converged);
  }
}
