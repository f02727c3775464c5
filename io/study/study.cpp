// SPDX-License-Identifier: Apache-2.0
#include "io/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "io/scene/scene_control.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_seeds.hpp"
#include "io/scene/scene_value.hpp"
#include "io/text/finite_number.hpp"
#include "io/text/text_file.hpp"

namespace talus {

namespace {

constexpr std::size_t most_cases = 100'000;

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

// "measure.column > number", or < number.
void read_until(const Value& value, Bisection& bisection) {
  bisection.until = value.text();
  const std::string& text = bisection.until;
  const auto trimmed = [](std::string_view part) {
    const std::size_t first = part.find_first_not_of(' ');
    if (first == std::string_view::npos) return std::string_view();
    return part.substr(first, part.find_last_not_of(' ') + 1 - first);
  };
  const std::size_t sign = text.find_first_of("<>");
  const std::optional<double> limit =
      sign == std::string::npos ? std::nullopt
                                : finite_number(trimmed(std::string_view(text).substr(sign + 1)));
  if (!limit)
    value.fail_value("is not a condition: write \"measure.column > number\", or \"… < number\"");
  bisection.column = trimmed(std::string_view(text).substr(0, sign));
  bisection.above = text[sign] == '>';
  bisection.limit = *limit;
}

// The stop conditions of the scene and one more, as a setting.
std::string stop_setting(const SceneSource& scene, const Bisection& bisection) {
  std::ostringstream conditions;
  if (const toml::node* const stop = scene.root().get("stop")) {
    if (const toml::array* const list = stop->as_array()) {
      for (const toml::node& one : *list)
        conditions << toml::node_view<const toml::node>(one) << ", ";
    } else {
      conditions << toml::node_view<const toml::node>(*stop) << ", ";
    }
  }
  std::string text = conditions.str();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fmt::format("stop=[{}{{ measure = \"{}\", {} = {} }}]", text, bisection.column,
                     bisection.above ? "above" : "below", number_text(bisection.limit));
}

Bisection read_bisection(const Value& list, const Study& study) {
  const std::vector<Value> entries = list.elements();
  if (!entries[0].node().is_table())
    list.fail("'bisect' is not a list of tables: write [[bisect]]");
  if (entries.size() > 1) entries[1].fail("a study has one [[bisect]]");
  const Fields fields =
      entries[0].table("bisect", {"name", "key", "from", "to", "until", "tolerance"});
  Bisection bisection;
  bisection.key = fields["key"].text();
  bisection.name = fields.has("name") ? fields["name"].text() : bisection.key;
  bisection.from = fields["from"].number();
  bisection.to = fields["to"].number();
  if (bisection.from == bisection.to) fields["to"].fail("'from' and 'to' are the same");
  bisection.tolerance = fields["tolerance"].number(positive);
  constexpr double finest = 1e-12;  // of the larger end
  if (bisection.tolerance < finest * std::max(std::abs(bisection.from), std::abs(bisection.to)))
    fields["tolerance"].fail_value("is finer than numbers of this size can be told apart");
  read_until(fields["until"], bisection);
  const std::string complaint =
      complaint_of_column(read_scene(study.scene, study.set).scene, bisection.column);
  if (!complaint.empty()) fields["until"].fail_value(complaint);
  bisection.stop = stop_setting(
      SceneSource(read_text_file(study.scene), study.scene.string(), study.set), bisection);
  return bisection;
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

std::string number_text(double x) { return fmt::format("{}", x); }

std::string Bisection::setting(const std::string& value) const {
  return fmt::format("{}={}", key, value);
}

std::string StudyCase::folder() const {
  const std::string folder = fmt::format("case-{:04}", number);
  return trial == 0 ? folder : fmt::format("{}/run-{:02}", folder, trial);
}

std::size_t Study::size() const {
  std::size_t cases = 1;
  for (const StudyAxis& axis : axes) cases *= axis.values.size();
  return cases;
}

StudyCase Study::at(std::size_t number) const {
  StudyCase one;
  one.number = number;
  one.values.resize(axes.size());
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
  if (one.trial > 0) {
    list.push_back(bisection->stop);
    list.push_back(bisection->setting(one.trial_value));
  }
  return list;
}

std::string Study::describe(const StudyCase& one) const {
  std::string words;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    words += fmt::format("{}{}={}", i > 0 ? " " : "", axes[i].name, one.values[i]);
  }
  if (one.trial > 0)
    words += fmt::format("{}{}={}", words.empty() ? "" : " ", bisection->name, one.trial_value);
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
  const Fields root(source, source.root(), "", {"scene", "set", "axis", "repeat", "bisect"});
  study.scene = (path.parent_path() / root["scene"].text()).lexically_normal();
  if (root.has("set")) {
    for (const Value& value : root["set"].elements()) study.set.push_back(value.text());
  }
  if (root.has("axis") || (!root.has("repeat") && !root.has("bisect"))) {
    for (const Value& entry : root["axis"].elements()) add_axis(entry, read_axis(entry), study);
  }
  if (root.has("repeat")) {
    add_axis(root["repeat"], read_repeat(root["repeat"], study), study);
    study.repeat = study.axes.size() - 1;
  }

  if (root.has("bisect")) {
    study.bisection = read_bisection(root["bisect"], study);
    for (const StudyAxis& axis : study.axes) {
      if (axis.name == study.bisection->name)
        root["bisect"].fail(fmt::format("an axis is named '{}', too", axis.name));
      for (const std::string& key : keys_of(axis))
        if (key == study.bisection->key || key == "stop" || key.starts_with("stop."))
          root["bisect"].fail(fmt::format("an axis varies '{}', which [[bisect]] sets", key));
    }
    const Bisection& bisection = *study.bisection;
    for (const double x :
         {bisection.from, bisection.to, bisection.from + (bisection.to - bisection.from) / 2}) {
      StudyCase one = study.at(1);
      one.trial = 1;
      one.trial_value = number_text(x);
      read_scene(study.scene, study.overrides(one));
    }
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
