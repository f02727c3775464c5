// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_shapes.hpp"

#include <fmt/format.h>

#include <cmath>

#include "io/scene/scene_meshes.hpp"

namespace talus {

namespace {

template <int D>
std::vector<Vec<D>> points(const Value& value) {
  std::vector<Vec<D>> list;
  for (const Value& element : value.elements()) list.push_back(element.vector<D>());
  return list;
}

template <int D>
Polytope<D> hull(const Value& value, const std::vector<Vec<D>>& corners) {
  std::optional<Polytope<D>> polytope = convex_hull<D>(corners);
  if (!polytope) {
    value.fail(fmt::format("{} is degenerate: its {} points span no {}", value.name(),
                           value.elements().size(), D == 2 ? "area" : "volume"));
  }
  return *polytope;
}

// Along the first axis; `length` is that of the segment between the centres of the caps.
template <int D>
Capsule<D> capsule(const Fields& fields) {
  const Vec<D> half = fields["length"].number(positive) / 2 * Vec<D>::UnitX();
  return {{-half, half}, fields["radius"].number(positive)};
}

// Along z, centred at z = 0.
Polytope<3> prism(const Fields& fields) {
  const double half_height = fields["height"].number(positive) / 2;
  std::vector<Vec<3>> corners;
  for (const Vec<2>& corner : points<2>(fields["polygon"])) {
    for (const double z : {-half_height, half_height})
      corners.emplace_back(corner[0], corner[1], z);
  }
  return hull<3>(fields["polygon"], corners);
}

const Keys shape_keys = {"ball",  "capsule",   "box",  "polytope",
                         "prism", "halfspace", "mesh", "heightfield"};

template <int D>
Shape<D> shape_of(const Fields& fields, MeshUse use) {
  const std::string_view kind = fields.one_of(shape_keys);
  const Value value = fields[kind];
  if (kind == "ball") return Ball<D>{value.number(positive)};
  if (kind == "capsule") return capsule<D>(value.table({"length", "radius"}));
  if (kind == "box") return box<D>(read_sides<D>(value));
  if (kind == "polytope") return hull<D>(value, points<D>(value));
  if (kind == "halfspace") return HalfSpace<D>{value.direction<D>()};
  if constexpr (D == 3) {
    if (kind == "mesh") return read_mesh(value, use);
    if (kind == "prism") return prism(value.table({"polygon", "height"}));
    if (use == MeshUse::moving)
      value.fail("a heightfield is a surface: make the body fixed or drive it");
    return read_heightfield(value);
  }
  value.fail(fmt::format("a {} needs dimension = 3; in the plane, use polytope", kind));
}

}  // namespace

template <int D>
Vec<D> read_sides(const Value& value) {
  const Vec<D> lengths = value.vector<D>();
  if (!(lengths.minCoeff() > 0)) value.fail_value("has a side that is not positive");
  return lengths;
}

template <int D>
Orientation<D> read_rotation(const Value& value) {
  const Fields fields = value.table({"axis", "degrees", "radians"});
  const std::string_view unit = fields.one_of({"degrees", "radians"});
  const double angle = fields[unit].number() * (unit == "degrees" ? M_PI / 180 : 1.0);
  if constexpr (D == 2) {
    if (fields.has("axis")) fields["axis"].fail("a rotation in the plane has no axis");
    return {angle};
  } else {
    return rotated<3>({}, angle * fields["axis"].direction<3>());
  }
}

template <int D>
Shape<D> read_shape(const Value& value, MeshUse use) {
  return shape_of<D>(value.table(shape_keys), use);
}

template <int D>
std::vector<Shape<D>> read_shapes(const Fields& entry, MeshUse use) {
  if (entry.one_of({"shape", "shapes"}) == "shape") return {read_shape<D>(entry["shape"], use)};
  std::vector<Shape<D>> shapes;
  for (const Value& element : entry["shapes"].elements()) {
    Keys keys = shape_keys;
    keys.insert(keys.end(), {"position", "rotation"});
    const Fields fields = element.table(keys);
    const Orientation<D> rotation =
        fields.has("rotation") ? read_rotation<D>(fields["rotation"]) : Orientation<D>{};
    shapes.push_back(moved<D>(shape_of<D>(fields, use),
                              fields.vector_or<D>("position", Vec<D>::Zero()), rotation));
  }
  return shapes;
}

template Vec<2> read_sides<2>(const Value&);
template Vec<3> read_sides<3>(const Value&);
template Orientation<2> read_rotation<2>(const Value&);
template Orientation<3> read_rotation<3>(const Value&);
template Shape<2> read_shape<2>(const Value&, MeshUse);
template Shape<3> read_shape<3>(const Value&, MeshUse);
template std::vector<Shape<2>> read_shapes<2>(const Fields&, MeshUse);
template std::vector<Shape<3>> read_shapes<3>(const Fields&, MeshUse);

}  // namespace talus
