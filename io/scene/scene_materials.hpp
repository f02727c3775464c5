// SPDX-License-Identifier: Apache-2.0
// The materials of a scene and the laws of contact between them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/material.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

class SceneMaterials {
 public:
  // [material.NAME] and the [[contact]] entries.
  SceneMaterials(const Fields& root, const std::vector<Value>& contacts);

  int find(const Value& name) const;
  const std::vector<Material>& materials() const { return materials_; }
  const PairTable& laws() const { return laws_; }
  const std::vector<CoefficientOfSpeed>& coefficients_of_speed() const { return of_speed_; }
  const std::vector<FrictionEllipsoid>& friction_ellipsoids() const { return ellipsoids_; }

  // Throws SceneError if two materials can touch and have no law. `bodies` and `free_bodies` are
  // the numbers of bodies per material. Two bodies that both do not move freely have no contact.
  void require_laws(std::span<const int> bodies, std::span<const int> free_bodies) const;

  // Throws SceneError at the first compliant contact, because `reason` needs rigid contacts.
  void require_rigid(std::string_view reason) const;

  // The same at the first contact that adheres, and with elliptic friction.
  void require_dry(std::string_view reason) const;
  void require_round(std::string_view reason) const;

  // The same at the first contact that passes moments, and at the first against spinning alone.
  void require_no_moments(std::string_view reason) const;
  void require_no_spinning(std::string_view reason) const;

  // The same at the first bond.
  void require_unbonded(std::string_view reason) const;

 private:
  void read_material(const toml::key& key, const toml::node& node, const SceneSource& source);
  void read_contact(const Value& entry);
  void set_law(int i, int j, const ContactLaw& law);
  ContactLaw read_law(const Fields& fields, int i, int j);
  void read_friction(const Value& friction, int i, int j, ContactLaw& law);
  void read_stiffness(const Fields& fields, ContactLaw& law);
  void read_adhesion(const Fields& fields, ContactLaw& law);
  void read_moments(const Fields& fields, ContactLaw& law);
  void read_bond(const Fields& fields, ContactLaw& law);
  static void read_restitution_of_spring(const Fields& fields, ContactLaw& law);

  std::vector<Material> materials_;
  std::vector<Fields> fields_;
  std::map<std::string, int> index_;
  PairTable laws_;
  std::vector<CoefficientOfSpeed> of_speed_;
  std::vector<FrictionEllipsoid> ellipsoids_;
  std::optional<Value> first_stiffness_, first_adhesion_, first_ellipsoid_;
  std::optional<Value> first_moment_, first_spinning_, first_bond_;
  bool in_plane_ = false;
  std::set<std::pair<int, int>> with_law_, with_entry_;  // i ≤ j
};

}  // namespace talus
