// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_meshes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "engine/build/part_overlaps.hpp"
#include "engine/geometry/triangle_surface.hpp"
#include "io/scene/height_file.hpp"
#include "io/scene/mesh_file.hpp"

namespace talus {

namespace {

// A hull that holds at most this much more than the mesh stands for it. A wall must be convex to
// rounding, since what a body rests on may be small compared with the wall.
constexpr double accepted_excess = 1e-3, accepted_excess_of_wall = 1e-6;

constexpr int most_corners = 1000;           // of a polytope
constexpr std::size_t most_points = 100000;  // that a hull is built of

// The keys of { mesh = … }.
struct MeshKeys {
  Value file;
  std::string name;  // of the file, as the scene has it
  double scale = 1;
  bool hull = false;
  std::optional<int> corners;
};

MeshKeys read_options(const Fields& fields, const Value& file) {
  MeshKeys keys{
      file, file.text(), fields.number_or("scale", 1, positive), fields.flag_or("hull", false), {}};
  if (fields.has("corners")) {
    if (!keys.hull) fields["corners"].fail("'corners' goes with hull = true");
    keys.corners = fields["corners"].whole(4, most_corners);
  }
  return keys;
}

MeshKeys read_keys(const Value& value) {
  if (value.is_text()) return {value, value.text(), 1, false, {}};
  const Fields fields = value.table({"file", "scale", "hull", "corners"});
  return read_options(fields, fields["file"]);
}

std::string path_of(const MeshKeys& keys) { return keys.file.source().beside(keys.name).string(); }

[[noreturn]] void fail(const MeshKeys& keys, const std::string& what) {
  throw SceneError({path_of(keys)}, {}, what);
}

void refuse(const MeshKeys& keys, const std::optional<SurfaceFault>& fault) {
  if (fault) fail(keys, fault->text());
}

void remark(const MeshKeys& keys, const std::string& what) {
  if (!what.empty()) keys.file.source().remark(fmt::format("{}: {}", path_of(keys), what));
}

// The hull of the mesh, with what the two differ in.
Polytope<3> hull_of(const MeshKeys& keys, const TriangleSurface& surface) {
  if (surface.vertices.size() > most_points)
    fail(keys, fmt::format("has {} vertices; a body that moves is made of {} at most",
                           surface.vertices.size(), most_points));
  std::optional<Polytope<3>> hull = convex_hull<3>(surface.vertices, mesh_flatness);
  if (!hull) fail(keys, "is flat: its vertices span no volume");
  const std::size_t all = hull->vertices.size();
  const auto most = static_cast<std::size_t>(keys.corners.value_or(most_corners));
  if (all > most && !keys.corners)
    fail(keys, fmt::format("its hull has {} corners, more than {}: reduce them with hull = "
                           "true, corners = 100",
                           all, most));
  if (all <= most) return *hull;
  const double whole = mass_properties<3>(*hull).volume;
  hull = hull_of_few(hull->vertices, most);
  remark(keys, fmt::format("the hull of {} of its {} corners; its volume is {:.2g} % less",
                           hull->vertices.size(), all,
                           100 * (1 - mass_properties<3>(*hull).volume / whole)));
  return *hull;
}

Polytope<3> moving_solid(const MeshKeys& keys, TriangleSurface surface, SurfaceRepair repair) {
  refuse(keys, close(surface, repair));
  remark(keys, repair.text());
  const double volume = enclosed_volume(surface);
  const Polytope<3> hull = hull_of(keys, surface);
  const double excess = mass_properties<3>(hull).volume / volume - 1;
  if (keys.hull) {
    remark(keys, fmt::format("its hull holds {:.2g} % more than the mesh", 100 * excess));
  } else if (excess > accepted_excess) {
    fail(keys,
         fmt::format("is not convex: its hull holds {:.3g} % more, and at most {:g} % is accepted; "
                     "hull = true takes the hull",
                     100 * excess, 100 * accepted_excess));
  }
  return hull;
}

// Whether a surface as it faces bounds a convex solid.
bool is_convex(TriangleSurface surface) {
  SurfaceRepair repair;
  if (surface.vertices.size() > most_corners || close(surface, repair) || repair.inverted)
    return false;
  const std::optional<Polytope<3>> hull = convex_hull<3>(surface.vertices, mesh_flatness);
  return hull && mass_properties<3>(*hull).volume <=
                     (1 + accepted_excess_of_wall) * enclosed_volume(surface);
}

Shape<3> shape_of_mesh(const MeshKeys& keys, const std::string& text, MeshUse use) {
  TriangleSurface surface = parse_mesh(text, path_of(keys), keys.scale);
  SurfaceRepair repair;
  refuse(keys, mend(surface, repair));
  if (use == MeshUse::moving || keys.hull || is_convex(surface))
    return moving_solid(keys, std::move(surface), repair);
  remark(keys, repair.text());
  return triangle_mesh(std::move(surface.vertices), std::move(surface.triangles));
}

}  // namespace

Shape<3> read_mesh(const Value& value, MeshUse use) {
  const MeshKeys keys = read_keys(value);
  return shape_of_mesh(keys, keys.file.file_contents(), use);
}

const Keys& stone_keys() {
  static const Keys keys = {"folder", "scale", "hull", "corners", "overlap"};
  return keys;
}

std::vector<BodyDescription<3>> read_stones(const Fields& fields, const std::string& name) {
  const Value folder = fields["folder"];
  MeshKeys keys = read_options(fields, folder);
  const std::vector<std::string> files = folder.source().records_in(folder.text());
  if (files.empty()) folder.fail_value("is no folder with .stl or .obj files");
  std::vector<BodyDescription<3>> stones;
  for (const std::string& file : files) {
    keys.name = file;
    BodyDescription<3> stone;
    stone.name = name + "." + std::filesystem::path(file).stem().string();
    stone.shapes = {shape_of_mesh(keys, folder.source().record(file)->text, MeshUse::moving)};
    stones.push_back(std::move(stone));
  }
  const double allowed = fields.number_or("overlap", 0, non_negative);
  if (!(allowed > 0)) return stones;
  const PartedStones parted = part_overlaps(stones, allowed);
  const auto names = [&](const PartedPair& pair) {
    return fmt::format("'{}' and '{}'", stones[pair.a].name, stones[pair.b].name);
  };
  if (const PartedPair* const pair = parted.too_deep(allowed))
    fields["overlap"].fail(
        fmt::format("{} overlap by {:.3g} m, more than the {:g} m that are cut "
                    "away",
                    names(*pair), pair->depth, allowed));
  for (const PartedPair& pair : parted.pairs)
    folder.source().remark(fmt::format("{}: {} overlapped by {:.3g} m: cut apart, {:.3g} m³ less",
                                       fields.place().text(), names(pair), pair.depth,
                                       pair.volume));
  return stones;
}

Shape<3> read_heightfield(const Value& value) {
  const Value file = value.is_text() ? value : value.table({"file"})["file"];
  const HeightGrid grid = parse_heights(file.file_contents(), file.file_path().string());
  std::vector<Vec<3>> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int j = 0; j < grid.rows; ++j)
    for (int i = 0; i < grid.columns; ++i) {
      vertices.push_back(grid.point(i, j));
      if (i == 0 || j == 0) continue;
      const int here = j * grid.columns + i, west = here - 1, south = here - grid.columns;
      triangles.push_back({south - 1, south, here});
      triangles.push_back({south - 1, here, west});
    }
  return triangle_mesh(std::move(vertices), std::move(triangles));
}

}  // namespace talus
