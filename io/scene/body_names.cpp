// SPDX-License-Identifier: Apache-2.0
#include "io/scene/body_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/text/spelling.hpp"

namespace talus {

namespace {

template <int D>
void add_named(const Value& value, const Scene<D>& scene, std::size_t count,
               std::vector<int>& bodies) {
  const std::string name = value.text();
  const std::size_t before = bodies.size();
  for (std::size_t i = 0; i < count; ++i)
    if (fits_pattern(description<D>(scene, i).name, name)) bodies.push_back(static_cast<int>(i));
  if (bodies.size() > before) return;
  if (is_pattern(name)) value.fail_value("fits the name of no body");
  Keys known;
  for (std::size_t i = 0; i < count; ++i) known.push_back(description<D>(scene, i).name);
  const std::string_view meant = nearest(name, known);
  value.fail_value(meant.empty() ? "is no body"
                                 : fmt::format("is no body (did you mean '{}'?)", meant));
}

template <int D>
std::vector<int> find_among(const Value& value, const Scene<D>& scene, std::size_t count) {
  std::vector<int> bodies;
  if (value.is_array()) {
    for (const Value& name : value.elements()) add_named<D>(name, scene, count, bodies);
  } else {
    add_named<D>(value, scene, count, bodies);
  }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return bodies;
}

}  // namespace

template <int D>
std::vector<int> find_bodies(const Value& value, const Scene<D>& scene) {
  return find_among<D>(value, scene, scene.bodies.size());
}

template <int D>
std::vector<int> find_all_bodies(const Value& value, const Scene<D>& scene) {
  return find_among<D>(value, scene, total_bodies<D>(scene));
}

template std::vector<int> find_bodies<2>(const Value&, const Scene<2>&);
template std::vector<int> find_bodies<3>(const Value&, const Scene<3>&);
template std::vector<int> find_all_bodies<2>(const Value&, const Scene<2>&);
template std::vector<int> find_all_bodies<3>(const Value&, const Scene<3>&);

}  // namespace talus
