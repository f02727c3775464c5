// SPDX-License-Identifier: Apache-2.0
// A scalar function of time, for prescribed motions and forces.
#pragma once

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

using Signal = std::variant<Constant, Table, Sinusoid>;

double value(const Signal& signal, double t);
double derivative(const Signal& signal, double t);  // from the right at a kink

}  // namespace talus
