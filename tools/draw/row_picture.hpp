// SPDX-License-Identifier: Apache-2.0
// An impact in a row of bodies: velocity and kinetic energy of every body before and after.
#pragma once

#include <cstddef>
#include <string>

#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

// Whether the free bodies that are present in both frames stand in a row in both.
bool is_row(const TrajectoryReader& run, std::size_t from, std::size_t to);

// Throws InputError if no body moves, or if they do not stand in a row.
std::string row_picture(const TrajectoryReader& run, std::size_t from, std::size_t to,
                        const std::string& title);

}  // namespace talus
