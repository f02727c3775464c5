// SPDX-License-Identifier: Apache-2.0
// Errors of Talus as exceptions of talus._errors, with the text that the program prints.
#include "io/text/printable.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/scene_handle.hpp"

namespace talus {

namespace {

void raise_error(const py::object& error) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

void raise_scene_error(const py::object& type, const SceneError& error) {
  const py::object raised = type(printable_lines(error.what()));
  const Place& place = error.place();
  const bool made = dynamic_cast<const SceneKeyError*>(&error) != nullptr;
  raised.attr(made ? "keys" : "file") = place.file;
  if (place.line > 0) raised.attr("line") = place.line;
  if (place.column > 0) raised.attr("column") = place.column;
  raised.attr("description") = error.description();
  raise_error(raised);
}

}  // namespace

void bind_errors(py::module_& module) {
  const py::module_ errors = py::module_::import("talus._errors");
  module.attr("InputError") = errors.attr("InputError");
  module.attr("SceneError") = errors.attr("SceneError");
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const SceneError& error) {
      raise_scene_error(py::module_::import("talus._errors").attr("SceneError"), error);
    } catch (const InputError& error) {
      raise_error(
          py::module_::import("talus._errors").attr("InputError")(printable_lines(error.what())));
    }
  });
}

}  // namespace talus
