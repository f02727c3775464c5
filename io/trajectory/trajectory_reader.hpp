// SPDX-License-Identifier: Apache-2.0
// Reads a trajectory file. Its contents are not trusted: missing data, wrong shapes or indices out
// of range are an InputError that names the file and the dataset. A child process reads the file
// first (trial.hpp). A file may be read while a run still writes it: only complete frames are
// visible.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/material.hpp"
#include "engine/model/scene.hpp"
#include "engine/step/ledger.hpp"
#include "io/scene/scene_record.hpp"
#include "io/trajectory/stored_shapes.hpp"
#include "io/trajectory/view_layout.hpp"

namespace talus {

inline constexpr std::int64_t no_checkpoint = -1;

// Parameters of the run, as stored in the file.
struct RunHeader {
  std::int32_t format_minor = 0;  // of the format 1.x of the file
  int dimension = 3;
  bool complete = false;                 // the run reached its end, or a stop condition
  std::string stopped_by;                // the stop condition, if one ended it
  std::string version, commit, created;  // of the program; commit is empty before format 1.3
  std::string scene_text, command_line;
  std::vector<std::string> overrides;
  std::vector<SceneRecord> records;  // that the scene names
  std::string dynamics, solver;
  Vec<3> gravity = Vec<3>::Zero();  // [m/s²]
  double h = 0;                     // [s]
  double theta = 0.5;
  double end = 0;                                // end time of the run [s]
  std::int64_t checkpoint_step = no_checkpoint;  // step of the last one, if the run is not complete
  double tolerance = 0;
  CertificateLimits limits;
  std::int64_t save_every = 1, max_iterations = 0, threads = 1;
  std::int64_t applied_forces = 0, springs = 0, joints = 0;  // numbers of them
  std::int64_t emitters = 0, outlets = 0;
  std::int64_t bonds = 0;  // of the start

  bool has_inertia() const { return dynamics == "second-order"; }
  bool population_varies() const { return emitters > 0 || outlets > 0; }
};

struct BodyTable {
  std::vector<std::int64_t> id;
  std::vector<std::string> name;
  std::vector<std::uint8_t> shape_type;  // a ShapeType
  std::vector<std::int32_t> shape;       // of shapes(); −1: a sphere in space
  std::vector<std::int32_t> material;
  std::vector<std::uint8_t> fixed;               // 0 free, 1 fixed, 2 driven
  std::vector<double> mass;                      // [kg]; 0 unless free
  std::vector<Vec<3>> inertia;                   // principal [kg m²]
  std::vector<Eigen::Quaterniond> inertia_axes;  // principal axes to body axes
  std::vector<double> radius, diameter;          // [m]

  std::size_t size() const { return id.size(); }
};

struct Frame {
  std::int64_t step = 0;
  ViewFrame rows;

  double time() const { return rows.time; }
};

struct FrameState {
  std::vector<std::int32_t> body;               // body of each row
  std::vector<Vec<3>> position;                 // [m]
  std::vector<Eigen::Quaterniond> orientation;  // body to world
  std::vector<Vec<3>> velocity;                 // [m/s]
  std::vector<Vec<3>> angular_velocity;         // world axes [rad/s]
  // In a periodic cell, and where the images in it are.
  std::optional<Lattice<3>> cell = {};
  std::vector<Vec<3>> place = {};
};

// Numbers of created and removed bodies up to a frame.
struct FramePopulation {
  std::vector<std::int64_t> born;     // of each emitter
  std::vector<std::int64_t> removed;  // by each outlet
  std::vector<double> removed_mass;   // [kg]
};

struct FrameContacts {
  std::vector<Vec<3>> point, normal;      // normal from a to b
  std::vector<Vec<3>> force;              // on b: percussion / h [N]
  std::vector<Vec<3>> velocity;           // of b relative to a, after the step [m/s]
  std::vector<double> normal_force, gap;  // [N], [m]
  std::vector<std::int32_t> body_a, body_b;
  std::vector<std::uint8_t> status;  // 0 no pushing force, 1 sticking, 2 sliding
  std::vector<double> adhesion;      // a part of the force: −F n on b [N]
  std::vector<double> cohesion;      // of a bond: bounds the tangential force beside friction [N]
  std::vector<std::int32_t> bond;    // 1 of a bond, 0 of a crack, −1 of surfaces never bonded
  std::vector<Vec<3>> moment;        // on b at the point [N m]

