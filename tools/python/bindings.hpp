// SPDX-License-Identifier: Apache-2.0
// The parts of the Python module, one subject a file. What is convenient in Python alone stands in
// talus/*.py.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "io/scene/scene_reader.hpp"

namespace talus {

namespace py = pybind11;

// Pairs of name and contents of the files that a scene names. Contents that are no text (a binary
// mesh) are bytes.
inline py::list records_of(const std::vector<SceneRecord>& records) {
  py::list list;
  for (const SceneRecord& record : records) {
    auto text = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
        record.text.data(), static_cast<Py_ssize_t>(record.text.size()), nullptr));
    if (!text) {
      PyErr_Clear();
      text = py::bytes(record.text);
    }
    list.append(py::make_tuple(record.name, text));
  }
  return list;
}

void bind_errors(py::module_& module);
void bind_program(py::module_& module);
void bind_scene(py::module_& module);
void bind_world(py::module_& module);
void bind_run(py::module_& module);
void bind_results(py::module_& module);
void bind_solve(py::module_& module);
void bind_analyze(py::module_& module);

}  // namespace talus
