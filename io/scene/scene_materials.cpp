// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_materials.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/step/compliant.hpp"
#include "io/text/printable.hpp"
#include "io/text/spelling.hpp"

namespace talus {

namespace {

const Keys law_keys = {"friction",         "restitution",       "tangential_restitution",
                       "stiffness",        "normal_stiffness",  "tangential_stiffness",
                       "exponent",         "adhesion",          "range",
                       "rolling_friction", "spinning_friction", "bond"};

TableOfSpeed read_speed_table(const Value& value) {
  TableOfSpeed table;
  for (const Value& row : value.elements()) {
    const std::vector<double> pair = row.numbers(non_negative);
    if (pair.size() != 2) row.fail_value("is not a pair [speed, coefficient]");
    if (!table.speed.empty() && pair[0] <= table.speed.back()) {
      row.fail(fmt::format("{}: speed {} does not come after {}", row.name(), pair[0],
                           table.speed.back()));
    }
    if (pair[1] > 1) row.fail(fmt::format("{}: {} is outside [0, 1]", row.name(), pair[1]));
    table.speed.push_back(pair[0]);
    table.value.push_back(pair[1]);
  }
  return table;
}

CoefficientOfSpeed read_coefficient_of_speed(const Value& value) {
  if (!value.node().is_table()) value.fail_value("is not a number, { table = … } or { power = … }");
  const Fields fields = value.table({"table", "power"});
  if (fields.one_of({"table", "power"}) == "table") return read_speed_table(fields["table"]);
  const Fields power = fields["power"].table({"value", "speed", "exponent"});
  return PowerOfSpeed{power["value"].number(zero_to_one), power.number_or("speed", 1, positive),
                      power["exponent"].number(non_negative)};
}

}  // namespace

// Moved from `restitution` into the dashpot of the contact.
void SceneMaterials::read_restitution_of_spring(const Fields& fields, ContactLaw& law) {
  constexpr const char* key = "tangential_restitution";
  if (fields.has(key) && !(fields[key].is_number() && fields[key].number(zero_to_one) == 0))
    fields[key].fail(
        fmt::format("'{}' beside 'normal_stiffness': its tangential spring has none", key));
  if (!fields.has("restitution")) {
    if (law.exponent != 1) law.damping_ratio = 0;
    return;
  }
  const Value restitution = fields["restitution"];
  if (!restitution.is_number())
    restitution.fail("'restitution' beside 'normal_stiffness' must be a number");
  if (law.restitution == 0 && law.exponent == 1) return;  // Euler's implicit rule alone
  if (!(law.restitution >= 1e-3))
    restitution.fail_value("is too small for a spring and a dashpot: at least 0.001");
  law.damping_ratio = damping_ratio_of(law.restitution);
  law.restitution = 0;
}

void SceneMaterials::read_stiffness(const Fields& fields, ContactLaw& law) {
  if (!fields.has("normal_stiffness")) {
    for (const char* const key : {"tangential_stiffness", "exponent"})
      if (fields.has(key))
        fields[key].fail(fmt::format(
            "'{}' without 'normal_stiffness': give both, or leave contacts rigid", key));
    return;
  }
  law.normal_stiffness = fields["normal_stiffness"].number(positive);
  law.exponent = fields.number_or("exponent", 1, {1, 4});
  if (law.exponent != 1 && law.friction > 0 && !fields.has("tangential_stiffness"))
    fields["exponent"].fail("'exponent' with friction needs a 'tangential_stiffness' [N/m]");
  law.tangential_stiffness =
      fields.number_or("tangential_stiffness", 2.0 / 7.0 * law.normal_stiffness, positive);
  read_restitution_of_spring(fields, law);
  if (!first_stiffness_) first_stiffness_ = fields["normal_stiffness"];
  if (law.ellipsoid >= 0)
    fields["friction"].fail("elliptic 'friction' beside 'normal_stiffness': give a number");
}

void SceneMaterials::read_adhesion(const Fields& fields, ContactLaw& law) {
  if (fields.has("range") && !fields.has("adhesion"))
    fields["range"].fail("'range' without 'adhesion': give both, or leave contacts dry");
  law.adhesion = fields.number_or("adhesion", 0, non_negative);
  law.range = fields.number_or("range", 0, non_negative);
  if (law.adheres() && law.bounces_by_spring())
    fields["adhesion"].fail("'adhesion' beside a spring with 'restitution' or 'exponent'");
  if (law.adheres() && !first_adhesion_) first_adhesion_ = fields["adhesion"];
}

void SceneMaterials::require_dry(std::string_view reason) const {
  if (!first_adhesion_) return;
  first_adhesion_->fail(fmt::format("'adhesion' beside {}: contacts must be dry", reason));
}

void SceneMaterials::read_moments(const Fields& fields, ContactLaw& law) {
  const auto read = [&](const char* key) {
    const double length = fields.number_or(key, 0, non_negative);
    if (length > 0 && !first_moment_) first_moment_ = fields[key];
    return length;
  };
  law.rolling_friction = read("rolling_friction");
  law.spinning_friction = read("spinning_friction");
  if (fields.has("spinning_friction") && !first_spinning_)
    first_spinning_ = fields["spinning_friction"];
}

// { tension, cohesion, friction, fracture_energy, reach, radius }
void SceneMaterials::read_bond(const Fields& fields, ContactLaw& law) {
  if (!fields.has("bond")) return;
  const Value bond = fields["bond"];
  const Fields own =
      bond.table({"tension", "cohesion", "friction", "fracture_energy", "reach", "radius"});
  law.bond.tension = own.number_or("tension", 0, non_negative);
  law.bond.cohesion = own["cohesion"].number(positive);
  if (law.ellipsoid >= 0 && !own.has("friction"))
    bond.fail("'bond' beside elliptic 'friction' needs a 'friction' of its own");
  law.bond.friction = own.number_or("friction", law.friction, non_negative);
  law.bond.fracture_energy = own.number_or("fracture_energy", 0, positive);
  law.bond.reach = own.number_or("reach", 0, positive);
  law.bond.radius = own.number_or("radius", 0, positive);
  if (const double least = law.bond.friction * law.bond.tension; law.bond.cohesion < least)
    own["cohesion"].fail_value(
        fmt::format("is less than friction * tension = {:.6g}, where the cone of Mohr and Coulomb "
                    "ends before the tension is reached",
                    least));
  for (const char* const other :
       {"adhesion", "normal_stiffness", "rolling_friction", "spinning_friction"})
    if (fields.has(other)) bond.fail(fmt::format("'bond' beside '{}': give one of them", other));
  if (!first_bond_) first_bond_ = bond;
}

void SceneMaterials::require_unbonded(std::string_view reason) const {
  if (first_bond_) first_bond_->fail(fmt::format("'bond' beside {}", reason));
}

void SceneMaterials::require_no_moments(std::string_view reason) const {
  if (first_moment_)
    first_moment_->fail(
        fmt::format("'{}' beside {}: contacts must roll freely", first_moment_->name(), reason));
}

void SceneMaterials::require_no_spinning(std::string_view reason) const {
  if (first_spinning_) first_spinning_->fail(fmt::format("'spinning_friction' {}", reason));
}

void SceneMaterials::require_rigid(std::string_view reason) const {
  if (!first_stiffness_) return;
  first_stiffness_->fail(
      fmt::format("'normal_stiffness' beside {}: contacts must be rigid", reason));
}

void SceneMaterials::require_round(std::string_view reason) const {
  if (!first_ellipsoid_) return;
  first_ellipsoid_->fail(fmt::format("elliptic 'friction' beside {}: give a number", reason));
}

// A number, or { along = μ, across = μ, axis = [x, y, z], of = MATERIAL }.
void SceneMaterials::read_friction(const Value& friction, int i, int j, ContactLaw& law) {
  if (!friction.node().is_table()) {
    law.friction = friction.number(non_negative);
    return;
  }
  if (in_plane_)
    friction.fail(
        "elliptic 'friction' in the plane, where contacts slide along one line: give a "
        "number");
  if (i == j)
    friction.fail(
        "elliptic 'friction' between bodies of one material, which both have an axis: use a "
        "[[contact]] between two materials");
  const Fields fields = friction.table({"along", "across", "axis", "of"});
  FrictionEllipsoid ellipsoid;
  ellipsoid.along = fields["along"].number(positive);
  ellipsoid.across = fields["across"].number(positive);
  ellipsoid.axis = fields["axis"].direction<3>();
  ellipsoid.material = find(fields["of"]);
  if (ellipsoid.material != i && ellipsoid.material != j)
    fields["of"].fail_value(fmt::format("is neither of the two that touch, '{}' and '{}'",
                                        materials_[i].name, materials_[j].name));
  law.friction = std::max(ellipsoid.along, ellipsoid.across);
  law.ellipsoid = static_cast<int>(ellipsoids_.size());
  ellipsoids_.push_back(ellipsoid);
  if (!first_ellipsoid_) first_ellipsoid_ = friction;
}

ContactLaw SceneMaterials::read_law(const Fields& fields, int i, int j) {
  ContactLaw law;
  read_friction(fields["friction"], i, j, law);
  law.stiffness = fields.number_or("stiffness", 1, positive);
  const auto read = [&](std::string_view key, double& constant, int& of_speed) {
    if (!fields.has(key)) return;
    if (fields[key].is_number()) {
      constant = fields[key].number(zero_to_one);
      return;
    }
    of_speed_.push_back(read_coefficient_of_speed(fields[key]));
    of_speed = static_cast<int>(of_speed_.size()) - 1;
    constant = coefficient_at(of_speed_.back(), 0);
  };
  read("restitution", law.restitution, law.restitution_of_speed);
  read("tangential_restitution", law.tangential_restitution, law.tangential_restitution_of_speed);
  read_stiffness(fields, law);
  read_adhesion(fields, law);
  read_moments(fields, law);
  read_bond(fields, law);
  return law;
}

SceneMaterials::SceneMaterials(const Fields& root, const std::vector<Value>& contacts) {
  if (!root.has("material")) root.fail("no materials: add [material.NAME]");
  const Value list = root["material"];
  if (!list.node().is_table()) list.fail("'material' is not a table: write [material.NAME]");
  for (auto&& [key, node] : *list.node().as_table()) read_material(key, node, root.source());

  in_plane_ =
      root.has("dimension") && root["dimension"].is_number() && root["dimension"].number() == 2;
  laws_ = PairTable(materials_.size());
  for (int i = 0; i < static_cast<int>(fields_.size()); ++i) {
    const bool has_law =
        std::ranges::any_of(law_keys, [&](const auto& key) { return fields_[i].has(key); });
    if (has_law) set_law(i, i, read_law(fields_[i], i, i));
  }
  for (const Value& entry : contacts) read_contact(entry);
}

void SceneMaterials::read_material(const toml::key& key, const toml::node& node,
                                   const SceneSource& source) {
  const std::string name(key.str());
  if (printable(name) != name)
    Value(source, node, "material", name)
        .fail(fmt::format("'{}': the name contains a control character", name));
  if (!node.is_table()) {
    Value(source, node, "material", name)
        .fail(fmt::format("'{}' is not a table: write [material.NAME]", name));
  }
  Keys keys = {"density"};
  keys.insert(keys.end(), law_keys.begin(), law_keys.end());
  const Fields fields(source, *node.as_table(), fmt::format("material '{}'", name), keys);
  index_[name] = static_cast<int>(materials_.size());
  materials_.push_back({name, fields.number_or("density", 0, positive)});
  fields_.push_back(fields);
}

void SceneMaterials::read_contact(const Value& entry) {
  Keys keys = {"between"};
  keys.insert(keys.end(), law_keys.begin(), law_keys.end());
  const Value pair = entry.table("contact", keys)["between"];
  const std::vector<Value> between = pair.elements();
  if (between.size() != 2) pair.fail_value("does not name two materials");
  const int a = find(between[0]), b = find(between[1]);
  if (!with_entry_.insert(std::minmax(a, b)).second) pair.fail_value("has a [[contact]] already");
  set_law(a, b,
          read_law(entry.table(fmt::format("contact {}-{}", materials_[a].name, materials_[b].name),
                               keys),
                   a, b));
}

void SceneMaterials::set_law(int i, int j, const ContactLaw& law) {
  laws_.set(i, j, law);
  with_law_.insert(std::minmax(i, j));
}

int SceneMaterials::find(const Value& name) const {
  const auto found = index_.find(name.text());
  if (found != index_.end()) return found->second;
  Keys known;
  for (const Material& material : materials_) known.push_back(material.name);
  name.fail_value("is no material" + hint(name.text(), known));
}

void SceneMaterials::require_laws(std::span<const int> bodies,
                                  std::span<const int> free_bodies) const {
  for (int i = 0; i < static_cast<int>(materials_.size()); ++i) {
    for (int j = 0; j <= i; ++j) {
      const bool two_bodies = i == j ? bodies[i] > 1 : bodies[i] > 0 && bodies[j] > 0;
      const bool can_meet = two_bodies && free_bodies[i] + free_bodies[j] > 0;
      if (!can_meet || with_law_.contains({j, i})) continue;
      if (i == j) fields_[i].fail("missing key 'friction': two bodies of this material can touch");
      const std::string &a = materials_[j].name, &b = materials_[i].name;
      fields_[i].fail(fmt::format(
          "no contact law with '{}': add [[contact]] between = [\"{}\", \"{}\"]", a, a, b));
    }
  }
}

}  // namespace talus
