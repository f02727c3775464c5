// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/svg.hpp"

#include <fmt/format.h>

#include <iterator>

#include "io/text/printable.hpp"

namespace talus {

Svg::Svg(double width, double height)
    : text_(fmt::format(
          "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' "
          "width='{0:g}' height='{1:g}' viewBox='0 0 {0:g} {1:g}' font-family='Helvetica, Arial, "
          "sans-serif' font-size='13'>\n<rect width='{0:g}' height='{1:g}' fill='white'/>\n",
          width, height)) {}

Svg& Svg::raw(std::string_view element) {
  text_ += element;
  return *this;
}

Svg& Svg::line(const Vec<2>& from, const Vec<2>& to, std::string_view style) {
  fmt::format_to(std::back_inserter(text_),
                 "<line x1='{:.2f}' y1='{:.2f}' x2='{:.2f}' y2='{:.2f}' {}/>\n", from[0], from[1],
                 to[0], to[1], style);
  return *this;
}

Svg& Svg::rectangle(const Vec<2>& corner, const Vec<2>& size, std::string_view style) {
  fmt::format_to(std::back_inserter(text_),
                 "<rect x='{:.2f}' y='{:.2f}' width='{:.2f}' height='{:.2f}' {}/>\n", corner[0],
                 corner[1], size[0], size[1], style);
  return *this;
}

Svg& Svg::circle(const Vec<2>& centre, double radius, std::string_view style) {
  fmt::format_to(std::back_inserter(text_), "<circle cx='{:.2f}' cy='{:.2f}' r='{:.2f}' {}/>\n",
                 centre[0], centre[1], radius, style);
  return *this;
}

Svg& Svg::points(const char* element, std::span<const Vec<2>> points, std::string_view style) {
  fmt::format_to(std::back_inserter(text_), "<{} {} points='", element, style);
  for (const Vec<2>& p : points)
    fmt::format_to(std::back_inserter(text_), "{:.2f},{:.2f} ", p[0], p[1]);
  text_ += "'/>\n";
  return *this;
}

Svg& Svg::polyline(std::span<const Vec<2>> line, std::string_view style) {
  return points("polyline fill='none'", line, style);
}

Svg& Svg::polygon(std::span<const Vec<2>> corners, std::string_view style) {
  return points("polygon", corners, style);
}

Svg& Svg::text(const Vec<2>& place, std::string_view words, std::string_view style) {
  fmt::format_to(std::back_inserter(text_), "<text x='{:.1f}' y='{:.1f}' {}>{}</text>\n", place[0],
                 place[1], style, xml_text(words));
  return *this;
}

std::string Svg::finished() const { return text_ + "</svg>\n"; }

}  // namespace talus
