// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/hdf5_exit.hpp"
#include "tools/commands/program.hpp"
#include "tools/terminal/standard_streams.hpp"

int main(int argc, char** argv) {
  talus::prepare_standard_streams();
  talus::leave_hdf5_at_exit();
  return talus::run_program(argc, argv);
}
