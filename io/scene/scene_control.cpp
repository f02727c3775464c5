// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_control.hpp"

#include <fmt/format.h>

#include <cmath>

#include "io/text/spelling.hpp"

namespace talus {

namespace {

struct ColumnPlace {
  int measure = -1, column = -1;
};

// A name "measure.column", or what is wrong with it.
template <int D>
ColumnPlace find_column(const std::string& name, const std::vector<Measure<D>>& measures,
                        std::string& complaint) {
  std::vector<std::string> known;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const auto columns = measure_columns<D>(measures[m]);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      known.push_back(measures[m].name + "." + columns[c].name);
      if (known.back() == name) return {static_cast<int>(m), static_cast<int>(c)};
    }
  }
  const std::string_view meant = nearest(name, known);
  complaint = measures.empty() ? "names a column, but the scene has no [[measure]]"
              : meant.empty()
                  ? "is no column of a measure: write \"measure.column\""
                  : fmt::format("is no column of a measure (did you mean '{}'?)", meant);
  return {};
}

// Calls f(signal) for all signals of a scene.
template <int D, class F>
void for_each_signal(Scene<D>& scene, F&& f) {
  for (BodyDescription<D>& body : scene.bodies)
    for (Drive<D>& drive : body.drives) f(drive.signal);
  for (AppliedForce<D>& force : scene.forces) f(force.signal);
  for (Joint<D>& joint : scene.joints)
    if (joint.motor) f(joint.motor->velocity);
  if (!scene.cell) return;
  for (auto* const components : {&scene.cell->gradient, &scene.cell->stress})
    for (auto& row : *components)
      for (std::optional<Signal>& component : row)
        if (component) f(*component);
}

// The value of the first key `measure` with this text.
const toml::node* mention(const toml::node& node, const std::string& text) {
  if (const toml::table* const table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      if (key.str() == "measure" && value.is_string() && value.as_string()->get() == text)
        return &value;
      if (const toml::node* const found = mention(value, text)) return found;
    }
  } else if (const toml::array* const array = node.as_array()) {
    for (const toml::node& element : *array)
      if (const toml::node* const found = mention(element, text)) return found;
  }
  return nullptr;
}

template <int D>
StopCondition read_stop(const Value& value, const Scene<D>& scene) {
  const Fields fields = value.table({"rest", "during", "measure", "above", "below"});
  if (fields.one_of({"rest", "measure"}) == "rest") {
    for (const char* key : {"above", "below"})
      if (fields.has(key)) fields[key].fail(fmt::format("'{}' goes with 'measure'", key));
    Rest rest{fields["rest"].number(positive)};
    if (fields.has("during")) {
      const double steps = std::ceil(fields["during"].number(positive) / scene.h * (1 - 1e-12));
      if (steps > max_count) fields["during"].fail_value("is too long");
      rest.steps = static_cast<int>(steps);
    }
    return rest;
  }
  if (fields.has("during")) fields["during"].fail("'during' goes with 'rest'");
  Threshold threshold;
  threshold.of = fields["measure"].text();
  std::string complaint;
  const ColumnPlace found = find_column<D>(threshold.of, scene.measures, complaint);
  if (!complaint.empty()) fields["measure"].fail_value(complaint);
  threshold.measure = found.measure;
  threshold.column = found.column;
  const std::string_view side = fields.one_of({"above", "below"});
  threshold.above = side == "above";
  threshold.limit = fields[side].number();
  return threshold;
}

}  // namespace

template <int D>
std::vector<StopCondition> read_stops(const Value& value, const Scene<D>& scene) {
  if (!value.is_array()) return {read_stop<D>(value, scene)};
  std::vector<StopCondition> stops;
  for (const Value& entry : value.elements()) stops.push_back(read_stop<D>(entry, scene));
  return stops;
}

std::string complaint_of_column(const AnyScene& any_scene, const std::string& name) {
  return std::visit(
      [&]<int D>(const Scene<D>& scene) {
        std::string complaint;
        find_column<D>(name, scene.measures, complaint);
        return complaint;
      },
      any_scene);
}

template <int D>
void connect_signals(const SceneSource& source, Scene<D>& scene) {
  for_each_signal<D>(scene, [&](Signal& signal) {
    auto* const feedback = std::get_if<Feedback>(&signal);
    if (feedback == nullptr) return;
    std::string complaint;
    const ColumnPlace found = find_column<D>(feedback->of, scene.measures, complaint);
    feedback->measure = found.measure;
    feedback->column = found.column;
    if (complaint.empty()) return;
    const toml::node* const where = mention(source.root(), feedback->of);
    throw source.error(where != nullptr ? where->source() : toml::source_region{},
                       fmt::format("measure = \"{}\" {}", feedback->of, complaint));
  });
}

template std::vector<StopCondition> read_stops<2>(const Value&, const Scene<2>&);
template std::vector<StopCondition> read_stops<3>(const Value&, const Scene<3>&);
template void connect_signals<2>(const SceneSource&, Scene<2>&);
template void connect_signals<3>(const SceneSource&, Scene<3>&);

}  // namespace talus
