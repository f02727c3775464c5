// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_forces.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/geometry/flat_face.hpp"
#include "io/scene/body_names.hpp"
#include "io/scene/scene_motion.hpp"

namespace talus {

namespace {

// The force without its body and, for a pressure, without area and point.
template <int D>
AppliedForce<D> read_force(const Fields& fields) {
  AppliedForce<D> applied;
  const std::string_view kind = fields.one_of({"force", "torque", "pressure"});
  if (kind == "force") {
    for (const char* key : {"axis", "face"})
      if (fields.has(key)) fields[key].fail("'force' goes with 'direction'");
    applied.direction = fields["direction"].template direction<D>();
    applied.point = fields.vector_or<D>("point", Vec<D>::Zero());
  } else {
    for (const char* key : {"direction", "point"})
      if (fields.has(key)) fields[key].fail(fmt::format("a {} has no '{}'", kind, key));
    if (kind == "torque") {
      if (fields.has("face")) fields["face"].fail("a torque has no 'face'");
      applied.axis = read_axis<D>(fields);
    } else {
      if (fields.has("axis")) fields["axis"].fail("a pressure has no 'axis'");
      applied.direction = -fields["face"].template direction<D>();
    }
  }
  applied.signal = read_signal(fields[kind]);
  return applied;
}

template <int D>
void put_on_face(const Value& face, const BodyDescription<D>& body, AppliedForce<D>& pressure) {
  const auto found = flat_face<D>(body.shapes, -pressure.direction);
  if (!found)
    face.fail_value(fmt::format("is the outward normal of no flat face of body '{}'", body.name));
  pressure.area = found->area;
  pressure.point = found->centre;
}

}  // namespace

template <int D>
std::vector<AppliedForce<D>> read_forces(const std::vector<Value>& entries, const Scene<D>& scene) {
  std::vector<AppliedForce<D>> forces;
  int k = 0;
  for (const Value& entry : entries) {
    const Fields fields =
        entry.table(fmt::format("force {}", k++),
                    {"body", "direction", "force", "point", "axis", "torque", "pressure", "face"});
    if (!scene.has_inertia())
      fields.fail("a force needs dynamics = \"second-order\": a sweeping process has no forces");
    std::vector<int> bodies = find_bodies<D>(fields["body"], scene);
    std::erase_if(bodies, [&](int i) {
      const BodyDescription<D>& body = scene.bodies[static_cast<std::size_t>(i)];
      return body.fixed || !body.drives.empty();
    });
    if (bodies.empty()) fields["body"].fail_value("is fixed or driven: a force on it does nothing");
    const AppliedForce<D> applied = read_force<D>(fields);
    for (const int body : bodies) {
      forces.push_back(applied);
      forces.back().body = body;
      if (fields.has("pressure"))
        put_on_face<D>(fields["face"], scene.bodies[static_cast<std::size_t>(body)], forces.back());
    }
  }
  return forces;
}

template std::vector<AppliedForce<2>> read_forces<2>(const std::vector<Value>&, const Scene<2>&);
template std::vector<AppliedForce<3>> read_forces<3>(const std::vector<Value>&, const Scene<3>&);

}  // namespace talus
