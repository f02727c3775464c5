// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/text/printable.hpp"

namespace talus {

namespace {

constexpr double least_density = 10;  // [kg/m³]: less is a gas, or a density in g/cm³

// Of balls, capsules, and the balls around the corners of polytopes.
template <int D>
double least_radius(const std::vector<Shape<D>>& shapes) {
  double least = std::numeric_limits<double>::infinity();
  for (const Shape<D>& shape : shapes)
    std::visit(
        [&](const auto& s) {
          if constexpr (requires { s.radius; }) least = std::min(least, s.radius);
        },
        shape);
  return least;
}

template <int D>
class Slips {
 public:
  Slips(const SceneSource& source, const Scene<D>& scene)
      : source_(source), scene_(scene), users_(scene.materials.size()), free_(users_) {
    for (std::size_t id = 0; id < total_bodies<D>(scene); ++id) {
      const BodyDescription<D>& body = description<D>(scene, id);
      const auto material = static_cast<std::size_t>(body.material);
      ++users_[material];
      if (body.fixed || !body.drives.empty()) continue;
      free_[material] += !body.mass;
      any_free_ = true;
      smallest_ = std::min(smallest_, least_radius<D>(body.shapes));
      is_moved_ = is_moved_ || !body.velocity.isZero(0) || !body.spin.isZero(0);
    }
  }

  std::vector<std::string> find() {
    look_at_materials();
    look_at_gravity();
    look_at_step();
    return std::move(warnings_);
  }

 private:
  void warn(const toml::node* node, const std::string& what) {
    const Place place = node != nullptr ? source_.place(node->source()) : Place{source_.path()};
    warnings_.push_back(printable(fmt::format("{}: {}", place.text(), what)));
  }

  void look_at_materials() {
    for (std::size_t m = 0; m < scene_.materials.size(); ++m) {
      const Material& material = scene_.materials[m];
      const toml::node* const table = source_.root()["material"][material.name].node();
      if (users_[m] == 0)
        warn(table, fmt::format("material '{}' is that of no body", material.name));
      const bool weighs = free_[m] > 0 && scene_.has_inertia();
      if (weighs && material.density < least_density)
        warn(source_.root()["material"][material.name]["density"].node(),
             fmt::format("material '{}': density = {:g} {} is that of a gas", material.name,
                         material.density, D == 2 ? "kg/m²" : "kg/m³"));
    }
  }

  void look_at_gravity() {
    if (!any_free_ || !scene_.has_inertia()) return;
    const toml::node* const gravity = source_.root()["gravity"].node();
    if (scene_.gravity[D - 1] > 0)
      warn(gravity, fmt::format("gravity points upwards: its last component is {:g} m/s²",
                                scene_.gravity[D - 1]));
    for (int k = 0; k < D; ++k)
      if (scene_.cell && scene_.cell->periodic[static_cast<std::size_t>(k)] &&
          scene_.gravity[k] != 0)
        warn(gravity, fmt::format("gravity pulls along the periodic axis {}: nothing holds the "
                                  "bodies there, and they fall for ever",
                                  "xyz"[k]));
    if (gravity == nullptr && !is_moved_ && !is_loaded())
      warn(nullptr, "no 'gravity' is given, and nothing else sets the bodies in motion");
  }

  bool is_loaded() const {
    return !scene_.forces.empty() || !scene_.springs.empty() ||
           (scene_.cell && scene_.cell->deforms()) ||
           std::any_of(scene_.bodies.begin(), scene_.bodies.end(),
                       [](const auto& body) { return !body.drives.empty(); }) ||
           std::any_of(scene_.joints.begin(), scene_.joints.end(),
                       [](const auto& joint) { return joint.motor.has_value(); });
  }

  // A body that starts from rest falls g h² in a step.
  void look_at_step() {
    const double fall = scene_.gravity.norm() * scene_.h * scene_.h;
    if (!scene_.has_inertia() || !(fall > smallest_)) return;
    warn(source_.root()["time"]["step"].node(),
         fmt::format("step = {:g} s: within it the smallest body falls {:.3g} of its radius from "
                     "rest; {:.2g} s or less follows its motion",
                     scene_.h, fall / smallest_,
                     0.1 * std::sqrt(smallest_ / scene_.gravity.norm())));
  }

  const SceneSource& source_;
  const Scene<D>& scene_;
  std::vector<int> users_,
      free_;  // bodies of each material, and those that take their mass from it
  double smallest_ = std::numeric_limits<double>::infinity();  // radius of a free body [m]
  bool any_free_ = false, is_moved_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace

template <int D>
std::vector<std::string> probable_slips(const SceneSource& source, const Scene<D>& scene) {
  return Slips<D>(source, scene).find();
}

template std::vector<std::string> probable_slips<2>(const SceneSource&, const Scene<2>&);
template std::vector<std::string> probable_slips<3>(const SceneSource&, const Scene<3>&);

}  // namespace talus
