// SPDX-License-Identifier: Apache-2.0
// Live loads of `talus limit`: their options.
#pragma once

#include <string>
#include <vector>

#include "engine/outlook/limit_state.hpp"
#include "engine/world.hpp"

namespace talus {

struct LoadOptions {
  std::string push;                // direction of λ times the weight of bodies
  std::vector<std::string> on;     // these bodies: names and patterns; none: all that move freely
  std::vector<std::string> loads;  // BODY:FORCE@POINT, forces that λ multiplies
  std::string tilt;                // direction that gravity turns to
  std::string settle;              // BODY:DIRECTION, a support that yields
};

enum class Question { push, load, tilt, settle };

template <int D>
struct LiveLoad {
  Question question = Question::push;
  std::vector<BodyLoad<D>> load;      // for λ = 1, per body of Bodies
  std::vector<int> bodies;            // that are loaded
  Vec<D> direction = Vec<D>::Zero();  // of a push, a tilt or a settlement; unit
  int support = -1;                   // that settles
};

// Throws InputError for options that name no load, more than one kind, or bodies that cannot bear
// it.
template <int D>
LiveLoad<D> live_load(const LoadOptions& options, const World<D>& world);

// A tilt turns gravity, and so needs gravity to be the only load. `analysis` is of that world.
template <int D>
void require_gravity_alone(const World<D>& world, const LimitAnalysis<D>& analysis);

}  // namespace talus
