// SPDX-License-Identifier: Apache-2.0
// The program itself, for `python -m talus`.
#include "tools/commands/program.hpp"

#include "tools/python/bindings.hpp"
#include "tools/terminal/program_command.hpp"
#include "tools/terminal/standard_streams.hpp"

namespace talus {

namespace {

// Runs one command line. `command` are the words that start Python with this program again.
int run_command_line(std::vector<std::string> command, const std::vector<std::string>& words) {
  prepare_standard_streams();
  set_program_command(std::move(command));
  std::vector<const char*> arguments = {"talus"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  const py::gil_scoped_release others_may_run;
  return run_program(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

void bind_program(py::module_& module) {
  module.def("run_command_line", &run_command_line, py::arg("command"), py::arg("words"));
}

}  // namespace talus
