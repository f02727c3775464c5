// SPDX-License-Identifier: Apache-2.0
// Well-posedness of a contact problem, before it is solved: which forces are unique, whether the
// problem has a solution for every load, how much friction it bears, and how it can go on from
// here. [BBB16] and [B12] put together for systems of any size: exact where they are small, by
// sparse factorisations and bounds where they are large.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "solvers/analysis/contact_cones.hpp"
#include "solvers/analysis/contact_lcp.hpp"
#include "solvers/analysis/contact_modes.hpp"
#include "solvers/analysis/contact_system.hpp"
#include "solvers/analysis/friction_bound.hpp"
#include "solvers/analysis/rough_joints.hpp"
#include "solvers/complementarity/matrix_class.hpp"

namespace talus {

// Ranks of constraint gradients in the kinetic metric; those of Delassus matrices are the same.
struct Ranks {
  Eigen::Index bilateral = 0, unilateral = 0;  // of ∇h_b, ∇h_u
  Eigen::Index all = 0;                        // of (∇h_b ∇h_u)
  Eigen::Index with_friction = 0;              // with friction: tangents where rough ones rest,
                                               // normal and friction as one where they slide
  Eigen::Index constraints = 0, constraints_with_friction = 0;

  // How many independent forces keep themselves in balance, and so are not given by the motion.
  Eigen::Index hyperstatic() const { return constraints - all; }
  Eigen::Index hyperstatic_with_friction() const {
    return constraints_with_friction - with_friction;
  }
};

struct KineticAngles {
  double least = 0, largest = 0;  // of two constraints that share a body [rad]
  std::size_t pairs = 0;          // of such constraints
};

// Bounds on the friction coefficient, where their proposition applies.
struct FrictionBounds {
  std::optional<double> proposition_9, proposition_10, proposition_11;  // bilateral
  std::optional<double> proposition_12;                                 // unilateral
  std::optional<double> proposition_13;                                 // mixed
  std::optional<double> proposition_13_printed;            // as its example was computed, if less
  std::optional<double> proposition_14;                    // bilateral without friction
  std::optional<double> kinetic_symmetric;                 // [B12, Propositions 12 and 13]
  std::optional<double> kinetic_statement, kinetic_proof;  // [B12, Proposition 14]
  std::optional<double> kinetic_spectral_statement, kinetic_spectral_proof;  // sharper
  double best = 0;     // the largest that applies to the whole system, while contacts slide
  double largest = 0;  // friction coefficient there is
};

// In the order of severity. The bounds are about contacts that slide [BBB16, §3]; where a rough
// contact may stick they are those of the slip to come, and what is known is what was found for the
// present loads.
enum class Advice {
  frictionless,  // forces may not be unique, accelerations are
  safe,          // friction below half the bound
  inside,        // below the bound
  beyond,        // above it, and yet the matrix is P: one solution for every load
  resting,       // rough contacts at rest; a motion was found, and no second one
  rough_joints,  // friction in pins, hinges or joints in space; likewise
  not_unique,    // nothing is promised for other loads
  undecided,     // the searches ended early without a solution
  paradoxical,   // no solution, or several accelerations
};

struct WellPosedness {
  Eigen::Index freedoms = 0;
  Ranks ranks;
  std::vector<int> free_bilateral,
      free_unilateral;  // whose normal force is not unique, without friction
  // The same with friction, while those at rest stick.
  std::vector<int> free_bilateral_with_friction, free_unilateral_with_friction;
  // Massless freedoms, and whether the joints determine their accelerations [BBB16, (6)].
  Eigen::Index massless = 0;
  bool massless_determined = true;
  KineticAngles angles;
  bool distorted_definite =
      false;  // A_c > 0: unique contact forces without friction [Proposition 7]
  Verdict frictionless = Verdict::unknown;  // have the loads there are a solution without friction?

  // A_{u,μ,ξ} of [BBB16, (49)], M_ub^μ of (58), or the matrix of the horizontal problem, where
  // dense.
  Eigen::MatrixXd sliding;
  bool slides = false;        // some rough constraint slips
  bool rests = false;         // some rough constraint does not, and may stick
  bool matrix_exact = false;  // the matrix was small enough for exact tests
  Verdict P = Verdict::unknown, copositive = Verdict::unknown;
  bool positive_definite = false;
  // Of the sliding problem [BBB16, Corollary 2]: A_t[μ][ξ] ≤ 0, entry by entry, by which its matrix
  // is copositive, and whether the present load is one for which a copositive problem has a
  // solution [B12, Proposition 15].
  bool couplings_nonpositive = false;
  Verdict load_admissible = Verdict::unknown;
  FrictionBounds bounds;
  PainleveRatio painleve;

  std::optional<double> joint_friction_ratio;  // of rough joints (rough_joints.hpp)

  std::optional<ModeList> modes;    // where there are few enough
  std::optional<ConeMotion> cones;  // of contacts at rest in space, where modes begin
  std::optional<LemkeModes> lemke;  // of others, where modes are too many or were broken off
  Eigen::Index lemke_unknowns = 0;  // of Lemke's method, whether it was tried or not
  Advice advice = Advice::not_unique;
};

struct WellPosednessOptions {
  Eigen::Index most_dense = 400;    // constraints, for dense matrices
  Eigen::Index most_contacts = 12;  // contacts and rough bilateral constraints, to try all modes
  int most_visits = 20000;          // nodes of that search
  double seconds = std::numeric_limits<double>::infinity();  // and its time
  Eigen::Index most_unknowns = 1200;                         // of Lemke's method: some seconds
};

// Whether every load has one solution while the contacts that slip go on doing so and others take
// part without friction. Above `most_dense` constraints by a sufficient condition.
Verdict sliding_is_P(const ContactSystem& system, Eigen::Index most_dense);

WellPosedness well_posedness(const ContactSystem& system, const WellPosednessOptions& options = {});

}  // namespace talus
