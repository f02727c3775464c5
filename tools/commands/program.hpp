// SPDX-License-Identifier: Apache-2.0
// The `talus` program: reads the command line, runs one subcommand, turns failures into exit codes.
#pragma once

namespace talus {

int run_program(int argc, const char* const* argv);

}  // namespace talus
