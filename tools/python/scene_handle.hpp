// SPDX-License-Identifier: Apache-2.0
// A scene in Python's hands.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "io/scene/key_path.hpp"
#include "io/scene/scene_reader.hpp"

namespace talus {

// A mistake in a scene that was made of lists and dictionaries: its place is a path of keys.
class SceneKeyError : public SceneError {
 public:
  SceneKeyError(const std::string& keys, std::string_view what) : SceneError({keys}, {}, what) {}
};

struct SceneHandle {
  SceneDocument document;
  bool made = false;  // of lists and dictionaries: nobody has seen its text

  int dimension() const { return document.scene.index() == 0 ? 2 : 3; }
};

// Runs f. In a scene that was made, what it says of a line of the text is said of a path of keys.
template <class F>
auto in_words_of(bool made, const std::string& text, F&& f) {
  if (!made) return f();
  try {
    return f();
  } catch (const SceneError& error) {
    const Place& place = error.place();
    if (place.line == 0) throw;
    const std::string keys = key_path_at(text, place.line, place.column);
    if (keys.empty()) throw SceneKeyError("scene", error.description());
    throw SceneKeyError(keys, error.description());
  }
}

}  // namespace talus
