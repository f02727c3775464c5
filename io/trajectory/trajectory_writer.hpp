// SPDX-License-Identifier: Apache-2.0
// Writes the trajectory of a run: one HDF5 file, readable at any time and after any end of the
// program, and the companions for ParaView (docs/TRAJECTORY.md). Usage:
//
//     auto writer = TrajectoryWriter<D>::create(path, scene, world.bodies(), info, force);
//     writer.append_frame(world.time(), world.steps(), world.bodies(), world.contacts(),
//                         world.joint_reactions(), world.population(), world.contact_moments());
//     while (…) {
//       writer.append_series(world.step(), seconds, world.impacts());
//       writer.append_measures(world.measures(), world.steps(), world.time());
//       if (world.steps() % scene.save_every == 0) writer.append_frame(…);
//     }
//     writer.close();
//
// A full disk causes an exception before a frame is begun; all earlier frames are kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"
#include "engine/step/ledger.hpp"
#include "engine/world.hpp"
#include "io/hdf5/write_claim.hpp"
#include "io/scene/scene_record.hpp"

namespace talus {

// Metadata of a run, beside the values of the scene.
struct RunInfo {
  std::string scene_text;                 // verbatim
  std::string scene_file;                 // its path
  std::vector<std::string> overrides;     // key=value, as given
  std::vector<SceneRecord> records = {};  // files that the scene names
  std::uint64_t scene_id = 0;             // hash of its identity (scene_identity.hpp)
  std::string command_line;
  std::string solver;
  int threads = 1;
  bool steered = false;            // a program may apply forces between the steps
  std::string commit = "unknown";  // of the program
};

// Size of a run, for an estimate of its file.
struct RunLength {
  std::int64_t steps = 0, frames = 0;
  double contacts = 0;  // mean number per frame that carry a force
};

template <int D>
class TrajectoryWriter {
 public:
  // Creates a file with its constant tables but without frames. It gets its name last: if this
  // fails, an older file at `path` is unchanged. An older file is replaced only with `force`; its
  // companions and checkpoints are removed. Throws InputError if the path cannot be used or another
  // program writes it, std::runtime_error if writing fails. A run that begins from an earlier one
  // gives its state at the start, which is kept.
  static TrajectoryWriter create(const std::filesystem::path& path, const Scene<D>& scene,
                                 const Bodies<D>& bodies, const RunInfo& info, bool force,
                                 const WorldState<D>* start = nullptr);
  static TrajectoryWriter create(WriteClaim claim, const Scene<D>& scene, const Bodies<D>& bodies,
                                 const RunInfo& info, bool force,
                                 const WorldState<D>* start = nullptr);

  // Continues an existing file of this scene after `step`, to the present end of the scene.
  // Everything after the step is removed. If the run is made longer, the frame at its old end is
  // also removed, unless a longer run would have a frame there.
  static TrajectoryWriter resume(const std::filesystem::path& path, const Scene<D>& scene,
                                 std::int64_t step);
  static TrajectoryWriter resume(WriteClaim claim, const Scene<D>& scene, std::int64_t step);

  // Expected size of the file of a run [bytes]. Nothing is written.
  static double expected_bytes(const Scene<D>& scene, const Bodies<D>& bodies,
                               const RunLength& length);

  TrajectoryWriter(TrajectoryWriter&&) noexcept;
  TrajectoryWriter& operator=(TrajectoryWriter&&) noexcept;
  ~TrajectoryWriter();

  // Frames may wait in memory this long [s] and are then written together: each flush takes
  // milliseconds, however small a frame is. By default none waits.
  void let_frames_wait(double seconds);

  // Contacts of zero impulse are skipped; `joints` are all joints of the scene. In scenes with
  // emitters or outlets, `population` has the numbers of created and removed bodies. `bonds` are
  // those of the start, as many in every frame.
  void append_frame(double time, std::int64_t step, const Bodies<D>& bodies,
                    std::span<const ActiveContact<D>> contacts,
                    std::span<const JointReaction<D>> joints = {},
                    const PopulationState& population = {}, std::span<const Spin<D>> moments = {},
                    std::span<const Bond<D>> bonds = {});

  // Adds a row of /series, and a row of /impacts for every contact of an impact, up to a limit.
  // Rows are buffered and written with the next frame at the latest.
  void append_series(const Certificate& certificate, double wall_seconds,
                     std::span<const ImpactedContact<D>> impacts = {});

  // Adds rows of /measures/… for the measures that are due at the end of a step. Written with the
  // series.
  void append_measures(const Measures<D>& measures, std::int64_t step, double time);

  // Waits until everything so far is on the disk. Call it before a checkpoint is written, so that
  // the file is never older than the checkpoint.
  void flush();

  // Records in the file that there is a checkpoint of this step: without it the run is not resumed.
  void note_checkpoint(std::int64_t step);

  void close();  // marks the run as complete and removes its checkpoints
  // The same, and stores the state at the end in the file, so that the run can be continued
  // (checkpoint.hpp). `stopped_by` is the stop condition that ended it before its time, if one did.
  void close(const WorldState<D>& state, std::uint64_t scene_id,
             const std::string& stopped_by = {});

  std::int64_t frames() const;

 private:
  struct File;
  explicit TrajectoryWriter(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace talus
