// SPDX-License-Identifier: Apache-2.0
// Trajectories in which bodies come and go.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "engine/world.hpp"
#include "io/check/trajectory_check.hpp"
#include "io/hdf5/hdf5_data.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/trajectory/integrity.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "io/trajectory/trajectory_writer.hpp"
#include "io/trajectory/views.hpp"
#include "tests/io/sample_run.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

// Disks, or balls and tetrahedra in space, fall past a ledge into the void. The first body leaves,
// and others take its place.
template <int D>
Scene<D> falling() {
  const std::string zero = D == 2 ? "0" : "0, 0";
  const std::string text = std::string("dimension = ") + (D == 2 ? "2" : "3") + R"(
gravity = [)" + zero + R"(, -9.81]
time = { step = 2e-3, end = 0.98, save_every = 7 }
certificate = { penetration = 0.6 }  # rubble lands at 4 m/s: half a step is 4 mm, half of its width

[material.stone]
density = 2500
friction = 0.5

[[body]]
name = "first"
shape = { ball = 0.05 }
position = [0.3)" + (D == 2 ? "" : ", 0") +
                           R"(, 0.5]
material = "stone"

[[body]]
name = "ledge"
shape = { box = [0.2, 0.1)" +
                           (D == 2 ? "" : ", 0.2") + R"(] }
material = "stone"
fixed = true

[[emitter]]
region = { box = [0.3, 0.3)" +
                           (D == 2 ? "" : ", 0.3") + R"(] }
position = [)" + zero + R"(, 0.5]
radius = [0.02, 0.04]
rate = 60
seed = 5
material = "stone"

[[emitter]]
name = "rubble"
region = { box = [0.2, 0.3)" +
                           (D == 2 ? "" : ", 0.3") + R"(] }
position = [)" + zero + R"(, 0.9]
radius = 0.03
grain = { polytope = 6 }
mass_rate = )" + (D == 2 ? "50" : "1.5") +
                           R"(
end = 0.8
material = "stone"

[[outlet]]
halfspace = [)" + zero + R"(, 1]
position = [)" + zero + R"(, -0.4]
)";
  return std::get<Scene<D>>(read_scene_text(text, "falling.toml").scene);
}

template <int D>
void append(TrajectoryWriter<D>& writer, const World<D>& world) {
  writer.append_frame(world.time(), world.steps(), world.bodies(), world.contacts(),
                      world.joint_reactions(), world.population());
}

template <int D>
void run_to(std::int64_t last, World<D>& world, TrajectoryWriter<D>& writer,
            std::vector<WorldState<D>>& frames) {
  while (world.steps() < last) {
    writer.append_series(world.step(), 0);
    if (world.steps() % world.scene().save_every != 0) continue;
    append(writer, world);
    frames.push_back(world.state());
  }
}

template <class T>
std::vector<T> column(const std::filesystem::path& path, const std::string& name, int columns = 1) {
  const hdf5::Handle file = hdf5::open_file(path, hdf5::Access::read);
  return hdf5::read_all<T>(file, name, columns);
}

}  // namespace

TEST_CASE_TEMPLATE("a frame holds those that are there, and says who they are", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  const auto path = folder / "run.h5";
  World<D> world(falling<D>());
  std::vector<WorldState<D>> frames;
  {
    auto writer = TrajectoryWriter<D>::create(path, world.scene(), world.bodies(), info(), false);
    append(writer, world);
    frames.push_back(world.state());
    run_to<D>(world.scene().last_step(), world, writer, frames);
    writer.close();
  }
  const TrajectoryReader run(path);
  REQUIRE(run.frames().size() == frames.size());
  CHECK(run.bodies().size() == total_bodies(world.scene()));
  CHECK(run.bodies().name.back().starts_with("rubble."));
  bool somebody_left = false, fewer = false;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const WorldState<D>& was = frames[k];
    std::map<std::int32_t, std::size_t> place_of;
    for (std::size_t i = 0; i < was.population.id.size(); ++i)
      if (was.population.id[i] >= 0) place_of[was.population.id[i]] = i;
    const FrameState state = run.state(k);
    REQUIRE(state.body.size() == place_of.size());
    for (std::size_t row = 0; row < state.body.size(); ++row) {
      REQUIRE(place_of.contains(state.body[row]));
      const std::size_t i = place_of[state.body[row]];
      CHECK(state.position[row].template head<D>() == was.position[i]);
      CHECK(state.velocity[row].template head<D>() == was.velocity[i]);
    }
    CHECK(run.population(k).born == was.population.born);
    CHECK(run.population(k).removed == was.population.removed);
    CHECK(run.population(k).removed_mass == was.population.removed_mass);
    const FrameContacts contacts = run.contacts(k);
    for (const auto* bodies : {&contacts.body_a, &contacts.body_b})
      for (const std::int32_t body : *bodies) CHECK(place_of.contains(body));
    somebody_left = somebody_left || !place_of.contains(0);
    fewer = fewer || (k > 0 && state.body.size() < run.state(k - 1).body.size());
  }
  CHECK(somebody_left);
  CHECK(fewer);
  const RunCheck check = check_run(run);
  for (const Criterion& criterion : check.criteria) {
    CAPTURE(criterion.name);
    CAPTURE(criterion.worst);
    CAPTURE(criterion.limit);
    CHECK(criterion.passed());
    if (criterion.name == "population") CHECK(criterion.checked > 490);
  }
}

