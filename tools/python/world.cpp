// SPDX-License-Identifier: Apache-2.0
// Worlds that are stepped from Python.
#include "engine/world.hpp"

#include <fmt/format.h>

#include "engine/model/contact_status.hpp"
#include "io/text/input_error.hpp"
#include "io/text/spelling.hpp"
#include "io/trajectory/series_columns.hpp"
#include "solvers/math/parallel.hpp"
#include "tools/commands/runner.hpp"
#include "tools/python/arrays.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/scene_handle.hpp"
#include "tools/python/world_handle.hpp"

namespace talus {

namespace {

std::shared_ptr<WorldHandle> make_world(const SceneHandle& handle, int threads) {
  if (threads < 1) throw InputError(fmt::format("threads = {}: expected at least 1", threads));
  const SceneDocument& document = handle.document;
  return std::visit(
      [&]<int D>(const Scene<D>& scene) {
        return in_words_of(handle.made, document.text, [&] {
          return std::make_shared<WorldHandle>(
              std::make_shared<World<D>>(world_of_scene<D>(document, scene)), threads);
        });
      },
      document.scene);
}

// f(world) on the threads of the world, while other Python threads run.
template <class F>
Certificate step_with(WorldHandle& handle, F f) {
  const WorldHandle::Turn turn(handle);
  return handle.visit([&](auto& world) {
    const py::gil_scoped_release others_may_run;
    if (handle.threads() == 1) return f(world);
    const ThreadCount count(handle.threads());
    Certificate last;
    parallel_team([&] { last = f(world); });
    return last;
  });
}

Certificate step(WorldHandle& handle) {
  return step_with(handle, [](auto& world) { return world.step(); });
}

// So many steps, or fewer if a stop condition holds or a signal such as Ctrl-C comes.
Certificate advance(WorldHandle& handle, std::int64_t steps) {
  if (steps < 1) throw InputError(fmt::format("steps = {}: expected at least 1", steps));
  bool interrupted = false;
  const Certificate last = step_with(handle, [&](auto& world) {
    Certificate certificate;
    for (std::int64_t k = 0; k < steps && !world.stopped() && !interrupted; ++k) {
      certificate = world.step();
      const py::gil_scoped_acquire look_for_signals;
      interrupted = PyErr_CheckSignals() != 0;
    }
    return certificate;
  });
  if (interrupted) throw py::error_already_set();
  return last;
}

// Arrays over the state of the bodies. They stay where they are as long as no body comes or goes;
// otherwise they are copied.
template <class Pick>
py::array state_array(const py::object& self, Pick pick) {
  return self.cast<WorldHandle&>().visit([&]<int D>(World<D>& world) -> py::array {
    const auto& values = pick(world.bodies());
    constexpr int columns = static_cast<int>(sizeof(values[0]) / sizeof(double));
    const auto* const data = reinterpret_cast<const double*>(values.data());
    if (!world.scene().population_varies()) return array_over(data, values.size(), columns, self);
    const auto [copy, owner] = kept(std::vector<double>(data, data + values.size() * columns));
    return array_over(copy, values.size(), columns, owner);
  });
}

// Angles in the plane, quaternions (w, x, y, z) in space.
py::array orientations(const WorldHandle& handle) {
  return handle.visit([]<int D>(const World<D>& world) {
    if constexpr (D == 2) {
      std::vector<double> angles;
      for (const Orientation<2>& o : world.bodies().orientation) angles.push_back(o.angle);
      return array_of(std::move(angles));
    } else {
      std::vector<Eigen::Quaterniond> q;
      for (const Orientation<3>& o : world.bodies().orientation) q.push_back(o.q);
      return array_of_quaternions(q);
    }
  });
}

std::vector<std::string> names(const WorldHandle& handle) {
  return handle.visit([]<int D>(const World<D>& world) {
    std::vector<std::string> list;
    for (const std::int32_t id : world.bodies().id)
      list.push_back(id < 0 ? std::string() : description<D>(world.scene(), at(id)).name);
    return list;
  });
}

// The contacts of the last step as columns, with the names and signs of the file.
template <int D>
py::dict contact_columns(const World<D>& world) {
  const auto contacts = world.contacts();
  const auto moments = world.contact_moments();
  const double h = world.scene().h;
  std::vector<Vec<D>> point, normal, force, velocity;
  std::vector<Spin<D>> moment;
  std::vector<double> normal_force, gap, adhesion;
  std::vector<std::int32_t> body_a, body_b;
  std::vector<std::uint8_t> status;
  for (const ActiveContact<D>& active : contacts) {
    const Contact<D>& contact = active.contact;
    point.push_back(contact.point);
    normal.push_back(contact.normal);
    force.push_back(active.frame * active.percussion / h);
    velocity.push_back(active.frame * active.u_plus);
    normal_force.push_back(active.percussion[0] / h);
    gap.push_back(contact.gap);
    adhesion.push_back(active.pull / h);
    body_a.push_back(world.bodies().id[at(contact.key.a)]);
    body_b.push_back(world.bodies().id[at(contact.key.b)]);
    status.push_back(static_cast<std::uint8_t>(status_of<D>(active)));
    moment.push_back(moments.empty()
                         ? Spin<D>(Spin<D>::Zero())
                         : Spin<D>(spin_from<D>(active.frame, moments[moment.size()]) / h));
  }
  py::dict columns;
  columns["body_a"] = array_of(std::move(body_a));
  columns["body_b"] = array_of(std::move(body_b));
  columns["point"] = array_of_vectors<D>(std::move(point));
  columns["normal"] = array_of_vectors<D>(std::move(normal));
  columns["force"] = array_of_vectors<D>(std::move(force));
  columns["velocity"] = array_of_vectors<D>(std::move(velocity));
  columns["normal_force"] = array_of(std::move(normal_force));
  columns["gap"] = array_of(std::move(gap));
  columns["status"] = array_of(std::move(status));
  columns["adhesion"] = array_of(std::move(adhesion));
  columns["moment"] = array_of_spins<D>(std::move(moment));
  return columns;
}

template <class Vector>
Vector vector_from(const std::vector<double>& numbers, const char* what) {
  Vector x;
  if (std::ssize(numbers) != x.size())
    throw InputError(
        fmt::format("{} has {} components, expected {}", what, numbers.size(), x.size()));
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    x[k] = numbers[static_cast<std::size_t>(k)];
    if (!std::isfinite(x[k])) throw InputError(fmt::format("{} = {} is not finite", what, x[k]));
  }
  return x;
}

using BodyName = std::variant<int, std::string>;

// The number of a body of the start.
template <int D>
int find_body(const World<D>& world, const BodyName& name) {
  const auto& bodies = world.scene().bodies;
  if (const int* const number = std::get_if<int>(&name)) {
    if (*number >= 0 && at(*number) < bodies.size()) return *number;
    throw InputError(fmt::format("body {}: expected one of the start, 0 to {}", *number,
                                 static_cast<int>(bodies.size()) - 1));
  }
  const std::string& wanted = std::get<std::string>(name);
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].name == wanted) return static_cast<int>(i);
    known.push_back(bodies[i].name);
  }
  const std::string_view meant = nearest(wanted, known);
  throw InputError(fmt::format("no body '{}'{}", wanted,
                               meant.empty() ? "" : fmt::format(" (did you mean '{}'?)", meant)));
}

