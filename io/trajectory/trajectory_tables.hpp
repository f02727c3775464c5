// SPDX-License-Identifier: Apache-2.0
// The part of a trajectory file that is written once: parameters of the run, materials, bodies,
// shapes, and the constant part of the mesh.
#pragma once

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"
#include "io/hdf5/hdf5_data.hpp"
#include "io/trajectory/surface.hpp"
#include "io/trajectory/trajectory_writer.hpp"
#include "io/trajectory/view_layout.hpp"

namespace talus {

template <int D>
void write_run_tables(hid_t file, const Scene<D>& scene, const Bodies<D>& bodies,
                      const RunInfo& info, const DrawnShapes& drawn);

// Constant properties of bodies that views show.
struct BodyColumns {
  std::vector<std::uint8_t> shape_type;  // a ShapeType
  std::vector<std::uint8_t> fixed;       // 0 free, 1 fixed, 2 driven
  std::vector<double> radius, diameter;  // [m]
};
template <int D>
BodyColumns body_columns(const Scene<D>& scene, const Bodies<D>& bodies, const DrawnShapes& drawn);

ViewSizes view_sizes(const DrawnShapes& drawn, bool population_varies);

// Upper bound for the size that write_run_tables adds to the file [bytes].
template <int D>
std::uint64_t run_tables_bytes(const Scene<D>& scene, const Bodies<D>& bodies, const RunInfo& info,
                               const DrawnShapes& drawn);

}  // namespace talus
