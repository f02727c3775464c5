#include "tools/friction_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "io/input_error.hpp"

namespace talus {

namespace {

constexpr double width = 720, height = 440, left = 70, right = 20, top = 20, bottom = 55;

// A step of 1, 2 or 5 times a power of ten that cuts a range into about five.
double tick_step(double range) {
  const double rough = range / 5, power = std::pow(10.0, std::floor(std::log10(rough)));
  const double part = rough / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

class PlotArea {
 public:
  PlotArea(double x_min, double x_max, double y_max)
      : x_min_(x_min), x_max_(x_max), y_max_(y_max) {}

  double x(double value) const {
    return left + (value - x_min_) / (x_max_ - x_min_) * (width - left - right);
  }
  double y(double value) const {
    return height - bottom - value / y_max_ * (height - top - bottom);
  }
  double y_max() const { return y_max_; }

  std::string axes(const std::string& axis) const {
    std::string svg;
    const double dx = tick_step(x_max_ - x_min_), dy = tick_step(y_max_);
    for (double v = std::ceil(x_min_ / dx) * dx; v <= x_max_ + 1e-9 * dx; v += dx)
      svg += fmt::format(
          "<line x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2}' stroke='#ddd'/>"
          "<text x='{0:.1f}' y='{3}' text-anchor='middle'>{4:.6g}</text>\n",
          x(v), top, height - bottom, height - bottom + 18, std::abs(v) < 1e-9 * dx ? 0.0 : v);
    for (double v = 0; v <= y_max_ + 1e-9 * dy; v += dy)
      svg += fmt::format(
          "<line x1='{0}' y1='{1:.1f}' x2='{2}' y2='{1:.1f}' stroke='#ddd'/>"
          "<text x='{3}' y='{4:.1f}' text-anchor='end'>{5:.6g}</text>\n",
          left, y(v), width - right, left - 6, y(v) + 4, v);
    svg += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>\n",
                       0.5 * (left + width - right), height - 12, axis);
    svg += fmt::format(
        "<text transform='translate(18 {:.1f}) rotate(-90)' text-anchor='middle'>friction "
        "coefficient</text>\n",
        0.5 * (top + height - bottom));
    return svg;
  }

 private:
  double x_min_, x_max_, y_max_;
};

// A line through the finite values, broken where there are none.
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

}  // namespace

void write_bound_plot(const std::filesystem::path& path, const std::string& axis,
                      const std::vector<PlottedBound>& curve) {
  if (curve.size() < 2) throw InputError("a plot needs at least two points");
  // Bounds grow without limit near configurations that bear any friction: the picture ends at a few
  // times what is of interest.
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
  const PlotArea area(curve.front().x, curve.back().x, y_max);

  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
      "font-family='sans-serif' font-size='13'>\n<rect width='{0}' height='{1}' fill='white'/>\n",
      width, height);
  svg += area.axes(axis);
  svg += line(area, curve, &PlottedBound::bound, "stroke='#1f5fa8' stroke-width='2'");
  svg += line(area, curve, &PlottedBound::friction,
              "stroke='#c0392b' stroke-width='1.5' stroke-dasharray='6 4'");
  svg += fmt::format(
      "<text x='{0}' y='{1}' fill='#1f5fa8'>bound</text>"
      "<text x='{0}' y='{2}' fill='#c0392b'>friction there is</text>\n</svg>\n",
      width - right - 130, top + 18, top + 36);
  std::ofstream file(path);
  file << svg;
  file.close();
  if (!file) throw InputError(fmt::format("{}: cannot write", path.string()));
}

}  // namespace talus
