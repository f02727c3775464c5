// The part of a trajectory file that is written once: how the run was made, materials, bodies,
// shapes, and what of the mesh does not move.
#pragma once

#include "engine/bodies.hpp"
#include "engine/scene.hpp"
#include "io/hdf5_data.hpp"
#include "io/surface.hpp"
#include "io/trajectory_writer.hpp"
#include "io/view_layout.hpp"

namespace talus {

template <int D>
void write_run_tables(hid_t file, const Scene<D>& scene, const Bodies<D>& bodies,
                      const RunInfo& info, const DrawnShapes& drawn);

// What views show of each body and does not change.
struct BodyColumns {
  std::vector<std::uint8_t> shape_type;  // a ShapeType
  std::vector<std::uint8_t> fixed;       // 0 free, 1 fixed, 2 driven
  std::vector<double> radius, diameter;  // [m]
};
template <int D>
BodyColumns body_columns(const Scene<D>& scene, const Bodies<D>& bodies, const DrawnShapes& drawn);

ViewSizes view_sizes(const DrawnShapes& drawn, bool population_varies);

// Upper bound for what write_run_tables adds to the file [bytes].
template <int D>
std::uint64_t run_tables_bytes(const Scene<D>& scene, const Bodies<D>& bodies, const RunInfo& info,
                               const DrawnShapes& drawn);

}  // namespace talus
