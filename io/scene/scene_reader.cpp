// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_reader.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>

#include "io/scene/body_names.hpp"
#include "io/scene/scene_cell.hpp"
#include "io/scene/scene_containers.hpp"
#include "io/scene/scene_control.hpp"
#include "io/scene/scene_emitters.hpp"
#include "io/scene/scene_expression.hpp"
#include "io/scene/scene_forces.hpp"
#include "io/scene/scene_generators.hpp"
#include "io/scene/scene_groups.hpp"
#include "io/scene/scene_impact.hpp"
#include "io/scene/scene_joints.hpp"
#include "io/scene/scene_materials.hpp"
#include "io/scene/scene_measures.hpp"
#include "io/scene/scene_motion.hpp"
#include "io/scene/scene_packing.hpp"
#include "io/scene/scene_shapes.hpp"
#include "io/scene/scene_value.hpp"
#include "io/scene/scene_warnings.hpp"
#include "io/text/spelling.hpp"
#include "io/text/text_file.hpp"

namespace talus {

namespace {

constexpr std::size_t max_bodies = 2'000'000;

using Entries = std::vector<Value>;

// The tables of [[key]].
Entries entries(const Fields& root, std::string_view key) {
  if (!root.has(key)) return {};
  const Value value = root[key];
  Entries list = value.is_array() ? value.elements() : Entries{value};
  for (const Value& entry : list) {
    if (!value.is_array() || !entry.node().is_table()) {
      entry.fail(fmt::format("'{}' is not a list of tables: write [[{}]]", key, key));
    }
  }
  return list;
}

// Reads one scene, entry by entry: materials first, then bodies, then what refers to bodies.
template <int D>
class SceneBuilder {
 public:
  explicit SceneBuilder(const Fields& root)
      : root_(root), materials_(root, entries(root, "contact")) {}

  Scene<D> build() {
    read_settings();
    if (root_.has("cell")) scene_.cell = read_cell<D>(root_["cell"]);
    read_bodies();
    read_sets();
    read_containers();
    read_generators();
    read_stone_folders();
    read_packings();
    read_emitters();
    if (scene_.bodies.empty() && scene_.emitters.empty())
      root_.fail("no bodies: add [[body]] or a generator such as [[wall]]");
    read_outlets();
    read_groups<D>(
        entries(root_, "group"), materials_,
        [this](const BodyDescription<D>& body, const Fields& fields) {
          if (is_finite(body)) require_mass(body, fields);
        },
        scene_);
    read_pairs<D>(entries(root_, "pair"), scene_);
    require_laws();
    require_no_bonds();
    scene_.forces = read_forces<D>(entries(root_, "force"), scene_);
    read_springs();
    const std::vector<Value> joints = entries(root_, "joint");
    scene_.joints =
        read_joints<D>(joints, scene_, [this](const Value& value) { return find_body(value); });
    for (const Value& joint : joints)
      joint_places_.push_back(joint.source().place(joint.node().source()));
    scene_.measures = read_measures<D>(entries(root_, "measure"), scene_);
    if (scene_.cell)
      require_cell_holds<D>(root_["cell"], scene_, materials_.laws().any_passes_moments());
    connect_signals<D>(root_.source(), scene_);
    if (root_.has("from")) read_earlier_run();
    if (root_.has("stop")) scene_.stops = read_stops<D>(root_["stop"], scene_);
    scene_.materials = materials_.materials();
    scene_.laws = materials_.laws();
    scene_.coefficients_of_speed = materials_.coefficients_of_speed();
    scene_.friction_ellipsoids = materials_.friction_ellipsoids();
    return std::move(scene_);
  }

  std::vector<SceneDocument::Origin> take_origins() { return std::move(origins_); }
  std::vector<Place> take_joint_places() { return std::move(joint_places_); }

 private:
  // The name of an entry before its keys have been checked, for messages.
  static std::string name_of(const Value& entry, const std::string& fallback) {
    return entry.node().as_table()->get("name") == nullptr
               ? fallback
               : (*entry.node().as_table())["name"].value_or(fallback);
  }

