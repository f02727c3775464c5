// SPDX-License-Identifier: Apache-2.0
// FCLib files: what is written is what is read, and what is broken is refused in one line.
#include "io/fclib/fclib.hpp"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <random>

#include "io/hdf5/hdf5_handle.hpp"
#include "io/text/input_error.hpp"
#include "solvers/climb/rolling_solver.hpp"
#include "solvers/problem/factored.hpp"
#include "tests/scratch.hpp"
#include "tests/solvers/nsgs.hpp"

namespace fs = std::filesystem;
using namespace talus;
using Storage = FclibMatrix::Storage;

namespace {

const fs::path stored = fs::path(TALUS_SOURCE_DIR) / "tests/fclib";

template <int D>
Eigen::MatrixXd dense(const ContactProblem<D>& problem) {
  const auto* factored = std::get_if<FactoredOperator<D>>(&problem.W);
  const DelassusOperator<D> W = factored != nullptr ? assemble_delassus<D>(*factored)
                                                    : std::get<DelassusOperator<D>>(problem.W);
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(D * problem.size(), D * problem.size());
  for (std::size_t i = 0; i < problem.size(); ++i)
    for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
      out.block<D, D>(D * i, D * W.column[k]) += W.block[k];
  return out;
}

template <int D>
Eigen::VectorXd flat(const std::vector<Vec<D>>& x) {
  Eigen::VectorXd out(D * x.size());
  for (std::size_t k = 0; k < x.size(); ++k) out.segment<D>(D * k) = x[k];
  return out;
}

Eigen::VectorXd to_eigen(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

FclibMatrix matrix(const Eigen::MatrixXd& A, Storage storage) {
  FclibMatrix out;
  out.rows = static_cast<int>(A.rows());
  out.columns = static_cast<int>(A.cols());
  out.storage = storage;
  const bool by_rows = storage == Storage::csr;
  if (storage != Storage::triplet) out.p.push_back(0);
  for (int line = 0; line < (by_rows ? out.rows : out.columns); ++line) {
    for (int k = 0; k < (by_rows ? out.columns : out.rows); ++k) {
      const double value = by_rows ? A(line, k) : A(k, line);
      if (value == 0) continue;
      out.i.push_back(k);
      out.x.push_back(value);
      if (storage == Storage::triplet) out.p.push_back(line);
    }
    if (storage != Storage::triplet) out.p.push_back(static_cast<int>(out.x.size()));
  }
  return out;
}

// Two coupled contacts in space.
FclibFile small_file() {
  Eigen::MatrixXd A(6, 6);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) A(i, j) = std::sin(1.0 + 3 * i + 7 * j);
  FclibLocal local;
  local.W = matrix(A * A.transpose() + Eigen::MatrixXd::Identity(6, 6), Storage::csr);
  local.q = {-1, 0.5, 0.25, -2, 0.125, 3};
  local.mu = {0.5, 0.25};
  FclibFile file;
  file.problem = local;
  file.title = "two contacts";
  file.description = "first line\nsecond line, µ";
  return file;
}

FclibLocal& local_of(FclibFile& file) { return std::get<FclibLocal>(file.problem); }

// The one line with which reading the file is refused; "" when it is accepted.
std::string refusal(const fs::path& path) {
  try {
    const FclibFile file = read_fclib(path);
    if (file.rolling()) return "";
    if (file.spacedim == 2) {
      contact_problem<2>(file);
    } else {
      contact_problem<3>(file);
    }
    return "";
  } catch (const InputError& error) {
    const std::string line = error.what();
    CHECK(line.find('\n') == std::string::npos);
    return line;
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Hdf5Handle open_for_change(const fs::path& path) {
  return {H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose};
}

void replace_dataset(hid_t file, const char* name, hid_t type, std::vector<hsize_t> shape,
                     const void* data) {
  REQUIRE(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                         H5Sclose);
  const Hdf5Handle made(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                        H5Dclose);
  REQUIRE(made);
  if (data) REQUIRE(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
}

}  // namespace

TEST_CASE("every stored file read, written and read again is the same") {
  const Scratch folder;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(stored)) {
    if (entry.path().extension() != ".hdf5") continue;
    INFO(entry.path().filename().string());
    const FclibFile file = read_fclib(entry.path());
    const fs::path copy = folder.path() / entry.path().filename();
    write_fclib(copy, file);
    CHECK(read_fclib(copy) == file);
    ++files;
  }
  CHECK(files >= 25);
}

TEST_CASE("guesses, a solution, matrix notes and a rolling problem survive writing") {
  const Scratch folder;
  FclibFile file = small_file();
  local_of(file).W.comment = "made by hand";
  local_of(file).W.condition = {12.5, -3.0, 6};
  file.guesses = {{{}, {1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}, {}},
                  {{}, {0, 0, 0, 0, 0, 0}, {1, 0, 0, 1, 0, 0}, {}}};
  file.solution = FclibSolution{{}, {9, 8, 7, 6, 5, 4}, {1, 2, 1, 2, 1, 2}, {}};
  write_fclib(folder / "a.hdf5", file);
  CHECK(read_fclib(folder / "a.hdf5") == file);

  const FclibFile rolling = read_fclib(stored / "Chute-rolling-ndof-768-nc-4-3.hdf5");
  CHECK(rolling.rolling());
  CHECK(rolling.spacedim == 5);
  CHECK(rolling.contacts() == 4);
  CHECK_THROWS_AS(contact_problem<3>(rolling), InputError);
}

TEST_CASE("an existing file is replaced only when told") {
  const Scratch folder;
  const fs::path path = folder / "a.hdf5";
  FclibFile file = small_file();
  write_fclib(path, file);
  file.title = "another";
  CHECK_THROWS_AS(write_fclib(path, file), InputError);
  CHECK(read_fclib(path).title == "two contacts");
  write_fclib(path, file, true);
  CHECK(read_fclib(path).title == "another");
  CHECK_THROWS_AS(write_fclib(folder / "no/such/folder/a.hdf5", file), std::runtime_error);
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("the three storages of a matrix are one matrix, duplicates added and order ignored") {
  const Scratch folder;
  const FclibFile csr = small_file();
  const Eigen::MatrixXd W = dense(contact_problem<3>(csr).problem);
  CHECK((W - W.transpose()).norm() < 1e-12);
  Eigen::MatrixXd skewed = W;
  skewed(0, 4) += 0.5;  // so that rows and columns cannot be confused

  for (const Storage storage : {Storage::triplet, Storage::csc, Storage::csr}) {
    FclibFile file = csr;
    local_of(file).W = matrix(skewed, storage);
    write_fclib(folder / "a.hdf5", file, true);
    CHECK(dense(contact_problem<3>(read_fclib(folder / "a.hdf5")).problem) == skewed);
  }

  FclibFile file = csr;
  FclibMatrix& A = local_of(file).W;
  for (const Storage storage : {Storage::csc, Storage::csr}) {  // every line from its end
    A = matrix(skewed, storage);
    for (int line = 0; line < 6; ++line) {
      std::reverse(A.i.begin() + A.p[line], A.i.begin() + A.p[line + 1]);
      std::reverse(A.x.begin() + A.p[line], A.x.begin() + A.p[line + 1]);
    }
    CHECK(dense(contact_problem<3>(file).problem) == skewed);
  }
  A = matrix(skewed, Storage::triplet);
  std::reverse(A.p.begin(), A.p.end());
  std::reverse(A.i.begin(), A.i.end());
  std::reverse(A.x.begin(), A.x.end());
  for (double& x : A.x) x /= 2;
  A.p.insert(A.p.end(), A.p.begin(), A.p.end());
  A.i.insert(A.i.end(), A.i.begin(), A.i.end());
  A.x.insert(A.x.end(), A.x.begin(), A.x.end());
  CHECK(dense(contact_problem<3>(file).problem) == skewed);
}

TEST_CASE("matrix arrays longer than the entries in use are cut, whatever nzmax says") {
  const Scratch folder;
  const fs::path path = folder / "a.hdf5";
  const FclibFile file = small_file();
  write_fclib(path, file);
  const Hdf5Handle change = open_for_change(path);
  const FclibMatrix& W = std::get<FclibLocal>(file.problem).W;
  std::vector<double> x = W.x;
  std::vector<int> i = W.i;
  x.resize(x.size() + 5, std::numeric_limits<double>::quiet_NaN());
  i.resize(i.size() + 5, 1000000);
  replace_dataset(change, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, {x.size()}, x.data());
  replace_dataset(change, "/fclib_local/W/i", H5T_NATIVE_INT, {i.size()}, i.data());
  const int nzmax = 12345678;
  replace_dataset(change, "/fclib_local/W/nzmax", H5T_NATIVE_INT, {1}, &nzmax);
  H5Fflush(change, H5F_SCOPE_GLOBAL);
  CHECK(read_fclib(path) == file);
}

TEST_CASE("a global problem condenses to the local one another program made of it") {
  for (const std::string name : {"LMGC_CubeH8-00046"}) {
    const auto ours = contact_problem<3>(read_fclib(stored / (name + ".hdf5")));
    const auto theirs = contact_problem<3>(read_fclib(stored / (name + "-condensed.hdf5")));
    const Eigen::MatrixXd W = dense(theirs.problem);
    CHECK((dense(ours.problem) - W).norm() <= 1e-12 * W.norm());
    const Eigen::VectorXd b = flat<3>(theirs.problem.b);
    CHECK((flat<3>(ours.problem.b) - b).norm() <= 1e-12 * b.norm());
  }
}

TEST_CASE("condensing keeps M v = H p + G l + f, the constraints, and u") {
  // Blocks of 3 bodies' masses, 120 unknowns in one chain, and two constraints across them.
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const int n = 18 + 120, m = 12, k = 2;
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n), H(n, m), G = Eigen::MatrixXd::Zero(n, k);
  for (int block = 0; block < 3; ++block) {
    Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(6, 6, [&] { return uniform(random); });
    M.block(6 * block, 6 * block, 6, 6) = A * A.transpose() + Eigen::MatrixXd::Identity(6, 6);
  }
  for (int i = 18; i < n; ++i) {
    M(i, i) = 3;
    if (i > 18) M(i, i - 1) = M(i - 1, i) = -1;
  }
  H = Eigen::MatrixXd::NullaryExpr(n, m, [&] { return uniform(random); });
  G(2, 0) = 1;
  G(8, 0) = -1;
  G(14, 1) = 0.5;
  G(40, 1) = 2;
  FclibGlobal global;
  global.M = matrix(M, Storage::triplet);
  global.H = matrix(H, Storage::csc);
  global.G = matrix(G, Storage::csr);
  const Eigen::VectorXd f = Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(random); });
  const Eigen::VectorXd w = Eigen::VectorXd::NullaryExpr(m, [&] { return uniform(random); });
  const Eigen::VectorXd g = Eigen::VectorXd::NullaryExpr(k, [&] { return uniform(random); });
  global.f.assign(f.begin(), f.end());
  global.w.assign(w.begin(), w.end());
  global.b.assign(g.begin(), g.end());
  global.mu.assign(4, 0.5);
  FclibFile file;
  file.problem = global;

