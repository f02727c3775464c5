// SPDX-License-Identifier: Apache-2.0
// Contact laws of pairs of materials.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "solvers/math/vec.hpp"

namespace talus {

// A coefficient that depends on the closing speed v: value (v/speed)^(−exponent), at most 1.
struct PowerOfSpeed {
  double value = 0;     // ∈ [0, 1]
  double speed = 1;     // at which it holds [m/s]
  double exponent = 0;  // ≥ 0
};
// The same as a table: piecewise linear in the speed, constant beyond both ends.
struct TableOfSpeed {
  std::vector<double> speed;  // increasing [m/s]
  std::vector<double> value;  // ∈ [0, 1]
};
using CoefficientOfSpeed = std::variant<PowerOfSpeed, TableOfSpeed>;

double coefficient_at(const CoefficientOfSpeed& coefficient, double speed);

// Friction that depends on the direction of sliding, with an axis in the bodies of one material:
// the coefficient of a tangential direction is the radius of an ellipsoid of revolution there.
struct FrictionEllipsoid {
  double along = 0, across = 0;   // μ > 0
  Vec<3> axis = Vec<3>::UnitX();  // unit, in the axes of the body
  int material = -1;              // of the two that touch, the one whose bodies carry the axis
};

// Mortar between two surfaces: per area of their contact
//     ‖P_T‖ ≤ h A c + μ P_N,   P_N ≥ −h A σ_t,
// the criterion of Mohr and Coulomb with a tension cut-off (step/bonds.hpp).
struct BondLaw {
  double tension = 0, cohesion = 0;  // σ_t, c [Pa]; c ≥ μ σ_t
  double friction = 0;               // μ, also of the crack
  double fracture_energy = 0;        // G_f [J/m²]; 0: brittle
  double reach = 0;   // surfaces no farther apart at the start are bonded [m]; 0: that touch
  double radius = 0;  // of the bond of a ball or a capsule [m]; 0: the least of the two

  bool exists() const { return tension > 0 || cohesion > 0; }
};

struct ContactLaw {
  double friction = 0;                // μ ≥ 0; of an ellipsoid the larger one
  double restitution = 0;             // ρ ∈ [0, 1], normal
  double tangential_restitution = 0;  // τ ∈ [0, 1]
  double stiffness = 1;               // > 0, relative to other pairs; for the impact law LZB
  // Per contact point; 0: rigid. Compliant contacts have ρ = τ = 0.
  double normal_stiffness = 0, tangential_stiffness = 0;  // [N/m^exponent], [N/m]
  // Of a compliant contact: its force grows with penetration to this power, and its dashpot has
  // this ratio to the critical one (step/compliant.hpp). < 0: a linear spring by Euler's implicit
  // rule.
  double exponent = 1, damping_ratio = -1;
  // Index into the scene's coefficients_of_speed if the coefficient depends on speed, else −1.
  int restitution_of_speed = -1, tangential_restitution_of_speed = -1;
  int ellipsoid = -1;  // index into the scene's friction_ellipsoids if friction is elliptic
  // Force F ≥ 0 with which a contact point holds its bodies together [N], while they touch or up to
  // this gap [m]. Coulomb's cone is shifted by it: ‖P_T‖ ≤ μ (P_N + h F).
  double adhesion = 0, range = 0;
  // Lengths r and s ≥ 0 [m]: a contact passes moments ‖M_T‖ ≤ r P_N against rolling and, in space,
  // |M_N| ≤ s P_N against spinning about its normal (solvers/problem/rolling.hpp).
  double rolling_friction = 0, spinning_friction = 0;
  BondLaw bond = {};

  bool yields() const { return normal_stiffness > 0; }
  bool adheres() const { return adhesion > 0; }
  bool passes_moments() const { return rolling_friction > 0 || spinning_friction > 0; }
  bool bounces_by_spring() const { return yields() && damping_ratio >= 0; }
};

// The law with its coefficients evaluated at a closing speed. law_at has a fast path, since few
// scenes have coefficients that depend on speed.
ContactLaw law_by_speed(ContactLaw law, std::span<const CoefficientOfSpeed> coefficients,
                        double speed);
inline ContactLaw law_at(const ContactLaw& law, std::span<const CoefficientOfSpeed> coefficients,
                         double speed) {
  return coefficients.empty() ? law : law_by_speed(law, coefficients, speed);
}

struct Material {
  std::string name;
  double density = 0;  // [kg/m³], [kg/m²] in the plane
};

// Symmetric table of laws over pairs of materials.
class PairTable {
 public:
  explicit PairTable(std::size_t materials = 0)
      : materials_(materials), law_(materials * materials) {}

  const ContactLaw& operator()(int i, int j) const { return law_[index(i, j)]; }
  void set(int i, int j, const ContactLaw& law) { law_[index(i, j)] = law_[index(j, i)] = law; }

  // The largest adhesion of any pair [N], and the largest gap over which one acts [m].
  double largest_adhesion() const {
    double largest = 0;
    for (const ContactLaw& law : law_) largest = std::max(largest, law.adhesion);
    return largest;
  }
  double largest_range() const {
    double largest = 0;
    for (const ContactLaw& law : law_) largest = std::max(largest, law.range);
    return largest;
  }
  bool any_passes_moments() const { return std::ranges::any_of(law_, &ContactLaw::passes_moments); }
  bool any_resists_spinning() const {
    return std::ranges::any_of(law_,
                               [](const ContactLaw& law) { return law.spinning_friction > 0; });
  }
  bool any_bonds() const {
    return std::ranges::any_of(law_, [](const ContactLaw& law) { return law.bond.exists(); });
  }
  double largest_bond_reach() const {  // [m]
    double largest = 0;
    for (const ContactLaw& law : law_) largest = std::max(largest, law.bond.reach);
    return largest;
  }
  bool any_yields() const { return std::ranges::any_of(law_, &ContactLaw::yields); }

 private:
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * materials_ + static_cast<std::size_t>(j);
  }

  std::size_t materials_;
  std::vector<ContactLaw> law_;
};

}  // namespace talus
