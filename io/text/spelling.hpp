// SPDX-License-Identifier: Apache-2.0
// Suggestions for mistyped words.
#pragma once

#include <string>
#include <string_view>

namespace talus {

// The candidate most similar to a mistyped word; empty if none is similar enough.
std::string_view nearest(std::string_view word, const auto& candidates);

// Edit distance (optimal string alignment): number of insertions, deletions, replacements and swaps
// of neighbouring letters between two words.
int edit_distance(std::string_view a, std::string_view b);

std::string_view nearest(std::string_view word, const auto& candidates) {
  std::string_view best;
  int best_distance = 1 + static_cast<int>(word.size()) / 3;
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance < best_distance || (best.empty() && distance == best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

// "'a', 'b' or 'c'"
template <typename Words>
std::string alternatives(const Words& words) {
  std::string list;
  std::size_t i = 0;
  for (const std::string_view word : words) {
    if (i > 0) list += i + 1 == std::size(words) ? " or " : ", ";
    list.append("'").append(word).append("'");
    ++i;
  }
  return list;
}

// " (did you mean 'friction'?)" or, with no near word, " (expected 'a', 'b' or 'c')".
template <typename Words>
std::string hint(std::string_view word, const Words& words) {
  const std::string_view meant = nearest(word, words);
  if (!meant.empty()) return " (did you mean '" + std::string(meant) + "'?)";
  return std::size(words) == 0 ? "" : " (expected " + alternatives(words) + ")";
}

}  // namespace talus
