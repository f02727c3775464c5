// SPDX-License-Identifier: Apache-2.0
// The contact problem of one step: find percussions p such that û = W p + b obeys a law at every
// contact. W is the Delassus operator HᵀM⁻¹H and comes in three forms: *rigid* (mass blocks and
// contact rows, never assembled: what a run uses), *Delassus* (block-sparse: what a file holds) and
// *factored* (H and M⁻¹H: what a file with bodies holds).
//
// Restitution, prescribed motion and look-ahead enter b alone, so no solver sees ρ, τ or a gap:
//     û = u⁺ + E u⁻ (+ g/h n),   E = diag(ρ, τ, τ).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "solvers/math/vec.hpp"
#include "solvers/problem/coulomb.hpp"
#include "solvers/problem/rolling.hpp"

namespace talus {

// Inverse mass and inverse inertia (world frame) of one body; zero for fixed and driven ones.
template <int D>
struct MassBlock {
  double inverse_mass = 0;                          // [1/kg]
  SpinMat<D> inverse_inertia = SpinMat<D>::Zero();  // [1/(kg m²)]

  bool moves() const { return inverse_mass > 0 || !inverse_inertia.isZero(0); }
};

// Velocity (or velocity increment) of one body.
template <int D>
struct Twist {
  Vec<D> v = Vec<D>::Zero();        // of the mass centre [m/s]
  Spin<D> omega = Spin<D>::Zero();  // [rad/s]
};

// What a contact yields under its own percussion: C = diag(normal, tangential(, tangential)), zero
// for a rigid one.
struct Compliance {
  double normal = 0, tangential = 0;  // [1/kg]

  bool is_rigid() const { return normal == 0 && tangential == 0; }
};

// Where a contact acts. u = frameᵀ (v_b + ω_b × arm_b − v_a − ω_a × arm_a); the percussion acts on
// b. Its own block of W is that of the bodies and C.
template <int D>
struct ContactRow {
  int a = -1, b = -1;   // bodies
  Mat<D> frame;         // columns n (from a to b), t₁(, t₂)
  Vec<D> arm_a, arm_b;  // from the mass centres to the contact point [m]
  Compliance compliance = {};

  // s: the tangents are s t₁ and t₂/s, in which a friction ellipse is a circle (elliptic.hpp).
  double stretch = 1;
};

// T = diag(1, s, 1/s). With a stretched frame p and û are T⁻¹P and T û of the contact.
template <int D>
Vec<D> stretching([[maybe_unused]] double stretch) {
  if constexpr (D == 2)
    return Vec<D>::Ones();
  else
    return {1, stretch, 1 / stretch};
}

// The diagonal of C.
template <int D>
Vec<D> diagonal(const Compliance& compliance) {
  Vec<D> c = Vec<D>::Constant(compliance.tangential);
  c[0] = compliance.normal;
  return c;
}

// The percussions a row may have.
struct RowBounds {
  double lower = -std::numeric_limits<double>::infinity();  // [N s]
  double upper = std::numeric_limits<double>::infinity();
};

// A scalar row with the velocity û = direction·(v_b − v_a) + moment_b·ω_b − moment_a·ω_a +
// compliance p + bias and the law −û ∈ N_[lower, upper](p): û = 0 where p is free, û ≥ 0 at the
// lower bound, û ≤ 0 at the upper one. Bilateral rows have no bounds, unilateral ones [0, ∞),
// motors and friction [−c, c]. Springs and dampers are rows with compliance 1/(hθc + h²θ²k), which
// is M̂ = M + hθC + h²θ²K by its Schur complement; rigid joints are rows with compliance 0.
template <int D>
struct LinearRow {
  int a = -1, b = -1;
  Vec<D> direction;
  Spin<D> moment_a, moment_b;
  double compliance = 0;  // [m/(s N s)]
  double bias = 0;        // [m/s]
  RowBounds bounds = {};

  // Coulomb friction in a bilateral guide [BBB16, (1b)]: where normals > 0 the bounds are
  // ±friction ‖(p_normal, …, p_normal+normals−1)‖, the rows that press.
  double friction = 0;
  int normal = -1, normals = 0;

  bool has_friction() const { return normals > 0; }
  bool is_unilateral() const {
    return !has_friction() && bounds.lower == 0 && std::isinf(bounds.upper);
  }
  bool is_bilateral() const {
    return !has_friction() && std::isinf(bounds.lower) && std::isinf(bounds.upper);
  }
};

// The bounds of a row, given the percussions of all rows.
template <int D>
RowBounds row_bounds(const LinearRow<D>& row, std::span<const double> p) {
  if (!row.has_friction()) return row.bounds;
  double squares = 0;
  for (const double normal : p.subspan(at(row.normal), at(row.normals))) squares += normal * normal;
  const double bound = row.friction * std::sqrt(squares);
  return {-bound, bound};
}

// |p − proj_[lower, upper](p − r û)| / r, which is |û| for a bilateral row.
inline double row_residual(const RowBounds& bounds, double u, double p, double r) {
  if (std::isinf(bounds.lower) && std::isinf(bounds.upper)) return std::abs(u);
  return std::abs(p - std::min(std::max(p - r * u, bounds.lower), bounds.upper)) / r;
}

template <int D>
struct RigidOperator {
  std::vector<MassBlock<D>> bodies;
  std::vector<ContactRow<D>> contacts;

