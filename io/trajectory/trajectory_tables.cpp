// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/trajectory_tables.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <Eigen/Eigenvalues>
#include <ctime>

#include "io/text/version.hpp"
#include "io/trajectory/format_version.hpp"
#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

namespace {

using hdf5::create_group;
using hdf5::Handle;
using hdf5::write_attribute;
using hdf5::write_table;
using hdf5::write_text_attribute;

void write_format(hid_t file, int dimension, const std::string& commit) {
  write_text_attribute(file, "format", "granular-trajectory");
  write_attribute(file, "format_version", std::vector<std::int32_t>{format_major, format_minor});
  write_text_attribute(file, "units", "SI");
  write_attribute(file, "dim", std::int32_t{dimension});
  write_text_attribute(file, "creator", "talus");
  write_text_attribute(file, "creator_version", version());
  write_text_attribute(file, "creator_commit", commit);
  write_text_attribute(file, "created",
                       fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))));
  write_attribute(file, "complete", std::int8_t{0});
}

// Writes the bytes of the files, numbered from 0, with their names as attributes.
void write_records(hid_t meta, const std::vector<SceneRecord>& records) {
  const Handle group = create_group(meta, "records");
  for (std::size_t k = 0; k < records.size(); ++k) {
    const std::string& text = records[k].text;
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    const Handle record = write_table<std::uint8_t>(group, fmt::format("{:06}", k), bytes);
    write_text_attribute(record, "name", records[k].name);
  }
}

template <int D>
void write_meta(hid_t file, const Scene<D>& scene, const RunInfo& info) {
  const Handle meta = create_group(file, "/meta");
  hdf5::write_text(meta, "scene", info.scene_text);
  hdf5::write_text(meta, "command_line", info.command_line);
  hdf5::write_texts(meta, "overrides", info.overrides);
  write_records(meta, info.records);
  write_text_attribute(meta, "scene_file", info.scene_file);
  write_attribute(meta, "scene_hash", info.scene_id);
  write_text_attribute(meta, "title", scene.title);
  write_attribute(meta, "dt", scene.h);
  write_attribute(meta, "theta", scene.theta);
  write_attribute(meta, "end", scene.end);
  write_attribute(meta, "checkpoint_step", no_checkpoint);
  write_attribute(meta, "save_every", std::int64_t{scene.save_every});
  const Vec<3> gravity = in_space<D>(scene.gravity);
  write_attribute(meta, "gravity", std::vector<double>(gravity.data(), gravity.data() + 3));
  constexpr const char* dynamics[] = {"second-order", "sweeping", "lazy-selector"};
  write_text_attribute(meta, "dynamics", dynamics[static_cast<std::size_t>(scene.dynamics)]);
  write_text_attribute(meta, "contact",
                       scene.contact_rule == ContactRule::moreau ? "moreau" : "lookahead");
  write_attribute(meta, "correct_drift", static_cast<std::int8_t>(scene.correct_drift));
  write_attribute(meta, "allowed_overlap", scene.allowed_overlap);
  write_attribute(meta, "penetration_limit", scene.certificate.penetration);
  write_attribute(meta, "energy_gain_limit", scene.certificate.energy_gain);
  write_text_attribute(meta, "solver", info.solver);
  write_attribute(meta, "tolerance", scene.solver.tolerance);
  write_attribute(meta, "max_iterations", std::int64_t{scene.solver.max_sweeps});
  // Those of a steered run are counted as one.
  write_attribute(meta, "applied_forces",
                  static_cast<std::int64_t>(scene.forces.size()) + (info.steered ? 1 : 0));
  write_attribute(meta, "springs", static_cast<std::int64_t>(scene.springs.size()));
  write_attribute(meta, "joints", static_cast<std::int64_t>(scene.joints.size()));
  write_attribute(meta, "emitters", static_cast<std::int64_t>(scene.emitters.size()));
  write_attribute(meta, "outlets", static_cast<std::int64_t>(scene.outlets.size()));
  write_attribute(meta, "threads", std::int64_t{info.threads});
  write_attribute(meta, "ranks", std::int64_t{1});
  const Handle dependencies = create_group(meta, "dependencies");
  for (const auto& [name, number] : dependency_versions())
    write_text_attribute(dependencies, name, number);
}