// What ParaView reads of a frame: points, polygons of these points, offsets, a body per polygon.
TEST_CASE_TEMPLATE("the mesh of a frame is that of the bodies that are there", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  const auto path = folder / "run.h5";
  World<D> world(falling<D>());
  std::vector<WorldState<D>> frames;
  {
    auto writer = TrajectoryWriter<D>::create(path, world.scene(), world.bodies(), info(), false);
    run_to<D>(world.scene().last_step(), world, writer, frames);
    writer.close();
  }
  const auto points = column<float>(path, "/mesh/points", 3);
  const auto polygons = column<std::int64_t>(path, "/views/mesh/Polygons/Connectivity");
  const auto offsets = column<std::int64_t>(path, "/views/mesh/Polygons/Offsets");
  const auto topology = column<std::int64_t>(path, "/mesh/xdmf_topology");
  const auto body = column<std::int32_t>(path, "/views/mesh/CellData/body");
  const auto vertices = column<std::int64_t>(path, "/views/bodies/Vertices/Offsets");
  const auto counts = column<std::int64_t>(path, "/views/bodies/NumberOfPoints");
  const auto cells = column<std::int64_t>(path, "/views/mesh/Steps/CellOffsets", 4);
  const auto corners = column<std::int64_t>(path, "/views/mesh/Steps/ConnectivityIdOffsets", 4);
  const TrajectoryReader run(path);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    CAPTURE(k);
    const ViewFrame& rows = run.frames()[k].rows;
    const FrameState state = run.state(k);
    std::map<std::int32_t, Vec<3>> centre;
    for (std::size_t row = 0; row < state.body.size(); ++row)
      centre[state.body[row]] = state.position[row];
    CHECK(counts[k] == rows.body_count);
    const auto first_vertex = static_cast<std::size_t>(rows.body_row) + k;
    for (std::int64_t i = 0; i <= rows.body_count; ++i)
      REQUIRE(vertices[first_vertex + static_cast<std::size_t>(i)] == i);
    CHECK(cells[4 * k + 2] == rows.polygon_row);
    CHECK(corners[4 * k + 2] == rows.corner_row);
    auto at = static_cast<std::size_t>(rows.topology_row);
    const auto first_offset = static_cast<std::size_t>(rows.polygon_row) + k;
    CHECK(offsets[first_offset] == 0);
    for (std::size_t p = 0; p < static_cast<std::size_t>(rows.polygon_count); ++p) {
      const std::int32_t whose = body[static_cast<std::size_t>(rows.polygon_row) + p];
      REQUIRE(centre.contains(whose));
      const double reach = 1.001 * run.bodies().radius[static_cast<std::size_t>(whose)];
      const std::int64_t begin = offsets[first_offset + p], end = offsets[first_offset + p + 1];
      REQUIRE(topology[at++] == 3);
      REQUIRE(topology[at++] == end - begin);
      for (std::int64_t c = begin; c < end; ++c) {
        const std::int64_t corner = polygons[static_cast<std::size_t>(rows.corner_row + c)];
        REQUIRE(topology[at++] == corner);
        REQUIRE((corner >= 0 && corner < rows.mesh_count));
        const float* x = &points[3 * static_cast<std::size_t>(rows.mesh_row + corner)];
        CHECK((Vec<3>(x[0], x[1], x[2]) - centre[whose]).norm() <= reach);
      }
    }
    CHECK(at == static_cast<std::size_t>(rows.topology_row + rows.topology_count));
  }
}

