// SPDX-License-Identifier: Apache-2.0
// Additional tables of a trajectory with emitters or outlets: the body of each row of a frame, what
// views show of it, the polygons of the frame, and the numbers of created and removed bodies.
// Frames are stored one after the other; their row counts are columns of /frames.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"
#include "engine/step/population.hpp"
#include "io/hdf5/hdf5_data.hpp"
#include "io/trajectory/surface.hpp"
#include "io/trajectory/view_layout.hpp"

namespace talus {

class PopulationColumns {
 public:
  // `all`: the bodies of the scene in the order of their indices.
  template <int D>
  void prepare(const Scene<D>& scene, const Bodies<D>& all, const DrawnShapes& drawn);

  void create(hid_t file, const ViewSizes& sizes);
  void open(hid_t file, const ViewSizes& sizes);
  void cut(std::int64_t frames, const ViewFrame& end);  // `end`: the first rows that are dropped

  // Prepares the next frame and completes its row counts.
  template <int D>
  void fill(const Bodies<D>& bodies, const PopulationState& population, const DrawnShapes& drawn,
            ViewFrame& rows);
  void append(const ViewFrame& rows);

  template <class F>
  void for_each_rows(F&& f) {
    for (hdf5::Rows* column : {&file_.body, &file_.diameter, &file_.radius, &file_.mass,
                               &file_.material, &file_.shape_type, &file_.fixed})
      f(*column);
    if (has_mesh_)
      for (hdf5::Rows* column : {&file_.polygons, &file_.polygon_offset, &file_.xdmf_topology,
                                 &file_.mesh_body, &file_.mesh_material, &file_.mesh_fixed})
        f(*column);
    for (hdf5::Rows& column : file_.counts) f(column);
    for (hdf5::Rows& column : file_.cells) f(column);
    if (emitters_ > 0) f(file_.born);
    if (outlets_ > 0) f(file_.removed), f(file_.removed_mass);
  }

 private:
  // per body
  std::vector<double> diameter_, radius_, mass_;
  std::vector<std::int32_t> material_;
  std::vector<std::uint8_t> shape_type_, fixed_;
  int emitters_ = 0, outlets_ = 0;
  bool has_mesh_ = false;

  // of the next frame
  struct {
    std::vector<std::int32_t> body, material;
    std::vector<double> diameter, radius, mass;
    std::vector<std::uint8_t> shape_type, fixed;
  } state_;
  struct {
    std::vector<std::int64_t> polygons, polygon_offset, xdmf_topology;
    std::vector<std::int32_t> body, material;
    std::vector<std::uint8_t> fixed;
  } mesh_;
  PopulationState population_;

  struct {
    hdf5::Rows body, diameter, radius, mass, material, shape_type, fixed;
    hdf5::Rows polygons, polygon_offset, xdmf_topology, mesh_body, mesh_material, mesh_fixed;
    hdf5::Rows born, removed, removed_mass;
    std::vector<hdf5::Rows> counts, cells;  // columns of /frames
  } file_;
};

}  // namespace talus