  const Condensed<3> condensed = contact_problem<3>(file);
  Percussions<3> p;
  for (int c = 0; c < 4; ++c)
    p.contact.push_back(Vec<3>(uniform(random), uniform(random), uniform(random)));
  const FclibSolution s = fclib_solution(condensed, p);
  const auto map = [](const std::vector<double>& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  };
  REQUIRE(s.v.size() == n);
  REQUIRE(s.l.size() == k);
  CHECK((M * map(s.v) - H * map(s.r) - G * map(s.l) - f).norm() < 1e-10);
  CHECK((G.transpose() * map(s.v) + g).norm() < 1e-10);
  CHECK((H.transpose() * map(s.v) + w - map(s.u)).norm() < 1e-10);
}

TEST_CASE("equality constraints V, R, s of a local problem are eliminated") {
  FclibFile file = small_file();
  const Eigen::MatrixXd W = dense(contact_problem<3>(file).problem);
  Eigen::MatrixXd V(6, 2), R(2, 2);
  V << 0.1, 0.2, 0, 0.3, -0.1, 0, 0.2, 0.1, 0, 0, 0.3, -0.2;
  R << 5, 1, 1, 4;
  const Eigen::VectorXd s{{0.7, -0.3}};
  local_of(file).V = matrix(V, Storage::csr);
  local_of(file).R = matrix(R, Storage::triplet);
  local_of(file).s = {0.7, -0.3};
  const Condensed<3> condensed = contact_problem<3>(file);
  const Eigen::MatrixXd R_inverse = R.inverse();
  CHECK((dense(condensed.problem) - (W - V * R_inverse * V.transpose())).norm() < 1e-13);
  const Eigen::VectorXd q =
      Eigen::Map<const Eigen::VectorXd>(local_of(file).q.data(), 6) - V * R_inverse * s;
  CHECK((flat<3>(condensed.problem.b) - q).norm() < 1e-13);
  Percussions<3> p;
  p.contact = {Vec<3>(1, 2, 3), Vec<3>(3, 1, 2)};
  const FclibSolution solution = fclib_solution(condensed, p);
  const Eigen::VectorXd l = Eigen::Map<const Eigen::VectorXd>(solution.l.data(), 2);
  CHECK((V.transpose() * flat<3>(p.contact) + R * l + s).norm() < 1e-13);
}

