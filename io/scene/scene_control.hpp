// SPDX-License-Identifier: Apache-2.0
// What a scene controls by its measures: signals that depend on them, and conditions that end the
// run.
#pragma once

#include <string>
#include <vector>

#include "engine/model/scene.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

// The list `stop`, or one condition. The measures of the scene must have been read.
template <int D>
std::vector<StopCondition> read_stops(const Value& value, const Scene<D>& scene);

// What is wrong with the name of a column, "measure.column"; empty if the scene has it.
std::string complaint_of_column(const AnyScene& scene, const std::string& name);

// Finds the columns that signals of the scene name. Throws SceneError at a name that is not there.
template <int D>
void connect_signals(const SceneSource& source, Scene<D>& scene);

}  // namespace talus
