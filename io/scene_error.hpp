// What is wrong in a scene, and where: the place, what was read, what was expected, and the line
// itself with a mark under the value.
//     bouncing.toml:14:15: contact rubber-rubber: restitution = 1.8 is outside [0, 1]
//        14 | restitution = 1.8
//           |               ^
#pragma once

#include <string>
#include <string_view>

#include "io/input_error.hpp"

namespace talus {

// A spot in a text. Line and column count from 1; line 0 stands for a text without lines of its
// own, such as an option of the command line, and column 0 for a whole line.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;

  std::string text() const;  // file:line:column
};

class SceneError : public InputError {
 public:
  // `source` is the text the place points into.
  SceneError(const Place& place, std::string_view source, std::string_view what);
};

// The candidate nearest to a mistyped word, empty when none is near enough to be meant.
std::string_view nearest(std::string_view word, const auto& candidates);

// Number of insertions, deletions, replacements and swaps of neighbours between two words.
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
