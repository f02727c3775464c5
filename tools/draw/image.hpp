// SPDX-License-Identifier: Apache-2.0
// A picture of pixels, PNG, and words drawn with strokes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/draw/still.hpp"

namespace talus {

struct Image {
  int width = 0, height = 0;
  std::vector<Colour> pixels;  // row by row from the top

  Image(int w, int h, const Colour& paper)
      : width(w),
        height(h),
        pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), paper) {}

  Colour& at(int x, int y) {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  const Colour& at(int x, int y) const { return const_cast<Image*>(this)->at(x, y); }

  void blend(int x, int y, const Colour& colour, double share);  // outside: nothing
};

Image reduced(const Image& image, int factor);  // means over squares of pixels
std::string rgb_bytes(const Image& image);      // three bytes a pixel
std::string png(const Image& image);

// A line with round ends, in pixels from the upper left corner.
void draw_line(Image& image, const Vec<2>& from, const Vec<2>& to, double width,
               const Colour& colour);

// `height` of capitals [pixels]. Letters of ASCII; others are small boxes.
double text_width(std::string_view words, double height);
void draw_text(Image& image, const Vec<2>& baseline, std::string_view words, double height,
               const Colour& colour);

}  // namespace talus
