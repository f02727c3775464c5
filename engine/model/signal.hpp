// SPDX-License-Identifier: Apache-2.0
// A scalar function of time, or of what a run measures, for prescribed motions and forces.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace talus {

struct Constant {
  double value = 0;
};

// Piecewise linear through (time, value), constant beyond both ends. Times increase strictly.
struct Table {
  std::vector<double> time;  // [s]
  std::vector<double> value;
};

// offset + amplitude sin(2π frequency t + phase)
struct Sinusoid {
  double amplitude = 0;
  double frequency = 0;  // [Hz]
  double phase = 0;      // [rad]
  double offset = 0;
};

// Proportional control by a column of a measure, held within ±limit:
//     offset + gain (target(t) − measured)
// `measured` is that of the last row. Until there is one, or where it is not a number (a mean over
// nothing), the signal is its offset.
struct Feedback {
  std::string of;  // "measure.column"
  int measure = -1, column = -1;
  std::variant<Constant, Table, Sinusoid> target;
  double gain = 0;
  double offset = 0;
  double limit = std::numeric_limits<double>::infinity();
};

using Signal = std::variant<Constant, Table, Sinusoid, Feedback>;

// The last row of every measure, NaN before the first. Without rows nothing has been measured.
using Readings = std::span<const std::vector<double>>;

double value(const Signal& signal, double t, Readings readings = {});
double derivative(const Signal& signal, double t);  // from the right at a kink; of Feedback 0

inline bool depends_on_state(const Signal& signal) {
  return std::holds_alternative<Feedback>(signal);
}

}  // namespace talus
