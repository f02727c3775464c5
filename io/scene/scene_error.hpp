// SPDX-License-Identifier: Apache-2.0
// An error in a scene: the place, what was read, what was expected, and the source line with a mark
// below the value.
//     bouncing.toml:14:15: contact rubber-rubber: restitution = 1.8 is outside [0, 1]
//        14 | restitution = 1.8
//           |               ^
#pragma once

#include <string>
#include <string_view>

#include "io/text/input_error.hpp"

namespace talus {

// A position in a text. Line and column count from 1. Line 0 means a text without lines, such as a
// command-line option; column 0 means a whole line.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;

  std::string text() const;  // file:line:column
};

class SceneError : public InputError {
 public:
  // `source` is the text that `place` refers to.
  SceneError(const Place& place, std::string_view source, std::string_view what);

  const Place& place() const { return place_; }
  const std::string& description() const { return description_; }  // without the place

 private:
  Place place_;
  std::string description_;
};

}  // namespace talus