TEST_CASE_TEMPLATE("a file taken up again is the file of the run that never stopped", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  const Scene<D> scene = falling<D>();
  std::vector<WorldState<D>> frames;
  World<D> once(scene);
  {
    auto writer =
        TrajectoryWriter<D>::create(folder / "once.h5", scene, once.bodies(), info(), false);
    append(writer, once);
    run_to<D>(400, once, writer, frames);
    writer.close();
  }
  World<D> twice(scene);
  WorldState<D> middle;
  {
    auto writer =
        TrajectoryWriter<D>::create(folder / "twice.h5", scene, twice.bodies(), info(), false);
    append(writer, twice);
    run_to<D>(200, twice, writer, frames);
    middle = twice.state();
    run_to<D>(300, twice, writer, frames);  // to be cut off again
    writer.flush();
  }
  {
    World<D> resumed(scene);
    resumed.restore(middle);
    auto writer = TrajectoryWriter<D>::resume(folder / "twice.h5", scene, 200);
    run_to<D>(400, resumed, writer, frames);
    writer.close();
  }
  CHECK(check_integrity(folder / "twice.h5").sound());
  for (const char* name : {"/state/body", "/mesh/body", "/mesh/material"})
    CHECK(column<std::int32_t>(folder / "once.h5", name) ==
          column<std::int32_t>(folder / "twice.h5", name));
  for (const char* name : {"/mesh/polygons", "/mesh/polygon_offset", "/mesh/xdmf_topology",
                           "/frames/corner_row", "/views/bodies/Vertices/Offsets"})
    CHECK(column<std::int64_t>(folder / "once.h5", name) ==
          column<std::int64_t>(folder / "twice.h5", name));
  CHECK(column<double>(folder / "once.h5", "/state/position", 3) ==
        column<double>(folder / "twice.h5", "/state/position", 3));
  CHECK(column<float>(folder / "once.h5", "/mesh/points", 3) ==
        column<float>(folder / "twice.h5", "/mesh/points", 3));
  CHECK(column<double>(folder / "once.h5", "/series/removed_mass") ==
        column<double>(folder / "twice.h5", "/series/removed_mass"));
  const auto entries = [&](const std::string& name) {
    std::string text = content(folder / (name + ".xmf2"));
    for (std::size_t at; (at = text.find(name + ".h5")) != std::string::npos;)
      text.erase(at, name.size() + 3);
    const auto blanks = [](char a, char b) { return a == ' ' && b == ' '; };  // room for more
    text.erase(std::unique(text.begin(), text.end(), blanks), text.end());
    return text;
  };
  CHECK(entries("once").size() > 10'000);
  CHECK(entries("twice") == entries("once"));
  rebuild_views(folder / "once.h5");
  CHECK(entries("twice") == entries("once"));
  CHECK(column<float>(folder / "once.h5", "/walls/points", 3) ==
        column<float>(folder / "twice.h5", "/walls/points", 3));
  CHECK_THROWS_AS(TrajectoryWriter<D>::resume(folder / "once.h5", sample::scene<D>(), 200),
                  InputError);
}

TEST_CASE("rows that name no body, or one twice, are refused") {
  const Folder folder;
  const auto path = folder / "run.h5";
  World<2> world(falling<2>());
  std::vector<WorldState<2>> frames;
  {
    auto writer = TrajectoryWriter<2>::create(path, world.scene(), world.bodies(), info(), false);
    run_to<2>(70, world, writer, frames);
    writer.close();
  }
  const auto set_first = [&](std::int32_t value) {
    const hdf5::Handle file = hdf5::open_file(path, hdf5::Access::write);
    const hdf5::Handle data(H5Dopen2(file, "/state/body", H5P_DEFAULT), "open");
    const hsize_t one = 1, first = 0;
    const hdf5::Handle space(H5Dget_space(data), "space");
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &one, nullptr);
    const hdf5::Handle memory(H5Screate_simple(1, &one, nullptr), "memory");
    H5Dwrite(data, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, &value);
  };
  for (const std::int32_t value : {-1, 1, 100000}) {
    set_first(value);
    CHECK_THROWS_AS(TrajectoryReader(path).state(0), InputError);
  }
  set_first(0);
  CHECK_NOTHROW(TrajectoryReader(path).state(0));
}
