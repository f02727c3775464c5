// SPDX-License-Identifier: Apache-2.0
// Bonds in a step. A bond takes the place of the contact it was made at, with Coulomb's cone
// shifted by a pull and cut off (coulomb.hpp):
//     ‖P_T‖ ≤ h A s c + μ P_N,   P_N ≥ −h A s σ_t,
// where s ∈ [0, 1] is the strength that is left. Inside it the bond neither slides nor opens. Where
// the percussion reaches its bound and the bond moves, it dissipates −P·½(u⁺ + u⁻) less what dry
// friction would, which is the energy of the crack.
//   Brittle: s = 1 until it moves, and from the next step on 0.
//   With a fracture energy G_f: s = √(1 − w/G_f), w the energy dissipated per area so far. For a
//   crack that opens (or slides) only, this is linear softening, t = σ_t (1 − δ/δ_f),
//   δ_f = 2 G_f/σ_t. A step uses the mean of s along its way at the velocity of its start: with
//   x = h (σ_t u_N + c ‖u_T‖)/(2 G_f) it is s − x/2, or s²/(2x) where the way ends within the step.
// Closing, an open crack passes nothing until its surfaces meet.
#pragma once

#include <span>
#include <vector>

#include "engine/detect/contact_search.hpp"
#include "engine/detect/excluded_pairs.hpp"
#include "engine/model/bodies.hpp"
#include "engine/model/bond.hpp"
#include "engine/model/scene.hpp"
#include "engine/step/step_data.hpp"

namespace talus {

// Surfaces at most this fraction of the smaller body apart are bonded, unless a law says how far.
constexpr double bond_touching_fraction = 1e-6;

// The bonds between surfaces that touch where the bodies are, sorted by keys. The area of a
// manifold, a length in the plane and the polygon of its points in space, is shared out to its
// points; a manifold without area has none. A ball or capsule has a disc about each of its contact
// points: in the plane bonds at both ends of its diameter, in space six on the circle of two thirds
// of its radius, which have the torsional strength of the disc, h c ∫ r dA.
template <int D>
std::vector<Bond<D>> bonds_between(const Scene<D>& scene, const Bodies<D>& bodies,
                                   const ExcludedPairs<D>& excluded);

template <int D>
class Bonds {
 public:
  bool empty() const { return bonds_.empty(); }
  std::span<const Bond<D>> bonds() const { return bonds_; }
  void restore(std::vector<Bond<D>> bonds) { bonds_ = std::move(bonds); }

  // What each bond does in the step, at q_m.
  void act(const Scene<D>& scene, const Bodies<D>& bodies, std::span<const Twist<D>> v_minus,
           std::vector<BondAction<D>>& actions);

  // Puts the bonds that are not broken in place of the contacts found nearest to them; the others
  // between bonded surfaces are cracks.
  void replace_contacts(const Bodies<D>& bodies, std::vector<Contact<D>>& found);

  // After the step: damage. Bonds move where û is above `rest` of the velocities of their problem.
  void wear(const Scene<D>& scene, const Bodies<D>& bodies, const StepData<D>& step, double rest);

 private:
  std::vector<Bond<D>> bonds_;
  std::vector<char> held_;
  std::vector<Contact<D>> merged_;
};

// Where a bond is, midway between its anchors, its normal, and how far it is open along that.
template <int D>
struct BondPlace {
  Vec<D> point, normal;
  Vec<D> apart;  // b's anchor from a's [m]

  double opening() const { return normal.dot(apart); }
};
template <int D>
BondPlace<D> place_of(const Bond<D>& bond, const Bodies<D>& bodies);

}  // namespace talus
