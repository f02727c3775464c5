// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/blow_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/text/input_error.hpp"
#include "tools/commands/analysis_words.hpp"
#include "tools/commands/body_index.hpp"
#include "tools/commands/body_vector.hpp"
#include "tools/commands/motion_report.hpp"
#include "tools/commands/vector_text.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

template <int D>
std::string_view body_name(const Scene<D>& scene, const Bodies<D>& bodies, std::size_t body) {
  return description<D>(scene, at(bodies.id[body])).name;
}

// Bodies whose velocity a blow changes.
template <int D>
std::vector<std::size_t> struck_bodies(const Bodies<D>& bodies, const BlowResponse<D>& response) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.id[i] >= 0 && bodies.moves_freely(i)) list.push_back(i);
  std::erase_if(list, [&](std::size_t i) {
    const Twist<D>&before = response.before[i], &after = response.after[i];
    return before.v == after.v && before.omega == after.omega;
  });
  return list;
}

}  // namespace

template <int D>
Blow<D> parse_blow(const std::string& text, const World<D>& world) {
  const auto words = body_vector<D>(text);
  if (!words)
    throw InputError(fmt::format("--blow {}: expected BODY:[{}] [N s] or BODY:[{}]@[{}] [m]", text,
                                 D == 2 ? "px,py" : "px,py,pz", D == 2 ? "px,py" : "px,py,pz",
                                 D == 2 ? "x,y" : "x,y,z"));
  return {body_index<D>(world, words->body), words->vector, words->point};
}

template <int D>
void print_blows(std::FILE* out, const Scene<D>& scene, const Bodies<D>& bodies,
                 const std::vector<Blow<D>>& blows, const BlowResponse<D>& response) {
  for (const Blow<D>& blow : blows)
    fmt::print(out, "blow of {} N s on {}{}\n", vector_text<D>(blow.impulse, 0),
               body_name<D>(scene, bodies, at(blow.body)),
               blow.point ? fmt::format(" at {} m", vector_text<D>(*blow.point, 0)) : "");
  if (!response.solved) {
    fmt::print(out, "  the contact solver finds no answer\n");
    return;
  }
  double least = 0;
  for (const Blow<D>& blow : blows) least = std::max(least, 1e-12 * blow.impulse.norm());
  for (const auto& contact : response.contacts)
    if (contact.normal > least)
      fmt::print(
          out, "  {:<28} passes {:.6g} N s{}\n", contact_label<D>(scene, contact.a, contact.b),
          contact.normal,
          contact.friction > least ? fmt::format(", friction {:.6g} N s", contact.friction) : "");
  for (const auto& joint : response.joints)
    fmt::print(out, "  {:<28} passes {} N s\n", scene.joints[at(joint.joint)].name,
               vector_text<D>(joint.impulse, least));
  double fastest = 0;
  for (const Twist<D>& twist : response.after) fastest = std::max(fastest, twist.v.norm());
  for (const std::size_t i : struck_bodies<D>(bodies, response))
    fmt::print(out, "  {:<28} moves at {} m/s, {} rad/s\n", body_name<D>(scene, bodies, i),
               vector_text<D>(response.after[i].v, 1e-12 * fastest),
               vector_text<spin_dim<D>>(response.after[i].omega, 1e-12));
  fmt::print(out, "  kinetic energy {:.6g} J, {:.6g} J before\n", response.energy_after,
             response.energy_before);
  if (response.projection_apart)
    fmt::print(out, "  the same by Aghili's projection to {:.1g}\n", *response.projection_apart);
}

template <int D>
std::string blows_json(const Scene<D>& scene, const Bodies<D>& bodies,
                       const BlowResponse<D>& response) {
  JsonObject json;
  json.add("solved", response.solved);
  std::vector<std::string> contacts, joints, moving;
  for (const auto& contact : response.contacts) {
    JsonObject item;
    item.add("contact", contact_label<D>(scene, contact.a, contact.b));
    item.raw("impulse", numbers_json(contact.impulse));
    item.add("normal", contact.normal).add("friction", contact.friction);
    contacts.push_back(item.text());
  }
  for (const auto& joint : response.joints) {
    JsonObject item;
    item.add("joint", scene.joints[at(joint.joint)].name);
    joints.push_back(item.raw("impulse", numbers_json(joint.impulse)).text());
  }
  for (const std::size_t i : struck_bodies<D>(bodies, response)) {
    JsonObject item;
    item.add("body", body_name<D>(scene, bodies, i));
    item.raw("linear", numbers_json(response.after[i].v));
    moving.push_back(item.raw("angular", numbers_json(response.after[i].omega)).text());
  }
  json.raw("contacts", fmt::format("[{}]", fmt::join(contacts, ", ")));
  json.raw("joints", fmt::format("[{}]", fmt::join(joints, ", ")));
  json.raw("velocities", fmt::format("[{}]", fmt::join(moving, ", ")));
  json.add("energy_before", response.energy_before).add("energy_after", response.energy_after);
  if (response.projection_apart) json.add("projection_apart", *response.projection_apart);
  return json.text();
}

#define TALUS_INSTANTIATE(D)                                                         \
  template Blow<D> parse_blow<D>(const std::string&, const World<D>&);               \
  template void print_blows<D>(std::FILE*, const Scene<D>&, const Bodies<D>&,        \
                               const std::vector<Blow<D>>&, const BlowResponse<D>&); \
  template std::string blows_json<D>(const Scene<D>&, const Bodies<D>&, const BlowResponse<D>&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
