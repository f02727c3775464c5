// SPDX-License-Identifier: Apache-2.0
// The contact solver alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/text/input_error.hpp"
#include "solvers/math/parallel.hpp"
#include "tools/commands/solve_file.hpp"
#include "tools/python/arrays.hpp"
#include "tools/python/bindings.hpp"

namespace talus {

namespace {

using Indices = py::array_t<int, py::array::c_style | py::array::forcecast>;
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

template <class T>
std::vector<T> values_of(const py::array_t<T, py::array::c_style | py::array::forcecast>& array,
                         const char* name) {
  if (array.ndim() != 1)
    throw InputError(
        fmt::format("{}: has {} dimensions, expected a list of numbers", name, array.ndim()));
  return {array.data(), array.data() + array.size()};
}

std::vector<double> finite_values(const Numbers& array, const char* name) {
  std::vector<double> x = values_of<double>(array, name);
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!std::isfinite(x[k])) throw InputError(fmt::format("{}: entry {} is {}", name, k, x[k]));
  return x;
}

void require_size(std::size_t size, std::size_t expected, const char* name) {
  if (size != expected)
    throw InputError(fmt::format("{}: has {} numbers, expected {}", name, size, expected));
}

// A matrix by compressed rows: its shape, and as scipy has it starts of rows, columns, values.
FclibMatrix matrix_of(const py::tuple& parts, const char* name) {
  FclibMatrix A;
  A.rows = parts[0].cast<int>();
  A.columns = parts[1].cast<int>();
  A.p = values_of<int>(parts[2].cast<Indices>(), name);
  A.i = values_of<int>(parts[3].cast<Indices>(), name);
  A.x = finite_values(parts[4].cast<Numbers>(), name);
  const auto fail = [&] { throw InputError(fmt::format("{}: is no sparse matrix by rows", name)); };
  if (A.p.size() != at(A.rows) + 1 || A.p.front() != 0 || at(A.p.back()) != A.x.size() ||
      A.i.size() != A.x.size() || !std::is_sorted(A.p.begin(), A.p.end()))
    fail();
  for (const int column : A.i)
    if (column < 0 || column >= A.columns) fail();
  return A;
}

void require_shape(const FclibMatrix& A, std::size_t rows, std::size_t columns, const char* name) {
  if (at(A.rows) != rows || at(A.columns) != columns)
    throw InputError(
        fmt::format("{}: is {} by {}, expected {} by {}", name, A.rows, A.columns, rows, columns));
}

// Components of a contact: there are as many unknowns for each friction.
int components(std::size_t unknowns, const std::vector<double>& mu) {
  for (std::size_t k = 0; k < mu.size(); ++k)
    if (mu[k] < 0) throw InputError(fmt::format("mu: entry {} is {}, expected ≥ 0", k, mu[k]));
  for (const std::size_t dimension : {std::size_t{2}, std::size_t{3}})
    if (!mu.empty() && unknowns == dimension * mu.size()) return static_cast<int>(dimension);
  throw InputError(fmt::format(
      "mu: has {} numbers for {} unknowns, expected one for every 3 of them, or 2 in the plane",
      mu.size(), unknowns));
}

FclibFile local_problem(const py::tuple& W, const Numbers& b, const Numbers& mu) {
  FclibLocal problem;
  problem.W = matrix_of(W, "W");
  problem.q = finite_values(b, "b");
  problem.mu = finite_values(mu, "mu");
  require_shape(problem.W, problem.q.size(), problem.q.size(), "W");
  FclibFile file;
  file.spacedim = components(problem.q.size(), problem.mu);
  file.problem = std::move(problem);
  return file;
}

FclibFile global_problem(const py::tuple& M, const py::tuple& H, const Numbers& f, const Numbers& b,
                         const Numbers& mu) {
  FclibGlobal problem;
  problem.M = matrix_of(M, "M");
  problem.H = matrix_of(H, "H");
  problem.f = finite_values(f, "f");
  problem.w = finite_values(b, "b");
  problem.mu = finite_values(mu, "mu");
  const std::size_t freedoms = at(problem.M.rows);
  require_shape(problem.M, freedoms, freedoms, "M");
  require_shape(problem.H, freedoms, problem.w.size(), "H");
  require_size(problem.f.size(), freedoms, "f");
  FclibFile file;
  file.spacedim = components(problem.w.size(), problem.mu);
  file.problem = std::move(problem);
  return file;
}

py::dict solution_of(const FclibFile& file, const std::string& solver, double tolerance,
                     int max_iterations, double time_limit, int threads) {
  if (threads < 1) throw InputError(fmt::format("threads = {}: expected at least 1", threads));
  if (max_iterations < 1)
    throw InputError(fmt::format("max_iterations = {}: expected at least 1", max_iterations));
  if (!(tolerance > 0 && tolerance <= 1))
    throw InputError(fmt::format("tolerance = {}: expected more than 0, at most 1", tolerance));
  if (!(time_limit > 0))
    throw InputError(fmt::format("time_limit = {}: expected more than 0", time_limit));
  const Method method = method_named(solver);
  refuse_method(file, method);
  SolvedProblem solved;
  {
    const py::gil_scoped_release others_may_run;
    const ThreadCount count(threads);
    solved = solve_file(
        file, method,
        {.tolerance = tolerance, .max_sweeps = max_iterations, .time_limit = time_limit});
  }
  py::dict result;
  result["dimension"] = solved.dimension;
  result["components"] = file.spacedim;
  result["contacts"] = solved.contacts;
  result["percussions"] = array_of(std::move(solved.solution.r));
  result["velocities"] = array_of(std::move(solved.solution.u));
  result["error"] = solved.error;
  result["worst_error"] = solved.worst;
  result["siconos_error"] = solved.siconos;
  result["converged"] = solved.error <= tolerance;
  result["method"] = solved.report.method;
  result["iterations"] = solved.report.sweeps;
  result["time"] = solved.seconds;
  return result;
}

}  // namespace

void bind_solve(py::module_& module) {
  py::class_<FclibFile>(module, "ContactProblem");
  module.def("local_problem", &local_problem, py::arg("W"), py::arg("b"), py::arg("mu"));
  module.def("global_problem", &global_problem, py::arg("M"), py::arg("H"), py::arg("f"),
             py::arg("b"), py::arg("mu"));
  module.def(
      "read_problem", [](const std::string& path) { return read_fclib(path); }, py::arg("path"));
  module.def("solve", &solution_of, py::arg("problem"), py::kw_only(), py::arg("solver"),
             py::arg("tolerance"), py::arg("max_iterations"), py::arg("time_limit"),
             py::arg("threads"));
}

}  // namespace talus