  void read_settings() {
    scene_.title = root_.has("title") ? root_["title"].text() : "";
    scene_.gravity = root_.vector_or<D>("gravity", Vec<D>::Zero());

    const Fields time = root_["time"].table({"step", "end", "save_every", "theta"});
    scene_.h = time["step"].number(positive);
    scene_.end = time["end"].number(positive);
    if (scene_.end < scene_.h) {
      time["end"].fail_value(fmt::format("is shorter than one step of {}", scene_.h));
    }
    if (scene_.end / scene_.h > max_steps) {
      time["step"].fail(fmt::format("end / step = {:.3g} steps, more than {:g}",
                                    scene_.end / scene_.h, max_steps));
    }
    scene_.theta = time.number_or("theta", scene_.theta, {0.5, 1});
    if (time.has("save_every")) scene_.save_every = time["save_every"].whole(1, 1'000'000'000);

    if (root_.has("solver")) {
      const Fields solver = root_["solver"].table({"tolerance", "max_sweeps"});
      scene_.solver.tolerance =
          solver.number_or("tolerance", scene_.solver.tolerance, {0, 1, false});
      if (solver.has("max_sweeps")) {
        scene_.solver.max_sweeps = solver["max_sweeps"].whole(1, 1'000'000'000);
      }
    }
    if (root_.has("certificate")) {
      const Fields limits = root_["certificate"].table({"penetration", "energy_gain"});
      CertificateLimits& certificate = scene_.certificate;
      certificate.penetration = limits.number_or("penetration", certificate.penetration, positive);
      certificate.energy_gain =
          limits.number_or("energy_gain", certificate.energy_gain, non_negative);
    }
    if (root_.has("dynamics")) {
      scene_.dynamics = static_cast<Dynamics>(
          root_["dynamics"].choice({"second-order", "sweeping", "lazy-selector"}));
    }
    if (root_.has("contact_rule")) {
      scene_.contact_rule =
          static_cast<ContactRule>(root_["contact_rule"].choice({"lookahead", "moreau"}));
    }
    if (root_.has("monitor")) {
      const Fields monitor = root_["monitor"].table({"every", "solve_again"});
      scene_.monitor.every = monitor["every"].whole(1, 1'000'000'000);
      if (monitor.has("solve_again")) scene_.monitor.solve_again = monitor["solve_again"].flag();
    }
    if (root_.has("impact_law")) {
      const ImpactSettings impacts = read_impact_law(root_["impact_law"]);
      scene_.impact_law = impacts.law;
      scene_.impact_speed = impacts.speed;
    }
    if (!scene_.has_inertia()) {
      const std::string reason = fmt::format("dynamics = \"{}\"", root_["dynamics"].text());
      materials_.require_rigid(reason);
      materials_.require_dry(reason);
      materials_.require_no_moments(reason);
      materials_.require_round(reason);
    }
    if (scene_.contact_rule == ContactRule::moreau) {
      materials_.require_rigid("contact_rule = \"moreau\"");
      materials_.require_dry("contact_rule = \"moreau\"");
    }
    if (acts_before_contact(scene_.impact_law))
      materials_.require_rigid("an impact_law of its own");
    if (acts_before_contact(scene_.impact_law))
      materials_.require_no_moments("an impact_law of its own, whose impacts pass no moments");
    if (D == 2) materials_.require_no_spinning("in the plane: no body spins about a normal there");
    if (const auto* const matrix = std::get_if<MatrixLaw>(&scene_.impact_law);
        matrix != nullptr && matrix->has_tangential())
      materials_.require_round("quasi-tangential restitution");
    if (materials_.laws().any_passes_moments())
      materials_.require_round("rolling or spinning friction");
    scene_.correct_drift = root_.flag_or("correct_drift", scene_.correct_drift);
    scene_.allowed_overlap =
        root_.number_or("allowed_overlap", scene_.allowed_overlap, non_negative);
  }

  static bool is_free(const BodyDescription<D>& body) { return !body.fixed && body.drives.empty(); }

  // Whether it has a volume: a half-space is infinite, and a wall of triangles is a surface.
  static bool is_finite(const BodyDescription<D>& body) {
    const auto fills = [](const auto& part) {
      using S = std::decay_t<decltype(part)>;
      return !std::is_same_v<S, HalfSpace<D>> && !std::is_same_v<S, TriangleMesh>;
    };
    return std::all_of(body.shapes.begin(), body.shapes.end(),
                       [&](const Shape<D>& s) { return std::visit(fills, s); });
  }

  // Bonds hold bodies by their places of the start, at velocities that inertia gives.
  void require_no_bonds() const {
    if (!scene_.has_inertia())
      materials_.require_unbonded(fmt::format("dynamics = \"{}\"", root_["dynamics"].text()));
    if (scene_.contact_rule == ContactRule::moreau)
      materials_.require_unbonded("contact_rule = \"moreau\"");
    if (acts_before_contact(scene_.impact_law))
      materials_.require_unbonded("an impact_law of its own");
    if (scene_.cell) materials_.require_unbonded("a periodic cell");
    if (scene_.population_varies())
      materials_.require_unbonded("emitters or outlets: bonded bodies stay where they are");
    if (materials_.laws().any_passes_moments())
      materials_.require_unbonded("'rolling_friction' or 'spinning_friction' of any contact");
  }

  void require_laws() const {
    const std::size_t n = materials_.materials().size();
    std::vector<int> bodies(n), free_bodies(n);
    for (const BodyDescription<D>& body : scene_.bodies) {
      if (!body.set.empty()) continue;
      ++bodies[body.material];
      free_bodies[body.material] += is_free(body);
    }
    for (const Emitter<D>& emitter : scene_.emitters) {
      if (emitter.grains.empty()) continue;
      const int material = emitter.grains.front().material;
      bodies[material] += static_cast<int>(emitter.grains.size());
      free_bodies[material] += static_cast<int>(emitter.grains.size());
    }
    materials_.require_laws(bodies, free_bodies);
  }

  void read_bodies() {
    int k = 0;
    for (const Value& entry : entries(root_, "body")) {
      const std::string name = name_of(entry, fmt::format("body{}", k++));
      const Fields fields =
          entry.table(fmt::format("body '{}'", name),
                      {"name", "shape", "shapes", "material", "position", "rotation", "velocity",
                       "spin", "fixed", "rotation_locked", "mass", "inertia", "drive"});
      if (fields.has("name")) fields["name"].text();
      origins_.push_back({static_cast<int>(scene_.bodies.size()), fields.place()});
      add_body(read_body(fields, name), fields);
    }
  }

  BodyDescription<D> read_body(const Fields& fields, const std::string& name) const {
    BodyDescription<D> body;
    body.name = name;
    const bool is_wall = fields.flag_or("fixed", false) || fields.has("drive");
    body.shapes = read_shapes<D>(fields, is_wall ? MeshUse::wall : MeshUse::moving);
    body.material = materials_.find(fields["material"]);
    body.position = fields.vector_or<D>("position", Vec<D>::Zero());
    if (fields.has("rotation")) body.orientation = read_rotation<D>(fields["rotation"]);
    body.fixed = fields.flag_or("fixed", false);
    body.rotation_locked = fields.flag_or("rotation_locked", false);
    if (fields.has("drive")) body.drives = read_drives<D>(fields["drive"]);
    if (body.fixed && !body.drives.empty()) {
      fields["fixed"].fail("a body is fixed or driven, not both");
    }
    for (const char* key : {"velocity", "spin"}) {
      if (fields.has(key) && !is_free(body)) {
        fields[key].fail(
            fmt::format("'{}' of a {} body has no meaning", key, body.fixed ? "fixed" : "driven"));
      }
    }
    body.velocity = fields.vector_or<D>("velocity", Vec<D>::Zero());
    if (fields.has("spin")) body.spin = read_spin<D>(fields["spin"]);
    if (fields.has("mass")) body.mass = fields["mass"].number(positive);
    if (fields.has("inertia")) body.inertia = read_inertia(fields["inertia"]);
    return body;
  }

  // In space the three principal moments about the described axes, or the full matrix.
  static SpinMat<D> read_inertia(const Value& value) {
    if constexpr (D == 2) {
      return SpinMat<2>(value.number(positive));
    } else {
      SpinMat<3> J = SpinMat<3>::Zero();
      const Entries rows = value.elements();
      if (rows.size() == 3 && rows[0].is_array()) {
        for (int i = 0; i < 3; ++i) J.row(i) = rows[i].template vector<3>();
      } else {
        J.diagonal() = value.vector<3>();
      }
      if (J != J.transpose()) value.fail_value("is not symmetric");
      const Vec<3> moments = J.template selfadjointView<Eigen::Lower>().eigenvalues();
      const double rounding = 1e-12 * moments[2];
      if (!(moments[0] > rounding)) value.fail_value("is not positive definite");
      if (moments[2] > moments[0] + moments[1] + rounding) {
        value.fail_value("is no body's: a principal moment exceeds the sum of the others");
      }
      return J;
    }
  }

  void add_body(BodyDescription<D> body, const Fields& fields) {
    if (body.name == "world") fields.fail("the name 'world' is taken by the surroundings");
    if (!body_index_.emplace(body.name, static_cast<int>(scene_.bodies.size())).second) {
      fields.fail(fmt::format("another body is named '{}', too", body.name));
    }
    const bool infinite = !is_finite(body);
    if (infinite && is_free(body)) {
      fields.fail("a half-space is infinite: make the body fixed or drive it");
    }
    if (!body.position.allFinite()) fields.fail(fmt::format("'{}' lies at infinity", body.name));
    if (!infinite && body.set.empty()) require_mass(body, fields);
    scene_.bodies.push_back(std::move(body));
  }

  // Volumes must be in a range that can be computed with. Free bodies need a mass and an inertia
  // that can be inverted.
  void require_mass(const BodyDescription<D>& body, const Fields& fields) const {
    const Material& material = materials_.materials()[body.material];
    if (is_free(body) && !body.mass && !(material.density > 0)) {
      fields.fail(fmt::format("no mass: add 'density' to material '{}'", material.name));
    }
    const MassProperties<D> shape = mass_properties<D>(body.shapes);
    const double density = is_free(body) ? material.density : 1;
    const double mass = body.mass ? *body.mass : density * shape.volume;
    const double inertia =
        body.inertia ? body.inertia->trace() : mass / shape.volume * shape.inertia.trace();
    for (const double x : {shape.volume, mass, inertia}) {
      if (!(x > 1e-200 && x < 1e200)) {
        fields.fail(fmt::format("cannot compute with a volume of {:g} and a mass of {:g} kg",
                                shape.volume, mass));
      }
    }
  }

  // Sets Φ(t) given by functions.
  void read_sets() {
    for_each_entry("set", {"name", "inside"}, [&](const Fields& fields, const std::string& name) {
      if (scene_.has_inertia())
        fields.fail("a set needs dynamics = \"sweeping\" or \"lazy-selector\"");
      BodyDescription<D> set;
      set.name = name;
      set.fixed = true;
      const Value inside = fields["inside"];
      for (const Value& function : inside.is_array() ? inside.elements() : Entries{inside})
        set.set.push_back(read_expression(function, D));
      origins_.push_back({static_cast<int>(scene_.bodies.size()), fields.place()});
      add_body(std::move(set), fields);
    });
  }

  // The fields of the k-th entry of a generator, and the name prefix of its bodies.
  std::pair<Fields, std::string> open_generator(const Value& entry, std::string_view kind, int k,
                                                Keys keys) const {
    const std::string name =
        name_of(entry, k == 0 ? std::string(kind) : fmt::format("{}{}", kind, k));
    keys.insert(keys.end(), {"name", "material", "position", "rotation"});
    const Fields fields = entry.table(fmt::format("{} '{}'", kind, name), keys);
    if (fields.has("name")) fields["name"].text();
    return {fields, name};
  }

  struct Pose {
    Vec<D> position = Vec<D>::Zero();
    Orientation<D> rotation;
  };
  static Pose read_pose(const Fields& fields) {
    return {fields.vector_or<D>("position", Vec<D>::Zero()),
            fields.has("rotation") ? read_rotation<D>(fields["rotation"]) : Orientation<D>{}};
  }

  struct PlacedContainer {
    Region<D> inside;
    Pose pose;
  };

  void read_containers() {
    int k = 0;
    for (const Value& entry : entries(root_, "container")) {
      const auto [fields, name] = open_generator(entry, "container", k++, container_keys());
      if (containers_.contains(name))
        fields.fail(fmt::format("another container is named '{}', too", name));
      origins_.push_back({static_cast<int>(scene_.bodies.size()), fields.place()});
      Container<D> container = read_container<D>(fields);
      const Pose pose = read_pose(fields);
      place<D>(pose.position, pose.rotation, container.walls);
      for (BodyDescription<D>& wall : container.walls) {
        wall.name = fmt::format("{}.{}", name, wall.name);
        wall.material = materials_.find(fields["material"]);
        add_body(std::move(wall), fields);
      }
      containers_.emplace(name, PlacedContainer{std::move(container.inside), pose});
    }
  }

  void read_generators() {
    for (const Generator<D>& generator : generators<D>()) {
      int k = 0;
      for (const Value& entry : entries(root_, generator.kind)) {
        Keys keys = {"velocity", "fixed"};
        keys.insert(keys.end(), generator.keys.begin(), generator.keys.end());
        const auto [fields, name] = open_generator(entry, generator.kind, k++, keys);
        add_generated(fields, generator.read(fields, name), read_pose(fields));
      }
    }
  }

  void read_stone_folders() {
    int k = 0;
    for (const Value& entry : entries(root_, "stones")) {
      Keys keys = {"velocity", "fixed"};
      keys.insert(keys.end(), stone_keys().begin(), stone_keys().end());
      const auto [fields, name] = open_generator(entry, "stones", k++, keys);
      if constexpr (D == 3) {
        add_arranged(fields, read_stones(fields, name), read_pose(fields), true);
      } else {
        fields.fail("needs dimension = 3");
      }
    }
  }

  void read_packings() {
    int k = 0;
    for (const Value& entry : entries(root_, "packing")) {
      Keys keys = {"velocity", "fixed"};
      keys.insert(keys.end(), packing_keys().begin(), packing_keys().end());
      const auto [fields, name] = open_generator(entry, "packing", k++, keys);
      if (!fields.has("in")) {
        add_generated(fields, read_packing<D>(fields, name, nullptr), read_pose(fields));
        continue;
      }
      const PlacedContainer& container = find_container(fields["in"]);
      const PackingPlan<D> plan = read_packing<D>(fields, name, &container.inside);
      // The position of a packing is given in the frame of its container.
      const Vec<D> shift = rotation_matrix<D>(container.pose.rotation) * read_pose(fields).position;
      add_generated(fields, plan, {container.pose.position + shift, container.pose.rotation});
    }
  }

  const auto& find_container(const Value& value) const {
    const std::string name = value.text();
    const auto found = containers_.find(name);
    if (found == containers_.end()) {
      Keys known;
      for (const auto& [container_name, container] : containers_) known.push_back(container_name);
      value.fail_value("is no container" + hint(name, known));
    }
    return found->second;
  }

  void add_generated(const Fields& fields, const Plan<D>& plan, const Pose& pose) {
    const double asked = body_count<D>(plan);
    if (asked > static_cast<double>(max_bodies - scene_.bodies.size())) {
      fields.fail(fmt::format("asks for {:g} bodies; a scene may have {}", asked, max_bodies));
    }
    std::vector<BodyDescription<D>> bodies = generate<D>(plan);
    if (std::holds_alternative<PackingPlan<D>>(plan) &&
        static_cast<double>(bodies.size()) < asked) {
      fields.fail(fmt::format("only {} of {:g} grains found a place: enlarge {}", bodies.size(),
                              asked,
                              fields.has("in") && !fields.has("region")
                                  ? fmt::format("the container '{}'", fields["in"].text())
                                  : "'region'"));
    }
    add_arranged(fields, std::move(bodies), pose, !std::holds_alternative<ChainPlan<D>>(plan));
  }

  void add_arranged(const Fields& fields, std::vector<BodyDescription<D>> bodies, const Pose& pose,
                    bool all_move) {
    origins_.push_back({static_cast<int>(scene_.bodies.size()), fields.place()});
    const int material = materials_.find(fields["material"]);
    const bool fixed = fields.flag_or("fixed", false);
    if (fixed && fields.has("velocity")) {
      fields["velocity"].fail("'velocity' of a fixed body has no meaning");
    }
    const Vec<D> velocity = fields.vector_or<D>("velocity", Vec<D>::Zero());
    place<D>(pose.position, pose.rotation, bodies);
    for (BodyDescription<D>& body : bodies) {
      body.material = material;
      body.fixed = fixed;
      if (all_move) body.velocity = velocity;
      add_body(std::move(body), fields);
    }
  }

  // Calls read(fields, name) for the tables of [[kind]].
  template <class F>
  void for_each_entry(const std::string& kind, const Keys& keys, F&& read) {
    int k = 0;
    for (const Value& entry : entries(root_, kind)) {
      const std::string name = name_of(entry, k == 0 ? kind : fmt::format("{}{}", kind, k));
      ++k;
      const Fields fields = entry.table(fmt::format("{} '{}'", kind, name), keys);
      if (fields.has("name")) fields["name"].text();
      read(fields, name);
    }
  }

  void read_emitters() {
    for_each_entry("emitter", emitter_keys(), [&](const Fields& fields, const std::string& name) {
      const std::size_t bodies = total_bodies(scene_);
      origins_.push_back({static_cast<int>(bodies), fields.place()});
      scene_.emitters.push_back(read_emitter<D>(fields, name, materials_.find(fields["material"]),
                                                materials_.materials(), scene_.end,
                                                max_bodies - bodies));
    });
  }

  void read_outlets() {
    for_each_entry("outlet", outlet_keys(), [&](const Fields& fields, const std::string& name) {
      scene_.outlets.push_back(read_outlet<D>(fields, name));
      refuse_outlet_of_all<D>(fields, scene_.outlets.back(), scene_);
    });
  }

  int find_body(const Value& value) const {
    const std::string name = value.text();
    const auto found = body_index_.find(name);
    if (found == body_index_.end()) {
      Keys known;
      for (const auto& [body_name, i] : body_index_) known.push_back(body_name);
      const std::string_view meant = nearest(name, known);
      value.fail_value(meant.empty() ? "is no body"
                                     : fmt::format("is no body (did you mean '{}'?)", meant));
    }
    return found->second;
  }

  void read_earlier_run() {
    const Fields from = root_["from"].table({"run", "drop", "add"});
    EarlierRun& earlier = scene_.earlier.emplace();
    earlier.frame = from["run"].text();
    for (const auto& [key, patterns] : {std::pair("drop", &earlier.drop), {"add", &earlier.add}}) {
      if (!from.has(key)) continue;
      const Value value = from[key];
      for (const Value& name : value.is_array() ? value.elements() : Entries{value})
        patterns->push_back(name.text());
    }
    if (from.has("add")) find_bodies<D>(from["add"], scene_);  // each names a body
  }

  // A point of a body's described frame at the start, or of the world.
  Vec<D> start_position(int body, const Vec<D>& point) const {
    if (body < 0) return point;
    const BodyDescription<D>& b = scene_.bodies[body];
    return b.position + rotation_matrix<D>(b.orientation) * point;
  }

  void read_springs() {
    int k = 0;
    for (const Value& entry : entries(root_, "spring")) {
      const Fields fields =
          entry.table(fmt::format("spring {}", k++),
                      {"between", "anchors", "stiffness", "damping", "rest_length"});
      if (!scene_.has_inertia())
        fields.fail("a spring needs dynamics = \"second-order\": a sweeping process has no forces");
      const Entries between = fields["between"].elements();
      if (between.size() != 2) fields["between"].fail_value("does not name two bodies");
      const Entries anchors = fields["anchors"].elements();
      if (anchors.size() != 2) fields["anchors"].fail_value("does not give two points");

      Spring<D> spring;
      const bool world_first = between[0].text() == "world";
      const int first = world_first ? 1 : 0, second = 1 - first;
      if (world_first && between[1].text() == "world") {
        fields["between"].fail_value("names no body");
      }
      spring.a = find_body(between[first]);
      spring.b = between[second].text() == "world" ? -1 : find_body(between[second]);
      if (spring.a == spring.b) fields["between"].fail_value("names one body twice");
      const bool pulls =
          is_free(scene_.bodies[spring.a]) || (spring.b >= 0 && is_free(scene_.bodies[spring.b]));
      if (!pulls) fields["between"].fail_value("names no body that is free to move");
      spring.anchor_a = anchors[first].template vector<D>();
      spring.anchor_b = anchors[second].template vector<D>();
      spring.stiffness = fields.number_or("stiffness", 0, non_negative);
      spring.damping = fields.number_or("damping", 0, non_negative);
      if (spring.stiffness == 0 && spring.damping == 0) {
        fields.fail("does nothing: give 'stiffness' or 'damping'");
      }
      const Vec<D> joining =
          start_position(spring.b, spring.anchor_b) - start_position(spring.a, spring.anchor_a);
      spring.rest_length = fields.number_or("rest_length", joining.norm(), non_negative);
      scene_.springs.push_back(spring);
    }
  }

  Fields root_;
  SceneMaterials materials_;
  Scene<D> scene_;
  std::vector<SceneDocument::Origin> origins_;
  std::vector<Place> joint_places_;
  std::map<std::string, int> body_index_;
  std::map<std::string, PlacedContainer> containers_;
};

}  // namespace

const Place& SceneDocument::origin_of_body(int body) const {
  const auto after = std::upper_bound(origins.begin(), origins.end(), body,
                                      [](int i, const Origin& o) { return i < o.first_body; });
  return std::prev(after)->place;
}

std::string SceneDocument::place_of_body(int body) const { return origin_of_body(body).text(); }

SceneError SceneDocument::error_at_body(int body, std::string_view what) const {
  return {origin_of_body(body), text, what};
}

SceneError SceneDocument::error_at_joint(int joint, std::string_view what) const {
  return {joints[static_cast<std::size_t>(joint)], text, what};
}

SceneDocument read_scene_text(std::string text, std::string path,
                              std::span<const std::string> overrides,
                              std::optional<std::vector<SceneRecord>> records) {
  SceneDocument document{
      {}, std::move(text), std::move(path), {overrides.begin(), overrides.end()}, {}, {}, {}, {}};
  const SceneSource source(document.text, document.path, overrides, std::move(records));
  document.records = source.records();
  if (source.root().contains("axis") && source.root().contains("scene"))
    throw SceneError({document.path}, {}, "is a study, not a scene: talus batch runs its cases");
  Keys keys = {"title",        "dimension",     "gravity",
               "time",         "solver",        "dynamics",
               "contact_rule", "correct_drift", "allowed_overlap",
               "cell",         "impact_law",    "material",
               "contact",      "body",          "force",
               "spring",       "joint",         "monitor",
               "emitter",      "outlet",        "measure",
               "certificate",  "group",         "pair",
               "stop",         "from",          "set"};
  for (const Generator<2>& generator : generators<2>()) keys.push_back(generator.kind);
  keys.insert(keys.end(), {"stones", "container", "packing"});
  const Fields root(source, source.root(), "", keys);
  const auto build = [&](auto builder) {
    auto scene = builder.build();
    document.warnings = source.remarks();
    std::ranges::move(probable_slips(source, scene), std::back_inserter(document.warnings));
    document.scene = std::move(scene);
    document.origins = builder.take_origins();
    document.joints = builder.take_joint_places();
  };
  const Value dimension = root["dimension"];
  if (dimension.number() != 2 && dimension.number() != 3) dimension.fail_value("is not 2 or 3");
  if (dimension.number() == 2) {
    build(SceneBuilder<2>(root));
  } else {
    build(SceneBuilder<3>(root));
  }
  return document;
}

SceneDocument read_scene(const std::filesystem::path& path,
                         std::span<const std::string> overrides) {
  return read_scene_text(read_text_file(path), path.string(), overrides);
}

}  // namespace talus
