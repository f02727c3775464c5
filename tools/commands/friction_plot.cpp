// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/friction_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/text/input_error.hpp"
#include "tools/draw/plot_area.hpp"

namespace talus {

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
  const PlotArea area({curve.front().x, curve.back().x}, {0, y_max});

  Svg svg(PlotArea::width, PlotArea::height);
  area.draw_axes(svg, axis, "friction coefficient");
  std::vector<double> x, bound, present;
  for (const PlottedBound& point : curve) {
    x.push_back(point.x);  // infinite bounds are left out, others cut off
    bound.push_back(std::isfinite(point.bound) ? std::min(point.bound, y_max) : point.bound);
    present.push_back(std::isfinite(point.friction) ? std::min(point.friction, y_max)
                                                    : point.friction);
  }
  area.draw_curve(svg, x, bound, "stroke='#1f5fa8' stroke-width='2'");
  area.draw_curve(svg, x, present, "stroke='#c0392b' stroke-width='1.5' stroke-dasharray='6 4'");
  const double legend = PlotArea::width - PlotArea::right - 130;
  svg.text({legend, PlotArea::top + 18}, "bound", "fill='#1f5fa8'");
  svg.text({legend, PlotArea::top + 36}, "friction of the scene", "fill='#c0392b'");
  return svg.finished();
}

std::string advice_map(const MapAxis& x, const MapAxis& y, const std::vector<Advice>& advice) {
  constexpr double legend = 190;
  struct Cell {
    const char *fill, *words;
  };
  const auto colour = [](Advice a) -> Cell {
    switch (a) {
      case Advice::frictionless:
      case Advice::safe:
      case Advice::inside:
        return {"#7fb2e5", "below the bound"};
      case Advice::beyond:
        return {"#333333", "beyond it, a P-matrix"};
      case Advice::resting:
      case Advice::rough_joints:
        return {"#c9dfc0", "at rest, one motion found"};
      case Advice::not_unique:
      case Advice::undecided:
        return {"#f3d9a4", "nothing promised"};
      case Advice::paradoxical:
        break;
    }
    return {"#d98880", "paradoxical here"};
  };
  const PlotArea area({x.values.front(), x.values.back()}, {y.values.front(), y.values.back()});
  Svg svg(PlotArea::width + legend, PlotArea::height);
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
      const char* const fill = colour(advice[j * x.values.size() + i]).fill;
      svg.rectangle({x0, y0}, {x1 - x0, y1 - y0},
                    fmt::format("fill='{0}' stroke='{0}' stroke-width='0.4'", fill));
    }
  }
  area.draw_axes(svg, x.name, y.name);
  double line_y = PlotArea::top + 14;
  for (const Advice a :
       {Advice::inside, Advice::beyond, Advice::resting, Advice::not_unique, Advice::paradoxical}) {
    svg.rectangle({PlotArea::width, line_y - 11}, {12, 12},
                  fmt::format("fill='{}'", colour(a).fill));
    svg.text({PlotArea::width + 18, line_y}, colour(a).words);
    line_y += 20;
  }
  return svg.finished();
}

}  // namespace talus
