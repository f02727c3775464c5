// SPDX-License-Identifier: Apache-2.0
// Tunnelling: bodies that go through each other between the configurations q_m at which contacts
// are looked for. A step sees contacts ahead of a body up to where its velocity leads, so a fast
// body stops at a wall; but not in its first half step, not under a law with restitution or the
// contact rule `moreau`, which let it come in first, and not what the corners of a body sweep that
// turns far in one step.
//
// From one q_m to the next bodies move with one velocity, and the gap of two convex shapes in
// translation is a convex function of time: its least value is found by a search for the minimum.
// A pair of bodies counts as passed through when
//   - it has moved by more than the smaller half width, relative to each other,
//   - it had no percussion in the step before, which would have stopped it, and
//   - on the way it overlaps by half the smaller half width more than at either end, where contacts
//     are looked for and penetration is recorded.
// So bodies at rest, rolling, sliding or bouncing never count.
#pragma once

#include <span>
#include <vector>

#include "engine/detect/pair_search.hpp"
#include "engine/model/bodies.hpp"
#include "engine/step/warm_start.hpp"

namespace talus {

template <int D>
class PassageWatch {
 public:
  // Pairs of bodies that went through each other on their way to where they are. For h(1−θ), since
  // the start of the step, they have had the velocities they have; for `before` before that, too,
  // but for newcomers, which were not there. `stored` are the percussions of the step before.
  struct Way {
    double in_step = 0, before = 0;  // [s]
  };
  int count(const Bodies<D>& bodies, const Way& way, std::span<const std::size_t> newcomers,
            const ExcludedPairs<D>& excluded, std::span<const StoredPercussion<D>> stored);

 private:
  std::vector<double> duration_;  // of each body's way [s]
  std::vector<Reach<D>> reach_;
  PairSearch<D> pair_search_;
  std::vector<BodyPair> pairs_;
  std::vector<PeriodicImage<D>> images_;
};

}  // namespace talus