TEST_CASE("constraints that carry no load, or touch no contact, are eliminated with the rest") {
  // One small part of R and one large enough for a sparse factorisation; s = 0 leaves both without
  // a right-hand side, and V meets only the first.
  for (const int large : {1, 120}) {
    FclibFile file = small_file();
    const Eigen::MatrixXd W = dense(contact_problem<3>(file).problem);
    const int k = 2 + large;
    Eigen::MatrixXd V = Eigen::MatrixXd::Zero(6, k), R = 3 * Eigen::MatrixXd::Identity(k, k);
    V(0, 0) = 0.5;
    V(4, 1) = -0.25;
    R(0, 1) = R(1, 0) = 1;
    for (int i = 3; i < k; ++i) R(i, i - 1) = R(i - 1, i) = 1;
    local_of(file).V = matrix(V, Storage::triplet);
    local_of(file).R = matrix(R, Storage::csr);
    local_of(file).s.assign(k, 0.0);
    const Condensed<3> condensed = contact_problem<3>(file);
    CHECK((dense(condensed.problem) - (W - V * R.inverse() * V.transpose())).norm() < 1e-13);
    CHECK(flat<3>(condensed.problem.b) == to_eigen(local_of(file).q));
    const FclibSolution solution =
        fclib_solution(condensed, {{Vec<3>(1, 2, 3), Vec<3>(3, 1, 2)}, {}});
    CHECK(solution.l.size() == static_cast<std::size_t>(k));
    CHECK(to_eigen(solution.l).tail(large).norm() == 0);

    // A row that holds what cannot move has the shortest multiplier, zero; under a load it has
    // none.
    R.row(k - 1).setZero();
    R.col(k - 1).setZero();
    local_of(file).R = matrix(R, Storage::csr);
    const Percussions<3> p{{Vec<3>(1, 2, 3), Vec<3>(3, 1, 2)}, {}};
    CHECK(fclib_solution(contact_problem<3>(file), p).l.back() == 0);
    local_of(file).s.back() = 1;
    CHECK_THROWS_WITH_AS(contact_problem<3>(file), "R is singular", InputError);
    // Nor is a matrix that is not symmetric taken for one of redundant rows.
    local_of(file).s.back() = 0;
    R(k - 1, 0) = 1;
    local_of(file).R = matrix(R, Storage::csr);
    CHECK_THROWS_WITH_AS(contact_problem<3>(file), "R is singular", InputError);
  }
}

