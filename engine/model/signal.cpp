// SPDX-License-Identifier: Apache-2.0
#include "engine/model/signal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace talus {

namespace {

// Index i of the segment [time_i, time_i+1) that holds t; the table is constant before and after.
std::ptrdiff_t segment(const Table& table, double t) {
  return std::upper_bound(table.time.begin(), table.time.end(), t) - table.time.begin() - 1;
}

double slope(const Table& table, std::ptrdiff_t i) {
  const auto k = static_cast<std::size_t>(i);
  return (table.value[k + 1] - table.value[k]) / (table.time[k + 1] - table.time[k]);
}

struct Value {
  double t;
  Readings readings;
  double operator()(const Constant& c) const { return c.value; }
  double operator()(const Table& table) const {
    const std::ptrdiff_t i = segment(table, t);
    if (i < 0) return table.value.front();
    if (i + 1 >= std::ssize(table.time)) return table.value.back();
    const auto k = static_cast<std::size_t>(i);
    return table.value[k] + slope(table, i) * (t - table.time[k]);
  }
  double operator()(const Sinusoid& s) const {
    return s.offset + s.amplitude * std::sin(2 * M_PI * s.frequency * t + s.phase);
  }
  double operator()(const Feedback& f) const {
    if (readings.empty()) return f.offset;
    const double measured =
        readings[static_cast<std::size_t>(f.measure)][static_cast<std::size_t>(f.column)];
    if (std::isnan(measured)) return f.offset;
    return std::clamp(f.offset + f.gain * (std::visit(*this, f.target) - measured), -f.limit,
                      f.limit);
  }
};

struct Derivative {
  double t;
  double operator()(const Constant&) const { return 0; }
  double operator()(const Table& table) const {
    const std::ptrdiff_t i = segment(table, t);
    return i < 0 || i + 1 >= std::ssize(table.time) ? 0 : slope(table, i);
  }
  double operator()(const Sinusoid& s) const {
    const double omega = 2 * M_PI * s.frequency;
    return s.amplitude * omega * std::cos(omega * t + s.phase);
  }
  double operator()(const Feedback&) const { return 0; }  // of the offset
};

}  // namespace

double value(const Signal& signal, double t, Readings readings) {
  return std::visit(Value{t, readings}, signal);
}

double derivative(const Signal& signal, double t) { return std::visit(Derivative{t}, signal); }

}  // namespace talus
