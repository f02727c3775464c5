// SPDX-License-Identifier: Apache-2.0
// Validators for numeric options. CLI11 by itself accepts "nan", reads "" as 0 and "0x10" as 16,
// and prints the bounds of a range with all digits.
#pragma once

#include <CLI/CLI.hpp>
#include <limits>

namespace talus {

CLI::Validator any_finite_number();
CLI::Validator positive_number(double highest = std::numeric_limits<double>::infinity());
CLI::Validator whole_number(int lowest, int highest = std::numeric_limits<int>::max());

}  // namespace talus
