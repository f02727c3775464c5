// SPDX-License-Identifier: Apache-2.0
// Options that pictures and videos share: size and colours.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tools/draw/still.hpp"

namespace talus {

struct DrawingOptions {
  int width = 0, height = 0;  // [pixels]
  ColourBy colour_by = ColourBy::usual;
  bool sized = false;  // the size was asked for
};

// `options` outlives the command; its size is the default one.
void add_drawing_options(CLI::App& command, DrawingOptions& options);

}  // namespace talus