template <int D>
void write_materials(hid_t file, const Scene<D>& scene) {
  const Handle group = create_group(file, "/materials");
  const int count = static_cast<int>(scene.materials.size());
  std::vector<std::string> name;
  std::vector<double> density, friction, restitution, tangential_restitution, adhesion, range,
      rolling, spinning, tension, cohesion, bond_friction, fracture_energy;
  for (int i = 0; i < count; ++i) {
    const Material& material = scene.materials[static_cast<std::size_t>(i)];
    name.push_back(material.name);
    density.push_back(material.density);
    for (int j = 0; j < count; ++j) {
      const ContactLaw& law = scene.laws(i, j);
      friction.push_back(law.friction);
      restitution.push_back(law.restitution);
      tangential_restitution.push_back(law.tangential_restitution);
      adhesion.push_back(law.adhesion);
      range.push_back(law.range);
      rolling.push_back(law.rolling_friction);
      spinning.push_back(law.spinning_friction);
      tension.push_back(law.bond.tension);
      cohesion.push_back(law.bond.cohesion);
      bond_friction.push_back(law.bond.friction);
      fracture_energy.push_back(law.bond.fracture_energy);
    }
  }
  hdf5::write_texts(group, "name", name);
  write_table<double>(group, "density", density);
  write_table<double>(group, "friction", friction, count);
  write_table<double>(group, "restitution", restitution, count);
  write_table<double>(group, "tangential_restitution", tangential_restitution, count);
  write_table<double>(group, "adhesion", adhesion, count);
  write_table<double>(group, "adhesion_range", range, count);
  write_table<double>(group, "rolling_friction", rolling, count);
  write_table<double>(group, "spinning_friction", spinning, count);
  write_table<double>(group, "bond_tension", tension, count);
  write_table<double>(group, "bond_cohesion", cohesion, count);
  write_table<double>(group, "bond_friction", bond_friction, count);
  write_table<double>(group, "bond_fracture_energy", fracture_energy, count);
}

template <int D>
ShapeType shape_type(const Geometry<D>& geometry) {
  if (geometry.shapes.size() != 1) return ShapeType::compound;
  switch (geometry.shapes.front().index()) {
    case 0:
      return geometry.ball_radius > 0 ? ShapeType::sphere : ShapeType::compound;
    case 1:
      return ShapeType::capsule;
    case 2:
      return ShapeType::polytope;
    case 3:
      return ShapeType::half_space;
    default:
      return ShapeType::mesh;
  }
}

// Principal moments, and the rotation from principal to body axes. In the plane only the moment
// about z means anything.
template <int D>
void principal(const SpinMat<D>& inertia, Vec<3>& moments, Eigen::Quaterniond& axes) {
  axes.setIdentity();
  if constexpr (D == 2) {
    moments = {0, 0, inertia(0, 0)};
  } else {
    moments = inertia.diagonal();
    if (inertia.isDiagonal(0)) return;  // principal already: keep the axes the user knows
    const Eigen::SelfAdjointEigenSolver<Mat<3>> solver(inertia);
    moments = solver.eigenvalues();
    Mat<3> rotation = solver.eigenvectors();
    if (rotation.determinant() < 0) rotation.col(0) = -rotation.col(0);
    axes = Eigen::Quaterniond(rotation).normalized();
  }
}

double surface_radius(const Surface& surface) {
  double squared = 0;
  for (const Vec<3>& vertex : surface.vertices) squared = std::max(squared, vertex.squaredNorm());
  return std::sqrt(squared);
}

