// SPDX-License-Identifier: Apache-2.0
// The joints of masonry in a limit state: the faces in which two bodies touch, the force that
// passes and its line of action, and what the mechanism does there.
#pragma once

#include <string_view>
#include <vector>

#include "engine/outlook/limit_state.hpp"

namespace talus {

// hinge: some of the contact points stay together and the others part. slide: they stay in contact
// and shear. part: all open.
enum class JointMotion { none, hinge, slide, part };

std::string_view word(JointMotion motion);

template <int D>
struct TouchingPair {
  int a = -1, b = -1;         // bodies of the scene; −1: the world
  std::vector<int> contacts;  // of ActiveConstraints::unilateral; all have one normal
  Vec<D> normal;              // from a to b
  Vec<D> centre;              // mean of the contact points [m]

  Vec<D> force = Vec<D>::Zero();       // on b, in world axes [N]
  double normal_force = 0, shear = 0;  // of it [N]; adhesion pulls
  Vec<D> action;  // where the line of action of the normal forces meets the joint [m]
  // How far from the centre it does, as a part of the way to the edge: in [0, 1], 1 on the edge.
  // NaN where nothing presses.
  double eccentricity = 0;
  double friction_used = 0;  // shear over μ N, in [0, 1] but for adhesion; 0 where N = 0

  JointMotion motion = JointMotion::none;
  Vec<D> place;     // of the hinge: mean of the points that stay together; else the centre
  double slip = 0;  // largest sliding velocity, where the fastest point of all has 1
  Spin<D> turn;     // spin of b against a [1/m at that speed]
};

// In the order of their first contacts. Stops and ropes are no faces.
template <int D>
std::vector<TouchingPair<D>> touching_pairs(const LimitAnalysis<D>& analysis,
                                            const LimitState<D>& state);

}  // namespace talus
