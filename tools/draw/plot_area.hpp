// SPDX-License-Identifier: Apache-2.0
// The area of a plot: scales, axes with round numbers, and curves.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/draw/svg.hpp"

namespace talus {

// Distance of ticks: 1, 2 or 5 times a power of ten, for about five ticks.
double tick_step(double range);

struct Interval {
  double low = 0, high = 1;
  double length() const { return high - low; }
};

class PlotArea {
 public:
  // A logarithmic axis is given by the powers of ten at its ends.
  PlotArea(Interval x, Interval y, bool logarithmic = false);

  double x(double value) const;
  double y(double value) const;
  Vec<2> at(double x_value, double y_value) const { return {x(x_value), y(y_value)}; }
  double y_max() const { return y_.high; }

  void draw_axes(Svg& svg, std::string_view x_axis, std::string_view y_axis) const;

  // A line through the finite values, interrupted where there are none.
  void draw_curve(Svg& svg, std::span<const double> x, std::span<const double> y,
                  std::string_view style) const;

  static constexpr double width = 720, height = 440, left = 80, right = 20, top = 20, bottom = 55;

 private:
  Interval x_, y_;
  bool logarithmic_;
};

}  // namespace talus
