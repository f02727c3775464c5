// SPDX-License-Identifier: Apache-2.0
// The world of a scene or of a recorded run at a given time.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "engine/world.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

// Sets a world to the state of a frame of its run. Throws InputError if the frame has other bodies
// than the scene.
template <int D>
void put_at(const FrameState& frame, const FramePopulation& population, std::int64_t step,
            World<D>& world);

struct WorldAt {
  std::variant<World<2>, World<3>> world;
  double time = 0;  // actual time; for a run, that of a frame
};

// A file with the signature or the name of an HDF5 file is a run; any other is a scene. A scene is
// simulated up to the time; a run is read at the nearest frame. Without a time both are at their
// start. Overrides are for scenes. Throws InputError for files that cannot be read and for times
// out of range.
class AnalysisSource {
 public:
  AnalysisSource(const std::filesystem::path& path, std::span<const std::string> overrides);
  explicit AnalysisSource(SceneDocument scene);
  ~AnalysisSource();
  AnalysisSource(AnalysisSource&&) noexcept;

  bool is_run() const;
  WorldAt at(std::optional<double> time) const;
  std::vector<double> times() const;  // of the frames of a run

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace talus
