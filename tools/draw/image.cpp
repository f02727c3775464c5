// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/image.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/draw/deflate.hpp"

namespace talus {

namespace {

void append_number(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift));
}

// PNG: length, kind, data, checksum of kind and data.
void append_chunk(std::string& file, const std::string& kind, const std::string& data) {
  const std::string body = kind + data;
  append_number(file, static_cast<std::uint32_t>(data.size()));
  file += body;
  append_number(file,
                static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                                 static_cast<uInt>(body.size()))));
}

// Strokes of a letter on a grid of 4 x 8, points as two digits; baseline at 2, capitals up to 8.
const char* strokes(char letter) {
  static const std::array<const char*, 128> table = [] {
    std::array<const char*, 128> t;
    t.fill("1232351512");
    t[' '] = "";
    t['.'] = "2223", t['-'] = "1535", t['+'] = "0545 2327", t['='] = "0646 0444", t['/'] = "0248";
    t['['] = "38282232", t[']'] = "18282212", t['('] = "38272332", t[')'] = "18272312";
    t[','] = "2311", t[':'] = "2223 2526", t['_'] = "0242";
    t['0'] = "120307183847433212", t['1'] = "172822 1232", t['2'] = "07183847460242";
    t['3'] = "07183847463515 354443321203", t['4'] = "32380444", t['5'] = "480805354443321203";
    t['6'] = "4738180703123243443505", t['7'] = "084812";
    t['8'] = "15060718384746351504031232434435", t['9'] = "0312324347381807061545";
    t['a'] = "4642 4536160503123243", t['b'] = "0802 0516364543321203", t['c'] = "4536160503123243";
    t['d'] = "4842 4536160503123243", t['e'] = "04444536160503123243", t['f'] = "48382722 1636";
    t['g'] = "4641301001 4536160503123243", t['h'] = "0802 0516364542", t['i'] = "2622 2728";
    t['j'] = "26211000 2728", t['k'] = "0802 4604 1442", t['l'] = "2822";
    t['m'] = "0602 05162522 25364542", t['n'] = "0602 0516364542", t['o'] = "160503123243453616";
    t['p'] = "0600 0516364543321203", t['q'] = "4640 4536160503123243", t['r'] = "0602 05163645";
    t['s'] = "45361605143443321203", t['t'] = "28233242 1646", t['u'] = "0603123243 4642";
    t['v'] = "062246", t['w'] = "0612263246", t['x'] = "0642 4602", t['y'] = "0622 4610";
    t['z'] = "06460242";
    t['A'] = "022842 1434", t['B'] = "02083847463505 3544433202", t['C'] = "4738180703123243";
    t['D'] = "02082846442202", t['E'] = "48080242 0535", t['F'] = "480802 0535";
    t['G'] = "47381807031232434525", t['H'] = "0802 4842 0545", t['I'] = "2822";
    t['J'] = "4843321203", t['K'] = "0802 4805 1642", t['L'] = "080242", t['M'] = "0208254842";
    t['N'] = "02084248", t['O'] = "120307183847433212", t['P'] = "02083847463505";
    t['Q'] = "120307183847433212 2442", t['R'] = "02083847463505 2542";
    t['S'] = "473818070615354443321203", t['T'] = "0848 2822", t['U'] = "080312324348";
    t['V'] = "082248", t['W'] = "0812263248", t['X'] = "0842 4802", t['Y'] = "082548 2522";
    t['Z'] = "08480242";
    return t;
  }();
  const auto number = static_cast<unsigned char>(letter);
  return number < table.size() ? table[number] : table[1];
}

constexpr double advance = 6, capital = 6;  // grid units

}  // namespace

void Image::blend(int x, int y, const Colour& colour, double share) {
  if (x < 0 || y < 0 || x >= width || y >= height || !(share > 0)) return;
  Colour& pixel = at(x, y);
  pixel += std::min(share, 1.0) * (colour - pixel);
}

Image reduced(const Image& image, int factor) {
  Image small(image.width / factor, image.height / factor, Colour::Zero());
  for (int y = 0; y < small.height; ++y)
    for (int x = 0; x < small.width; ++x) {
      Colour sum = Colour::Zero();
      for (int j = 0; j < factor; ++j)
        for (int i = 0; i < factor; ++i) sum += image.at(factor * x + i, factor * y + j);
      small.at(x, y) = sum / (factor * factor);
    }
  return small;
}

std::string rgb_bytes(const Image& image) {
  std::string bytes;
  bytes.reserve(3 * image.pixels.size());
  for (const Colour& pixel : image.pixels)
    for (int k = 0; k < 3; ++k)
      bytes.push_back(static_cast<char>(std::lround(255 * std::clamp(pixel[k], 0.0, 1.0))));
  return bytes;
}

std::string png(const Image& image) {
  const std::string bytes = rgb_bytes(image);
  const std::size_t row = 3 * static_cast<std::size_t>(image.width);
  std::string rows;  // each begins with its filter, 1: difference to the pixel on the left
  rows.reserve(bytes.size() + static_cast<std::size_t>(image.height));
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y) {
    rows.push_back(1);
    for (std::size_t x = 0; x < row; ++x)
      rows.push_back(static_cast<char>(bytes[y * row + x] - (x < 3 ? 0 : bytes[y * row + x - 3])));
  }
  std::string file = "\x89PNG\r\n\x1a\n", header;
  append_number(header, static_cast<std::uint32_t>(image.width));
  append_number(header, static_cast<std::uint32_t>(image.height));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, red green blue
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", deflated(rows));
  append_chunk(file, "IEND", "");
  return file;
}

void draw_line(Image& image, const Vec<2>& from, const Vec<2>& to, double width,
               const Colour& colour) {
  const double half = 0.5 * width, reach = half + 1;
  const Vec<2> along = to - from;
  const double length = along.squaredNorm();
  const auto first = [&](int k) {
    return static_cast<int>(std::floor(std::min(from[k], to[k]) - reach));
  };
  const auto last = [&](int k) {
    return static_cast<int>(std::ceil(std::max(from[k], to[k]) + reach));
  };
  for (int y = std::max(0, first(1)); y <= std::min(image.height - 1, last(1)); ++y)
    for (int x = std::max(0, first(0)); x <= std::min(image.width - 1, last(0)); ++x) {
      const Vec<2> p(x + 0.5, y + 0.5);
      const double s = length > 0 ? std::clamp((p - from).dot(along) / length, 0.0, 1.0) : 0;
      const double distance = (p - from - s * along).norm();
      image.blend(x, y, colour, std::clamp(half + 0.5 - distance, 0.0, 1.0));
    }
}

double text_width(std::string_view words, double height) {
  return (advance * static_cast<double>(words.size()) - 2) * height / capital;
}

void draw_text(Image& image, const Vec<2>& baseline, std::string_view words, double height,
               const Colour& colour) {
  const double unit = height / capital;
  Vec<2> origin = baseline + Vec<2>(0, 2 * unit);
  for (const char letter : words) {
    std::string_view rest = strokes(letter);
    while (rest.size() >= 2) {
      const auto point = [&](std::size_t at) -> Vec<2> {
        return origin + unit * Vec<2>(rest[at] - '0', '0' - rest[at + 1]);
      };
      if (rest.size() >= 4 && rest[2] != ' ')
        draw_line(image, point(0), point(2), 0.95 * unit, colour);
      rest.remove_prefix(rest.size() > 2 && rest[2] == ' ' ? 3 : 2);
    }
    origin[0] += advance * unit;
  }
}

}  // namespace talus
