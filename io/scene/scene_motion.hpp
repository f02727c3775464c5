// SPDX-License-Identifier: Apache-2.0
// Functions of time in a scene, and the motions they prescribe.
#pragma once

#include <vector>

#include "engine/model/scene.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

// A number, { table = [[t, v], …] }, { sinusoid = { … } }, { file = "record.txt" }, or
// { measure = "measure.column", target, gain, … }, whose column is found later (scene_control.hpp).
Signal read_signal(const Value& value);

template <int D>
std::vector<Drive<D>> read_drives(const Value& value);

// The axis of a rotation: a direction in space; fixed in the plane, where the key is an error.
template <int D>
Spin<D> read_axis(const Fields& fields);

// A number in the plane, a vector in space [rad/s].
template <int D>
Spin<D> read_spin(const Value& value);

}  // namespace talus
