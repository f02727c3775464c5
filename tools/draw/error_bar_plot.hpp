// SPDX-License-Identifier: Apache-2.0
// The intervals of `talus uncertainty` as SVG: a row for each quantity, with a scale of its own.
#pragma once

#include <string>
#include <vector>

#include "io/study/uncertainty.hpp"

namespace talus {

std::string error_bar_plot(const std::vector<UncertainQuantity>& table);

}  // namespace talus