template <int D>
std::vector<std::uint8_t> fixed_column(const Scene<D>& scene, const Bodies<D>& bodies) {
  std::vector<std::uint8_t> fixed(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (!bodies.moves_freely(i)) fixed[i] = description<D>(scene, i).drives.empty() ? 1 : 2;
  return fixed;
}

template <int D>
void write_bodies(hid_t file, const Scene<D>& scene, const Bodies<D>& bodies,
                  const DrawnShapes& drawn) {
  const std::size_t n = bodies.size();
  std::vector<std::int64_t> id(n);
  std::vector<std::string> name(n);
  std::vector<double> inertia(3 * n), axes(4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    id[i] = static_cast<std::int64_t>(i);
    name[i] = description<D>(scene, i).name;
    Vec<3> moments;
    Eigen::Quaterniond rotation;
    principal<D>(bodies.inertia[i], moments, rotation);
    for (std::size_t k = 0; k < 3; ++k) inertia[3 * i + k] = moments[static_cast<long>(k)];
    axes[4 * i] = rotation.w();
    for (std::size_t k = 0; k < 3; ++k) axes[4 * i + 1 + k] = rotation.vec()[static_cast<long>(k)];
  }
  const BodyColumns columns = body_columns<D>(scene, bodies, drawn);
  const Handle group = create_group(file, "/bodies");
  write_table<std::int64_t>(group, "id", id);
  hdf5::write_texts(group, "name", name);
  const Handle type_table = write_table<std::uint8_t>(group, "shape_type", columns.shape_type);
  write_text_attribute(
      type_table, "values",
      "0 sphere or disk, 1 polyhedron or polygon, 2 capsule, 3 compound, 4 half-space");
  write_table<std::int32_t>(group, "shape", drawn.surface_of);
  write_table<std::int32_t>(group, "material", bodies.material);
  const Handle fixed = write_table<std::uint8_t>(group, "fixed", columns.fixed);
  write_text_attribute(fixed, "values", "0 free, 1 fixed, 2 driven");
  write_text_attribute(write_table<double>(group, "mass", bodies.mass), "unit", "kg");
  write_text_attribute(write_table<double>(group, "inertia", inertia, 3), "unit", "kg m^2");
  const Handle axes_table = write_table<double>(group, "inertia_axes", axes, 4);
  write_text_attribute(axes_table, "convention", "w x y z, principal axes to body axes");
  write_text_attribute(write_table<double>(group, "radius", columns.radius), "unit", "m");
  write_text_attribute(write_table<double>(group, "diameter", columns.diameter), "unit", "m");
}

template <int D>
const char* kind_name(JointKind kind) {
  switch (kind) {
    case JointKind::pin:
      return D == 2 ? "pin" : "ball";
    case JointKind::hinge:
      return "hinge";
    case JointKind::slider:
      return "slider";
    case JointKind::cylindrical:
      return "cylindrical";
    case JointKind::slot:
      return "slot";
    case JointKind::fixed:
      return "fixed";
    case JointKind::distance:
      return "distance";
    case JointKind::rope:
      break;
  }
  return "rope";
}

template <int D>
void write_joints(hid_t file, const Scene<D>& scene) {
  if (scene.joints.empty()) return;
  std::vector<std::string> name, kind;
  std::vector<std::int32_t> a, b;
  for (const Joint<D>& joint : scene.joints) {
    name.push_back(joint.name);
    kind.push_back(kind_name<D>(joint.kind));
    a.push_back(joint.a);
    b.push_back(joint.b);
  }
  const Handle group = create_group(file, "/joints");
  hdf5::write_texts(group, "name", name);
  hdf5::write_texts(group, "kind", kind);
  write_table<std::int32_t>(group, "body_a", a);
  write_table<std::int32_t>(group, "body_b", b);
}

// Names of emitters and outlets, and the bodies of each emitter, which are contiguous.
template <int D>
void write_population(hid_t file, const Scene<D>& scene) {
  if (!scene.population_varies()) return;
  const Handle group = create_group(file, "/population");
  std::vector<std::string> emitters, outlets;
  std::vector<std::int64_t> first = {static_cast<std::int64_t>(scene.bodies.size())};
  for (const Emitter<D>& emitter : scene.emitters) {
    emitters.push_back(emitter.name);
    first.push_back(first.back() + static_cast<std::int64_t>(emitter.grains.size()));
  }
  for (const Outlet<D>& outlet : scene.outlets) outlets.push_back(outlet.name);
  hdf5::write_texts(group, "emitter", emitters);
  write_table<std::int64_t>(group, "emitter_body", first);
  hdf5::write_texts(group, "outlet", outlets);
}

template <int D>
void append_point(std::vector<double>& values, const Vec<D>& point) {
  const Vec<3> p = in_space<D>(point);
  values.insert(values.end(), p.data(), p.data() + 3);
}

template <int D>
std::vector<double> parameters(const Shape<D>& shape) {
  std::vector<double> values;
  if (const auto* ball = std::get_if<Ball<D>>(&shape)) {
    append_point<D>(values, ball->centre);
    values.push_back(ball->radius);
  } else if (const auto* capsule = std::get_if<Capsule<D>>(&shape)) {
    for (const Vec<D>& end : capsule->ends) append_point<D>(values, end);
    values.push_back(capsule->radius);
  } else if (const auto* half_space = std::get_if<HalfSpace<D>>(&shape)) {
    append_point<D>(values, half_space->normal);
    values.push_back(half_space->offset);
  }
  values.resize(parameters_per_part);  // see StoredPart
  return values;
}

template <int D>
std::uint8_t part_type(const Shape<D>& shape) {
  constexpr ShapeType types[] = {ShapeType::sphere, ShapeType::capsule, ShapeType::polytope,
                                 ShapeType::half_space, ShapeType::mesh};
  return static_cast<std::uint8_t>(types[shape.index()]);
}

template <int D>
void write_shapes(hid_t file, const Bodies<D>& bodies, const DrawnShapes& drawn) {
  std::vector<int> body_with(drawn.surfaces.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (drawn.surface_of[i] >= 0)
      body_with[static_cast<std::size_t>(drawn.surface_of[i])] = static_cast<int>(i);

  std::vector<double> vertices, part_parameters;
  std::vector<std::int64_t> vertex_offset = {0}, connectivity, face_offset = {0},
                            shape_face_offset = {0}, part_offset = {0}, part_vertex = {};
  std::vector<std::uint8_t> part_types;
  for (std::size_t s = 0; s < drawn.surfaces.size(); ++s) {
    const Surface& surface = drawn.surfaces[s];
    const std::int64_t first_vertex = vertex_offset.back();
    const auto first_corner = static_cast<std::int64_t>(connectivity.size());
    for (const Vec<3>& vertex : surface.vertices) append_point<3>(vertices, vertex);
    connectivity.insert(connectivity.end(), surface.corner.begin(), surface.corner.end());
    for (std::size_t k = 0; k < surface.polygons(); ++k)
      face_offset.push_back(first_corner + surface.start[k + 1]);
    vertex_offset.push_back(first_vertex + static_cast<std::int64_t>(surface.vertices.size()));
    shape_face_offset.push_back(static_cast<std::int64_t>(face_offset.size()) - 1);

    const auto& shapes = bodies.geometry_of(static_cast<std::size_t>(body_with[s])).shapes;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      part_types.push_back(part_type<D>(shapes[k]));
      const std::vector<double> values = parameters<D>(shapes[k]);
      part_parameters.insert(part_parameters.end(), values.begin(), values.end());
      part_vertex.push_back(first_vertex + surface.part_start[k]);
    }
    part_offset.push_back(static_cast<std::int64_t>(part_types.size()));
  }
  part_vertex.push_back(vertex_offset.back());

  const Handle group = create_group(file, "/shapes");
  write_text_attribute(write_table<double>(group, "vertices", vertices, 3), "unit", "m");
  write_table<std::int64_t>(group, "vertex_offset", vertex_offset);
  write_table<std::int64_t>(group, "face_connectivity", connectivity);
  write_table<std::int64_t>(group, "face_offset", face_offset);
  write_table<std::int64_t>(group, "shape_face_offset", shape_face_offset);
  write_table<std::int64_t>(group, "part_offset", part_offset);
  write_table<std::uint8_t>(group, "part_type", part_types);
  write_table<std::int64_t>(group, "part_vertex", part_vertex);
  const Handle table = write_table<double>(group, "part_parameters", part_parameters,
                                           static_cast<int>(parameters_per_part));
  write_text_attribute(
      table, "values",
      "sphere: centre, radius; capsule: two ends, radius; half-space: normal, offset");
}

// Polygons of the bodies of a part, numbered consecutively. The XDMF form of a polygon is 3, its
// number of corners, and the corners.
template <int D>
void write_mesh_topology(hid_t file, const Scene<D>& scene, const Bodies<D>& bodies,
                         const DrawnShapes& drawn, Drawn part) {
  const std::vector<std::uint8_t> fixed_body = fixed_column(scene, bodies);
  std::vector<std::int64_t> polygons, offset = {0}, xdmf;
  std::vector<std::int32_t> body, material;
  std::vector<std::uint8_t> fixed;
  std::int64_t first_vertex = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const int number = drawn.surface(i, part);
    if (number < 0) continue;
    const Surface& surface = drawn.surfaces[static_cast<std::size_t>(number)];
    for (std::size_t k = 0; k < surface.polygons(); ++k) {
      xdmf.push_back(3);
      xdmf.push_back(surface.start[k + 1] - surface.start[k]);
      for (int c = surface.start[k]; c < surface.start[k + 1]; ++c) {
        polygons.push_back(first_vertex + surface.corner[static_cast<std::size_t>(c)]);
        xdmf.push_back(polygons.back());
      }
      offset.push_back(static_cast<std::int64_t>(polygons.size()));
      body.push_back(static_cast<std::int32_t>(i));
      material.push_back(bodies.material[i]);
      fixed.push_back(fixed_body[i]);
    }
    first_vertex += static_cast<std::int64_t>(surface.vertices.size());
  }
  if (first_vertex == 0) return;
  const Handle group = create_group(file, part == Drawn::mesh ? "/mesh" : "/walls");
  write_attribute(group, "vertices", first_vertex);
  if (part == Drawn::mesh && scene.population_varies()) {  // every frame has its own polygons
    write_attribute(group, "polygons", static_cast<std::int64_t>(body.size()));
    write_attribute(group, "corners", static_cast<std::int64_t>(polygons.size()));
    return;
  }
  write_table<std::int64_t>(group, "polygons", polygons);
  write_table<std::int64_t>(group, "polygon_offset", offset);
  write_table<std::int64_t>(group, "xdmf_topology", xdmf);
  write_table<std::int32_t>(group, "body", body);
  write_table<std::int32_t>(group, "material", material);
  write_table<std::uint8_t>(group, "fixed", fixed);
}

}  // namespace

