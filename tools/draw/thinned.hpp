// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace talus {

// At most this many values of a series, an even number. A longer one is cut into buckets, of which
// the smallest and the largest value are kept in the order in which they come: peaks stay.
std::vector<double> thinned(const std::vector<double>& values, std::size_t most);

}  // namespace talus
