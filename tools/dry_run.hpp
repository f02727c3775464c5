// `talus run --dry-run`: what a run will cost, and what is wrong with it, before it is made.
#pragma once

#include "engine/scene.hpp"
#include "io/scene_reader.hpp"

namespace talus {

struct DryRunOptions {
  bool json = false, quiet = false;
};

// Makes a few steps, for a second at most, and writes no file.
template <int D>
int dry_run(const SceneDocument& document, Scene<D> scene, const DryRunOptions& options);

}  // namespace talus
