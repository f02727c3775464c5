// SPDX-License-Identifier: Apache-2.0
#include "io/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_seeds.hpp"
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

// An axis of one key, or of values that each set several keys.
StudyAxis read_axis(const Value& entry) {
  if (!entry.node().is_table()) entry.fail("'axis' is not a list of tables: write [[axis]]");
  const Fields fields =
      entry.table("axis", {"name", "key", "values", "from", "to", "count", "set"});
  StudyAxis axis;
  if (fields.one_of({"key", "set"}) == "key") {
    const std::string key = fields["key"].text();
    axis.name = fields.has("name") ? fields["name"].text() : key;
    axis.values = read_values(fields);
    for (const std::string& value : axis.values)
      axis.settings.push_back({fmt::format("{}={}", key, value)});
    return axis;
  }
  axis.name = fields["name"].text();
  for (const Value& value : fields["values"].elements()) axis.values.push_back(value.text());
  for (const Value& settings : fields["set"].elements()) {
    axis.settings.emplace_back();
    if (settings.is_array() && settings.node().as_array()->empty()) continue;
    for (const Value& setting : settings.elements()) axis.settings.back().push_back(setting.text());
  }
  if (axis.settings.size() != axis.values.size())
    fields["set"].fail(fmt::format("'set' has {} entries for {} values", axis.settings.size(),
                                   axis.values.size()));
  return axis;
}

// The k-th repetition adds k − 1 to every seed, so the first is the scene as it is.
StudyAxis read_repeat(const Value& list, const Study& study) {
  const std::vector<Value> entries = list.elements();
  if (!entries[0].node().is_table())
    list.fail("'repeat' is not a list of tables: write [[repeat]]");
  if (entries.size() > 1) entries[1].fail("a study has one [[repeat]]");
  const Fields fields = entries[0].table("repeat", {"seeds"});
  const int count = fields["seeds"].whole(2, static_cast<int>(most_cases));
  const SceneSource scene(read_text_file(study.scene), study.scene.string(), study.set);
  const std::vector<SceneSeed> seeds = scene_seeds(scene);
  if (seeds.empty())
    fields["seeds"].fail("the scene has nothing random: no packing, column, emitter or jitter");
  StudyAxis axis{"repetition", {}, {}};
  for (int k = 0; k < count; ++k) {
    axis.values.push_back(std::to_string(k + 1));
    axis.settings.emplace_back();
    for (const SceneSeed& seed : seeds)
      axis.settings.back().push_back(fmt::format("{}={}", seed.key, seed.value + k));
  }
  return axis;
}

std::set<std::string> keys_of(const StudyAxis& axis) {
  std::set<std::string> keys;
  for (const auto& settings : axis.settings)
    for (const std::string& setting : settings) keys.insert(setting.substr(0, setting.find('=')));
  return keys;
}

void add_axis(const Value& entry, StudyAxis axis, Study& study) {
  const std::set<std::string> keys = keys_of(axis);
  for (const StudyAxis& other : study.axes) {
    if (other.name == axis.name)
      entry.fail(fmt::format("another axis is named '{}', too", axis.name));
    for (const std::string& key : keys_of(other))
      if (keys.contains(key)) entry.fail(fmt::format("another axis varies '{}', too", key));
  }
  study.axes.push_back(std::move(axis));
  if (study.size() > most_cases)
    entry.fail(fmt::format("{} cases so far; a study may have {}", study.size(), most_cases));
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
    const std::vector<std::string>& values = axes[i].values;
    const auto k = std::find(values.begin(), values.end(), one.values[i]) - values.begin();
    const std::vector<std::string>& settings = axes[i].settings[static_cast<std::size_t>(k)];
    list.insert(list.end(), settings.begin(), settings.end());
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
  return read_study_text(read_text_file(path), path);
}

Study read_study_text(std::string text, const std::filesystem::path& path) {
  Study study;
  study.path = path.string();
  study.text = std::move(text);
  const SceneSource source(study.text, study.path, {});
  if (!source.root().contains("axis") && source.root().contains("dimension"))
    throw SceneError({study.path}, {}, "is a scene, not a study: talus run simulates it");
  const Fields root(source, source.root(), "", {"scene", "set", "axis", "repeat"});
  study.scene = (path.parent_path() / root["scene"].text()).lexically_normal();
  if (root.has("set")) {
    for (const Value& value : root["set"].elements()) study.set.push_back(value.text());
  }
  if (root.has("axis") || !root.has("repeat")) {
    for (const Value& entry : root["axis"].elements()) add_axis(entry, read_axis(entry), study);
  }
  if (root.has("repeat")) {
    add_axis(root["repeat"], read_repeat(root["repeat"], study), study);
    study.repeat = study.axes.size() - 1;
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
