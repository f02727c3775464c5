// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_packing.hpp"

#include <fmt/format.h>

#include "io/scene/scene_shapes.hpp"

namespace talus {

Sizes read_sizes(const Value& radius) {
  if (radius.is_number()) return UniformSizes{radius.number(positive), radius.number(positive)};
  if (radius.is_array()) {
    const std::vector<double> range = radius.numbers(positive);
    if (range.size() != 2 || range[0] > range[1]) {
      radius.fail_value("is not a radius or a range [smallest, largest]");
    }
    return UniformSizes{range[0], range[1]};
  }
  const Fields fields = radius.table({"lognormal", "limits", "passing"});
  if (fields.one_of({"lognormal", "passing"}) == "lognormal") {
    const std::vector<double> law = fields["lognormal"].numbers(positive);
    if (law.size() != 2) fields["lognormal"].fail_value("is not [median radius, sigma of ln r]");
    const std::vector<double> limits = fields["limits"].numbers(positive);
    if (limits.size() != 2 || !(limits[0] < law[0] && law[0] < limits[1])) {
      fields["limits"].fail_value("is not [smallest, largest] on both sides of the median");
    }
    return LognormalSizes{law[0], law[1], limits[0], limits[1]};
  }
  if (fields.has("limits")) fields["limits"].fail("'limits' go with 'lognormal'");
  PassingSizes sizes;
  for (const Value& entry : fields["passing"].elements()) {
    const std::vector<double> point = entry.numbers(non_negative);
    if (point.size() != 2 || !(point[0] > 0)) entry.fail_value("is not [radius, part of the mass]");
    if (!sizes.points.empty() &&
        !(point[0] > sizes.points.back().radius && point[1] >= sizes.points.back().part)) {
      entry.fail_value("does not increase");
    }
    sizes.points.push_back({point[0], point[1]});
  }
  if (sizes.points.size() < 2 || sizes.points.front().part != 0 || sizes.points.back().part != 1) {
    fields["passing"].fail("'passing' must begin with part 0 and end with part 1");
  }
  return sizes;
}

double largest(const Sizes& sizes) {
  if (const auto* table = std::get_if<PassingSizes>(&sizes)) return table->points.back().radius;
  if (const auto* law = std::get_if<LognormalSizes>(&sizes)) return law->largest;
  return std::get<UniformSizes>(sizes).largest;
}

template <int D>
Polytope<D> read_hull(const Value& points) {
  std::vector<Vec<D>> corners;
  for (const Value& entry : points.elements()) corners.push_back(entry.vector<D>());
  const auto hull = convex_hull<D>(corners);
  if (!hull) points.fail("'points' enclose nothing");
  return *hull;
}

template <int D>
Region<D> read_region(const Value& value) {
  const Fields fields = value.table({"box", "cylinder", "points"});
  const std::string_view kind = fields.one_of({"box", "cylinder", "points"});
  if (kind == "box") return box_region<D>(read_sides<D>(fields["box"]));
  if (kind == "points") return hull_region<D>(read_hull<D>(fields["points"]));
  if constexpr (D == 3) {
    const std::vector<double> size = fields["cylinder"].numbers(positive);
    if (size.size() != 2) fields["cylinder"].fail_value("is not [radius, height]");
    return cylinder_region(size[0], size[1]);
  } else {
    fields["cylinder"].fail("there are no cylinders in the plane: use 'box' or 'points'");
  }
}

GrainKind read_grain(const Value& value) {
  if (value.is_text()) {
    value.choice({"ball"});
    return BallGrain{};
  }
  const Fields fields = value.table({"capsule", "polytope"});
  if (fields.one_of({"capsule", "polytope"}) == "capsule") {
    return CapsuleGrain{fields["capsule"].number({1, 100, false})};
  }
  return PolytopeGrain{fields["polytope"].whole(4, 200)};
}

std::uint64_t read_seed(const Fields& fields) {
  return fields.has("seed") ? static_cast<std::uint64_t>(fields["seed"].whole(0, max_count)) : 0;
}

const Keys& packing_keys() {
  static const Keys keys = {"count", "in", "region", "radius", "grain", "fill", "seed"};
  return keys;
}

namespace {

// Throws SceneError if grains could start outside their container.
template <int D>
void refuse_leak(const Fields& fields, const Region<D>& region, const Region<D>& container) {
  const Vec<D> shift = fields.vector_or<D>("position", Vec<D>::Zero());
  const double rounding = 1e-9 * (container.high - container.low).norm();
  for (const auto& wall : container.walls) {
    const double outside = region.reach(wall.n) + wall.n.dot(shift) - wall.d;
    if (outside > rounding) {
      fields["region"].fail(fmt::format("'region' reaches {:.3g} m out of the container '{}'",
                                        outside, fields["in"].text()));
    }
  }
}

}  // namespace

template <int D>
PackingPlan<D> read_packing(const Fields& fields, const std::string& name,
                            const Region<D>* container) {
  PackingPlan<D> plan;
  plan.name = name;
  plan.count = fields["count"].whole(1, max_count);
  const bool has_region = container == nullptr || fields.has("region");
  plan.region = has_region ? read_region<D>(fields["region"]) : *container;
  if (container != nullptr) {
    if (fields.has("rotation"))
      fields["rotation"].fail("a packing is turned with the container that it is in");
    if (!has_region && fields.has("position"))
      fields["position"].fail("'position' in a container is that of a 'region'");
    if (has_region) refuse_leak<D>(fields, plan.region, *container);
  }
  plan.sizes = read_sizes(fields["radius"]);
  if (fields.has("grain")) plan.kind = read_grain(fields["grain"]);
  if (fields.has("fill")) {
    plan.fill = static_cast<Fill>(fields["fill"].choice({"random", "deposit"}));
  }
  plan.seed = read_seed(fields);
  const double width = (plan.region.high - plan.region.low).minCoeff();
  if (2 * largest(plan.sizes) > width) {
    fields[has_region ? "region" : "in"].fail(fmt::format(
        "a grain of radius {} m does not fit into a width of {} m", largest(plan.sizes), width));
  }
  return plan;
}

template Region<2> read_region<2>(const Value&);
template Region<3> read_region<3>(const Value&);
template Polytope<2> read_hull<2>(const Value&);
template Polytope<3> read_hull<3>(const Value&);
template PackingPlan<2> read_packing<2>(const Fields&, const std::string&, const Region<2>*);
template PackingPlan<3> read_packing<3>(const Fields&, const std::string&, const Region<3>*);

}  // namespace talus
