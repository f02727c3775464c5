// The world of a scene or of a recorded run at a moment.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "engine/world.hpp"
#include "io/trajectory_reader.hpp"

namespace talus {

// Puts a world where a frame of its run says. Throws InputError where the frame holds other bodies
// than the scene has.
template <int D>
void put_at(const FrameState& frame, const FramePopulation& population, std::int64_t step,
            World<D>& world);

struct WorldAt {
  std::variant<World<2>, World<3>> world;
  double time = 0;  // that was found; of a run, a frame's
};

// A file that begins as HDF5 files do, or is named so, is a run; any other a scene. A scene is run
// up to the time, a run is read at the frame nearest to it; without a time both stand at their
// start. Overrides are for scenes. Throws InputError for files that cannot be read and for times
// outside of what there is.
class AnalysisSource {
 public:
  AnalysisSource(const std::filesystem::path& path, std::span<const std::string> overrides);
  ~AnalysisSource();
  AnalysisSource(AnalysisSource&&) noexcept;

  bool is_run() const;
  WorldAt at(std::optional<double> time) const;
  std::vector<double> times() const;  // of a run's frames

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace talus
