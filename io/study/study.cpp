// SPDX-License-Identifier: Apache-2.0
#include "io/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_value.hpp"
#include "io/text/text_file.hpp"

namespace talus {

namespace {

constexpr std::size_t most_cases = 100'000;

// Shortest text of a number. Integers stay integers, as seeds and counts must.
std::string number_text(double x) { return fmt::format("{}", x); }

std::string toml_text(const toml::node& node) {
  if (const auto* number = node.as_floating_point()) return number_text(number->get());
  std::ostringstream text;
  text << toml::node_view<const toml::node>(node);
  return text.str();
}

std::vector<std::string> read_values(const Fields& axis) {
  std::vector<std::string> values;
  if (axis.one_of({"values", "from"}) == "values") {
    for (const Value& value : axis["values"].elements()) values.push_back(toml_text(value.node()));
    return values;
  }
  const double from = axis["from"].number(), to = axis["to"].number();
  const int count = axis["count"].whole(1, static_cast<int>(most_cases));
  for (int k = 0; k < count; ++k) {
    const double part = count > 1 ? static_cast<double>(k) / (count - 1) : 0;
    values.push_back(number_text(from + part * (to - from)));
  }
  return values;
}

StudyAxis read_axis(const Value& entry) {
  if (!entry.node().is_table()) entry.fail("'axis' is not a list of tables: write [[axis]]");
  const Fields fields = entry.table("axis", {"name", "key", "values", "from", "to", "count"});
  StudyAxis axis;
  axis.key = fields["key"].text();
  axis.name = fields.has("name") ? fields["name"].text() : axis.key;
  axis.values = read_values(fields);
  return axis;
}

}  // namespace

std::string StudyCase::folder() const { return fmt::format("case-{:04}", number); }

std::size_t Study::size() const {
  std::size_t cases = 1;
  for (const StudyAxis& axis : axes) cases *= axis.values.size();
  return cases;
}

StudyCase Study::at(std::size_t number) const {
  StudyCase one{number, std::vector<std::string>(axes.size())};
  std::size_t rest = number - 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    one.values[i] = axes[i].values[rest % axes[i].values.size()];
    rest /= axes[i].values.size();
  }
  return one;
}

std::vector<std::string> Study::overrides(const StudyCase& one) const {
  std::vector<std::string> list = set;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    list.push_back(fmt::format("{}={}", axes[i].key, one.values[i]));
  }
  return list;
}

std::string Study::describe(const StudyCase& one) const {
  std::string words;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    words += fmt::format("{}{}={}", i > 0 ? " " : "", axes[i].name, one.values[i]);
  }
  return words;
}

Study read_study(const std::filesystem::path& path) {
  Study study;
  study.path = path.string();
  study.text = read_text_file(path);
  const SceneSource source(study.text, study.path, {});
  if (!source.root().contains("axis") && source.root().contains("dimension"))
    throw SceneError({study.path}, {}, "is a scene, not a study: talus run simulates it");
  const Fields root(source, source.root(), "", {"scene", "set", "axis"});
  study.scene = path.parent_path() / root["scene"].text();
  if (root.has("set")) {
    for (const Value& value : root["set"].elements()) study.set.push_back(value.text());
  }
  const std::vector<Value> axes = root["axis"].elements();
  for (const Value& entry : axes) {
    study.axes.push_back(read_axis(entry));
    const auto same = [&](const StudyAxis& axis) { return axis.name == study.axes.back().name; };
    if (std::count_if(study.axes.begin(), study.axes.end(), same) > 1)
      entry.fail(fmt::format("another axis is named '{}', too", study.axes.back().name));
    const auto same_key = [&](const StudyAxis& axis) { return axis.key == study.axes.back().key; };
    if (std::count_if(study.axes.begin(), study.axes.end(), same_key) > 1)
      entry.fail(fmt::format("another axis varies '{}', too", study.axes.back().key));
    if (study.size() > most_cases)
      entry.fail(fmt::format("{} cases so far; a study may have {}", study.size(), most_cases));
  }

  // Tests each value once, with the first values of the other axes.
  for (std::size_t i = 0; i < study.axes.size(); ++i) {
    for (const std::string& value : study.axes[i].values) {
      StudyCase one = study.at(1);
      one.values[i] = value;
      read_scene(study.scene, study.overrides(one));
    }
  }
  return study;
}

}  // namespace talus
