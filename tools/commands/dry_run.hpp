// SPDX-License-Identifier: Apache-2.0
// `talus run --dry-run`: estimates of time, memory and disk space, and warnings, before a run.
#pragma once

#include "engine/model/scene.hpp"
#include "io/scene/scene_reader.hpp"

namespace talus {

struct DryRunOptions {
  bool json = false, quiet = false;
};

// Computes steps for about six seconds, but at least a few, and writes no file.
template <int D>
int dry_run(const SceneDocument& document, Scene<D> scene, const DryRunOptions& options);

}  // namespace talus