TEST_CASE("a step of a run with joints, saved as a file, has the velocities of the run") {
  // Two disks on a floor, side by side, joined by a spring along the line of centres.
  ContactProblem<2> step;
  RigidOperator<2> rigid;
  rigid.bodies.resize(3);
  for (int b : {1, 2}) {
    rigid.bodies[b].inverse_mass = b;
    rigid.bodies[b].inverse_inertia = SpinMat<2>(2.0 * b);
  }
  for (int b : {1, 2}) {
    ContactRow<2> row;
    row.a = 0;
    row.b = b;
    row.frame = Mat<2>{{0, -1}, {1, 0}};  // n = (0, 1), t = (−1, 0)
    row.arm_a = Vec<2>(b, 0);
    row.arm_b = Vec<2>(0, -0.5);
    rigid.contacts.push_back(row);
  }
  step.W = rigid;
  step.b = {Vec<2>(-1, 0.4), Vec<2>(-0.5, -0.3)};
  step.law = {{0.3}, {0.6}};
  LinearRow<2> spring;
  spring.a = 1;
  spring.b = 2;
  spring.direction = Vec<2>(1, 0);
  spring.moment_a.setZero();
  spring.moment_b.setZero();
  spring.compliance = 0.1;
  spring.bias = 0.25;
  step.rows = {spring};

  const Condensed<2> read = contact_problem<2>(fclib_problem(step));
  Percussions<2> p, p_read;
  p.contact.assign(2, Vec<2>::Zero());
  p.row.assign(1, 0);
  p_read.contact.assign(2, Vec<2>::Zero());
  const SolveOptions exact{.tolerance = 1e-13, .max_sweeps = 10000};
  CHECK(Nsgs<2>(exact).solve(step, p).converged);
  CHECK(Nsgs<2>(exact).solve(read.problem, p_read).converged);
  const auto u = velocities(step, p).contact, u_read = velocities(read.problem, p_read).contact;
  for (int c : {0, 1}) CHECK((u[c] - u_read[c]).norm() < 1e-12);
  CHECK(fclib_solution(read, p_read).l[0] == doctest::Approx(p.row[0]).epsilon(1e-10));
}

