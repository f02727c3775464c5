// SPDX-License-Identifier: Apache-2.0
// Output of `talus limit`, as text and as JSON.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/outlook/touching_pairs.hpp"
#include "tools/commands/limit_runs.hpp"

namespace talus {

enum class LimitOutcome {
  bounded,          // λ_static is a number
  unbounded,        // every multiple of the live load is carried
  no_effect,        // it does no work in any motion
  not_resisted,     // λ_static = 0: any multiple moves the bodies
  falls,            // no forces carry the dead load, with any multiple
  needs_load,       // they do with the live load only: λ = 0 is not among the multiples
  held_by_nothing,  // loaded bodies touch nothing
  open              // the programme was not solved
};

template <int D>
struct LimitReport {
  std::string source;
  double time = 0;
  LiveLoad<D> live;
  LimitOutcome outcome = LimitOutcome::open;
  std::vector<int> unheld;  // of Bodies
  std::optional<LimitState<D>> largest, least;
  std::vector<TouchingPair<D>> pairs;  // in the largest state
  std::optional<LimitRuns> runs;       // where they were asked for

  // Of the normal forces of each joint and of each of its contacts, at ranges_at; where asked for.
  std::vector<ForceRange> joint_ranges, contact_ranges;
  double ranges_at = 0;
};

std::string_view outcome_word(LimitOutcome outcome);

template <int D>
LimitReport<D> limit_report(const World<D>& world, const LimitAnalysis<D>& analysis,
                            LiveLoad<D> live);

// Finds the ranges of normal forces at a multiplier. Throws InputError where it is not admissible.
template <int D>
void find_ranges(const LimitAnalysis<D>& analysis, double multiplier, LimitReport<D>& report);

// A line for a picture.
template <int D>
std::string limit_title(const LimitReport<D>& report);

template <int D>
void print_limit(std::FILE* out, const World<D>& world, const LimitAnalysis<D>& analysis,
                 const LimitReport<D>& report);

template <int D>
std::string limit_json(const World<D>& world, const LimitAnalysis<D>& analysis,
                       const LimitReport<D>& report);

}  // namespace talus