template <int D>
BodyColumns body_columns(const Scene<D>& scene, const Bodies<D>& bodies, const DrawnShapes& drawn) {
  BodyColumns columns;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Geometry<D>& geometry = bodies.geometry_of(i);
    columns.shape_type.push_back(static_cast<std::uint8_t>(shape_type(geometry)));
    // A half-space is infinite; the radius of its drawn plate keeps the column finite.
    columns.radius.push_back(
        std::isfinite(geometry.bounding_radius)
            ? geometry.bounding_radius
            : surface_radius(drawn.surfaces[static_cast<std::size_t>(drawn.surface_of[i])]));
    columns.diameter.push_back(2 * geometry.ball_radius);
  }
  columns.fixed = fixed_column<D>(scene, bodies);
  return columns;
}

ViewSizes view_sizes(const DrawnShapes& drawn, bool population_varies) {
  ViewSizes sizes;
  sizes.varies = population_varies;
  sizes.bodies = static_cast<std::int64_t>(drawn.surface_of.size());
  for (std::size_t i = 0; i < drawn.surface_of.size(); ++i) {
    if (drawn.surface_of[i] < 0) continue;
    const Surface& surface = drawn.surfaces[static_cast<std::size_t>(drawn.surface_of[i])];
    const bool wall = drawn.is_wall[i] != 0;
    (wall ? sizes.wall_vertices : sizes.mesh_vertices) +=
        static_cast<std::int64_t>(surface.vertices.size());
    (wall ? sizes.wall_polygons : sizes.polygons) += static_cast<std::int64_t>(surface.polygons());
    (wall ? sizes.wall_corners : sizes.corners) += static_cast<std::int64_t>(surface.corner.size());
  }
  return sizes;
}

