// What a trajectory holds beside the usual where bodies come and go: whose the rows of a frame are,
// what a view shows of each, the polygons of the frame, and how many came and went. Rows of frames
// follow each other; their numbers are columns of /frames.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/bodies.hpp"
#include "engine/population.hpp"
#include "engine/scene.hpp"
#include "io/hdf5_data.hpp"
#include "io/surface.hpp"
#include "io/view_layout.hpp"

namespace talus {

class PopulationColumns {
 public:
  // `all` bodies of the scene in the order of their numbers.
  template <int D>
  void prepare(const Scene<D>& scene, const Bodies<D>& all, const DrawnShapes& drawn);

  void create(hid_t file, const ViewSizes& sizes);
  void open(hid_t file, const ViewSizes& sizes);
  void cut(std::int64_t frames, const ViewFrame& end);  // whose rows are the first not to be kept

  // What the next frame will hold; completes its numbers of rows.
  template <int D>
  void fill(const Bodies<D>& bodies, const PopulationState& population, const DrawnShapes& drawn,
            ViewFrame& rows);
  void append(const ViewFrame& rows);
  std::uint64_t bytes() const;  // of what fill made ready

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
