// Contact problems in the FCLib exchange format: one HDF5 file holds one problem, optionally start
// guesses and a solution. Local problem, contacts ordered (N, T₁(, T₂)):
//     u = W r + V λ + q,   Vᵀ r + R λ + s = 0,   law(r_α, u_α) at every contact,
// global problem:
//     M v = H r + G λ + f,   Gᵀ v + b = 0,   u = Hᵀ v + w,   law(r_α, u_α),
// and the global one with rolling friction, whose contacts have 5 components in space and 3 in the
// plane. r is our percussion p, q our b. V, R, s and G, b are optional.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "solvers/condense.hpp"
#include "solvers/contact_problem.hpp"

namespace talus {

// A sparse matrix just as the file holds it, so that writing it back changes nothing.
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
  std::vector<double> x;  // values; equal places add up
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

// Velocities v of the bodies and u of the contacts, percussions r of the contacts and l of the
// equality constraints. What a problem has none of is empty.
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

// Every size, index and number is checked here: what comes back can be used without a further look.
// Throws InputError. A file that would crash HDF5 is found out by a child process (trial.hpp).
FclibFile read_fclib(const std::filesystem::path& path);

// The same without the child, for files this program wrote.
FclibFile read_own_fclib(const std::filesystem::path& path);

// Writes beside `path` first and renames, so that a failed write leaves an older file as it was.
// Throws InputError when `path` exists and is not to be replaced, std::runtime_error when writing
// fails.
void write_fclib(const std::filesystem::path& path, const FclibFile& file, bool replace = false);

// What a reader should know before trusting the numbers: a triangular M, an unsymmetric W, …
std::vector<std::string> fclib_warnings(const FclibFile& file);

// The problem with velocities v and multipliers λ condensed away. D must be the file's spacedim.
// Throws InputError for rolling friction, a singular M, or a contact nothing can move.
template <int D>
Condensed<D> contact_problem(const FclibFile& file);

// A step's problem as a local file: bilateral rows become V, R, s, unilateral ones (stops, ropes)
// contacts without friction behind the others. Throws InputError for rows bounded from both sides.
template <int D>
FclibFile fclib_problem(const ContactProblem<D>& problem);

// The percussions of the step, and the velocities they give, as the solution of that file.
template <int D>
FclibSolution fclib_step_solution(const ContactProblem<D>& problem, const Percussions<D>& p);

// v, u, r and λ of percussions that solve the file's problem.
template <int D>
FclibSolution fclib_solution(const Condensed<D>& condensed, const Percussions<D>& p);

}  // namespace talus
