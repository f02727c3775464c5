// SPDX-License-Identifier: Apache-2.0
// The way of a run from a scene to its file: what `talus run` and talus.run of the Python module
// share.
#pragma once

#include <filesystem>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "engine/world.hpp"
#include "io/hdf5/write_claim.hpp"
#include "io/scene/scene_reader.hpp"
#include "tools/commands/resume.hpp"
#include "tools/commands/run_summary.hpp"

namespace talus {

struct RunSettings {
  std::string output;
  double until = 0;                                                      // [s]; 0: of the scene
  double checkpoint_every = 60;                                          // wall time [s]
  double checkpoint_interval = std::numeric_limits<double>::infinity();  // simulated time [s]
  double stop_after = std::numeric_limits<double>::infinity();           // wall time [s]
  std::vector<std::string> problems;  // to save: steps, or "unconverged"
  std::string start;                  // a saved state to begin from instead of the scene's
  bool resume = false, force = false;
  bool steered = false;      // whoever watches the run may apply forces
  double frames_wait = 0.1;  // of a frame in memory at most [s]: a flush costs milliseconds
};

// Where a run begins, and the right to write its file.
struct RunPlan {
  RunSettings settings;
  ResumeFrom from = ResumeFrom::start;
  std::optional<WriteClaim> claim;
  bool begins_again = false;    // ended before its first checkpoint
  std::string stopped_by = {};  // with ResumeFrom::nothing
};

// Who watches a run and steps its world.
template <int D>
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  virtual void before_file() {}  // from here on a run must be stopped by stop()
  virtual void begin(std::int64_t /*step*/, std::int64_t /*last_step*/) {}
  virtual bool stop() = 0;  // asked before every step: end in good order, to be resumed
  virtual bool wants_checkpoint() { return false; }
  virtual Certificate step(World<D>& world) { return world.step(); }
  virtual void after_step(World<D>&, const Certificate&) {}
  virtual void after_frame(World<D>&) {}
};

struct RunOutcome {
  explicit RunOutcome(RunSummary figures) : summary(std::move(figures)) {}

  RunSummary summary;
  double time = 0;                        // reached [s]
  std::int64_t bodies = 0;                // there at the end
  bool interrupted = false;               // by stop() or stop_after
  std::string stopped_by;                 // the stop condition that ended it, if one did
  double wall = 0;                        // of the steps [s]
  double stepping = 0;                    // processor time of the steps alone [s]
  double writing = 0, checkpointing = 0;  // wall time [s]
  int checkpoints = 0;
  std::vector<std::filesystem::path> problems;       // contact problems that were saved
  std::vector<std::filesystem::path> kept_problems;  // files that were there already
  std::vector<std::filesystem::path> failed_impacts, kept_impacts;  // states before them
};

// Runs `prepare`, the work before the first step. If memory runs out there, the scene is too large:
// InputError.
template <class F>
auto within_memory(const std::string& scene, F&& prepare) try {
  return prepare();
} catch (const std::bad_alloc&) {
  throw InputError(scene + ": takes more memory than there is");
}

// An end given by the user must satisfy the same conditions as `end` in the scene: InputError.
void refuse_end(const SceneDocument& document, double until);

// Claims the file and decides where the run begins. Throws InputError.
RunPlan plan_run(const SceneDocument& document, RunSettings settings);

// The world of a scene at the start. Throws InputError for mistakes that show only when all bodies
// exist. `earlier` reads the state at the start from the file of a run that is resumed.
template <int D>
World<D> world_of_scene(const SceneDocument& document, Scene<D> scene,
                        const std::filesystem::path& earlier = {});

// Steps a world from where the plan says to the end of its scene, and writes its file.
template <int D>
RunOutcome run_world(const SceneDocument& document, World<D>& world, RunPlan plan,
                     const std::string& command_line, RunObserver<D>& observer);

// The figures of `talus run --json`.
std::string figures_json(const SceneDocument& document, const std::string& output,
                         const RunOutcome& outcome);

}  // namespace talus