TEST_CASE("redundant rows of joints change no velocity") {
  // Local problem of two contacts and two rows; then the same rows once more in another mixture,
  // and one of a body that cannot move.
  FclibFile file = small_file();
  Eigen::MatrixXd V = Eigen::MatrixXd::Zero(6, 2), R = Eigen::MatrixXd::Identity(2, 2);
  V << 0.5, 0, 0, 0.25, 0, 0, -0.1, 0, 0, 0, 0, 0.3;
  R(0, 1) = R(1, 0) = 0.2;
  const Eigen::VectorXd s = Eigen::Vector2d(0.7, -0.4);
  const auto problem = [&](const Eigen::MatrixXd& rows) {  // λ = rowsᵀ λ'
    local_of(file).V = matrix(V * rows.transpose(), Storage::triplet);
    local_of(file).R = matrix(rows * R * rows.transpose(), Storage::triplet);
    const Eigen::VectorXd more = rows * s;
    local_of(file).s.assign(more.data(), more.data() + more.size());
    return contact_problem<3>(file);
  };
  const Condensed<3> once = problem(Eigen::MatrixXd::Identity(2, 2));
  for (const int repeated : {1, 100, 400}) {  // by dense factors, and by sparse ones
    CAPTURE(repeated);
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(3 + 2 * repeated, 2);
    for (int k = 0; k < repeated; ++k) rows.middleRows(2 * k, 2) << 1, 0.1 * k, -0.5, 1;
    rows.middleRows(2 * repeated, 2).setIdentity();  // the last row stays zero
    const Condensed<3> again = problem(rows);
    CHECK((dense(again.problem) - dense(once.problem)).norm() < 1e-10);
    CHECK((flat<3>(again.problem.b) - flat<3>(once.problem.b)).norm() < 1e-10);
  }
}

TEST_CASE("a triangular M and an unsymmetric W are pointed out") {
  FclibFile file = read_fclib(stored / "LMGC_CubeH8-00046.hdf5");
  CHECK(fclib_warnings(file).empty());
  FclibMatrix& M = std::get<FclibGlobal>(file.problem).M;
  REQUIRE(M.storage == Storage::triplet);
  for (std::size_t k = 0; k < M.x.size(); ++k)
    if (M.i[k] > M.p[k]) M.x[k] = 0;
  REQUIRE(fclib_warnings(file).size() == 1);
  CHECK(contains(fclib_warnings(file)[0], "triangular"));
  CHECK(contains(fclib_warnings(read_fclib(stored / "RockPile_tob1.hdf5")).at(0), "unsymmetric"));
}

TEST_CASE("zero contacts are a problem with nothing to solve") {
  const Scratch folder;
  FclibFile file;
  FclibLocal none;
  none.W.p = {0};
  file.problem = none;
  write_fclib(folder / "none.hdf5", file);
  const Condensed<3> condensed = contact_problem<3>(read_fclib(folder / "none.hdf5"));
  CHECK(condensed.problem.size() == 0);
}

