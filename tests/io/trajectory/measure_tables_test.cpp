// SPDX-License-Identifier: Apache-2.0
// What a world measures is in its trajectory, whether the run was stopped on the way or not.
#include <doctest/doctest.h>

#include "io/trajectory/integrity.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "io/trajectory/trajectory_writer.hpp"
#include "tests/io/sample_run.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

// The sample scene with measures; the bodies fall on their own.
template <int D>
Scene<D> measured_scene() {
  Scene<D> s = scene<D>();
  s.measures = {
      {"all", 4,
       RegionMeasure<D>{box<D>(Vec<D>::Constant(4)), {Quantity::stress, Quantity::solid_fraction}}},
      {"flow", 3, PlaneMeasure<D>{direction<D>(D - 1, 0.3), direction<D>(D - 1, -1)}}};
  return s;
}

template <int D>
void write_world(TrajectoryWriter<D>& writer, World<D>& world, std::int64_t last) {
  while (world.steps() < last) {
    writer.append_series(world.step(), 1e-3);
    writer.append_measures(world.measures(), world.steps(), world.time());
    if (world.steps() % world.scene().save_every == 0)
      writer.append_frame(world.time(), world.steps(), world.bodies(), world.contacts());
  }
}

}  // namespace

TEST_CASE_TEMPLATE("measures come back from the file, row by row", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  const Scene<D> s = measured_scene<D>();
  World<D> world(s);
  auto writer = TrajectoryWriter<D>::create(folder / "run.h5", s, world.bodies(), info(), false);
  write_world<D>(writer, world, 50);
  writer.close();

  const std::vector<MeasureSeries> measures = TrajectoryReader(folder / "run.h5").measures();
  REQUIRE(measures.size() == 2);
  CHECK(measures[0].name == "all");
  CHECK(measures[0].every == 4);
  REQUIRE(measures[0].rows() == 12);
  CHECK(measures[1].name == "flow");
  REQUIRE(measures[1].rows() == 16);
  for (std::size_t i = 0; i < 16; ++i) {
    CHECK(measures[1].step[i] == static_cast<std::int64_t>(3 * (i + 1)));
    CHECK(measures[1].time[i] == doctest::Approx(3e-3 * static_cast<double>(i + 1)));
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const auto columns = measure_columns<D>(s.measures[k]);
    REQUIRE(measures[k].columns.size() == columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      CHECK(measures[k].columns[c] == columns[c].name);
      CHECK(measures[k].values[c].back() == world.measures().row(k)[c]);
    }
  }
}

TEST_CASE("a file without measures has none") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 20);
  CHECK(TrajectoryReader(folder / "run.h5").measures().empty());
}

TEST_CASE_TEMPLATE("measures of a resumed run are those of the run that was never stopped", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  const Scene<D> s = measured_scene<D>();
  {
    World<D> world(s);
    auto writer =
        TrajectoryWriter<D>::create(folder / "whole.h5", s, world.bodies(), info(), false);
    write_world<D>(writer, world, 80);
    writer.close();
  }
  WorldState<D> checkpoint;
  {
    World<D> world(s);
    auto writer = TrajectoryWriter<D>::create(folder / "run.h5", s, world.bodies(), info(), false);
    write_world<D>(writer, world, 37);
    checkpoint = world.state();
    write_world<D>(writer, world, 66);
    writer.flush();  // … and stopped here
  }
  World<D> world(s);
  world.restore(checkpoint);
  auto writer = TrajectoryWriter<D>::resume(folder / "run.h5", s, 37);
  write_world<D>(writer, world, 80);
  writer.close();

  CHECK(check_integrity(folder / "run.h5").sound());
  const auto whole = TrajectoryReader(folder / "whole.h5").measures();
  const auto run = TrajectoryReader(folder / "run.h5").measures();
  REQUIRE(run.size() == whole.size());
  for (std::size_t k = 0; k < run.size(); ++k) {
    CHECK(run[k].step == whole[k].step);
    CHECK(run[k].time == whole[k].time);
    CHECK(run[k].values == whole[k].values);
  }
}
