// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_containers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "io/scene/scene_motion.hpp"
#include "io/scene/scene_packing.hpp"
#include "io/scene/scene_shapes.hpp"

namespace talus {

namespace {

constexpr int most_sides = 1000;
constexpr int round_sides = 24;                  // of round containers, by default
constexpr double thickness_part = 0.1;           // default thickness, as a fraction of the radius
constexpr Interval container_length{1e-9, 1e9};  // [m]

// Thinner plates or narrower rings cannot be computed with.
constexpr double least_proportion = 1e-3;

double in_proportion(const Value& value, double length, double width) {
  if (length < least_proportion * width || width < least_proportion * length)
    value.fail_value(fmt::format("is out of proportion to a width of {:.6g} m", width));
  return length;
}

// Thickness of plates; `none` is the value if the key is absent.
double read_thickness(const Fields& fields, double width, double none) {
  return fields.has("thickness")
             ? in_proportion(fields["thickness"], fields["thickness"].number(positive), width)
             : none;
}

// [radius, length along the axis]
std::pair<double, double> read_round(const Value& value, std::string_view expected) {
  const std::vector<double> size = value.numbers(container_length);
  if (size.size() != 2) value.fail_value(fmt::format("is not {}", expected));
  in_proportion(value, size[1], size[0]);
  return {size[0], size[1]};
}

int read_side_count(const Fields& fields) {
  return fields.has("sides") ? fields["sides"].whole(3, most_sides) : round_sides;
}

// Names of the walls that are left out; by default the top.
std::vector<std::string> read_open(const Fields& fields, const Keys& walls) {
  if (!fields.has("open")) return {"top"};
  std::vector<std::string> open;
  if (fields["open"].is_array() && fields["open"].node().as_array()->empty()) return open;
  for (const Value& wall : fields["open"].elements())
    open.emplace_back(walls[static_cast<std::size_t>(wall.choice(walls))]);
  return open;
}

void refuse(const Fields& fields, std::string_view kind, const Keys& keys) {
  for (const std::string_view key : keys) {
    if (fields.has(key)) fields[key].fail(fmt::format("a {} has no '{}'", kind, key));
  }
}

template <int D>
Container<D> read_box(const Fields& fields) {
  refuse(fields, "box", {"sides", "spin"});
  Keys walls = {"left", "right", "bottom", "top"};
  if constexpr (D == 3) walls.insert(walls.end(), {"front", "back"});
  const Vec<D> sides = read_sides<D>(fields["box"]);
  return box_container<D>(sides, read_open(fields, walls),
                          read_thickness(fields, sides.minCoeff(), 0));
}

Container<3> read_cylinder(const Fields& fields) {
  const auto [radius, height] = read_round(fields["cylinder"], "[radius, height]");
  return cylinder_container(radius, height, read_side_count(fields),
                            read_open(fields, {"bottom", "top"}),
                            read_thickness(fields, radius, 0));
}

// A slope is neither vertical nor horizontal.
constexpr Interval slope_degrees{0.1, 89.9};

template <int D>
Container<D> read_hopper(const Fields& fields) {
  refuse(fields, "hopper", {"open", "spin"});
  const Fields sizes = fields["hopper"].table({"width", "opening", "slope", "height"});
  HopperPlan plan;
  plan.width = sizes["width"].number(container_length);
  plan.opening = sizes["opening"].number(container_length);
  if (plan.opening >= plan.width) {
    sizes["opening"].fail_value(
        fmt::format("leaks: it must be less than the width {}", plan.width));
  }
  in_proportion(sizes["opening"], plan.opening, plan.width);
  in_proportion(sizes["opening"], plan.width - plan.opening, plan.width);
  plan.slope = sizes["slope"].number(slope_degrees) * M_PI / 180;
  in_proportion(sizes["slope"], slope_height(plan), plan.width);
  plan.height = sizes["height"].number(container_length);
  if (plan.height <= slope_height(plan)) {
    sizes["height"].fail_value(
        fmt::format("is not more than the {:.6g} m that the slopes rise", slope_height(plan)));
  }
  in_proportion(sizes["height"], plan.height - slope_height(plan), plan.width);
  if constexpr (D == 2) {
    refuse(fields, "hopper in the plane", {"sides"});
  } else {
    plan.sides = read_side_count(fields);
  }
  plan.thickness = read_thickness(fields, plan.width, thickness_part * plan.width / 2);
  return hopper_container<D>(plan);
}

template <int D>
Container<D> read_drum(const Fields& fields) {
  refuse(fields, "drum", {"open"});
  double radius = 0, length = 0;
  if constexpr (D == 2) {
    radius = fields["drum"].number(container_length);
  } else {
    std::tie(radius, length) = read_round(fields["drum"], "[radius, length]");
  }
  return drum_container<D>(radius, length, read_side_count(fields),
                           read_thickness(fields, radius, thickness_part * radius));
}

template <int D>
Container<D> read_hull_walls(const Fields& fields) {
  refuse(fields, "container of points", {"sides", "thickness", "spin"});
  const Polytope<D> hull = read_hull<D>(fields["points"]);
  std::vector<Vec<D>> open;
  if (fields.has("open")) {
    for (const Value& direction : fields["open"].elements()) {
      open.push_back(direction.direction<D>());
      const bool is_a_face =
          std::any_of(hull.normals.begin(), hull.normals.end(),
                      [&](const Vec<D>& n) { return (n - open.back()).norm() < 1e-6; });
      if (!is_a_face) direction.fail_value("is the outward normal of no face");
    }
  }
  return hull_container<D>(hull, open);
}

// Fixed, unless a drive or the spin of a drum moves all walls about the origin.
template <int D>
std::vector<Drive<D>> read_container_drives(const Fields& fields) {
  if (!fields.has("spin")) {
    return fields.has("drive") ? read_drives<D>(fields["drive"]) : std::vector<Drive<D>>{};
  }
  if (fields.has("drive")) fields["spin"].fail("'drive' and 'spin' exclude each other");
  Drive<D> drive;
  drive.kind = Drive<D>::Kind::spin;
  if constexpr (D == 2) {
    drive.axis = Spin<2>(1.0);
  } else {
    const Orientation<3> rotation =
        fields.has("rotation") ? read_rotation<3>(fields["rotation"]) : Orientation<3>{};
    const Vec<3> along = fields.has("drum") ? Vec<3>::UnitY() : Vec<3>::UnitZ();
    drive.axis = rotation_matrix<3>(rotation) * along;
  }
  drive.signal = read_signal(fields["spin"]);
  return {drive};
}

}  // namespace

const Keys& container_keys() {
  static const Keys keys = {"box",  "cylinder", "hopper",    "drum", "points",
                            "open", "sides",    "thickness", "spin", "drive"};
  return keys;
}

template <int D>
Container<D> read_container(const Fields& fields) {
  const std::string_view kind = fields.one_of({"box", "cylinder", "hopper", "drum", "points"});
  Container<D> container;
  if (kind == "box") container = read_box<D>(fields);
  if (kind == "hopper") container = read_hopper<D>(fields);
  if (kind == "drum") container = read_drum<D>(fields);
  if (kind == "points") container = read_hull_walls<D>(fields);
  if (kind == "cylinder") {
    if constexpr (D == 3) {
      container = read_cylinder(fields);
    } else {
      fields["cylinder"].fail("there are no cylinders in the plane: use 'box' or 'drum'");
    }
  }
  if (container.walls.empty()) fields["open"].fail("a container without walls");
  const std::vector<Drive<D>> drives = read_container_drives<D>(fields);
  for (BodyDescription<D>& wall : container.walls) {
    wall.fixed = drives.empty();
    wall.drives = drives;
  }
  return container;
}

template Container<2> read_container<2>(const Fields&);
template Container<3> read_container<3>(const Fields&);

}  // namespace talus