TEST_CASE("numbers that cannot be right are refused, with the place and what was expected") {
  using Spoil = std::function<void(FclibLocal&, FclibFile&)>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    std::string expected;
    Spoil spoil;
  };
  const std::vector<Case> cases = {
      {"/fclib_local/W/x: entry 3 is nan", [&](auto& l, auto&) { l.W.x[3] = nan; }},
      {"/fclib_local/vectors/q: entry 1 is inf",
       [&](auto& l, auto&) { l.q[1] = std::numeric_limits<double>::infinity(); }},
      {"/fclib_local/vectors/q: has 5 numbers, expected 6", [](auto& l, auto&) { l.q.pop_back(); }},
      {"/fclib_local/vectors/mu: has 3 numbers, expected 2",
       [](auto& l, auto&) { l.mu.push_back(1); }},
      {"/fclib_local/vectors/mu: entry 0 is -0.5, expected ≥ 0",
       [](auto& l, auto&) { l.mu[0] = -0.5; }},
      {"/fclib_local/W/i: entry 2 is 6, expected 0 to 5", [](auto& l, auto&) { l.W.i[2] = 6; }},
      {"/fclib_local/W/i: entry 2 is -1, expected 0 to 5", [](auto& l, auto&) { l.W.i[2] = -1; }},
      {"/fclib_local/W/p: falls after entry 2",
       [](auto& l, auto&) { std::swap(l.W.p[2], l.W.p[3]); }},
      {"/fclib_local/W/p: starts at 1, expected 0", [](auto& l, auto&) { l.W.p[0] = 1; }},
      {"/fclib_local/W/p: has 6 numbers, expected 7", [](auto& l, auto&) { l.W.p.pop_back(); }},
      {"/fclib_local/W/i: has 36 numbers, expected 2147483647",
       [](auto& l, auto&) { l.W.p.back() = 2147483647; }},
      {"/fclib_local/W/x: has 30 numbers, expected 36", [](auto& l, auto&) { l.W.x.resize(30); }},
      {"/fclib_local/W: is 6 by 7, expected 6 by 6", [](auto& l, auto&) { l.W.columns = 7; }},
      {"/fclib_local/W: is -6 by 6", [](auto& l, auto&) { l.W.rows = -6; }},
      {"/fclib_local/W/p: has 7 numbers, expected 2000000001",
       [](auto& l, auto&) { l.W.rows = 2000000000; }},
      {"/fclib_local/spacedim: 4, expected 2 or 3", [](auto&, auto& f) { f.spacedim = 4; }},
      {"/fclib_local/vectors/mu: has 2 numbers, expected 3",
       [](auto&, auto& f) { f.spacedim = 2; }},
      {"/fclib_local: has V but not R", [](auto& l, auto&) { l.V = l.W; }},
      {"/fclib_local/V: is 6 by 6, expected 6 by 0",
       [](auto& l, auto&) {
         l.V = l.W;
         l.R = FclibMatrix{};
         l.R->p = {0};
       }},
      {"R is singular",
       [](auto& l, auto&) {
         l.R = matrix(Eigen::MatrixXd::Zero(1, 1), Storage::triplet);
         l.V = matrix(Eigen::MatrixXd::Ones(6, 1), Storage::triplet);
         l.s = {0};
       }},
      {"/solution/r: has 5 numbers, expected 6",
       [](auto&, auto& f) {
         f.solution = FclibSolution{{}, {}, {1, 2, 3, 4, 5}, {}};
       }},
      {"contact 1: nothing moves there, the diagonal of its block of W has 0",
       [](auto& l, auto&) {
         Eigen::MatrixXd W = Eigen::MatrixXd::Identity(6, 6);
         W(3, 3) = 0;
         l.W = matrix(W, Storage::csr);
       }},
  };
  const Scratch folder;
  for (const Case& c : cases) {
    INFO(c.expected);
    FclibFile file = small_file();
    c.spoil(local_of(file), file);
    write_fclib(folder / "a.hdf5", file, true);
    const std::string line = refusal(folder / "a.hdf5");
    CHECK_MESSAGE(contains(line, c.expected), line);
  }
}

