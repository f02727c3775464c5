// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_joints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/scene/scene_motion.hpp"

namespace talus {

namespace {

// Tolerance for anchors that should coincide, relative to the distances in the joint.
constexpr double fit = 1e-9;

struct KindName {
  std::string_view name;
  JointKind kind;
};

template <int D>
std::vector<KindName> kind_names() {
  if constexpr (D == 2) {
    return {{"pin", JointKind::pin},           {"slider", JointKind::slider},
            {"slot", JointKind::slot},         {"fixed", JointKind::fixed},
            {"distance", JointKind::distance}, {"rope", JointKind::rope}};
  } else {
    return {{"ball", JointKind::pin},          {"hinge", JointKind::hinge},
            {"slider", JointKind::slider},     {"cylindrical", JointKind::cylindrical},
            {"slot", JointKind::slot},         {"fixed", JointKind::fixed},
            {"distance", JointKind::distance}, {"rope", JointKind::rope}};
  }
}

bool spans(JointKind kind) { return kind == JointKind::distance || kind == JointKind::rope; }

bool has_axis(JointKind kind) {
  return kind == JointKind::hinge || kind == JointKind::slider || kind == JointKind::cylindrical ||
         kind == JointKind::slot;
}

// Reads one joint.
template <int D>
class JointReader {
 public:
  JointReader(const Fields& fields, const Scene<D>& scene) : fields_(fields), scene_(scene) {}

  Joint<D> read(std::string name, const std::function<int(const Value&)>& find_body) {
    joint_.name = std::move(name);
    read_kind();
    read_bodies(find_body);
    if (spans(joint_.kind)) {
      read_span();
    } else {
      read_point();
    }
    read_axis_of();
    read_coordinate();
    joint_.collide = fields_.flag_or("collide", spans(joint_.kind));
    return joint_;
  }

 private:
  void read_kind() {
    const std::vector<KindName> kinds = kind_names<D>();
    Keys names;
    for (const KindName& kind : kinds) names.push_back(kind.name);
    joint_.kind = kinds[static_cast<std::size_t>(fields_["kind"].choice(names))].kind;
    kind_ = fields_["kind"].text();
  }

  bool moves(int body) const {
    return body >= 0 && !scene_.bodies[static_cast<std::size_t>(body)].fixed &&
           scene_.bodies[static_cast<std::size_t>(body)].drives.empty();
  }

  void read_bodies(const std::function<int(const Value&)>& find_body) {
    const Value between = fields_["between"];
    const std::vector<Value> names = between.elements();
    if (names.size() != 2) between.fail_value("does not name two bodies");
    const auto body = [&](const Value& value) {
      return value.text() == "world" ? -1 : find_body(value);
    };
    joint_.a = body(names[0]);
    joint_.b = body(names[1]);
    if (joint_.a == joint_.b) {
      between.fail_value(joint_.a < 0 ? "names no body" : "names one body twice");
    }
    if (!moves(joint_.a) && !moves(joint_.b)) {
      between.fail_value("names no body that is free to move");
    }
  }

  const BodyDescription<D>& body(int i) const { return scene_.bodies[static_cast<std::size_t>(i)]; }

  Vec<D> to_world(int i, const Vec<D>& point) const {
    if (i < 0) return point;
    return body(i).position + rotation_matrix<D>(body(i).orientation) * point;
  }
  Vec<D> to_body(int i, const Vec<D>& point) const {
    if (i < 0) return point;
    return rotation_matrix<D>(body(i).orientation).transpose() * (point - body(i).position);
  }

  void read_anchors() {
    const std::vector<Value> anchors = fields_["anchors"].elements();
    if (anchors.size() != 2) fields_["anchors"].fail_value("does not give two points");
    joint_.anchor_a = anchors[0].template vector<D>();
    joint_.anchor_b = anchors[1].template vector<D>();
  }

  // The point of the joint: in the world (`at`), in the frame of the second body (`anchor`), or in
  // both frames (`anchors`).
  void read_point() {
    const std::string_view given = fields_.one_of({"at", "anchor", "anchors"});
    if (given == "at") {
      const Vec<D> point = fields_["at"].template vector<D>();
      joint_.anchor_a = to_body(joint_.a, point);
      joint_.anchor_b = to_body(joint_.b, point);
    } else if (given == "anchor") {
      joint_.anchor_b = fields_["anchor"].template vector<D>();
      joint_.anchor_a = to_body(joint_.a, to_world(joint_.b, joint_.anchor_b));
    } else {
      read_anchors();
      const Vec<D> a = to_world(joint_.a, joint_.anchor_a), b = to_world(joint_.b, joint_.anchor_b);
      const double apart = (b - a).norm();
      const double scale =
          std::max({joint_.anchor_a.norm(), joint_.anchor_b.norm(), a.norm(), b.norm()});
      if (apart > fit * scale) {
        fields_["anchors"].fail(
            fmt::format("'anchors' are {:g} m apart at the start; a {} joint holds them together",
                        apart, kind_));
      }
    }
    if (fields_.has("length")) refuse("length");
    if (fields_.has("restitution")) refuse("restitution");
  }

