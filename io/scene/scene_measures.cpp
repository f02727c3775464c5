// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_measures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/measure_region.hpp"
#include "io/scene/body_names.hpp"
#include "io/scene/scene_shapes.hpp"

namespace talus {

namespace {

constexpr std::size_t most_measures = 64;
constexpr int most_bins = 1000;

const Keys quantity_names = {"solid_fraction", "coordination", "stress", "kinetic_stress",
                             "fabric",         "forces",       "strain", "cell"};
const Keys body_quantity_names = {"force", "displacement"};

bool needs_region(Quantity quantity) {
  return quantity == Quantity::solid_fraction || quantity == Quantity::stress ||
         quantity == Quantity::kinetic_stress;
}

// The list `quantities`, without repetitions.
template <class Q>
std::vector<Q> read_quantities(const Value& value, const Keys& names) {
  std::vector<Q> quantities;
  for (const Value& entry : value.elements()) {
    const auto quantity = static_cast<Q>(entry.choice(names));
    if (std::find(quantities.begin(), quantities.end(), quantity) != quantities.end())
      entry.fail_value("is there already");
    quantities.push_back(quantity);
  }
  return quantities;
}

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
RegionMeasure<D> read_region_measure(const Fields& fields, const Scene<D>& scene) {
  RegionMeasure<D> measure;
  const bool fills = scene.cell && scene.cell->lattice().fills_space();
  if (fields.has("region")) {
    measure.region = read_measured_region<D>(fields);
  } else {
    for (const char* key : {"position", "rotation"})
      if (fields.has(key)) fields[key].fail(fmt::format("'{}' goes with 'region'", key));
  }
  if (fields.has("about")) fields["about"].fail("'about' goes with 'body'");
  if (!fields.has("quantities")) {
    measure.quantities = {Quantity::coordination};
    if (measure.region || fills)
      measure.quantities = {Quantity::solid_fraction, Quantity::coordination, Quantity::stress};
  } else {
    measure.quantities = read_quantities<Quantity>(fields["quantities"], quantity_names);
    const std::vector<Value> entries = fields["quantities"].elements();
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (!measure.region && !fills && needs_region(measure.quantities[k]))
        entries[k].fail_value("is of a volume: add 'region'");
      if (!scene.cell && measure.quantities[k] == Quantity::cell)
        entries[k].fail_value("is of a periodic cell: add [cell]");
    }
  }
  if (fields.has("histogram")) {
    if (std::count(measure.quantities.begin(), measure.quantities.end(), Quantity::forces) == 0)
      fields["histogram"].fail("'histogram' goes with the quantity \"forces\"");
    const Fields histogram = fields["histogram"].table({"bins", "largest"});
    if (histogram.has("bins")) measure.histogram.bins = histogram["bins"].whole(1, most_bins);
    measure.histogram.largest = histogram.number_or("largest", measure.histogram.largest, positive);
  }
  return measure;
}

template <int D>
BodyMeasure<D> read_body_measure(const Fields& fields, const Scene<D>& scene) {
  for (const char* key : {"region", "position", "rotation", "plane", "histogram"})
    if (fields.has(key)) fields[key].fail(fmt::format("'body' and '{}' exclude each other", key));
  BodyMeasure<D> measure;
  measure.bodies = find_bodies<D>(fields["body"], scene);
  if (fields.has("quantities"))
    measure.quantities = read_quantities<BodyQuantity>(fields["quantities"], body_quantity_names);
  if (fields.has("about")) measure.about = fields["about"].vector<D>();
  return measure;
}

template <int D>
PlaneMeasure<D> read_plane(const Fields& fields) {
  for (const char* key : {"region", "position", "rotation", "quantities", "about", "histogram"})
    if (fields.has(key)) fields[key].fail(fmt::format("'plane' and '{}' exclude each other", key));
  const Fields plane = fields["plane"].table({"point", "normal"});
  return {plane["point"].vector<D>(), plane["normal"].direction<D>()};
}

}  // namespace

template <int D>
std::vector<Measure<D>> read_measures(const std::vector<Value>& entries, const Scene<D>& scene) {
  std::vector<Measure<D>> measures;
  for (const Value& entry : entries) {
    if (measures.size() == most_measures)
      entry.fail(fmt::format("more than {} measures", most_measures));
    const auto name = (*entry.node().as_table())["name"].template value<std::string>();
    const Fields fields = entry.table(
        fmt::format("measure '{}'", name.value_or(fmt::format("measure{}", measures.size()))),
        {"name", "every", "region", "position", "rotation", "quantities", "plane", "body", "about",
         "histogram"});
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
    if (fields.has("body"))
      measure.of = read_body_measure<D>(fields, scene);
    else if (fields.has("plane"))
      measure.of = read_plane<D>(fields);
    else
      measure.of = read_region_measure<D>(fields, scene);
    measures.push_back(std::move(measure));
  }
  return measures;
}

template std::vector<Measure<2>> read_measures<2>(const std::vector<Value>&, const Scene<2>&);
template std::vector<Measure<3>> read_measures<3>(const std::vector<Value>&, const Scene<3>&);

}  // namespace talus
