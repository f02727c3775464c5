// SPDX-License-Identifier: Apache-2.0
// Motions that are given by an acceleration record, as of an earthquake.
#pragma once

#include "engine/model/signal.hpp"

namespace talus {

// What is taken off an acceleration before it is integrated: nothing, a constant, so that the
// motion ends at rest, or a straight line, so that it also ends where it began.
enum class Baseline { none, constant, linear };

// The velocity of an acceleration record: 0 at its start, at its times ∫ a by the trapezoidal rule,
// linear in between, constant after its end. It moves a body by the trapezoidal rule in turn, which
// is what `linear` brings back to the start.
Table velocity_of_acceleration(Table acceleration, Baseline baseline = Baseline::none);

}  // namespace talus
