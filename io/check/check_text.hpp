// SPDX-License-Identifier: Apache-2.0
// The certificate of a run in words.
#pragma once

#include <string>
#include <vector>

#include "io/check/trajectory_check.hpp"
#include "io/trajectory/integrity.hpp"

namespace talus {

std::string criterion_line(const Criterion& criterion);
std::string integrity_line(const Integrity& integrity);

// One line a criterion, checksums first.
std::vector<std::string> certificate_lines(const RunCheck& check, const Integrity& integrity);

// "certified", or the criteria that failed; and those that were skipped.
std::string verdict(const RunCheck& check, const Integrity& integrity);

}  // namespace talus
