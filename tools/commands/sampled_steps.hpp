// SPDX-License-Identifier: Apache-2.0
// Time of a step at several moments of a run, before the run. A rough run, with longer steps that
// are solved loosely, finds the states; a few steps of the run itself are made from each and timed.
#pragma once

#include "engine/outlook/outlook.hpp"
#include "engine/world.hpp"

namespace talus {

struct SampledSteps {
  int moments = 0;
  double until = 0;     // fraction of the run that the rough one covered
  double mean = 0;      // of a step over the moments [s]
  double last = 0;      // of a step at the last of them [s]
  double contacts = 0;  // largest number at one of them
  double loaded = 1;    // fraction of those that carry a force
};

// Takes little more than `seconds`. `world` is at the start of its run; its state is lost.
template <int D>
SampledSteps sample_steps(World<D>& world, const Outlook& outlook, double seconds);

}  // namespace talus
