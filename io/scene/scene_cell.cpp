// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/geometry/shape.hpp"
#include "io/scene/scene_motion.hpp"
#include "solvers/math/index.hpp"

namespace talus {

namespace {

constexpr std::string_view axis_names = "xyz";

const Keys& cell_keys() {
  static const Keys keys = {"size", "periodic", "velocity_gradient", "stress", "mass"};
  return keys;
}

template <int D>
void read_periodic(const Fields& fields, Cell<D>& cell) {
  if (!fields.has("periodic")) {
    cell.periodic.fill(true);
    return;
  }
  const Keys names = D == 2 ? Keys{"x", "y"} : Keys{"x", "y", "z"};
  for (const Value& entry : fields["periodic"].elements()) {
    bool& axis = cell.periodic[at(entry.choice(names))];
    if (axis) entry.fail_value("is there already");
    axis = true;
  }
}

// A component that is not given, or is the number 0.
bool is_nothing(const Value& value) { return value.is_number() && value.number() == 0; }

template <int D>
void read_gradient(const Value& value, Cell<D>& cell) {
  const std::vector<Value> rows = value.elements();
  const auto fail = [&] {
    value.fail(fmt::format("'velocity_gradient' is not a {0} × {0} matrix", D));
  };
  if (rows.size() != D) fail();
  for (int i = 0; i < D; ++i) {
    if (!rows[at(i)].is_array()) fail();
    const std::vector<Value> row = rows[at(i)].elements();
    if (row.size() != D) fail();
    for (int j = 0; j < D; ++j) {
      const Value& entry = row[at(j)];
      if (is_nothing(entry)) continue;
      if (i > j)
        entry.fail(fmt::format(
            "'velocity_gradient': component {}{} turns the cell; give its upper triangle only",
            axis_names[at(i)], axis_names[at(j)]));
      if (!cell.periodic[at(i)] || !cell.periodic[at(j)])
        entry.fail(fmt::format("'velocity_gradient': component {}{} needs both axes periodic",
                               axis_names[at(i)], axis_names[at(j)]));
      cell.gradient[at(i)][at(j)] = read_signal(entry);
    }
  }
}

template <int D>
void read_stress(const Value& value, Cell<D>& cell) {
  const Keys keys = D == 2 ? Keys{"xx", "xy", "yy"} : Keys{"xx", "xy", "xz", "yy", "yz", "zz"};
  const Fields fields = value.table(keys);
  if (!cell.lattice().fills_space())
    value.fail("'stress' needs a cell that is periodic along all axes, for its volume");
  bool any = false;
  for (const std::string_view key : keys) {
    if (!fields.has(key)) continue;
    any = true;
    const std::size_t i = axis_names.find(key[0]), j = axis_names.find(key[1]);
    if (cell.gradient[i][j])
      fields[key].fail(
          fmt::format("component {} has a velocity gradient: either is prescribed, not both", key));
    cell.stress[i][j] = read_signal(fields[key]);
  }
  if (!any) value.fail("'stress' gives no component");
}

// Radius of a ball about the position of a body that holds its shapes [m].
template <int D>
double extent_of(const BodyDescription<D>& body) {
  double extent = 0;
  const Vec<D> centre =
      body.fixed || !body.drives.empty() ? Vec<D>::Zero() : mass_properties<D>(body.shapes).centre;
  for (const Shape<D>& shape : body.shapes)
    std::visit(
        [&](const auto& s) {
          using S = std::decay_t<decltype(s)>;
          if constexpr (std::is_same_v<S, Ball<D>>) {
            extent = std::max(extent, (s.centre - centre).norm() + s.radius);
          } else if constexpr (std::is_same_v<S, Capsule<D>>) {
            for (const Vec<D>& end : s.ends)
              extent = std::max(extent, (end - centre).norm() + s.radius);
          } else if constexpr (!std::is_same_v<S,
                                               HalfSpace<D>>) {  // polytopes and walls of triangles
            for (const Vec<D>& vertex : s.vertices)
              extent = std::max(extent, (vertex - centre).norm());
          }
        },
        shape);
  return extent;
}

}  // namespace

template <int D>
Cell<D> read_cell(const Value& value) {
  const Fields fields = value.table("cell", cell_keys());
  Cell<D> cell;
  cell.size = fields["size"].vector<D>();
  read_periodic<D>(fields, cell);
  for (int k = 0; k < D; ++k)
    if (cell.periodic[at(k)] && !(cell.size[k] > 0))
      fields["size"].fail_value("has a side that is not positive");
  if (fields.has("velocity_gradient")) read_gradient<D>(fields["velocity_gradient"], cell);
  if (fields.has("stress")) read_stress<D>(fields["stress"], cell);
  if (fields.has("mass")) {
    if (!cell.is_free()) fields["mass"].fail("'mass' goes with 'stress'");
    cell.mass = fields["mass"].number(positive);
  }
  return cell;
}

template <int D>
void require_cell_holds(const Value& value, const Scene<D>& scene, bool passes_moments) {
  const Cell<D>& cell = *scene.cell;
  const auto refuse = [&](bool present, const std::string& what) {
    if (present) value.fail("a periodic cell " + what);
  };
  refuse(!scene.has_inertia(), "needs dynamics = \"second-order\"");
  refuse(scene.population_varies(), "has no emitters and outlets: nothing leaves it");
  refuse(cell.deforms() && acts_before_contact(scene.impact_law),
         "that deforms goes with restitution, not with an impact_law of its own");
  refuse(cell.is_free() && (!scene.springs.empty() || !scene.joints.empty()),
         "under stress holds no springs and joints");
  refuse(cell.is_free() && passes_moments, "under stress knows no rolling and spinning friction");
  for (const Measure<D>& measure : scene.measures) {
    const auto* const region = std::get_if<RegionMeasure<D>>(&measure.of);
    refuse(region != nullptr && region->region,
           fmt::format("is measured as a whole: measure '{}' has a region", measure.name));
    refuse(std::holds_alternative<PlaneMeasure<D>>(measure.of),
           fmt::format("is measured as a whole: measure '{}' is of a plane", measure.name));
  }
  double extent = 0;
  const BodyDescription<D>* largest = nullptr;
  for (const BodyDescription<D>& body : scene.bodies) {
    for (const Shape<D>& shape : body.shapes) {
      const auto* const plane = std::get_if<HalfSpace<D>>(&shape);
      if (plane == nullptr) continue;
      const Vec<D> n = rotation_matrix<D>(body.orientation) * plane->normal;
      for (int k = 0; k < D; ++k)
        if (cell.periodic[at(k)] && std::abs(n[k]) > 1e-12)
          value.fail(
              fmt::format("the half-space '{}' cuts through the cell along its periodic "
                          "axis {}",
                          body.name, axis_names[at(k)]));
    }
    if (const double here = extent_of<D>(body); here > extent) {
      extent = here;
      largest = &body;
    }
  }
  const double width = cell.lattice().width();
  if (largest != nullptr && width < 4 * extent)
    value.fail(
        fmt::format("the cell is {:g} m wide; body '{}', {:g} m across, needs at least "
                    "twice its size, {:g} m",
                    width, largest->name, 2 * extent, 4 * extent));
}

template Cell<2> read_cell<2>(const Value&);
template Cell<3> read_cell<3>(const Value&);
template void require_cell_holds<2>(const Value&, const Scene<2>&, bool);
template void require_cell_holds<3>(const Value&, const Scene<3>&, bool);

}  // namespace talus