template <int D>
void write_run_tables(hid_t file, const Scene<D>& scene, const Bodies<D>& bodies,
                      const RunInfo& info, const DrawnShapes& drawn) {
  write_format(file, D, info.commit);
  write_meta<D>(file, scene, info);
  write_materials<D>(file, scene);
  write_bodies<D>(file, scene, bodies, drawn);
  write_joints<D>(file, scene);
  write_population<D>(file, scene);
  write_shapes<D>(file, bodies, drawn);
  write_mesh_topology<D>(file, scene, bodies, drawn, Drawn::mesh);
  write_mesh_topology<D>(file, scene, bodies, drawn, Drawn::walls);
}

template <int D>
std::uint64_t run_tables_bytes(const Scene<D>& scene, const Bodies<D>& bodies, const RunInfo& info,
                               const DrawnShapes& drawn) {
  constexpr std::uint64_t per_body = 256, per_joint = 128, per_polygon = 32, per_vertex = 48,
                          groups = 1u << 20;
  std::uint64_t shape_vertices = 0;
  for (const Surface& surface : drawn.surfaces) shape_vertices += surface.vertices.size();
  const ViewSizes sizes = view_sizes(drawn, scene.population_varies());
  std::uint64_t records = 0;
  for (const SceneRecord& record : info.records) records += 1024 + record.text.size();
  return groups + records + info.scene_text.size() + per_body * bodies.size() +
         per_joint * scene.joints.size() + per_vertex * shape_vertices +
         per_polygon * static_cast<std::uint64_t>(sizes.polygons + sizes.wall_polygons) +
         16 * static_cast<std::uint64_t>(sizes.topology() + sizes.wall_topology());
}

#define TALUS_INSTANTIATE(D)                                                                    \
  template void write_run_tables<D>(hid_t, const Scene<D>&, const Bodies<D>&, const RunInfo&,   \
                                    const DrawnShapes&);                                        \
  template BodyColumns body_columns<D>(const Scene<D>&, const Bodies<D>&, const DrawnShapes&);  \
  template std::uint64_t run_tables_bytes<D>(const Scene<D>&, const Bodies<D>&, const RunInfo&, \
                                             const DrawnShapes&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
