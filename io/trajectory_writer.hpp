// The trajectory of a run, written while it runs: one HDF5 file, readable at any time and after any
// end of the program, and the companions that ParaView opens (docs/TRAJECTORY.md). Use:
//
//     auto writer = TrajectoryWriter<D>::create(path, scene, world.bodies(), info, force);
//     writer.append_frame(world.time(), world.steps(), world.bodies(), world.contacts(),
//                         world.joint_reactions());
//     while (…) {
//       writer.append_series(world.step(), seconds, world.impacts());
//       writer.append_measures(world.measures(), world.steps(), world.time());
//       if (world.steps() % scene.save_every == 0) writer.append_frame(…);
//     }
//     writer.close();
//
// A disk that fills up ends with an exception before a frame is begun; all frames before it stay.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/bodies.hpp"
#include "engine/ledger.hpp"
#include "engine/scene.hpp"
#include "engine/world.hpp"
#include "io/scene_record.hpp"
#include "io/write_claim.hpp"

namespace talus {

// What the file says of its own making, beside the scene's values.
struct RunInfo {
  std::string scene_text;                 // verbatim
  std::string scene_file;                 // where it was read
  std::vector<std::string> overrides;     // key=value, as given
  std::vector<SceneRecord> records = {};  // files that the scene names
  std::uint64_t scene_id = 0;             // hash of its identity (scene_identity.hpp)
  std::string command_line;
  std::string solver;
  int threads = 1;
};

// How much of a run there is to write.
struct RunLength {
  std::int64_t steps = 0, frames = 0;
  double contacts = 0;  // that carry a force, in a frame on average
};

template <int D>
class TrajectoryWriter {
 public:
  // A new file, complete with its tables of bodies but without frames. It is put in place last: an
  // older file at `path` is left as it was if this fails, and replaced only with `force`.
  // Companions and checkpoints of an older run of that name are removed. Throws InputError when the
  // path cannot be used or another program writes it, std::runtime_error when writing fails.
  static TrajectoryWriter create(const std::filesystem::path& path, const Scene<D>& scene,
                                 const Bodies<D>& bodies, const RunInfo& info, bool force);
  static TrajectoryWriter create(WriteClaim claim, const Scene<D>& scene, const Bodies<D>& bodies,
                                 const RunInfo& info, bool force);

  // Goes on with an existing file of this scene after `step`, to the end the scene has now:
  // whatever lies beyond the step is cut off, and so is the frame at the end of a run that is to be
  // made longer, where a run that was long from the start has none.
  static TrajectoryWriter resume(const std::filesystem::path& path, const Scene<D>& scene,
                                 std::int64_t step);
  static TrajectoryWriter resume(WriteClaim claim, const Scene<D>& scene, std::int64_t step);

  // How large the file of a run will be [bytes]. Nothing is written.
  static double expected_bytes(const Scene<D>& scene, const Bodies<D>& bodies,
                               const RunLength& length);

  TrajectoryWriter(TrajectoryWriter&&) noexcept;
  TrajectoryWriter& operator=(TrajectoryWriter&&) noexcept;
  ~TrajectoryWriter();

  // Contacts without percussion are left out; joints are all of the scene's. Where bodies come and
  // go, the population says how many have.
  void append_frame(double time, std::int64_t step, const Bodies<D>& bodies,
                    std::span<const ActiveContact<D>> contacts,
                    std::span<const JointReaction<D>> joints = {},
                    const PopulationState& population = {});

  // A row of /series, and one of /impacts for every contact of an impact, as long as there are not
  // too many. Rows are gathered and written in bulk, at the next frame at the latest.
  void append_series(const Certificate& certificate, double wall_seconds,
                     std::span<const ImpactedContact<D>> impacts = {});

  // Rows of /measures/… for the measures that are due at the end of a step. Written with the
  // series.
  void append_measures(const Measures<D>& measures, std::int64_t step, double time);

  // Everything so far is on the disk when this returns. To be called before a checkpoint is
  // written, so that the file never falls behind it.
  void flush();

  // The file remembers that there is a checkpoint of this step: without it the run is not resumed.
  void note_checkpoint(std::int64_t step);

  void close();  // marks the run as complete and removes its checkpoints
  // The same, and the file keeps the state at its end, to go on from (checkpoint.hpp).
  void close(const WorldState<D>& state, std::uint64_t scene_id);

  std::int64_t frames() const;

 private:
  struct File;
  explicit TrajectoryWriter(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace talus
