// SPDX-License-Identifier: Apache-2.0
// Contact problems in the FCLib exchange format: one HDF5 file holds one problem, optionally start
// guesses and a solution. Local problem, contacts ordered (N, T₁(, T₂)):
//     u = W r + V λ + q,   Vᵀ r + R λ + s = 0,   law(r_α, u_α) at every contact,
// global problem:
//     M v = H r + G λ + f,   Gᵀ v + b = 0,   u = Hᵀ v + w,   law(r_α, u_α),
// and the global one with rolling friction, whose contacts have 5 components in space and 3 in the
// plane. r is our percussion (impulse) p, q our b. V, R, s and G, b are optional.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "solvers/problem/condense.hpp"
#include "solvers/problem/contact_problem.hpp"
#include "solvers/problem/rolling_blocks.hpp"

namespace talus {

// A sparse matrix exactly as stored in the file, so that writing it back changes nothing.
struct FclibMatrix {
  enum class Storage { triplet, csc, csr };
  struct Condition {
    double conditioning = 0, determinant = 0;  // any value, NaN included
    int rank = 0;
    bool operator==(const Condition&) const = default;
  };

  int rows = 0, columns = 0;
  Storage storage = Storage::csr;
  std::vector<int> p;     // triplet: column of each entry; csc, csr: starts of columns, of rows
  std::vector<int> i;     // triplet and csc: row of each entry; csr: column of each entry
  std::vector<double> x;  // values; duplicate entries add up
  std::string comment;
  std::optional<Condition> condition;

  bool operator==(const FclibMatrix&) const = default;
};

struct FclibLocal {
  FclibMatrix W;
  std::optional<FclibMatrix> V, R;  // both or neither
  std::vector<double> q, mu, s;
  bool operator==(const FclibLocal&) const = default;
};

struct FclibGlobal {
  FclibMatrix M, H;
  std::optional<FclibMatrix> G;
  std::vector<double> f, w, mu, b;
  std::optional<std::vector<double>> mu_r;  // present: a rolling problem
  bool operator==(const FclibGlobal&) const = default;
};

// Velocities v of the bodies and u of the contacts, impulses r of the contacts and l of the
// equality constraints. Vectors that a problem does not have are empty.
struct FclibSolution {
  std::vector<double> v, u, r, l;
  bool operator==(const FclibSolution&) const = default;
};

struct FclibFile {
  int spacedim = 3;  // components of a contact: 2, 3, or 3, 5 with rolling friction
  std::variant<FclibLocal, FclibGlobal> problem;
  std::string title, description, math_info;
  std::vector<FclibSolution> guesses;
  std::optional<FclibSolution> solution;

  const FclibGlobal* global() const { return std::get_if<FclibGlobal>(&problem); }
  bool rolling() const { return global() && global()->mu_r; }
  std::size_t contacts() const;
  bool operator==(const FclibFile&) const = default;
};

// Reads and validates a file: every size, index and number is checked. Throws InputError. A file
// that would crash HDF5 is detected by a child process (trial.hpp).
FclibFile read_fclib(const std::filesystem::path& path);

// The same without the child process, for files that this program wrote.
FclibFile read_own_fclib(const std::filesystem::path& path);

// Writes a temporary file and renames it, so that a failed write leaves an older file unchanged.
// Throws InputError if `path` exists and `replace` is false, std::runtime_error if writing fails.
void write_fclib(const std::filesystem::path& path, const FclibFile& file, bool replace = false);

// Warnings about the data of a problem: a triangular M, an unsymmetric W, …
std::vector<std::string> fclib_warnings(const FclibFile& file);

// The contact problem after elimination (condensation) of the velocities v and multipliers λ. D
// must be the spacedim of the file. Throws InputError for rolling friction, a singular M, or a
// contact that cannot move.
template <int D>
Condensed<D> contact_problem(const FclibFile& file);

// Components of a contact in a file with rolling friction, and where each stands in a wrench: files
// have no moment about the normal.
template <int D>
constexpr int rolling_components = D == 2 ? 3 : 5;
template <int D>
int wrench_component(int component) {
  return D == 3 && component >= D ? component + 1 : component;
}

// The same of a file with rolling friction, whose spacedim is 3 in the plane (D = 2) and 5 in
// space.
template <int D>
struct RollingProblem {
  RollingBlocks<D> blocks;
  Elimination eliminated;
  SparseMatrix W;  // as in the file
  Eigen::VectorXd b;
};
template <int D>
RollingProblem<D> rolling_problem(const FclibFile& file);

// v, u, r and λ from its wrenches.
template <int D>
FclibSolution rolling_solution(const RollingProblem<D>& problem,
                               const std::vector<Wrench<D>>& wrenches);

// The contact problem of a step without moments as a local FCLib problem. Bilateral rows become V,
// R, s. Unilateral rows (stops, ropes) become contacts without friction after the others. Throws
// InputError for rows bounded on both sides.
template <int D>
FclibFile fclib_problem(const ContactProblem<D>& problem);

// The impulses of the step and the resulting velocities, as the solution of that problem.
template <int D>
FclibSolution fclib_step_solution(const ContactProblem<D>& problem, const Percussions<D>& p);

// v, u, r and λ from the impulses that solve the problem of the file.
template <int D>
FclibSolution fclib_solution(const Condensed<D>& condensed, const Percussions<D>& p);

}  // namespace talus