  std::size_t size() const { return point.size(); }
};

// The bonds of the start of a run at a frame, in the same order in all frames.
struct FrameBonds {
  std::vector<std::int32_t> body_a, body_b;
  std::vector<Vec<3>> point, normal;          // normal from a to b
  std::vector<double> area, damage, opening;  // [m²], in the plane [m]; in [0, 1]; [m]

  std::size_t size() const { return damage.size(); }
};

// The joints of a run at a frame.
struct FrameJoints {
  std::vector<std::int32_t> body_a, body_b;  // −1: the world
  std::vector<Vec<3>> point;                 // where it holds b [m]
  std::vector<Vec<3>> force;                 // on b there: percussion / h [N]
  std::vector<Vec<3>> torque;                // on b about it [N m]

  std::size_t size() const { return point.size(); }
};

struct Series {
  std::vector<Certificate> steps;
  std::vector<double> wall_seconds;     // of each step
  std::vector<std::string> unrecorded;  // columns that the format of the file does not have yet
};

// A measure of the run, with a row every `every` steps.
struct MeasureSeries {
  std::string name;
  std::int64_t every = 1;
  std::vector<std::string> columns;
  std::vector<std::int64_t> step;
  std::vector<double> time;                 // [s]
  std::vector<std::vector<double>> values;  // values[column][row]

  std::size_t rows() const { return step.size(); }
};

// Contacts of the impacts of a run, step by step. Steps beyond the limit of the writer are missing.
struct ImpactTable {
  std::vector<std::int64_t> step;
  std::vector<std::int32_t> impact;  // of the step, from 0
  std::vector<std::int32_t> body_a, body_b;
  std::vector<Vec<3>> normal;                           // from a to b
  std::vector<Vec<3>> percussion;                       // on b [N s]
  std::vector<Vec<3>> velocity_before, velocity_after;  // of b relative to a [m/s]
  std::vector<double> work;                             // ½ P·(u⁺ + u⁻) [J]
  std::vector<double> quasi_before, quasi_after;        // q̇_norm [√J]
  // Kinetic energy of the bodies of the impact [J]; −1: it has too many contacts.
  std::vector<double> normal_energy_before, normal_energy_after;
  std::vector<double> tangential_energy_before, tangential_energy_after;

  std::size_t size() const { return step.size(); }
};

class TrajectoryReader {
 public:
  explicit TrajectoryReader(const std::filesystem::path& path);
  ~TrajectoryReader();
  TrajectoryReader(TrajectoryReader&&) noexcept;

  // A reader keeps the writer of a run waiting. One that stays open for long lets it go on between
  // its own readings. Who locks again must see that the file has not changed, or open it anew.
  void unlock();
  void lock();

  const std::string& path() const;
  const RunHeader& header() const;
  const BodyTable& bodies() const;
  const std::vector<std::string>& materials() const;
  const PairTable& laws() const;
  const std::vector<Frame>& frames() const;
  ViewSizes view_sizes() const;
  std::vector<StoredShape> shapes() const;

  FrameState state(std::size_t frame) const;
  // The same with every body where its image in a periodic cell is: for pictures.
  FrameState state_in_cell(std::size_t frame) const;
  FrameContacts contacts(std::size_t frame) const;
  FrameBonds bonds(std::size_t frame) const;
  FrameJoints joints(std::size_t frame) const;
  FramePopulation population(std::size_t frame) const;
  Series series() const;
  std::vector<MeasureSeries> measures() const;  // by name
  ImpactTable impacts() const;

 private:
  struct Content;
  TrajectoryReader(const std::filesystem::path& path, std::unique_ptr<Content> content);
  static std::unique_ptr<Content> tried(const std::filesystem::path& path);

  std::unique_ptr<Content> content_;
};

}  // namespace talus