  void read_span() {
    for (const char* key : {"at", "anchor"})
      if (fields_.has(key)) refuse(key);
    read_anchors();
    const double apart =
        (to_world(joint_.b, joint_.anchor_b) - to_world(joint_.a, joint_.anchor_a)).norm();
    joint_.length = fields_.number_or("length", apart, positive);
    if (!(joint_.length > 0)) {
      fields_["anchors"].fail(fmt::format("'anchors' are one point: a {} needs a length", noun()));
    }
    if (joint_.kind == JointKind::rope) {
      if (apart > joint_.length * (1 + fit)) {
        fields_["length"].fail_value(
            fmt::format("is shorter than the {:g} m between the anchors", apart));
      }
      joint_.restitution = fields_.number_or("restitution", 0, zero_to_one);
    } else {
      if (std::abs(apart - joint_.length) > fit * joint_.length) {
        fields_["length"].fail_value(fmt::format("is not the {:g} m between the anchors", apart));
      }
      if (!(apart > 0)) fields_["anchors"].fail("a rod of length zero has no direction");
      if (fields_.has("restitution")) refuse("restitution");
    }
  }

  std::string_view noun() const { return joint_.kind == JointKind::rope ? "rope" : "rod"; }

  [[noreturn]] void refuse(std::string_view key) const {
    fields_[key].fail(fmt::format("a {} joint has no '{}'", kind_, key));
  }

  void read_axis_of() {
    if (has_axis(joint_.kind)) {
      joint_.axis = fields_["axis"].template direction<D>();
    } else if (fields_.has("axis")) {
      refuse("axis");
    }
  }

  // Motor, limits and friction, which act on the coordinate of a joint.
  void read_coordinate() {
    for (const char* key : {"motor", "limits", "friction"})
      if (fields_.has(key) && !has_coordinate<D>(joint_)) refuse(key);
    const bool angle = turns(joint_.kind);
    if (fields_.has("motor")) {
      const Fields motor = fields_["motor"].table({"velocity", "limit"});
      joint_.motor = JointMotor{read_signal(motor["velocity"])};
      joint_.motor->limit = motor.number_or("limit", joint_.motor->limit, positive);
    }
    if (fields_.has("limits"))
      read_limits(fields_["limits"].table({"lower", "upper", "restitution"}), angle);
    joint_.friction = fields_.number_or("friction", 0, non_negative);
    if (fields_.has("radius")) {
      if (!angle || joint_.friction == 0)
        fields_["radius"].fail("'radius' is that at which the friction of a pin or hinge acts");
      joint_.radius = fields_["radius"].number(positive);
    } else if (angle && joint_.friction > 0) {
      fields_["friction"].fail("friction in a pin or hinge needs the 'radius' at which it acts");
    }
  }

  void read_limits(const Fields& limits, bool angle) {
    joint_.limits.emplace();
    JointLimits& read = *joint_.limits;
    if (!limits.has("lower") && !limits.has("upper"))
      limits.fail("'limits' needs 'lower' or 'upper'");
    const double most = angle && D == 3 ? M_PI : std::numeric_limits<double>::infinity();
    const auto end = [&](const char* key, double sign) {
      const Value value = limits[key];
      const double x = value.number();
      if (sign * x < 0) value.fail_value("excludes 0, where the joint is at the start");
      if (!(sign * x < most)) value.fail_value("is half a turn or more: such a stop is never met");
      return x;
    };
    if (limits.has("lower")) read.lower = end("lower", -1);
    if (limits.has("upper")) read.upper = end("upper", 1);
    if (read.lower == read.upper) limits.fail("the stops leave nothing free: use a fixed joint");
    read.restitution = limits.number_or("restitution", 0, zero_to_one);
  }

  const Fields& fields_;
  const Scene<D>& scene_;
  Joint<D> joint_;
  std::string kind_;
};

}  // namespace

template <int D>
std::vector<Joint<D>> read_joints(const std::vector<Value>& entries, const Scene<D>& scene,
                                  const std::function<int(const Value&)>& find_body) {
  std::vector<Joint<D>> joints;
  for (const Value& entry : entries) {
    std::string name = fmt::format("joint{}", joints.size());
    if (const auto* given = entry.node().as_table()->get("name")) name = given->value_or(name);
    const Fields fields =
        entry.table(fmt::format("joint '{}'", name),
                    {"name", "kind", "between", "at", "anchor", "anchors", "axis", "length",
                     "restitution", "motor", "limits", "friction", "radius", "collide"});
    if (fields.has("name")) fields["name"].text();
    if (!scene.has_inertia()) {
      fields.fail(fmt::format("joints need inertia: dynamics = \"{}\" has none",
                              scene.dynamics == Dynamics::sweeping ? "sweeping" : "lazy-selector"));
    }
    const auto same = [&](const Joint<D>& other) { return other.name == name; };
    if (std::any_of(joints.begin(), joints.end(), same)) {
      fields.fail(fmt::format("another joint is named '{}', too", name));
    }
    joints.push_back(JointReader<D>(fields, scene).read(name, find_body));
  }
  return joints;
}

template std::vector<Joint<2>> read_joints<2>(const std::vector<Value>&, const Scene<2>&,
                                              const std::function<int(const Value&)>&);
template std::vector<Joint<3>> read_joints<3>(const std::vector<Value>&, const Scene<3>&,
                                              const std::function<int(const Value&)>&);

}  // namespace talus