// Zeros where nothing was given.
template <class Vector>
Vector vector_or_zero(const std::optional<std::vector<double>>& numbers, const char* what) {
  return numbers ? vector_from<Vector>(*numbers, what) : Vector(Vector::Zero());
}

void apply_force(WorldHandle& handle, const BodyName& name, const std::vector<double>& force,
                 const std::optional<std::vector<double>>& torque,
                 const std::optional<std::vector<double>>& point) {
  handle.visit([&]<int D>(World<D>& world) {
    const int body = find_body(world, name);
    if (!world.scene().has_inertia()) throw InputError("a sweeping process has no forces");
    if (!world.scene().outlets.empty())
      throw InputError("a scene with outlets takes no forces from outside: its bodies may go");
    if (!world.bodies().moves_freely(at(body)))
      throw InputError(fmt::format("body '{}' does not move freely: no force moves it",
                                   world.scene().bodies[at(body)].name));
    const Vec<D> F = vector_from<Vec<D>>(force, "force");
    Spin<D> about_centre = vector_or_zero<Spin<D>>(torque, "torque");
    if (point) {
      const Vec<D> arm = vector_from<Vec<D>>(*point, "point") - world.bodies().position[at(body)];
      about_centre += moment<D>(arm, F);
    }
    world.set_load(body, F, about_centre);
  });
}

void drive(WorldHandle& handle, const BodyName& name, const std::vector<double>& velocity,
           const std::optional<std::vector<double>>& spin) {
  handle.visit([&]<int D>(World<D>& world) {
    const int body = find_body(world, name);
    const BodyDescription<D>& description = world.scene().bodies[at(body)];
    if (description.drives.empty())
      throw InputError(
          fmt::format("body '{}' is not driven: give it a 'drive' in the scene", description.name));
    world.set_drive(body, vector_from<Vec<D>>(velocity, "velocity"),
                    vector_or_zero<Spin<D>>(spin, "spin"));
  });
}

