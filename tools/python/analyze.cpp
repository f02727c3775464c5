// SPDX-License-Identifier: Apache-2.0
// The analysis of a scene or of a run at a time.
#include "tools/commands/analysis_json.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/scene_handle.hpp"

namespace talus {

void bind_analyze(py::module_& module) {
  py::class_<AnalysisOptions>(module, "AnalysisOptions")
      .def(py::init([](std::vector<std::string> massless, std::vector<std::string> particles,
                       std::vector<std::string> blows, double seconds) {
             return AnalysisOptions{std::move(massless), std::move(particles), std::move(blows),
                                    seconds};
           }),
           py::arg("massless"), py::arg("particles"), py::arg("blows"), py::arg("seconds"));
  module.def(
      "analyze_scene",
      [](const SceneHandle& scene, std::optional<double> at, const AnalysisOptions& options) {
        return in_words_of(scene.made, scene.document.text, [&] {
          WorldAt moment = AnalysisSource(scene.document).at(at);
          return analysis_json(scene.document.path, moment, options);
        });
      },
      py::arg("scene"), py::arg("at"), py::arg("options"));
  module.def(
      "analyze_run",
      [](const std::string& path, std::optional<double> at, const AnalysisOptions& options) {
        WorldAt moment = AnalysisSource(path, {}).at(at);
        return analysis_json(path, moment, options);
      },
      py::arg("path"), py::arg("at"), py::arg("options"));
}

}  // namespace talus
