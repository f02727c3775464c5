// SPDX-License-Identifier: Apache-2.0
// Runs that were written to a file, read on demand.
#include <fmt/format.h>

#include "io/text/input_error.hpp"
#include "io/trajectory/series_columns.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "tools/commands/check_json.hpp"
#include "tools/python/arrays.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/run_file.hpp"
#include "tools/view/page.hpp"
#include "tools/view/page_run.hpp"

namespace talus {

namespace {

std::size_t frame_of(const TrajectoryReader& run, std::int64_t frame) {
  const auto frames = static_cast<std::int64_t>(run.frames().size());
  if (frame < 0 || frame >= frames)
    throw py::index_error(
        fmt::format("{}: frame {} of a run with {} frames", run.path(), frame, frames));
  return static_cast<std::size_t>(frame);
}

py::dict header_of(const TrajectoryReader& run) {
  const RunHeader& header = run.header();
  py::dict values;
  values["dimension"] = header.dimension;
  values["complete"] = header.complete;
  values["stopped_by"] =
      header.stopped_by.empty() ? py::object(py::none()) : py::str(header.stopped_by);
  values["version"] = header.version;
  values["created"] = header.created;
  values["command_line"] = header.command_line;
  values["dynamics"] = header.dynamics;
  values["gravity"] = array_of_vectors<3>({header.gravity}).attr("reshape")(3);
  values["step"] = header.h;
  values["theta"] = header.theta;
  values["end"] = header.end;
  values["tolerance"] = header.tolerance;
  values["save_every"] = header.save_every;
  values["threads"] = header.threads;
  return values;
}

py::dict body_columns(const TrajectoryReader& run) {
  const BodyTable& bodies = run.bodies();
  std::vector<std::string> materials;
  for (const std::int32_t m : bodies.material)
    materials.push_back(run.materials()[static_cast<std::size_t>(m)]);
  py::dict columns;
  columns["name"] = py::array(py::cast(bodies.name));
  columns["material"] = py::array(py::cast(materials));
  columns["fixed"] = array_of(bodies.fixed);
  columns["mass"] = array_of(bodies.mass);
  columns["inertia"] = array_of_vectors<3>(bodies.inertia);
  columns["radius"] = array_of(bodies.radius);
  columns["diameter"] = array_of(bodies.diameter);
  return columns;
}

py::tuple frame_index(const TrajectoryReader& run) {
  std::vector<double> time;
  std::vector<std::int64_t> step;
  for (const Frame& frame : run.frames()) {
    time.push_back(frame.time());
    step.push_back(frame.step);
  }
  return py::make_tuple(array_of(std::move(time)), array_of(std::move(step)));
}

py::dict state_columns(const TrajectoryReader& run, std::int64_t frame) {
  FrameState state = run.state(frame_of(run, frame));
  py::dict columns;
  columns["body"] = array_of(std::move(state.body));
  columns["position"] = array_of_vectors<3>(std::move(state.position));
  columns["orientation"] = array_of_quaternions(state.orientation);
  columns["velocity"] = array_of_vectors<3>(std::move(state.velocity));
  columns["spin"] = array_of_vectors<3>(std::move(state.angular_velocity));
  return columns;
}

py::dict contact_table(const TrajectoryReader& run, std::int64_t frame) {
  FrameContacts contacts = run.contacts(frame_of(run, frame));
  py::dict columns;
  columns["body_a"] = array_of(std::move(contacts.body_a));
  columns["body_b"] = array_of(std::move(contacts.body_b));
  columns["point"] = array_of_vectors<3>(std::move(contacts.point));
  columns["normal"] = array_of_vectors<3>(std::move(contacts.normal));
  columns["force"] = array_of_vectors<3>(std::move(contacts.force));
  columns["velocity"] = array_of_vectors<3>(std::move(contacts.velocity));
  columns["normal_force"] = array_of(std::move(contacts.normal_force));
  columns["gap"] = array_of(std::move(contacts.gap));
  columns["status"] = array_of(std::move(contacts.status));
  columns["adhesion"] = array_of(std::move(contacts.adhesion));
  columns["moment"] = array_of_vectors<3>(std::move(contacts.moment));
  columns["cohesion"] = array_of(std::move(contacts.cohesion));
  columns["bond"] = array_of(std::move(contacts.bond));
  return columns;
}

py::dict joint_table(const TrajectoryReader& run, std::int64_t frame) {
  FrameJoints joints = run.joints(frame_of(run, frame));
  py::dict columns;
  columns["body_a"] = array_of(std::move(joints.body_a));
  columns["body_b"] = array_of(std::move(joints.body_b));
  columns["point"] = array_of_vectors<3>(std::move(joints.point));
  columns["force"] = array_of_vectors<3>(std::move(joints.force));
  columns["torque"] = array_of_vectors<3>(std::move(joints.torque));
  return columns;
}

py::dict series_columns(const TrajectoryReader& run) {
  const Series series = run.series();
  py::dict columns;
  for_each_series_column([&]<class T>(const char* name, const char*, T Certificate::*member) {
    using Number = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    std::vector<Number> values;
    values.reserve(series.steps.size());
    for (const Certificate& step : series.steps)
      values.push_back(static_cast<Number>(step.*member));
    columns[name] = array_of(std::move(values));
  });
  columns["wall_seconds"] = array_of(series.wall_seconds);
  return columns;
}

py::dict measure_tables(const TrajectoryReader& run) {
  py::dict tables;
  for (MeasureSeries& measure : run.measures()) {
    py::dict columns;
    columns["step"] = array_of(std::move(measure.step));
    columns["time"] = array_of(std::move(measure.time));
    for (std::size_t k = 0; k < measure.columns.size(); ++k)
      columns[py::str(measure.columns[k])] = array_of(std::move(measure.values[k]));
    tables[py::str(measure.name)] = columns;
  }
  return tables;
}

py::dict impact_table(const TrajectoryReader& run) {
  ImpactTable impacts = run.impacts();
  py::dict columns;
  columns["step"] = array_of(std::move(impacts.step));
  columns["impact"] = array_of(std::move(impacts.impact));
  columns["body_a"] = array_of(std::move(impacts.body_a));
  columns["body_b"] = array_of(std::move(impacts.body_b));
  columns["normal"] = array_of_vectors<3>(std::move(impacts.normal));
  columns["percussion"] = array_of_vectors<3>(std::move(impacts.percussion));
  columns["velocity_before"] = array_of_vectors<3>(std::move(impacts.velocity_before));
  columns["velocity_after"] = array_of_vectors<3>(std::move(impacts.velocity_after));
  columns["work"] = array_of(std::move(impacts.work));
  columns["quasi_normal_before"] = array_of(std::move(impacts.quasi_before));
  columns["quasi_normal_after"] = array_of(std::move(impacts.quasi_after));
  columns["quasi_normal_energy_before"] = array_of(std::move(impacts.normal_energy_before));
  columns["quasi_normal_energy_after"] = array_of(std::move(impacts.normal_energy_after));
  columns["quasi_tangential_energy_before"] = array_of(std::move(impacts.tangential_energy_before));
  columns["quasi_tangential_energy_after"] = array_of(std::move(impacts.tangential_energy_after));
  return columns;
}

py::dict series_units() {
  py::dict units;
  for_each_series_column([&](const char* name, const char* unit, auto) { units[name] = unit; });
  units["wall_seconds"] = "s";
  return units;
}

py::list records_of_run(const TrajectoryReader& run) { return records_of(run.header().records); }

std::string page_of_run(const TrajectoryReader& run, double megabytes) {
  const double empty = static_cast<double>(page_text({}, false).size());
  return page_text({page_run(run, run.path(), 1e6 * megabytes - empty).page}, false);
}

}  // namespace

void bind_results(py::module_& module) {
  const auto reading = [](auto f) { return [f](RunFile& file) { return file.read(f); }; };
  const auto reading_frame = [](auto f) {
    return [f](RunFile& file, std::int64_t frame) {
      return file.read([&](const TrajectoryReader& run) { return f(run, frame); });
    };
  };
  py::class_<RunFile>(module, "RunFile")
      .def(py::init<std::string>(), py::arg("path"))
      .def_property_readonly("path", &RunFile::path)
      .def("header", reading(header_of))
      .def("scene", reading([](const TrajectoryReader& run) {
             return py::make_tuple(run.header().scene_text, run.header().overrides,
                                   records_of_run(run));
           }))
      .def("bodies", reading(body_columns))
      .def("frames", reading(frame_index))
      .def("state", reading_frame(state_columns), py::arg("frame"))
      .def("contacts", reading_frame(contact_table), py::arg("frame"))
      .def("joints", reading_frame(joint_table), py::arg("frame"))
      .def("series", reading(series_columns))
      .def("measures", reading(measure_tables))
      .def("impacts", reading(impact_table))
      .def("check", reading([](const TrajectoryReader& run) { return check_json(run, {}); }))
      .def(
          "page",
          [](RunFile& file, double megabytes) {
            return file.read(
                [&](const TrajectoryReader& run) { return page_of_run(run, megabytes); });
          },
          py::arg("megabytes"));
  module.def("series_units", &series_units);
}

}  // namespace talus
