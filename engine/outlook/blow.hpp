// SPDX-License-Identifier: Apache-2.0
// Blows from outside: what a configuration does when bodies are struck [A05, (19)].
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"
#include "solvers/problem/contact_problem.hpp"

namespace talus {

template <int D>
struct Blow {
  int body = -1;                // which of the Bodies
  Vec<D> impulse;               // [N s]
  std::optional<Vec<D>> point;  // of the world, where it acts; else the mass centre
};

template <int D>
struct BlowResponse {
  struct Contact {
    int a = -1, b = -1;               // bodies of the scene
    Vec<D> impulse;                   // on b, in world axes [N s]
    double normal = 0, friction = 0;  // of that [N s]
  };
  struct OfJoint {
    int joint = -1;  // of the scene
    Vec<D> impulse;  // on b, in world axes [N s]
  };
  bool solved = false;
  std::vector<Twist<D>> before, after;  // velocities of all bodies
  std::vector<Contact> contacts;        // those that carry an impulse
  std::vector<OfJoint> joints;
  double energy_before = 0, energy_after = 0;  // kinetic [J]

  // How far from this, relative to the largest velocity, Aghili's projection is [A05, (27)], for
  // the joints and the contacts that push. Empty where these have friction, or where its impulses
  // pull.
  std::optional<double> projection_apart;
};

// Bodies move by M (q̇⁺ − q̇⁻) = i + H P, the blows i at once. Joints hold; at contacts, taut ropes
// and closed stops û = u⁺ + E u⁻ obeys Signorini's and Coulomb's laws, as in a step: restitution
// returns what closed before the blow, and nothing of the blow. Motors, springs and friction in
// joints pass nothing.
template <int D>
BlowResponse<D> strike(const Scene<D>& scene, const Bodies<D>& bodies,
                       std::span<const Blow<D>> blows);

}  // namespace talus
