// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/friction_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/text/input_error.hpp"
#include "io/text/printable.hpp"

namespace talus {

namespace {

constexpr double width = 720, height = 440, left = 70, right = 20, top = 20, bottom = 55;

// Distance of ticks: 1, 2 or 5 times a power of ten, for about five ticks.
double tick_step(double range) {
  const double rough = range / 5, power = std::pow(10.0, std::floor(std::log10(rough)));
  const double part = rough / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

class PlotArea {
 public:
  PlotArea(double x_min, double x_max, double y_min, double y_max)
      : x_min_(x_min), x_max_(x_max), y_min_(y_min), y_max_(y_max) {}

  double x(double value) const {
    return left + (value - x_min_) / (x_max_ - x_min_) * (width - left - right);
  }
  double y(double value) const {
    return height - bottom - (value - y_min_) / (y_max_ - y_min_) * (height - top - bottom);
  }
  double y_max() const { return y_max_; }

  std::string axes(const std::string& x_axis, const std::string& y_axis) const {
    std::string svg;
    const double dx = tick_step(x_max_ - x_min_), dy = tick_step(y_max_ - y_min_);
    for (double v = std::ceil(x_min_ / dx) * dx; v <= x_max_ + 1e-9 * dx; v += dx)
      svg += fmt::format(
          "<line x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2}' stroke='#ddd'/>"
          "<text x='{0:.1f}' y='{3}' text-anchor='middle'>{4:.6g}</text>\n",
          x(v), top, height - bottom, height - bottom + 18, std::abs(v) < 1e-9 * dx ? 0.0 : v);
    for (double v = std::ceil(y_min_ / dy) * dy; v <= y_max_ + 1e-9 * dy; v += dy)
      svg += fmt::format(
          "<line x1='{0}' y1='{1:.1f}' x2='{2}' y2='{1:.1f}' stroke='#ddd'/>"
          "<text x='{3}' y='{4:.1f}' text-anchor='end'>{5:.6g}</text>\n",
          left, y(v), width - right, left - 6, y(v) + 4, std::abs(v) < 1e-9 * dy ? 0.0 : v);
    svg += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>\n",
                       0.5 * (left + width - right), height - 12, xml_text(x_axis));
    svg += fmt::format(
        "<text transform='translate(18 {:.1f}) rotate(-90)' text-anchor='middle'>{}</text>\n",
        0.5 * (top + height - bottom), xml_text(y_axis));
    return svg;
  }

 private:
  double x_min_, x_max_, y_min_, y_max_;
};

// A line through the finite values, interrupted where there are none.
std::string line(const PlotArea& area, const std::vector<PlottedBound>& curve,
                 double PlottedBound::*member, const char* style) {
  std::string svg, points;
  const auto end = [&] {
    if (!points.empty())
      svg += fmt::format("<polyline fill='none' {} points='{}'/>\n", style, points);
    points.clear();
  };
  for (const PlottedBound& point : curve) {
    if (!std::isfinite(point.*member)) {
      end();
      continue;
    }
    points += fmt::format("{:.2f},{:.2f} ", area.x(point.x),
                          area.y(std::min(point.*member, area.y_max())));
  }
  end();
  return svg;
}

std::string canvas(double full_width) {
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
      "font-family='sans-serif' font-size='13'>\n<rect width='{0}' height='{1}' fill='white'/>\n",
      full_width, height);
}

}  // namespace

std::string bound_plot(const std::string& axis, const std::vector<PlottedBound>& curve) {
  if (curve.size() < 2) throw InputError("a plot needs at least two points");
  // Bounds are unbounded near configurations that allow any friction: the plot is cut off at a few
  // times the values of interest.
  std::vector<double> bounds;
  double friction = 0;
  for (const PlottedBound& point : curve) {
    if (std::isfinite(point.bound)) bounds.push_back(point.bound);
    friction = std::max(friction, point.friction);
  }
  std::sort(bounds.begin(), bounds.end());
  const double median = bounds.empty() ? 1 : bounds[bounds.size() / 2];
  const double highest = bounds.empty() ? 1 : bounds.back();
  const double y_max = std::max({1.15 * std::min(highest, 3 * median), 1.2 * friction, 1e-3});
  const PlotArea area(curve.front().x, curve.back().x, 0, y_max);

  std::string svg = canvas(width);
  svg += area.axes(axis, "friction coefficient");
  svg += line(area, curve, &PlottedBound::bound, "stroke='#1f5fa8' stroke-width='2'");
  svg += line(area, curve, &PlottedBound::friction,
              "stroke='#c0392b' stroke-width='1.5' stroke-dasharray='6 4'");
  svg += fmt::format(
      "<text x='{0}' y='{1}' fill='#1f5fa8'>bound</text>"
      "<text x='{0}' y='{2}' fill='#c0392b'>friction of the scene</text>\n</svg>\n",
      width - right - 130, top + 18, top + 36);
  return svg;
}

std::string advice_map(const MapAxis& x, const MapAxis& y, const std::vector<Advice>& advice) {
  constexpr double legend = 190;
  struct Colour {
    const char *fill, *words;
  };
  const auto colour = [](Advice a) -> Colour {
    switch (a) {
      case Advice::frictionless:
      case Advice::safe:
      case Advice::inside:
        return {"#7fb2e5", "below the bound"};
      case Advice::beyond:
        return {"#333333", "beyond it, a P-matrix"};
      case Advice::resting:
        return {"#c9dfc0", "at rest, one motion found"};
      case Advice::not_unique:
      case Advice::undecided:
        return {"#f3d9a4", "nothing promised"};
      case Advice::paradoxical:
        break;
    }
    return {"#d98880", "paradoxical here"};
  };
  const PlotArea area(x.values.front(), x.values.back(), y.values.front(), y.values.back());
  std::string svg = canvas(width + legend);
  // A cell extends half-way to its neighbours.
  const auto edge = [](const std::vector<double>& v, std::size_t i, int side) {
    const std::size_t last = v.size() - 1;
    const std::size_t other = side < 0 ? (i > 0 ? i - 1 : 0) : std::min(i + 1, last);
    return 0.5 * (v[i] + v[other]);
  };
  for (std::size_t j = 0; j < y.values.size(); ++j) {
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      const double x0 = area.x(edge(x.values, i, -1)), x1 = area.x(edge(x.values, i, 1));
      const double y0 = area.y(edge(y.values, j, 1)), y1 = area.y(edge(y.values, j, -1));
      svg += fmt::format(
          "<rect x='{0:.2f}' y='{1:.2f}' width='{2:.2f}' height='{3:.2f}' fill='{4}' "
          "stroke='{4}' stroke-width='0.4'/>\n",
          x0, y0, x1 - x0, y1 - y0, colour(advice[j * x.values.size() + i]).fill);
    }
  }
  svg += area.axes(x.name, y.name);
  double line_y = top + 14;
  for (const Advice a :
       {Advice::inside, Advice::beyond, Advice::resting, Advice::not_unique, Advice::paradoxical}) {
    svg += fmt::format(
        "<rect x='{0:.1f}' y='{1:.1f}' width='12' height='12' fill='{2}'/>"
        "<text x='{3:.1f}' y='{4:.1f}'>{5}</text>\n",
        width, line_y - 11, colour(a).fill, width + 18, line_y, colour(a).words);
    line_y += 20;
  }
  return svg + "</svg>\n";
}

}  // namespace talus
