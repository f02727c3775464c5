// SPDX-License-Identifier: Apache-2.0
// An SVG drawing under construction: the few elements that our pictures and plots use.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "solvers/math/vec.hpp"

namespace talus {

class Svg {
 public:
  Svg(double width, double height);  // [pixels]; a white sheet

  // `style` is what else stands in the element, such as "stroke='#999'". Words are escaped.
  Svg& line(const Vec<2>& from, const Vec<2>& to, std::string_view style);
  Svg& rectangle(const Vec<2>& corner, const Vec<2>& size, std::string_view style);
  Svg& circle(const Vec<2>& centre, double radius, std::string_view style);
  Svg& polyline(std::span<const Vec<2>> points, std::string_view style);
  Svg& polygon(std::span<const Vec<2>> points, std::string_view style);
  Svg& text(const Vec<2>& place, std::string_view words, std::string_view style = {});
  Svg& raw(std::string_view element);

  std::string finished() const;

 private:
  Svg& points(const char* element, std::span<const Vec<2>> points, std::string_view style);

  std::string text_;
};

inline constexpr std::string_view middle = "text-anchor='middle'", at_end = "text-anchor='end'";

}  // namespace talus
