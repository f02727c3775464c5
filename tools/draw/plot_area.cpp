// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/plot_area.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace talus {

double tick_step(double range) {
  const double rough = range / 5, power = std::pow(10.0, std::floor(std::log10(rough)));
  const double part = rough / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

PlotArea::PlotArea(Interval x, Interval y, bool logarithmic)
    : x_(x), y_(y), logarithmic_(logarithmic) {}

double PlotArea::x(double value) const {
  return left + (value - x_.low) / x_.length() * (width - left - right);
}

double PlotArea::y(double value) const {
  const double place = logarithmic_ ? std::log10(value) : value;
  return height - bottom - (place - y_.low) / y_.length() * (height - top - bottom);
}

void PlotArea::draw_axes(Svg& svg, std::string_view x_axis, std::string_view y_axis) const {
  constexpr std::string_view grid = "stroke='#ddd'";
  const double dx = tick_step(x_.length());
  const double dy =
      logarithmic_ ? std::max(1.0, std::ceil(y_.length() / 6)) : tick_step(y_.length());
  const auto label = [](double v, double step) {
    return fmt::format("{:.6g}", std::abs(v) < 1e-9 * step ? 0.0 : v);
  };
  for (double v = std::ceil(x_.low / dx) * dx; v <= x_.high + 1e-9 * dx; v += dx) {
    svg.line({x(v), top}, {x(v), height - bottom}, grid);
    svg.text({x(v), height - bottom + 18}, label(v, dx), middle);
  }
  for (double v = std::ceil(y_.low / dy) * dy; v <= y_.high + 1e-9 * dy; v += dy) {
    const double value = logarithmic_ ? std::pow(10.0, v) : v;
    svg.line({left, y(value)}, {width - right, y(value)}, grid);
    svg.text({left - 6, y(value) + 4}, logarithmic_ ? fmt::format("{:.0e}", value) : label(v, dy),
             at_end);
  }
  svg.text({0.5 * (left + width - right), height - 12}, x_axis, middle);
  svg.text({0, 0}, y_axis,
           fmt::format("transform='translate(18 {:.1f}) rotate(-90)' text-anchor='middle'",
                       0.5 * (top + height - bottom)));
}

void PlotArea::draw_curve(Svg& svg, std::span<const double> xs, std::span<const double> ys,
                          std::string_view style) const {
  std::vector<Vec<2>> points;
  const auto end = [&] {
    if (!points.empty()) svg.polyline(points, style);
    points.clear();
  };
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (!std::isfinite(ys[i]) || (logarithmic_ && !(ys[i] > 0)))
      end();
    else
      points.push_back(at(xs[i], ys[i]));
  }
  end();
}

}  // namespace talus
