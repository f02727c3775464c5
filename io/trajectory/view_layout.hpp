// SPDX-License-Identifier: Apache-2.0
// The views of a run for ParaView, and the datasets of the file that each of them shows. Both
// formats, VTKHDF and XDMF, are generated from these tables; a view is a block there.
//   bodies    a point per body; spheres are glyphs of `diameter`
//   mesh      surfaces of all other shapes of free bodies, in world coordinates
//   walls     surfaces of fixed and driven bodies
//   contacts  a point per contact that carries a force
//   chains    a line per contact from centre to centre: force chains
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "io/trajectory/run_names.hpp"

namespace talus {

inline constexpr std::array<std::string_view, 5> view_names = {"bodies", "mesh", "walls",
                                                               "contacts", "chains"};
inline constexpr std::array<std::string_view, 2> companion_endings = {"vtkhdf", "xmf2"};

// RUN.h5 → RUN.vtkhdf. ParaView goes by the extension: mu0.2 → mu0.2-views.vtkhdf.
inline std::filesystem::path companion(const std::filesystem::path& run, std::string_view ending) {
  return beside_run(
      run, run.extension() == ".h5" ? std::string(ending) : std::string("views.").append(ending));
}

enum class Number { f64, f32, i64, i32, u8 };

struct ViewArray {
  std::string_view name;
  std::string_view dataset;
  int components = 1;
  Number number = Number::f64;
  bool moving = true;  // one block of rows per frame; otherwise the same rows in all frames
};

inline constexpr ViewArray body_points = {"", "/state/position", 3};
inline constexpr ViewArray body_places = {"", "/state/place", 3};  // in a periodic cell
inline constexpr std::array body_arrays = {
    ViewArray{"velocity", "/state/velocity", 3},
    ViewArray{"angular_velocity", "/state/angular_velocity", 3},
    ViewArray{"orientation", "/state/orientation", 4},
    ViewArray{"diameter", "/bodies/diameter", 1, Number::f64, false},
    ViewArray{"radius", "/bodies/radius", 1, Number::f64, false},
    ViewArray{"mass", "/bodies/mass", 1, Number::f64, false},
    ViewArray{"id", "/bodies/id", 1, Number::i64, false},
    ViewArray{"material", "/bodies/material", 1, Number::i32, false},
    ViewArray{"shape_type", "/bodies/shape_type", 1, Number::u8, false},
    ViewArray{"fixed", "/bodies/fixed", 1, Number::u8, false},
};

// The same for scenes with emitters or outlets: a row per body present.
inline constexpr std::array varying_body_arrays = {
    ViewArray{"velocity", "/state/velocity", 3},
    ViewArray{"angular_velocity", "/state/angular_velocity", 3},
    ViewArray{"orientation", "/state/orientation", 4},
    ViewArray{"diameter", "/state/diameter"},
    ViewArray{"radius", "/state/radius"},
    ViewArray{"mass", "/state/mass"},
    ViewArray{"id", "/state/body", 1, Number::i32},
    ViewArray{"material", "/state/material", 1, Number::i32},
    ViewArray{"shape_type", "/state/shape_type", 1, Number::u8},
    ViewArray{"fixed", "/state/fixed", 1, Number::u8},
};

inline constexpr ViewArray mesh_points = {"", "/mesh/points", 3, Number::f32};
inline constexpr std::array mesh_arrays = {
    ViewArray{"velocity", "/mesh/velocity", 3, Number::f32},
    ViewArray{"body", "/mesh/body", 1, Number::i32, false},
    ViewArray{"material", "/mesh/material", 1, Number::i32, false},
    ViewArray{"fixed", "/mesh/fixed", 1, Number::u8, false},
};

// Walls are neither created nor removed: the same in all frames of every run.
inline constexpr ViewArray wall_points = {"", "/walls/points", 3, Number::f32};
inline constexpr std::array wall_arrays = {
    ViewArray{"velocity", "/walls/velocity", 3, Number::f32},
    ViewArray{"body", "/walls/body", 1, Number::i32, false},
    ViewArray{"material", "/walls/material", 1, Number::i32, false},
    ViewArray{"fixed", "/walls/fixed", 1, Number::u8, false},
};

inline constexpr std::array varying_mesh_arrays = {
    ViewArray{"velocity", "/mesh/velocity", 3, Number::f32},
    ViewArray{"body", "/mesh/body", 1, Number::i32},
    ViewArray{"material", "/mesh/material", 1, Number::i32},
    ViewArray{"fixed", "/mesh/fixed", 1, Number::u8},
};

inline constexpr ViewArray contact_points = {"", "/contacts/point", 3};
inline constexpr ViewArray chain_points = {"", "/contacts/chain_points", 3, Number::f32};
inline constexpr std::array contact_arrays = {
    ViewArray{"force", "/contacts/force", 3},
    ViewArray{"normal", "/contacts/normal", 3},
    ViewArray{"velocity", "/contacts/velocity", 3},
    ViewArray{"normal_force", "/contacts/normal_force"},
    ViewArray{"gap", "/contacts/gap"},
    ViewArray{"status", "/contacts/status", 1, Number::u8},
    ViewArray{"body_a", "/contacts/body_a", 1, Number::i32},
    ViewArray{"body_b", "/contacts/body_b", 1, Number::i32},
};

// Sizes of a run for the views. They hold for every frame unless there are emitters or outlets
// (`varies`).
struct ViewSizes {
  std::int64_t bodies = 0;
  std::int64_t mesh_vertices = 0, polygons = 0;  // 0 without a mesh
  std::int64_t corners = 0;                      // of the polygons
  bool varies = false;
  bool periodic = false;
  std::int64_t wall_vertices = 0, wall_polygons = 0, wall_corners = 0;

