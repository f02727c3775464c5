// SPDX-License-Identifier: Apache-2.0
// Trying a property on many random scenes, and making a scene that fails as small as can be.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "engine/world.hpp"
#include "io/scene/scene_reader.hpp"
#include "tests/random/random_scene.hpp"

namespace talus::random_scenes {

struct Verdict {
  std::string failure;  // empty: fine
  std::string skipped;  // why nothing could be said, or empty
};

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Whether the scene can be run at all: parts that were left out may have held it together.
inline bool is_valid(const AnyScene& any) {
  return std::visit(
      []<int D>(const Scene<D>& scene) {
        return !scene.bodies.empty() && World<D>(scene).initial_overlaps().empty();
      },
      any);
}

using Property = std::function<Verdict(const AnyScene&, int steps, std::uint64_t seed)>;

inline Verdict try_scene(const RandomScene& scene, const Property& property) {
  const AnyScene read = read_scene_text(scene.text(), "seed-" + std::to_string(scene.seed)).scene;
  if (!is_valid(read)) return {"", "bodies overlap at the start"};
  return property(read, scene.steps, scene.seed);
}

inline bool fails(const RandomScene& scene, const Property& property) {
  try {
    return !try_scene(scene, property).failure.empty();
  } catch (const SceneError&) {
    return false;  // a part that others need was left out
  }
}

// Leaves out parts and steps as long as the scene still fails.
inline RandomScene minimised(RandomScene scene, const Property& property) {
  while (scene.steps > 1) {
    RandomScene shorter = scene;
    --shorter.steps;
    if (!fails(shorter, property)) break;
    scene = shorter;
  }
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t part = scene.parts.size(); part-- > 0;) {
      RandomScene without = scene.without(part);
      if (part >= scene.parts.size() || !fails(without, property)) continue;
      scene = std::move(without);
      smaller = true;
      part = std::min(part, scene.parts.size());
    }
  }
  return scene;
}

// Tries `property` on the scenes of TALUS_RANDOM_SCENES seeds (default: `count`) from
// TALUS_RANDOM_SEED (default 0) on, and shows those that fail as scenes made small.
inline void try_scenes(std::uint64_t count, const Property& property) {
  const std::uint64_t first = number_from("TALUS_RANDOM_SEED", 0);
  std::map<std::string, int> skipped;
  count = number_from("TALUS_RANDOM_SCENES", count);
  int failed = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RandomScene scene = random_scene(seed);
    const Verdict verdict = try_scene(scene, property);
    if (!verdict.skipped.empty()) ++skipped[verdict.skipped];
    if (verdict.failure.empty()) continue;
    if (++failed > 20) continue;  // enough to look at
    const RandomScene small = minimised(scene, property);
    MESSAGE("seed " << seed << ": " << verdict.failure << "\nmade small, "
                    << try_scene(small, property).failure << " after " << small.steps
                    << " steps of:\n"
                    << small.text());
  }
  for (const auto& entry : skipped) MESSAGE(entry.second << " of " << count << ": " << entry.first);
  CHECK(failed == 0);
}

}  // namespace talus::random_scenes
