// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_groups.hpp"

#include <fmt/format.h>

#include "io/scene/body_names.hpp"

namespace talus {

namespace {

constexpr int most_rules = 64;  // NoContact has a bit for each

template <int D>
BodyDescription<D>& described(Scene<D>& scene, int body) {
  auto id = static_cast<std::size_t>(body);
  if (id < scene.bodies.size()) return scene.bodies[id];
  id -= scene.bodies.size();
  std::size_t k = 0;
  while (id >= scene.emitters[k].grains.size()) id -= scene.emitters[k++].grains.size();
  return scene.emitters[k].grains[id];
}

template <int D>
void keep_apart(const std::vector<int>& first, const std::vector<int>& second, const Fields& fields,
                Scene<D>& scene) {
  if (scene.no_contact.rules == most_rules)
    fields.fail(fmt::format("more than {} entries with collide = false", most_rules));
  NoContact& apart = scene.no_contact;
  apart.first.resize(total_bodies<D>(scene));
  apart.second.resize(total_bodies<D>(scene));
  const std::uint64_t bit = std::uint64_t{1} << apart.rules++;
  for (const int body : first) apart.first[static_cast<std::size_t>(body)] |= bit;
  for (const int body : second) apart.second[static_cast<std::size_t>(body)] |= bit;
}

}  // namespace

template <int D>
void read_groups(const std::vector<Value>& entries, const SceneMaterials& materials,
                 const std::function<void(const BodyDescription<D>&, const Fields&)>& check,
                 Scene<D>& scene) {
  int k = 0;
  for (const Value& entry : entries) {
    const Fields fields =
        entry.table(fmt::format("group {}", k++), {"body", "material", "collide"});
    const std::vector<int> bodies = find_all_bodies<D>(fields["body"], scene);
    if (!fields.has("material") && !fields.has("collide"))
      fields.fail("does nothing: give 'material' or 'collide'");
    if (fields.has("material")) {
      const int material = materials.find(fields["material"]);
      for (const int body : bodies) {
        described<D>(scene, body).material = material;
        check(described<D>(scene, body), fields);
      }
    }
    if (!fields.flag_or("collide", true)) keep_apart<D>(bodies, bodies, fields, scene);
  }
}

template <int D>
void read_pairs(const std::vector<Value>& entries, Scene<D>& scene) {
  int k = 0;
  for (const Value& entry : entries) {
    const Fields fields = entry.table(fmt::format("pair {}", k++), {"between", "collide"});
    const std::vector<Value> between = fields["between"].elements();
    if (between.size() != 2) fields["between"].fail_value("does not name two bodies or groups");
    const std::vector<int> first = find_all_bodies<D>(between[0], scene),
                           second = find_all_bodies<D>(between[1], scene);
    if (!fields["collide"].flag()) keep_apart<D>(first, second, fields, scene);
  }
}

#define TALUS_INSTANTIATE(D)                                                            \
  template void read_groups<D>(                                                         \
      const std::vector<Value>&, const SceneMaterials&,                                 \
      const std::function<void(const BodyDescription<D>&, const Fields&)>&, Scene<D>&); \
  template void read_pairs<D>(const std::vector<Value>&, Scene<D>&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