  std::int64_t topology() const { return 2 * polygons + corners; }  // its length in XDMF
  std::int64_t wall_topology() const { return 2 * wall_polygons + wall_corners; }

  const ViewArray& points_of_bodies() const { return periodic ? body_places : body_points; }
  bool has(std::string_view view) const {
    if (view == "mesh") return mesh_vertices > 0;
    return view != "walls" || wall_vertices > 0;
  }
};

// Rows of a frame in the tables of the run.
struct ViewFrame {
  double time = 0;
  std::int64_t body_row = 0, body_count = 0;
  std::int64_t mesh_row = 0, polygon_row = 0;
  std::int64_t contact_row = 0, contact_count = 0;
  std::int64_t mesh_count = 0, polygon_count = 0;
  // With emitters or outlets polygons have rows per frame; otherwise one block serves all frames.
  std::int64_t corner_row = 0, corner_count = 0;
  std::int64_t topology_row = 0, topology_count = 0;
  std::int64_t wall_row = 0, wall_polygon_row = 0;
  std::int64_t wall_count = 0, wall_polygon_count = 0;

  // First rows of the next frame.
  ViewFrame end() const {
    return {.body_row = body_row + body_count,
            .mesh_row = mesh_row + mesh_count,
            .polygon_row = polygon_row + polygon_count,
            .contact_row = contact_row + contact_count,
            .corner_row = corner_row + corner_count,
            .topology_row = topology_row + topology_count,
            .wall_row = wall_row + wall_count,
            .wall_polygon_row = wall_polygon_row + wall_polygon_count};
  }
};

inline void count_walls(const ViewSizes& sizes, ViewFrame& frame) {
  frame.wall_count = sizes.wall_vertices;
  frame.wall_polygon_count = sizes.wall_polygons;
}

// Sets the counts of a frame in which all bodies are present.
inline void count_all(const ViewSizes& sizes, ViewFrame& frame) {
  count_walls(sizes, frame);
  frame.body_count = sizes.bodies;
  frame.mesh_count = sizes.mesh_vertices;
  frame.polygon_count = sizes.polygons;
  frame.corner_row = frame.topology_row = 0;
  frame.corner_count = sizes.corners;
  frame.topology_count = sizes.topology();
}

}  // namespace talus