void bind_certificate(py::module_& module) {
  py::class_<Certificate> certificate(
      module, "Certificate",
      "What happened in a step, how exactly its contact problem was solved, where the energy "
      "went.\n\nIts attributes are the columns of /series (docs/TRAJECTORY.md); `units` has "
      "their units.");
  py::dict units;
  for_each_series_column([&](const char* name, const char* unit, auto member) {
    certificate.def_readonly(name, member);
    units[name] = unit;
  });
  certificate.attr("units") = units;
  certificate.def(
      "as_dict",
      [](const Certificate& c) {
        py::dict values;
        for_each_series_column(
            [&](const char* name, const char*, auto member) { values[name] = c.*member; });
        return values;
      },
      "All of them by their names.");
  certificate.def("__repr__", [](const Certificate& c) {
    return fmt::format(
        "<Certificate of step {}: t = {:.6g} s, {} contacts, residual {:.1e}{}, penetration "
        "{:.2g} m>",
        c.step, c.time, c.contacts, c.error, c.converged ? "" : " (tolerance missed)",
        c.max_penetration);
  });
}

}  // namespace

void bind_world(py::module_& module) {
  bind_certificate(module);
  const auto of_world = [](auto f) { return [f](const WorldHandle& w) { return w.visit(f); }; };
  const auto of_bodies = [](auto pick) {
    return [pick](const py::object& self) { return state_array(self, pick); };
  };
  py::class_<WorldHandle, std::shared_ptr<WorldHandle>>(module, "World")
      .def(py::init(&make_world), py::arg("scene"), py::arg("threads"))
      .def("step", &step, "Makes one time step; returns its certificate.")
      .def("advance", &advance, py::arg("steps"),
           "Makes so many steps, fewer if a stop condition holds; returns the last certificate.")
      .def_property_readonly("time", of_world([](auto& x) { return x.time(); }),
                             "Time at the end of the last step [s].")
      .def_property_readonly("steps", of_world([](auto& x) { return x.steps(); }),
                             "Steps made since the start.")
      .def_property_readonly("stopped", of_world([](auto& x) { return x.stopped().has_value(); }),
                             "Whether a stop condition of the scene holds.")
      .def_property_readonly("kinetic_energy", of_world([](auto& x) { return x.kinetic_energy(); }),
                             "[J]")
      .def_property_readonly("potential_energy",
                             of_world([](auto& x) { return x.potential_energy(); }), "[J]")
      .def_property_readonly("names", &names, "Names of the bodies, in the order of the arrays.")
      .def_property_readonly(
          "position", of_bodies([](const auto& b) -> const auto& { return b.position; }),
          "Of mass centres [m], a row per body: a view that cannot be written to.")
      .def_property_readonly(
          "velocity", of_bodies([](const auto& b) -> const auto& { return b.velocity; }),
          "Of mass centres [m/s], a row per body: a view that cannot be written to.")
      .def_property_readonly(
          "spin", of_bodies([](const auto& b) -> const auto& { return b.spin; }),
          "Angular velocities [rad/s], in the plane one number per body: a view.")
      .def_property_readonly("mass", of_bodies([](const auto& b) -> const auto& { return b.mass; }),
                             "[kg]; 0 for fixed and driven bodies.")
      .def_property_readonly("orientation", &orientations,
                             "Angles in the plane, quaternions (w, x, y, z) in space; a copy.")
      .def_property_readonly(
          "contacts",
          [](const WorldHandle& w) {
            return py::module_::import("talus._table").attr("Table")(w.visit([](auto& world) {
              return contact_columns(world);
            }));
          },
          "Contacts of the last step, a Table; `force` [N] and `moment` [N m] act on body_b.")
      .def("apply_force", &apply_force, py::arg("body"), py::arg("force"),
           py::arg("torque") = py::none(), py::arg("point") = py::none(),
           "Lets a force [N] act on a free body from the next step on, at its mass centre or, with "
           "its\npresent moment, at a point [m]; a torque [N m] too. It replaces what was applied "
           "to the body before.")
      .def("drive", &drive, py::arg("body"), py::arg("velocity"), py::arg("spin") = py::none(),
           "Gives a driven body these velocities [m/s], [rad/s] from the next step on.");
}

}  // namespace talus
