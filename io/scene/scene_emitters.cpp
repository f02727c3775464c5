// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_emitters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/build/free_place.hpp"
#include "engine/build/random.hpp"
#include "io/scene/scene_motion.hpp"
#include "io/scene/scene_packing.hpp"
#include "io/scene/scene_shapes.hpp"

namespace talus {

namespace {

template <int D>
Zone<D> read_place(const Fields& fields, Region<D> region) {
  return {std::move(region), fields.vector_or<D>("position", Vec<D>::Zero()),
          fields.has("rotation") ? read_rotation<D>(fields["rotation"]) : Orientation<D>{}};
}

// When its grains are due.
struct Schedule {
  double start = 0, end = 0;  // [s]
  double rate = 0;            // [1/s], or
  double mass_rate = 0;       // [kg/s]
};

Schedule read_schedule(const Fields& fields, double scene_end) {
  Schedule schedule;
  if (fields.one_of({"rate", "mass_rate"}) == "rate")
    schedule.rate = fields["rate"].number(positive);
  else
    schedule.mass_rate = fields["mass_rate"].number(positive);
  schedule.start = fields.number_or("start", 0, non_negative);
  schedule.end = fields.number_or("end", scene_end, non_negative);
  if (!(schedule.start < schedule.end)) {
    if (fields.has("end"))
      fields["end"].fail_value(fmt::format("is not after its start at {} s", schedule.start));
    fields["start"].fail_value(fmt::format("is not before the end of the scene, {} s", scene_end));
  }
  return schedule;
}

// Corners of the bounding box of the region of a zone, in world coordinates.
template <int D>
std::vector<Vec<D>> corners_of(const Zone<D>& zone) {
  std::vector<Vec<D>> corners;
  for (int k = 0; k < 1 << D; ++k) {
    Vec<D> x;
    for (int axis = 0; axis < D; ++axis)
      x[axis] = k >> axis & 1 ? zone.region.high[axis] : zone.region.low[axis];
    corners.push_back(zone.position + rotation_matrix<D>(zone.rotation) * x);
  }
  return corners;
}

template <int D>
bool holds_all(const Zone<D>& zone, const std::vector<Vec<D>>& points) {
  return std::all_of(points.begin(), points.end(),
                     [&](const Vec<D>& x) { return holds<D>(zone, x); });
}

}  // namespace

Keys emitter_keys() {
  return {"name", "material",  "position", "rotation", "region", "radius",   "grain", "seed",
          "rate", "mass_rate", "count",    "start",    "end",    "velocity", "spin"};
}

Keys outlet_keys() { return {"name", "position", "rotation", "region", "halfspace"}; }

template <int D>
Emitter<D> read_emitter(const Fields& fields, const std::string& name, int material,
                        const std::vector<Material>& materials, double scene_end,
                        std::size_t most_grains) {
  Emitter<D> emitter;
  emitter.name = name;
  emitter.zone = read_place<D>(fields, read_region<D>(fields["region"]));
  emitter.seed = read_seed(fields);
  const Sizes sizes = read_sizes(fields["radius"]);
  const double width = (emitter.zone.region.high - emitter.zone.region.low).minCoeff();
  if (2 * largest(sizes) > width) {
    fields["region"].fail(fmt::format("a grain of radius {} m does not fit into a width of {} m",
                                      largest(sizes), width));
  }
  const GrainKind kind = fields.has("grain") ? read_grain(fields["grain"]) : GrainKind{};
  const Schedule schedule = read_schedule(fields, scene_end);
  const double density = materials[static_cast<std::size_t>(material)].density;
  if (!(density > 0))
    fields.fail(fmt::format("no mass: add 'density' to material '{}'",
                            materials[static_cast<std::size_t>(material)].name));
  double count = std::numeric_limits<double>::infinity();
  if (fields.has("count")) count = fields["count"].whole(1, 1'000'000'000);
  const double seconds = schedule.end - schedule.start;
  if (schedule.rate > 0) count = std::min(count, std::ceil(schedule.rate * seconds - 1e-9));
  const double heaviest = density * mass_properties<D>(Shape<D>(Ball<D>{largest(sizes)})).volume;
  const double at_least =
      schedule.rate > 0 ? count : std::min(count, schedule.mass_rate * seconds / heaviest);
  const auto refuse_more = [&](double asked) {
    if (asked > static_cast<double>(most_grains))
      fields.fail(fmt::format("asks for {:g} bodies or more; there is room for {} in a scene",
                              asked, most_grains));
  };
  refuse_more(at_least);

  BodyDescription<D> grain;
  grain.material = material;
  grain.position = emitter.zone.position;
  grain.velocity = fields.vector_or<D>("velocity", Vec<D>::Zero());
  if (fields.has("spin")) grain.spin = read_spin<D>(fields["spin"]);
  Random random(emitter.seed);
  double mass = 0;  // of the grains so far
  for (double k = 0; k < count; ++k) {
    const double due = schedule.rate > 0 ? schedule.start + k / schedule.rate
                                         : schedule.start + mass / schedule.mass_rate;
    if (!(due < schedule.end)) break;
    refuse_more(k + 1);
    grain.name = fmt::format("{}.{}", name, emitter.grains.size());
    grain.shapes = {draw_grain<D>(sizes, kind, random).shape};
    const double grain_mass = density * mass_properties<D>(grain.shapes).volume;
    if (!(grain_mass > 1e-200 && grain_mass < 1e200))
      fields.fail(fmt::format("cannot compute with a mass of {:g} kg", grain_mass));
    mass += grain_mass;
    emitter.grains.push_back(grain);
    emitter.due.push_back(due);
  }
  return emitter;
}

template <int D>
Outlet<D> read_outlet(const Fields& fields, const std::string& name) {
  const bool plane = fields.one_of({"region", "halfspace"}) == "halfspace";
  return {name, read_place<D>(fields, plane ? half_space_region<D>(
                                                  fields["halfspace"].template direction<D>())
                                            : read_region<D>(fields["region"]))};
}

template <int D>
void refuse_outlet_of_all(const Fields& fields, const Outlet<D>& outlet, const Scene<D>& scene) {
  for (const Emitter<D>& emitter : scene.emitters) {
    if (holds_all<D>(outlet.zone, corners_of<D>(emitter.zone)))
      fields.fail(fmt::format("all of emitter '{}' lies in it", emitter.name));
  }
  std::vector<Vec<D>> centres;
  for (const BodyDescription<D>& body : scene.bodies)
    if (!body.fixed && body.drives.empty()) centres.push_back(body.position);
  if (!centres.empty() && holds_all<D>(outlet.zone, centres))
    fields.fail("all bodies that can move lie in it at the start");
}

#define TALUS_INSTANTIATE(D)                                                              \
  template Emitter<D> read_emitter<D>(const Fields&, const std::string&, int,             \
                                      const std::vector<Material>&, double, std::size_t); \
  template Outlet<D> read_outlet<D>(const Fields&, const std::string&);                   \
  template void refuse_outlet_of_all<D>(const Fields&, const Outlet<D>&, const Scene<D>&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
