// SPDX-License-Identifier: Apache-2.0
// The larger of two numbers, where NaN counts as larger than any: std::max drops a NaN in its
// second argument, and with it the only trace of a computation that has failed.
#pragma once

namespace talus {

constexpr double maximum(double a, double b) { return b > a || b != b ? b : a; }

}  // namespace talus
