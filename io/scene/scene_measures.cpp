// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_measures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/measure_region.hpp"
#include "io/scene/scene_shapes.hpp"

namespace talus {

namespace {

constexpr std::size_t most_measures = 64;

const Keys quantity_names = {"solid_fraction", "coordination", "stress", "kinetic_stress"};

bool needs_region(Quantity quantity) { return quantity != Quantity::coordination; }

// The name must be plain: it is a group of the trajectory and an argument on the command line.
void require_plain(const Value& name) {
  const std::string text = name.text();
  const bool plain =
      !text.empty() && text.front() != '.' && std::all_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) > ' ' && c != '/' && c != ',' && c != '"';
      });
  if (!plain || text.size() > 100)
    name.fail_value("is no name for a measure: up to 100 letters, digits, '_' and '-'");
}

// The region, first about the origin as for a packing, then moved to its position.
template <int D>
Polytope<D> read_region_at_origin(const Value& value) {
  const Fields fields = value.table({"box", "cylinder", "ball", "points"});
  const std::string_view kind = fields.one_of({"box", "cylinder", "ball", "points"});
  const Value size = fields[kind];
  if (kind == "ball") return ball_region_polytope<D>(size.number(positive));
  if (kind == "cylinder") {
    if constexpr (D == 3) {
      const std::vector<double> radius_height = size.numbers(positive);
      if (radius_height.size() != 2) size.fail_value("is not [radius, height]");
      return cylinder_region_polytope(radius_height[0], radius_height[1]);
    } else {
      size.fail("there are no cylinders in the plane: use 'box', 'ball' or 'points'");
    }
  }
  if (kind == "points") {
    std::vector<Vec<D>> corners;
    for (const Value& entry : size.elements()) corners.push_back(entry.vector<D>());
    const auto hull = convex_hull<D>(corners);
    if (!hull) size.fail("'points' enclose nothing");
    return *hull;
  }
  const Vec<D> sides = size.vector<D>();
  if (!(sides.minCoeff() > 0)) size.fail_value("has a side that is not positive");
  return box_region_polytope<D>(sides);
}

template <int D>
Polytope<D> read_measured_region(const Fields& fields) {
  const Polytope<D> region = read_region_at_origin<D>(fields["region"]);
  const Orientation<D> turn =
      fields.has("rotation") ? read_rotation<D>(fields["rotation"]) : Orientation<D>{};
  return std::get<Polytope<D>>(
      moved<D>(region, fields.vector_or<D>("position", Vec<D>::Zero()), turn));
}

template <int D>
RegionMeasure<D> read_region_measure(const Fields& fields) {
  RegionMeasure<D> measure;
  if (fields.has("region")) {
    measure.region = read_measured_region<D>(fields);
  } else {
    for (const char* key : {"position", "rotation"})
      if (fields.has(key)) fields[key].fail(fmt::format("'{}' goes with 'region'", key));
  }
  if (!fields.has("quantities")) {
    measure.quantities = {Quantity::coordination};
    if (measure.region)
      measure.quantities = {Quantity::solid_fraction, Quantity::coordination, Quantity::stress};
    return measure;
  }
  for (const Value& entry : fields["quantities"].elements()) {
    const auto quantity = static_cast<Quantity>(entry.choice(quantity_names));
    if (!measure.region && needs_region(quantity)) entry.fail_value("is of a volume: add 'region'");
    if (std::find(measure.quantities.begin(), measure.quantities.end(), quantity) !=
        measure.quantities.end())
      entry.fail_value("is there already");
    measure.quantities.push_back(quantity);
  }
  return measure;
}

template <int D>
PlaneMeasure<D> read_plane(const Fields& fields) {
  for (const char* key : {"region", "position", "rotation", "quantities"})
    if (fields.has(key)) fields[key].fail(fmt::format("'plane' and '{}' exclude each other", key));
  const Fields plane = fields["plane"].table({"point", "normal"});
  return {plane["point"].vector<D>(), plane["normal"].direction<D>()};
}

}  // namespace

template <int D>
std::vector<Measure<D>> read_measures(const std::vector<Value>& entries) {
  std::vector<Measure<D>> measures;
  for (const Value& entry : entries) {
    if (measures.size() == most_measures)
      entry.fail(fmt::format("more than {} measures", most_measures));
    const auto name = (*entry.node().as_table())["name"].template value<std::string>();
    const Fields fields = entry.table(
        fmt::format("measure '{}'", name.value_or(fmt::format("measure{}", measures.size()))),
        {"name", "every", "region", "position", "rotation", "quantities", "plane"});
    Measure<D> measure;
    measure.name = fmt::format("measure{}", measures.size());
    if (fields.has("name")) {
      require_plain(fields["name"]);
      measure.name = fields["name"].text();
    }
    for (const Measure<D>& other : measures)
      if (other.name == measure.name)
        fields.fail(fmt::format("another measure is named '{}', too", measure.name));
    if (fields.has("every")) measure.every = fields["every"].whole(1, 1'000'000'000);
    if (fields.has("plane"))
      measure.of = read_plane<D>(fields);
    else
      measure.of = read_region_measure<D>(fields);
    measures.push_back(std::move(measure));
  }
  return measures;
}

template std::vector<Measure<2>> read_measures<2>(const std::vector<Value>&);
template std::vector<Measure<3>> read_measures<3>(const std::vector<Value>&);

}  // namespace talus
