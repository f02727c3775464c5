// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/error_bar_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/draw/svg.hpp"

namespace talus {

namespace {

constexpr double sheet_pixels = 760, head_pixels = 54, row_pixels = 58, name_pixels = 190,
                 margin_pixels = 28;

struct Bar {
  const char *name, *colour;
  ErrorBar UncertainQuantity::*interval;
};
constexpr std::array bars = {Bar{"step", "#0f766e", &UncertainQuantity::step},
                             Bar{"solver", "#c2410c", &UncertainQuantity::solver},
                             Bar{"packing (mean, 95 %)", "#4f46e5", &UncertainQuantity::packing}};

// From the value of a quantity to pixels: all its intervals, and the value itself.
struct Scale {
  double low, high;

  explicit Scale(const UncertainQuantity& q) : low(q.value), high(q.value) {
    for (const Bar& bar : bars)
      for (const double end : {(q.*bar.interval).low, (q.*bar.interval).high})
        if (std::isfinite(end)) low = std::min(low, end), high = std::max(high, end);
    if (high > low) return;
    const double width = q.value != 0 ? 1e-6 * std::abs(q.value) : 1;  // all of them are one point
    low -= width, high += width;
  }
  double x(double value) const {
    return name_pixels +
           (value - low) / (high - low) * (sheet_pixels - name_pixels - margin_pixels);
  }
};

// As many digits as it takes to tell the ends from each other.
std::string end_text(double value, const Scale& scale) {
  const double size = std::max(std::abs(scale.low), std::abs(scale.high));
  const int digits = std::clamp(
      static_cast<int>(std::ceil(std::log10(size / (scale.high - scale.low)))) + 3, 3, 12);
  return fmt::format("{:.{}g}", value, digits);
}

void draw_interval(Svg& svg, const Scale& scale, const ErrorBar& interval, double y,
                   const char* colour) {
  if (!std::isfinite(interval.low)) return;
  const double from = scale.x(interval.low), to = scale.x(interval.high);
  svg.line({from, y}, {to, y}, fmt::format("stroke='{}' stroke-width='3'", colour));
  for (const double x : {from, to})
    svg.line({x, y - 4}, {x, y + 4}, fmt::format("stroke='{}' stroke-width='1.5'", colour));
}

void draw_row(Svg& svg, const UncertainQuantity& q, double top) {
  const Scale scale(q);
  svg.line({margin_pixels, top}, {sheet_pixels - margin_pixels, top}, "stroke='#ddd'");
  svg.text({margin_pixels, top + 24}, q.name);
  svg.text({margin_pixels, top + 42}, fmt::format("{:.5g}", q.value), "fill='#666'");
  svg.line({scale.x(q.value), top + 5}, {scale.x(q.value), top + 37},
           "stroke='#333' stroke-dasharray='3 2'");
  double y = top + 11;
  for (const Bar& bar : bars) {
    draw_interval(svg, scale, q.*bar.interval, y, bar.colour);
    y += 10;
  }
  svg.text({name_pixels, top + 51}, end_text(scale.low, scale), "fill='#666' font-size='11'");
  svg.text({sheet_pixels - margin_pixels, top + 51}, end_text(scale.high, scale),
           fmt::format("fill='#666' font-size='11' {}", at_end));
}

}  // namespace

std::string error_bar_plot(const std::vector<UncertainQuantity>& table) {
  Svg svg(sheet_pixels, head_pixels + row_pixels * static_cast<double>(table.size()) + 10);
  double x = name_pixels;
  for (const Bar& bar : bars) {
    svg.line({x, 22}, {x + 24, 22}, fmt::format("stroke='{}' stroke-width='3'", bar.colour));
    svg.text({x + 32, 26}, bar.name);
    x += 60 + 7.5 * static_cast<double>(std::string_view(bar.name).size());
  }
  svg.line({x, 15}, {x, 29}, "stroke='#333' stroke-dasharray='3 2'");
  svg.text({x + 8, 26}, "the run itself");
  for (std::size_t k = 0; k < table.size(); ++k)
    draw_row(svg, table[k], head_pixels + row_pixels * static_cast<double>(k));
  return svg.finished();
}

}  // namespace talus
