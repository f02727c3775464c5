// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/series_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "io/text/input_error.hpp"
#include "tools/draw/plot_area.hpp"
#include "tools/draw/thinned.hpp"

namespace talus {

namespace {

constexpr std::size_t most_points = 4000;
constexpr std::array colours = {"#0f766e", "#c2410c", "#4f46e5", "#a16207"};

struct Curve {
  std::string name;
  std::vector<double> values;
};

struct Panel {
  std::string axis;  // of the values
  std::vector<double> time;
  std::vector<Curve> curves;
  bool logarithmic = false;
  double limit = NAN;          // a dashed line, if it is a number
  std::vector<double> missed;  // times to be marked
};

// The interval of the values, with a margin.
Interval range_of(const Panel& panel) {
  Interval range{INFINITY, -INFINITY};
  const auto include = [&](double value) {
    if (!std::isfinite(value) || (panel.logarithmic && !(value > 0))) return;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  };
  for (const Curve& curve : panel.curves)
    for (const double value : curve.values) include(value);
  include(panel.limit);
  if (!(range.low <= range.high)) range = {panel.logarithmic ? 0.1 : 0.0, 1};
  if (panel.logarithmic)
    return {std::log10(std::max(range.low, 1e-9 * range.high)) - 0.1, std::log10(range.high) + 0.1};
  if (range.low > 0 && range.low < 0.6 * range.high) range.low = 0;
  const double margin = range.length() > 0 ? 0.05 * range.length() : 0.5 * std::abs(range.high);
  return {range.low == 0 ? 0 : range.low - margin, range.high + (margin > 0 ? margin : 1)};
}

void draw(Svg& svg, const Panel& panel) {
  const Interval time{panel.time.front(), panel.time.back() > panel.time.front()
                                              ? panel.time.back()
                                              : panel.time.front() + 1};
  const PlotArea area(time, range_of(panel), panel.logarithmic);
  area.draw_axes(svg, "time [s]", panel.axis);
  constexpr double foot = PlotArea::height - PlotArea::bottom;
  for (const double t : panel.missed)
    svg.line({area.x(t), foot - 8}, {area.x(t), foot}, "stroke='#c62828' stroke-width='1.5'");
  if (std::isfinite(panel.limit))
    svg.line(area.at(time.low, panel.limit), area.at(time.high, panel.limit),
             "stroke='#c62828' stroke-dasharray='6 4'");
  const std::vector<double> x = thinned(panel.time, most_points);
  double legend = PlotArea::left + 10;
  for (std::size_t k = 0; k < panel.curves.size(); ++k) {
    const Curve& curve = panel.curves[k];
    const char* const colour = colours[k % colours.size()];
    area.draw_curve(svg, x, thinned(curve.values, most_points),
                    fmt::format("stroke='{}' stroke-width='1.6' stroke-linejoin='round'", colour));
    if (panel.curves.size() == 1) continue;
    svg.line({legend, 12}, {legend + 18, 12}, fmt::format("stroke='{}' stroke-width='3'", colour));
    svg.text({legend + 24, 16}, curve.name);
    legend += 50 + 7.0 * static_cast<double>(curve.name.size());
  }
}

std::vector<double> column(const Series& series,
                           const std::function<double(const Certificate&)>& of) {
  std::vector<double> values;
  for (const Certificate& step : series.steps) values.push_back(of(step));
  return values;
}

Panel energies(const Series& series) {
  Panel panel;
  panel.axis = "energy [J]";
  panel.curves = {
      {"kinetic", column(series, [](const Certificate& c) { return c.kinetic; })},
      {"potential", column(series, [](const Certificate& c) { return c.potential; })},
      {"total", column(series, [](const Certificate& c) { return c.kinetic + c.potential; })}};
  return panel;
}

Panel error(const TrajectoryReader& run, const Series& series) {
  Panel panel;
  panel.axis = "contact error";
  panel.logarithmic = true;
  panel.limit = run.header().tolerance;
  panel.curves = {
      {"worst island", column(series, [](const Certificate& c) { return c.error; })},
      {"worst contact", column(series, [](const Certificate& c) { return c.worst_error; })}};
  for (const Certificate& step : series.steps)
    if (!step.converged) panel.missed.push_back(step.time);
  return panel;
}

constexpr std::string_view measure_prefix = "measure.";

std::vector<Panel> measure_panels(const TrajectoryReader& run, const std::string& what) {
  const std::string name = what.substr(measure_prefix.size());
  std::string known;
  for (const MeasureSeries& measure : run.measures()) {
    known += fmt::format("{}measure.{}", known.empty() ? "" : ", ", measure.name);
    std::string columns;
    std::vector<Panel> panels;
    for (std::size_t k = 0; k < measure.columns.size(); ++k) {
      columns += fmt::format("{}{}", columns.empty() ? "" : ", ", measure.columns[k]);
      if (name != measure.name && name != measure.name + "." + measure.columns[k]) continue;
      Panel& panel = panels.emplace_back();
      panel.axis = measure.columns[k];
      panel.time = measure.time;
      panel.curves = {{measure.columns[k], measure.values[k]}};
    }
    if (!panels.empty() && measure.rows() == 0)
      throw InputError(fmt::format("--plot {}: the measure has no rows", what));
    if (!panels.empty()) return panels;
    if (name.starts_with(measure.name + "."))
      throw InputError(fmt::format("--plot {}: the measure has {}", what, columns));
  }
  throw InputError(known.empty() ? fmt::format("--plot {}: the run has no measures", what)
                                 : fmt::format("--plot {}: the run has {}", what, known));
}

}  // namespace

std::string series_plot(const TrajectoryReader& run, const std::string& what) {
  std::vector<Panel> panels;
  if (what.starts_with(measure_prefix)) {
    panels = measure_panels(run, what);
  } else {
    const Series series = run.series();
    if (series.steps.empty())
      throw InputError(fmt::format("--plot {}: the run has no steps", what));
    if (what == "energies")
      panels = {energies(series)};
    else if (what == "error")
      panels = {error(run, series)};
    else
      throw InputError(fmt::format("--plot {}: expected energies, error or measure.NAME", what));
    panels[0].time = column(series, [](const Certificate& c) { return c.time; });
  }
  Svg svg(PlotArea::width, PlotArea::height * static_cast<double>(panels.size()));
  for (std::size_t k = 0; k < panels.size(); ++k) {
    svg.raw(fmt::format("<g transform='translate(0 {})'>\n",
                        PlotArea::height * static_cast<double>(k)));
    draw(svg, panels[k]);
    svg.raw("</g>\n");
  }
  return svg.finished();
}

}  // namespace talus
