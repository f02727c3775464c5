// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/drawing_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace talus {

namespace {

constexpr int least_pixels = 64, most_pixels = 8192;

// "1200x900"
bool read_size(const std::string& text, int& width, int& height) {
  const char *const begin = text.data(), *const end = begin + text.size();
  const auto [cross, error] = std::from_chars(begin, end, width);
  if (error != std::errc{} || cross == end || *cross != 'x') return false;
  const auto [last, other] = std::from_chars(cross + 1, end, height);
  return other == std::errc{} && last == end && std::min(width, height) >= least_pixels &&
         std::max(width, height) <= most_pixels;
}

}  // namespace

void add_drawing_options(CLI::App& command, DrawingOptions& options) {
  command
      .add_option_function<std::string>(
          "--colour",
          [&options](const std::string& name) {
            const auto* const found =
                std::find(std::begin(colour_names), std::end(colour_names), name);
            options.colour_by = static_cast<ColourBy>(found - std::begin(colour_names));
          },
          "what colours show: speed, material, body or force [in the plane material, in space "
          "speed]")
      ->check(CLI::IsMember({"usual", "speed", "material", "body", "force"}));
  command
      .add_option_function<std::string>(
          "--size",
          [&options](const std::string& text) {
            options.sized = read_size(text, options.width, options.height);
          },
          fmt::format("pixels [{}x{}]", options.width, options.height))
      ->check(CLI::Validator(
          [](const std::string& text) {
            int width = 0, height = 0;
            return read_size(text, width, height)
                       ? std::string()
                       : fmt::format("'{}' is no WIDTHxHEIGHT of {} to {} pixels", text,
                                     least_pixels, most_pixels);
          },
          "", "size"));
}

}  // namespace talus