  // A permutation of the bodies in which neighbours in space are near each other (along a Morton
  // curve, say), or empty for the order of their numbers. It decides how fast a sweep of many
  // bodies runs, not what it converges to.
  std::vector<int> body_order;
};

// Block-sparse W by rows; columns sorted, every diagonal block present. May be unsymmetric.
template <int D>
struct DelassusOperator {
  std::vector<std::size_t> row_start = {0};  // size n + 1
  std::vector<int> column;
  std::vector<Mat<D>> block;
};

// W = HᵀY, Y = M⁻¹H, for a mass matrix of small blocks: a contact meets few velocities.
template <int D>
struct FactoredOperator {
  std::size_t velocities = 0;            // their number
  std::vector<std::size_t> start = {0};  // of a contact's entries; size n + 1
  std::vector<int> velocity;             // which velocity an entry is about
  std::vector<Vec<D>> H, Y;              // that velocity's row of H and of Y, for the contact
};

// Rolling and spinning friction of a contact, whose law is rolling.hpp.
template <int D>
struct RollingTerm {
  RollingFriction friction;         // none where nothing turns
  Spin<D> omega = Spin<D>::Zero();  // of b relative to a at p = 0, in the contact frame [rad/s]
};

template <int D>
struct ContactProblem {
  std::variant<RigidOperator<D>, DelassusOperator<D>, FactoredOperator<D>> W;
  std::vector<Vec<D>> b;           // û at p = 0 [m/s]
  std::vector<Coulomb<D>> law;     // one per contact
  std::vector<LinearRow<D>> rows;  // with the rigid form only
  double velocity_floor =
      0;  // h|g| [m/s]: the least velocity per contact that errors are measured against
  // With the rigid form only: one per contact, or none at all where no contact rolls with friction.
  std::vector<RollingTerm<D>> rolling = {};

  std::size_t size() const { return b.size(); }
  bool has_moments() const { return !rolling.empty(); }
  bool has_cohesion() const {
    return std::ranges::any_of(law, [](const Coulomb<D>& own) { return own.cohesion > 0; });
  }
};

template <int D>
struct Percussions {
  std::vector<Vec<D>> contact;  // [N s], in the contact frame
  std::vector<double> row;      // [N s]
  // Of contacts on b, in the contact frame [N m s]; none where ContactProblem::rolling is empty.
  std::vector<Spin<D>> moment = {};
};

// Relative velocity of b against a in the contact frame.
template <int D>
Vec<D> relative_velocity(const ContactRow<D>& row, const Twist<D>& a, const Twist<D>& b) {
  return row.frame.transpose() *
         (b.v + cross<D>(b.omega, row.arm_b) - a.v - cross<D>(a.omega, row.arm_a));
}

template <int D>
double relative_velocity(const LinearRow<D>& row, const Twist<D>& a, const Twist<D>& b) {
  return row.direction.dot(b.v - a.v) + row.moment_b.dot(b.omega) - row.moment_a.dot(a.omega);
}

// Spin of b relative to a in the contact frame.
template <int D>
Spin<D> relative_spin(const ContactRow<D>& row, const Twist<D>& a, const Twist<D>& b) {
  return spin_along<D>(row.frame, b.omega - a.omega);
}

// Adds M⁻¹H p of one row to the velocities of its two bodies.
template <int D>
void apply_percussion(const ContactRow<D>& row, const Vec<D>& p, std::span<const MassBlock<D>> mass,
                      std::span<Twist<D>> v);
template <int D>
void apply_percussion(const LinearRow<D>& row, double p, std::span<const MassBlock<D>> mass,
                      std::span<Twist<D>> v);

// The same of a contact's moment.
template <int D>
void apply_moment(const ContactRow<D>& row, const Spin<D>& moment,
                  std::span<const MassBlock<D>> mass, std::span<Twist<D>> v);

// The length ℓ [m] that moments and spins of a contact are used in units of (rolling.hpp): diagonal
// entries of W of both kinds then have the same mean. trace: of the contact's block of W.
template <int D>
double moment_unit(const ContactRow<D>& row, double trace, std::span<const MassBlock<D>> mass);

// The diagonal block of wrenches in units of ℓ, along `frame`.
template <int D>
WrenchMat<D> wrench_block(const ContactRow<D>& row, const Mat<D>& frame, double unit,
                          const MassBlock<D>& a, const MassBlock<D>& b);

// (p, m/ℓ) from a percussion and a moment, and (û, ℓ ω) from velocities.
template <int D>
Wrench<D> wrench_of(const Vec<D>& p, const Spin<D>& moment, double factor) {
  Wrench<D> x;
  x.template head<D>() = p;
  x.template tail<spin_dim<D>>() = factor * moment;
  return x;
}

// The diagonal block W_ii of a row.
template <int D>
Mat<D> diagonal_block(const ContactRow<D>& row, std::span<const MassBlock<D>> mass);
template <int D>
double diagonal_block(const LinearRow<D>& row,
                      std::span<const MassBlock<D>> mass);  // with compliance

template <int D>
std::vector<Mat<D>> diagonal_blocks(const ContactProblem<D>& problem);

// û = W p + b at every contact, and the residual velocity u + compliance p + bias of every linear
// row.
template <int D>
struct Velocities {
  std::vector<Vec<D>> contact;
  std::vector<double> row;
  std::vector<Spin<D>> spin = {};  // ω of contacts, where they pass moments [rad/s]
};
template <int D>
Velocities<D> velocities(const ContactProblem<D>& problem, const Percussions<D>& p);

// The rigid form assembled, for small problems and for files. Linear rows must be absent.
template <int D>
DelassusOperator<D> assemble_delassus(const RigidOperator<D>& W);

}  // namespace talus