TEST_CASE("a file that is not there is refused with the name that was meant") {
  const Scratch folder;
  write_fclib(folder / "wall.hdf5", small_file(), true);
  const std::string meant = (folder / "wall.hdf5").string();
  const std::string line = refusal(folder / "wal.hdf5");
  CHECK_MESSAGE(contains(line, "cannot be read: No such file or directory (did you mean '" + meant),
                line);
}

TEST_CASE("groups and datasets that are missing or of another kind are named") {
  const Scratch folder;
  const fs::path path = folder / "a.hdf5";
  const auto spoiled = [&](const std::function<void(hid_t)>& spoil) {
    write_fclib(path, small_file(), true);
    {
      const Hdf5Handle file = open_for_change(path);
      REQUIRE(file);
      spoil(file);
    }
    return refusal(path);
  };
  for (const std::string name : {"spacedim", "W", "vectors", "W/m", "W/n", "W/nz", "W/p", "W/i",
                                 "W/x", "vectors/q", "vectors/mu"}) {
    const std::string full = "/fclib_local/" + name;
    const std::string line =
        spoiled([&](hid_t file) { REQUIRE(H5Ldelete(file, full.c_str(), H5P_DEFAULT) >= 0); });
    CHECK_MESSAGE(contains(line, full + ": missing"), line);
  }
  CHECK(spoiled([](hid_t file) {
          H5Ldelete(file, "/fclib_local/info", H5P_DEFAULT);
          H5Ldelete(file, "/fclib_local/W/nzmax", H5P_DEFAULT);
        }).empty());
  CHECK(contains(spoiled([](hid_t file) { H5Ldelete(file, "/fclib_local", H5P_DEFAULT); }),
                 "expected one of the groups fclib_local, fclib_global, fclib_global_rolling"));
  CHECK(contains(spoiled([](hid_t file) {
                   const Hdf5Handle group(
                       H5Gcreate2(file, "fclib_global", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Gclose);
                 }),
                 "found 2"));

  const double ones[36] = {1, 1, 1, 1, 1, 1};
  CHECK(contains(spoiled([&](hid_t file) {
                   replace_dataset(file, "/fclib_local/W/p", H5T_NATIVE_DOUBLE, {7}, ones);
                 }),
                 "/fclib_local/W/p: expected integers"));
  CHECK(contains(spoiled([&](hid_t file) {
                   replace_dataset(file, "/fclib_local/vectors/q", H5T_C_S1, {6}, ones);
                 }),
                 "/fclib_local/vectors/q: expected real numbers"));
  CHECK(contains(spoiled([&](hid_t file) {
                   replace_dataset(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, {2, 3}, ones);
                 }),
                 "/fclib_local/vectors/q: expected a list"));
  CHECK(contains(spoiled([&](hid_t file) {
                   replace_dataset(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE,
                                   {hsize_t{1} << 40}, nullptr);
                 }),
                 "/fclib_local/vectors/q: claims 1099511627776 entries"));
  CHECK(contains(spoiled([&](hid_t file) {
                   const long long large = 1LL << 40;
                   replace_dataset(file, "/fclib_local/W/m", H5T_NATIVE_LLONG, {1}, &large);
                 }),
                 "/fclib_local/W/m: 1099511627776 is out of range"));
  CHECK(contains(spoiled([&](hid_t file) {
                   replace_dataset(file, "/fclib_local/spacedim", H5T_NATIVE_INT, {3},
                                   "twelve bytes");
                 }),
                 "/fclib_local/spacedim: has 3 numbers, expected one"));
  CHECK(contains(spoiled([&](hid_t file) {
                   H5Ldelete(file, "/fclib_local/vectors/q", H5P_DEFAULT);
                   H5Lcreate_external("/etc/passwd", "/q", file, "/fclib_local/vectors/q",
                                      H5P_DEFAULT, H5P_DEFAULT);
                 }),
                 "link /fclib_local/vectors/q leads to another file"));
  CHECK(contains(spoiled([&](hid_t file) {
                   H5Ldelete(file, "/fclib_local/W", H5P_DEFAULT);
                   H5Lcreate_hard(file, "/fclib_local/vectors/q", file, "/fclib_local/W",
                                  H5P_DEFAULT, H5P_DEFAULT);
                 }),
                 "/fclib_local/W: expected a group"));
}

TEST_CASE("a file cut anywhere, empty, of another format or absent is refused") {
  const Scratch folder;
  const fs::path path = folder / "a.hdf5";
  write_fclib(path, small_file());
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), size);
    CHECK(!refusal(path).empty());
  }
  std::ofstream(path, std::ios::trunc) << "[[body]]\nname = \"floor\"\n";
  CHECK(contains(refusal(path), "not a complete HDF5 file"));
  CHECK(contains(refusal(folder / "absent.hdf5"), "cannot be read"));
  CHECK(!refusal(folder.path()).empty());
}

