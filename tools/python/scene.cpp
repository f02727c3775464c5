// SPDX-License-Identifier: Apache-2.0
// Scenes: read from files or from texts that talus/_toml.py writes.
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "io/scene/scene_text.hpp"
#include "io/trajectory/scene_identity.hpp"
#include "tools/commands/bundled.hpp"
#include "tools/commands/runner.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/scene_handle.hpp"

namespace talus {

namespace {

using Records = std::vector<std::pair<std::string, std::string>>;  // name and text

SceneHandle load_scene(const std::string& given, const std::vector<std::string>& overrides) {
  const std::string path = scene_file(given);
  return {within_memory(path, [&] { return read_scene(path, overrides); }), false};
}

SceneHandle scene_from_text(std::string text, const std::string& path,
                            const std::vector<std::string>& overrides,
                            const std::optional<Records>& given, bool made) {
  std::optional<std::vector<SceneRecord>> records;
  if (given) {
    records.emplace();
    for (const auto& [name, content] : *given) records->push_back({name, content});
  }
  return in_words_of(made, text, [&] {
    return within_memory(path, [&] {
      return SceneHandle{read_scene_text(text, path, overrides, std::move(records)), made};
    });
  });
}

template <class F>
auto of_scene(const SceneHandle& handle, F f) {
  return std::visit(f, handle.document.scene);
}

std::vector<std::string> names_of_bodies(const SceneHandle& handle) {
  return of_scene(handle, [](const auto& scene) {
    std::vector<std::string> names;
    for (const auto& body : scene.bodies) names.push_back(body.name);
    return names;
  });
}

py::list records_of_scene(const SceneHandle& handle) { return records_of(handle.document.records); }

std::string changed_text(const SceneHandle& handle) {
  const SceneDocument& document = handle.document;
  return text_with_changes(document.text, document.path, document.overrides);
}

// Probable slips. In a scene that was made, "name:line:column:" is a path of keys.
std::vector<std::string> warnings_of(const SceneHandle& handle) {
  const SceneDocument& document = handle.document;
  if (!handle.made) return document.warnings;
  std::vector<std::string> warnings;
  for (const std::string& warning : document.warnings) {
    int line = 0, column = 0, length = 0;
    std::string_view rest = warning;
    rest.remove_prefix(std::min(rest.size(), document.path.size()));
    const int read = std::sscanf(rest.data(), ":%d:%d%n", &line, &column, &length);
    const std::string keys = read == 2 ? key_path_at(document.text, line, column) : "";
    warnings.push_back(
        keys.empty() ? warning : keys + std::string(rest.substr(static_cast<std::size_t>(length))));
  }
  return warnings;
}

// Whether two scenes mean the same.
bool same_scene(const SceneHandle& a, const SceneHandle& b) {
  const auto identity = [](const SceneDocument& document) {
    return identity_of(document.text, document.overrides, document.records);
  };
  return !difference(identity(a.document), identity(b.document));
}

}  // namespace

void bind_scene(py::module_& module) {
  py::class_<SceneHandle, std::shared_ptr<SceneHandle>>(module, "Scene")
      .def_static("load", &load_scene, py::arg("path"), py::arg("overrides"))
      .def_static("from_text", &scene_from_text, py::arg("text"), py::arg("path"),
                  py::arg("overrides"), py::arg("records"), py::arg("made"))
      .def_property_readonly("dimension", &SceneHandle::dimension)
      .def_property_readonly("made", [](const SceneHandle& s) { return s.made; })
      .def_property_readonly("text", [](const SceneHandle& s) { return s.document.text; })
      .def_property_readonly("path", [](const SceneHandle& s) { return s.document.path; })
      .def_property_readonly("overrides", [](const SceneHandle& s) { return s.document.overrides; })
      .def_property_readonly("warnings", &warnings_of)
      .def_property_readonly("records", &records_of_scene)
      .def_property_readonly("bodies", &names_of_bodies)
      .def_property_readonly("changed_text", &changed_text)
      .def_property_readonly("title",
                             [](const SceneHandle& s) {
                               return of_scene(s, [](const auto& scene) { return scene.title; });
                             })
      .def_property_readonly("step",
                             [](const SceneHandle& s) {
                               return of_scene(s, [](const auto& scene) { return scene.h; });
                             })
      .def_property_readonly("end",
                             [](const SceneHandle& s) {
                               return of_scene(s, [](const auto& scene) { return scene.end; });
                             })
      .def("means_the_same_as", &same_scene);
  module.def("scenes_folder", [] { return scenes_folder().string(); });
}

}  // namespace talus
