// SPDX-License-Identifier: Apache-2.0
// talus._core, the compiled part of `import talus`.
#include <pybind11/pybind11.h>

#include "io/text/version.hpp"
#include "solvers/math/worker_threads.hpp"
#include "tools/python/bindings.hpp"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The core of Talus: rigid bodies in frictional contact, every step certified.";
  module.attr("__version__") = talus::version();
  talus::bind_errors(module);
  talus::bind_program(module);
  talus::bind_scene(module);
  talus::bind_world(module);
  talus::bind_run(module);
  talus::bind_results(module);
  talus::bind_solve(module);
  talus::bind_analyze(module);
  // multiprocessing forks.
  pybind11::module_::import("os").attr("register_at_fork")(
      pybind11::arg("before") = pybind11::cpp_function(&talus::end_worker_threads));
}
