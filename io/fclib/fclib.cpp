// SPDX-License-Identifier: Apache-2.0
#include "io/fclib/fclib.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "io/text/input_error.hpp"
#include "solvers/problem/factored.hpp"

namespace talus {

namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

SparseMatrix to_sparse(const FclibMatrix& A) {
  Triplets entries;
  entries.reserve(A.x.size());
  if (A.storage == FclibMatrix::Storage::triplet) {
    for (std::size_t k = 0; k < A.x.size(); ++k) entries.emplace_back(A.i[k], A.p[k], A.x[k]);
  } else {
    const bool by_rows = A.storage == FclibMatrix::Storage::csr;
    for (std::size_t line = 0; line + 1 < A.p.size(); ++line) {
      for (int k = A.p[line]; k < A.p[line + 1]; ++k) {
        const int l = static_cast<int>(line);
        entries.emplace_back(by_rows ? l : A.i[k], by_rows ? A.i[k] : l, A.x[k]);
      }
    }
  }
  SparseMatrix out(A.rows, A.columns);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

SparseMatrix to_sparse(const std::optional<FclibMatrix>& A, Eigen::Index rows,
                       Eigen::Index columns) {
  return A ? to_sparse(*A) : SparseMatrix(rows, columns);
}

Eigen::VectorXd to_vector(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

std::vector<double> from_vector(const Eigen::VectorXd& x) {
  return {x.data(), x.data() + x.size()};
}

template <int D>
Eigen::VectorXd flat(const std::vector<Vec<D>>& x) {
  Eigen::VectorXd out(D * x.size());
  for (std::size_t k = 0; k < x.size(); ++k) out.segment<D>(D * k) = x[k];
  return out;
}

// Compressed sparse rows (CSR) of full D × D blocks, as is usual in FCLib files.
template <int D>
FclibMatrix from_blocks(const DelassusOperator<D>& W) {
  FclibMatrix out;
  const std::size_t n = W.row_start.size() - 1;
  out.rows = out.columns = static_cast<int>(D * n);
  out.p.assign(1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (int a = 0; a < D; ++a) {
      for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k) {
        for (int b = 0; b < D; ++b) {
          out.i.push_back(D * W.column[k] + b);
          out.x.push_back(W.block[k](a, b));
        }
      }
      out.p.push_back(static_cast<int>(out.i.size()));
    }
  }
  return out;
}

FclibMatrix from_triplets(int rows, int columns, const Triplets& entries) {
  FclibMatrix out;
  out.rows = rows;
  out.columns = columns;
  out.storage = FclibMatrix::Storage::triplet;
  for (const auto& entry : entries) {
    out.i.push_back(entry.row());
    out.p.push_back(entry.col());
    out.x.push_back(entry.value());
  }
  return out;
}

// The members of either of two bodies, without duplicates.
std::vector<int> touching(const std::vector<std::vector<int>>& members, int a, int b) {
  std::vector<int> all = members[static_cast<std::size_t>(a)];
  const std::vector<int>& others = members[static_cast<std::size_t>(b)];
  all.insert(all.end(), others.begin(), others.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Adds the scalar rows of a step, one column at a time: the response of the contacts and rows of
// two bodies to a unit impulse on one row. Bilateral rows become V = HᵀM⁻¹G and R = GᵀM⁻¹G +
// compliance. A unilateral row becomes a contact without friction, after the others. Only its
// normal component is coupled. W_TT = W_NN I keeps its block regular and changes nothing, since μ =
// 0 gives r_T = 0 and so u_T = 0.
template <int D>
void add_rows(const ContactProblem<D>& problem, const RigidOperator<D>& rigid, FclibLocal& local) {
  const int n = static_cast<int>(problem.size()), rows = static_cast<int>(problem.rows.size());
  std::vector<int> place;  // index of each row among the multipliers or among the contacts
  int contacts = n, multipliers = 0;
  for (const LinearRow<D>& row : problem.rows) {
    const bool unilateral =
        !row.has_friction() && row.bounds.lower == 0 && std::isinf(row.bounds.upper);
    if (!row.is_bilateral() && !unilateral)
      throw InputError(
          "a percussion is bounded from both sides (friction in a joint, or a motor with a limit): "
          "FCLib has no form for that");
    place.push_back(row.is_bilateral() ? multipliers++ : contacts++);
  }
  std::vector<std::vector<int>> contacts_of(rigid.bodies.size()), rows_of(rigid.bodies.size());
  for (int i = 0; i < n; ++i)
    for (int body : {rigid.contacts[i].a, rigid.contacts[i].b}) contacts_of[body].push_back(i);
  for (int i = 0; i < rows; ++i)
    for (int body : {problem.rows[i].a, problem.rows[i].b}) rows_of[body].push_back(i);

  const std::span<const MassBlock<D>> mass(rigid.bodies);
  std::vector<Twist<D>> v(rigid.bodies.size());
  Triplets V, R, W;
  for (int j = 0; j < rows; ++j) {
    const LinearRow<D>& row = problem.rows[j];
    const int to = place[j];
    apply_percussion<D>(row, 1.0, mass, v);
    for (int i : touching(contacts_of, row.a, row.b)) {
      const ContactRow<D>& contact = rigid.contacts[i];
      const Vec<D> u = relative_velocity<D>(contact, v[contact.a], v[contact.b]);
      for (int a = 0; a < D; ++a) {
        if (row.is_bilateral()) {
          V.emplace_back(D * i + a, to, u[a]);
        } else {
          W.emplace_back(D * i + a, D * to, u[a]);
          W.emplace_back(D * to, D * i + a, u[a]);
        }
      }
    }
    for (int i : touching(rows_of, row.a, row.b)) {
      const LinearRow<D>& other = problem.rows[i];
      const double u = relative_velocity<D>(other, v[other.a], v[other.b]);
      if (row.is_bilateral()) {
        if (other.is_bilateral()) {
          R.emplace_back(place[i], to, u + (i == j ? row.compliance : 0.0));
        } else {
          V.emplace_back(D * place[i], to, u);
        }
      } else if (!other.is_bilateral()) {
        W.emplace_back(D * place[i], D * to, u);
        for (int a = 1; i == j && a < D; ++a) W.emplace_back(D * to + a, D * to + a, u);
      }
    }
    v[row.a] = v[row.b] = Twist<D>{};
  }
  if (contacts > n) {
    const SparseMatrix before = to_sparse(local.W);
    for (int j = 0; j < before.cols(); ++j)
      for (SparseMatrix::InnerIterator it(before, j); it; ++it)
        W.emplace_back(static_cast<int>(it.row()), j, it.value());
    local.W = from_triplets(D * contacts, D * contacts, W);
  }
  if (multipliers > 0) {
    local.V = from_triplets(D * contacts, multipliers, V);
    local.R = from_triplets(multipliers, multipliers, R);
  }
}

bool strictly_triangular(const FclibMatrix& A) {
  const SparseMatrix S = to_sparse(A);
  bool above = false, below = false;
  for (int j = 0; j < S.cols(); ++j) {
    for (SparseMatrix::InnerIterator it(S, j); it; ++it) {
      if (it.value() == 0) continue;
      above = above || it.row() < j;
      below = below || it.row() > j;
    }
  }
  return above != below;
}

}  // namespace

std::size_t FclibFile::contacts() const {
  return global() ? global()->mu.size() : std::get<FclibLocal>(problem).mu.size();
}

std::vector<std::string> fclib_warnings(const FclibFile& file) {
  std::vector<std::string> out;
  if (const FclibGlobal* problem = file.global()) {
    if (strictly_triangular(problem->M))
      out.push_back("M is triangular: perhaps only half of a symmetric matrix was stored");
  } else {
    const SparseMatrix W = to_sparse(std::get<FclibLocal>(file.problem).W);
    const SparseMatrix skew = W - SparseMatrix(W.transpose());
    const auto largest = [](const SparseMatrix& A) {
      return A.nonZeros() == 0 ? 0.0 : A.coeffs().abs().maxCoeff();
    };
    const double asymmetry = largest(skew) / std::max(largest(W), 1e-300);
    if (asymmetry > 1e-6)
      out.push_back(fmt::format("W is unsymmetric, by {:.1g} of its largest entry", asymmetry));
  }
  return out;
}

namespace {

template <int D>
int wrench_index(Eigen::Index index) {
  const int i = static_cast<int>(index);
  return wrench_dim<D> * (i / rolling_components<D>)+wrench_component<D>(i % rolling_components<D>);
}

}  // namespace

template <int D>
RollingProblem<D> rolling_problem(const FclibFile& file) {
  assert(file.rolling() && file.spacedim == rolling_components<D>);
  const FclibGlobal& problem = *file.global();
  const Eigen::Index n = problem.M.rows;
  const SparseMatrix H = to_sparse(problem.H), Ht = H.transpose();
  try {
    Elimination eliminated = eliminate(to_sparse(problem.M), H, to_sparse(problem.G, n, 0),
                                       to_vector(problem.f), to_vector(problem.b));
    SparseMatrix W = Ht * eliminated.Y;
    Eigen::VectorXd b = Ht * eliminated.v0 + to_vector(problem.w);
    Triplets wide;
    for (int j = 0; j < W.cols(); ++j)
      for (SparseMatrix::InnerIterator it(W, j); it; ++it)
        wide.emplace_back(wrench_index<D>(it.row()), wrench_index<D>(j), it.value());
    const auto size = static_cast<Eigen::Index>(wrench_dim<D> * problem.mu.size());
    SparseMatrix wide_W(size, size);
    wide_W.setFromTriplets(wide.begin(), wide.end());
    Eigen::VectorXd wide_b = Eigen::VectorXd::Zero(size);
    for (Eigen::Index i = 0; i < b.size(); ++i) wide_b[wrench_index<D>(i)] = b[i];
    return {RollingBlocks<D>(wide_W, wide_b, problem.mu, *problem.mu_r), std::move(eliminated),
            std::move(W), std::move(b)};
  } catch (const std::domain_error&) {
    throw InputError("M (with the constraints G) is singular, or nothing moves at a contact");
  }
}

template <int D>
FclibSolution rolling_solution(const RollingProblem<D>& problem,
                               const std::vector<Wrench<D>>& wrenches) {
  const std::vector<Wrench<D>> given = problem.blocks.in_given_units(wrenches);
  Eigen::VectorXd r(problem.b.size());
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    const int wide = wrench_index<D>(i);
    r[i] = given[static_cast<std::size_t>(wide / wrench_dim<D>)][wide % wrench_dim<D>];
  }
  FclibSolution out;
  out.r = from_vector(r);
  out.u = from_vector(problem.W * r + problem.b);
  out.v = from_vector(problem.eliminated.v0 + problem.eliminated.Y * r);
  if (problem.eliminated.lambda0.size() > 0)
    out.l = from_vector(problem.eliminated.lambda0 + problem.eliminated.Lambda * r);
  return out;
}

template <int D>
Condensed<D> contact_problem(const FclibFile& file) {
  if (file.rolling()) throw InputError("rolling friction: not a problem of Coulomb friction alone");
  assert(file.spacedim == D);
  Condensed<D> out;
  const std::vector<double>* mu = nullptr;
  try {
    if (const FclibGlobal* problem = file.global()) {
      mu = &problem->mu;
      const Eigen::Index n = problem->M.rows;
      out = condense_global<D>(to_sparse(problem->M), to_sparse(problem->H),
                               to_sparse(problem->G, n, 0), to_vector(problem->f),
                               to_vector(problem->w), to_vector(problem->b));
    } else {
      const FclibLocal& local = std::get<FclibLocal>(file.problem);
      mu = &local.mu;
      out = condense_local<D>(to_sparse(local.W), to_sparse(local.V, local.W.rows, 0),
                              to_sparse(local.R, 0, 0), to_vector(local.q), to_vector(local.s));
    }
  } catch (const std::domain_error&) {
    throw InputError(file.global() ? "M (with the constraints G) is singular" : "R is singular");
  }
  out.problem.law.resize(mu->size());
  for (std::size_t k = 0; k < mu->size(); ++k) out.problem.law[k].mu = (*mu)[k];
  // A file does not contain gravity and time step. So the smallest scale of an island is the mean
  // over all contacts, as in published comparisons; or rounding, since some files hold a problem at
  // rest.
  double squares = 0;
  for (const Vec<D>& b : out.problem.b) squares += b.squaredNorm();
  const auto contacts = static_cast<double>(std::max<std::size_t>(out.problem.size(), 1));
  out.problem.velocity_floor =
      std::max(std::sqrt(squares / contacts), std::numeric_limits<double>::epsilon());

  const std::vector<Mat<D>> diagonal = diagonal_blocks(out.problem);
  for (std::size_t k = 0; k < diagonal.size(); ++k) {
    if (!(diagonal[k](0, 0) > 0) || !(diagonal[k].diagonal().minCoeff() >= 0) ||
        !diagonal[k].allFinite() || !out.problem.b[k].allFinite())
      throw InputError(
          fmt::format("contact {}: nothing moves there, the diagonal of its block of W has {}", k,
                      diagonal[k].diagonal().minCoeff()));
  }
  return out;
}

template <int D>
FclibFile fclib_problem(const ContactProblem<D>& problem) {
  FclibFile file;
  file.spacedim = D;
  FclibLocal local;
  if (const auto* W = std::get_if<DelassusOperator<D>>(&problem.W)) {
    local.W = from_blocks(*W);
  } else if (const auto* factored = std::get_if<FactoredOperator<D>>(&problem.W)) {
    local.W = from_blocks(assemble_delassus<D>(*factored));
  } else {
    const auto& rigid = std::get<RigidOperator<D>>(problem.W);
    local.W = from_blocks(assemble_delassus(rigid));
    if (!problem.rows.empty()) add_rows<D>(problem, rigid, local);
  }
  std::vector<Vec<D>> b = problem.b;
  for (const Coulomb<D>& law : problem.law) local.mu.push_back(law.mu);
  for (const LinearRow<D>& row : problem.rows) {
    if (row.is_bilateral()) {
      local.s.push_back(row.bias);
    } else {
      b.push_back(row.bias * Vec<D>::Unit(0));
      local.mu.push_back(0);
    }
  }
  local.q = from_vector(flat<D>(b));
  file.problem = std::move(local);
  return file;
}

template <int D>
FclibSolution fclib_step_solution(const ContactProblem<D>& problem, const Percussions<D>& p) {
  const Velocities<D> u = velocities(problem, p);
  std::vector<Vec<D>> contact_p = p.contact, contact_u = u.contact;
  FclibSolution out;
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    if (problem.rows[i].is_bilateral()) {
      out.l.push_back(p.row[i]);
    } else {
      contact_p.push_back(p.row[i] * Vec<D>::Unit(0));
      contact_u.push_back(u.row[i] * Vec<D>::Unit(0));
    }
  }
  out.r = from_vector(flat<D>(contact_p));
  out.u = from_vector(flat<D>(contact_u));
  return out;
}

template <int D>
FclibSolution fclib_solution(const Condensed<D>& condensed, const Percussions<D>& p) {
  FclibSolution out;
  const Eigen::VectorXd r = flat<D>(p.contact);
  out.r = from_vector(r);
  out.u = from_vector(flat<D>(velocities(condensed.problem, p).contact));
  if (condensed.v0.size() > 0) out.v = from_vector(condensed.v0 + condensed.Y * r);
  if (condensed.lambda0.size() > 0) out.l = from_vector(condensed.lambda0 + condensed.Lambda * r);
  return out;
}

template Condensed<2> contact_problem<2>(const FclibFile&);
template Condensed<3> contact_problem<3>(const FclibFile&);
template RollingProblem<2> rolling_problem<2>(const FclibFile&);
template RollingProblem<3> rolling_problem<3>(const FclibFile&);
template FclibSolution rolling_solution<2>(const RollingProblem<2>&, const std::vector<Wrench<2>>&);
template FclibSolution rolling_solution<3>(const RollingProblem<3>&, const std::vector<Wrench<3>>&);
template FclibFile fclib_problem<2>(const ContactProblem<2>&);
template FclibFile fclib_problem<3>(const ContactProblem<3>&);
template FclibSolution fclib_step_solution<2>(const ContactProblem<2>&, const Percussions<2>&);
template FclibSolution fclib_step_solution<3>(const ContactProblem<3>&, const Percussions<3>&);
template FclibSolution fclib_solution<2>(const Condensed<2>&, const Percussions<2>&);
template FclibSolution fclib_solution<3>(const Condensed<3>&, const Percussions<3>&);

}  // namespace talus