TEST_CASE("the rolling problem of a chute is solved, with the velocities of its stored solution") {
  const FclibFile file = read_fclib(stored / "Chute-rolling-ndof-768-nc-4-3.hdf5");
  const RollingProblem<3> problem = rolling_problem<3>(file);
  std::vector<Wrench<3>> x(problem.blocks.size(), Wrench<3>::Zero()), y;
  const SolveReport report =
      solve_rolling<3>(problem.blocks, Method::automatic, {.tolerance = 1e-10}, x);
  problem.blocks.velocities(x, y);
  CHECK(report.converged);
  CHECK(problem.blocks.error(x, y) <= 1e-10);
  const FclibSolution solution = rolling_solution<3>(problem, x);
  REQUIRE(file.solution);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < solution.u.size(); ++i) {
    difference += std::pow(solution.u[i] - file.solution->u[i], 2);
    size += std::pow(file.solution->u[i], 2);
  }
  CHECK(std::sqrt(difference / size) < 1e-5);
  x[0][4] *= 1.01;  // a moment that is a little wrong
  problem.blocks.velocities(x, y);
  CHECK(problem.blocks.error(x, y) > 1e-8);
}

// A disk of mass 1, radius 1 and inertia 1/2 rolls on a line at speed 1, loaded by g h = 1. Rolling
// friction of 0.1 takes 0.1/1.5 from its speed.
TEST_CASE("a rolling problem in the plane has the answer of mechanics") {
  FclibGlobal problem;
  const auto diagonal = [](std::vector<double> x) {
    FclibMatrix A;
    A.rows = A.columns = static_cast<int>(x.size());
    A.storage = FclibMatrix::Storage::triplet;
    for (int k = 0; k < A.rows; ++k) A.i.push_back(k), A.p.push_back(k);
    A.x = std::move(x);
    return A;
  };
  problem.M = diagonal({1, 1, 0.5});
  problem.H = problem.M;
  problem.H.i = {1, 0, 2, 2};  // N = (0, 1, 0), T = (1, 0, 1), M = (0, 0, 1)
  problem.H.p = {0, 1, 1, 2};
  problem.H.x = {1, 1, 1, 1};
  problem.f = {1, -1, -0.5};
  problem.w = {0, 0, 0};
  problem.mu = {0.5};
  problem.mu_r = std::vector<double>{0.1};
  FclibFile file;
  file.spacedim = 3;
  file.problem = problem;
  const Scratch scratch;
  write_fclib(scratch / "disk.hdf5", file);
  const FclibFile read = read_fclib(scratch / "disk.hdf5");
  CHECK(read.rolling());
  const RollingProblem<2> rolling = rolling_problem<2>(read);
  for (const Method method : {Method::automatic, Method::nsgs}) {
    std::vector<Wrench<2>> x(1, Wrench<2>::Zero());
    CHECK(solve_rolling<2>(rolling.blocks, method, {.tolerance = 1e-12}, x).converged);
    const FclibSolution solution = rolling_solution<2>(rolling, x);
    CHECK(solution.v[0] == doctest::Approx(1 - 0.1 / 1.5).epsilon(1e-12));
    CHECK(solution.v[2] == doctest::Approx(-1 + 0.1 / 1.5).epsilon(1e-12));
    CHECK(solution.r[0] == doctest::Approx(1).epsilon(1e-12));
    CHECK(solution.r[1] == doctest::Approx(-0.1 / 1.5).epsilon(1e-12));
    CHECK(solution.r[2] == doctest::Approx(0.1).epsilon(1e-12));
  }
}
