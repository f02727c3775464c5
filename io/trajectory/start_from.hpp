// SPDX-License-Identifier: Apache-2.0
// The start of a run from a frame of an earlier one.
#pragma once

#include "engine/world.hpp"
#include "io/scene/scene_reader.hpp"

namespace talus {

// The state at the start of a world whose scene names an earlier run: bodies of the same name have
// the positions, velocities and impulses of its frame; what the scene adds starts as the scene
// says. At the end of a complete run of the same version they are exact, otherwise as the frame
// holds them. Throws InputError if the run cannot be read, has no such frame, or if bodies do not
// match, all of which are listed.
template <int D>
WorldState<D> state_from_earlier_run(const SceneDocument& document, const World<D>& world);

// Does nothing if the scene names no earlier run.
template <int D>
void begin_from_earlier_run(const SceneDocument& document, World<D>& world);

// Changes `from.frame` as if the scene were to start from a run given on the command line, whose
// path is relative to the working folder.
std::string earlier_run_override(const std::string& frame, const std::filesystem::path& scene);

}  // namespace talus
