// SPDX-License-Identifier: Apache-2.0
#include "io/scene/mesh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "io/scene/file_words.hpp"
#include "io/scene/scene_error.hpp"

namespace talus {

namespace {

double coordinate(const FileWords& words, std::string_view word, double scale) {
  const double value = words.number(word, "a coordinate") * scale;
  if (!std::isfinite(value)) words.fail("a coordinate is too large");
  return value;
}

void add_triangle(TriangleSurface& surface, const std::array<int, 3>& corners, int number) {
  surface.triangles.push_back(corners);
  surface.number.push_back(number);
}

std::string too_many() {
  return fmt::format("has more than {} triangles, the most that are read", max_triangles);
}

// ---- STL

TriangleSurface parse_stl_text(std::string_view text, const std::string& name, double scale) {
  FileWords words(text, name);
  TriangleSurface surface;
  const auto triangle = [&] { return surface.triangles.size() + 1; };
  const auto expect = [&](std::string_view wanted) {
    const std::string_view word = words.next();
    if (word.empty())
      words.fail(fmt::format("the file ends within triangle {}: it is truncated", triangle()));
    if (lower_case(word) != wanted)
      words.fail(fmt::format("triangle {}: expected '{}'", triangle(), wanted));
  };
  words.next();  // solid
  words.skip_line();
  for (bool within = true;;) {
    const std::string word = lower_case(words.next());
    if (word.empty()) {
      if (within)
        words.fail(
            fmt::format("the file ends after {} triangles without 'endsolid': it is truncated",
                        surface.triangles.size()));
      break;
    }
    if (!within && word == "solid") {
      words.skip_line();
      within = true;
    } else if (within && word == "endsolid") {
      words.skip_line();
      within = false;
    } else if (within && word == "facet") {
      if (surface.triangles.size() == max_triangles) words.fail_whole(too_many());
      expect("normal");
      for (int k = 0; k < 3; ++k) words.next();  // the normal, which may be anything
      expect("outer");
      expect("loop");
      const auto first = static_cast<int>(surface.vertices.size());
      for (int k = 0; k < 3; ++k) {
        expect("vertex");
        Vec<3> x;
        for (int i = 0; i < 3; ++i) {
          const std::string_view number = words.next();
          if (number.empty())
            words.fail(
                fmt::format("the file ends within triangle {}: it is truncated", triangle()));
          x[i] = coordinate(words, number, scale);
        }
        surface.vertices.push_back(x);
      }
      expect("endloop");
      expect("endfacet");
      add_triangle(surface, {first, first + 1, first + 2}, static_cast<int>(triangle()));
    } else {
      words.fail(within ? "expected 'facet' or 'endsolid'" : "expected 'solid'");
    }
  }
  return surface;
}

std::uint32_t little_endian(std::string_view text, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < 4; ++k)
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + k])) << (8 * k);
  return word;
}

constexpr std::size_t stl_header = 84, stl_record = 50;  // bytes

TriangleSurface parse_stl_binary(std::string_view text, const std::string& name, double scale) {
  const std::size_t count = little_endian(text, 80);
  const auto fail = [&](const std::string& what) { throw SceneError({name}, {}, what); };
  if (count > max_triangles) fail(too_many());
  if (text.size() < stl_header + count * stl_record)
    fail(fmt::format("is truncated: it announces {} triangles and ends within triangle {}", count,
                     (text.size() - stl_header) / stl_record + 1));
  TriangleSurface surface;
  for (std::size_t t = 0; t < count; ++t) {
    const auto first = static_cast<int>(surface.vertices.size());
    for (std::size_t k = 0; k < 3; ++k) {
      Vec<3> x;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t at = stl_header + t * stl_record + 12 * (k + 1) + 4 * i;
        const double value =
            static_cast<double>(std::bit_cast<float>(little_endian(text, at))) * scale;
        if (!std::isfinite(value))
          fail(fmt::format("triangle {}: a coordinate is not a finite number", t + 1));
        x[static_cast<int>(i)] = value;
      }
      surface.vertices.push_back(x);
    }
    add_triangle(surface, {first, first + 1, first + 2}, static_cast<int>(t) + 1);
  }
  return surface;
}

// A binary file may begin with "solid", too; then its size decides.
TriangleSurface parse_stl(std::string_view text, const std::string& name, double scale) {
  const bool fits =
      text.size() >= stl_header && text.size() == stl_header + stl_record * little_endian(text, 80);
  if (fits) return parse_stl_binary(text, name, scale);
  const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (lower_case(text.substr(start, 5)) == "solid" && text.find('\0') == std::string_view::npos)
    return parse_stl_text(text, name, scale);
  if (text.size() < stl_header)
    throw SceneError({name}, {}, "is no STL file: neither 'solid' nor a header of 84 bytes");
  return parse_stl_binary(text, name, scale);
}

// ---- OBJ

// The index before the first slash; it counts from 1, or from the end if it is negative.
int obj_index(std::string_view word, std::size_t vertices, const FileWords& words) {
  word = word.substr(0, word.find('/'));
  long index = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (failure != std::errc() || end != word.data() + word.size())
    words.fail("a corner of a face is not the number of a vertex");
  const long count = static_cast<long>(vertices), at = index < 0 ? count + index : index - 1;
  if (at < 0 || at >= count)
    words.fail(fmt::format("a face names vertex {} of {}", index, vertices));
  return static_cast<int>(at);
}

TriangleSurface parse_obj(std::string_view text, const std::string& name, double scale) {
  FileWords words(text, name);
  TriangleSurface surface;
  int face = 0;
  while (!words.at_end()) {
    const std::string_view word = words.next();
    if (word == "v") {
      Vec<3> x;
      for (int i = 0; i < 3; ++i) {
        const std::string_view number = words.next_in_line();
        if (number.empty()) words.fail("a vertex has fewer than three coordinates");
        x[i] = coordinate(words, number, scale);
      }
      if (surface.vertices.size() >= 3 * static_cast<std::size_t>(max_triangles))
        words.fail_whole(fmt::format("has more than {} vertices", 3 * max_triangles));
      surface.vertices.push_back(x);
    } else if (word == "f") {
      ++face;
      std::vector<int> loop;
      for (std::string_view w; !(w = words.next_in_line()).empty();)
        loop.push_back(obj_index(w, surface.vertices.size(), words));
      if (loop.size() < 3) words.fail(fmt::format("face {} has fewer than three corners", face));
      if (surface.triangles.size() + loop.size() - 2 > max_triangles) words.fail_whole(too_many());
      for (std::size_t k = 2; k < loop.size(); ++k)
        add_triangle(surface, {loop[0], loop[k - 1], loop[k]}, face);
    }
    words.skip_line();
  }
  return surface;
}

}  // namespace

TriangleSurface parse_mesh(std::string_view text, const std::string& name, double scale) {
  const std::string ending = lower_case(name.substr(std::min(name.rfind('.'), name.size())));
  TriangleSurface surface;
  if (ending == ".stl") {
    surface = parse_stl(text, name, scale);
  } else if (ending == ".obj") {
    surface = parse_obj(text, name, scale);
  } else {
    throw SceneError({name}, {}, "is no mesh: its name ends in neither .stl nor .obj");
  }
  if (surface.triangles.empty()) throw SceneError({name}, {}, "holds no triangles");
  return surface;
}

}  // namespace talus
