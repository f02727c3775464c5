// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/motion_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engine/outlook/configuration_motion.hpp"
#include "tools/commands/analysis_words.hpp"
#include "tools/commands/vector_text.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

constexpr std::size_t most_lines = 20;

// A smooth contact that stays closed may well rest.
template <int D>
std::string_view mode_word(const ActiveConstraint<D>& constraint, ContactMode mode) {
  const bool smooth = constraint.friction == 0 && mode == ContactMode::slide;
  return smooth ? "closed" : name_of(mode);
}

// Normal force and, where there is any, friction. Rows that turn carry a torque, their force times
// their moment; forces below `least` are rounding.
template <int D>
std::string force_text(const LinearRow<D>& row, const LinearRow<D>& tangent, double normal,
                       double friction, double least) {
  const auto rounded = [&](double force) { return std::abs(force) > least ? force : 0.0; };
  if (row.direction.isZero(0))
    return fmt::format("{:.6g} N m", rounded(normal) * row.moment_b.norm());
  std::string text = fmt::format("{:.6g} N", rounded(normal));
  if (rounded(friction) > 0)
    text +=
        fmt::format(", friction {:.6g} {}", friction, tangent.direction.isZero(0) ? "N m" : "N");
  return text;
}

// Which component of a joint's force or torque on its second body a row is.
template <int D>
std::string component_text(const ActiveConstraint<D>& constraint, const LinearRow<D>& row) {
  using Kind = typename ActiveConstraint<D>::Kind;
  if (constraint.kind != Kind::joint) return "";
  if (!row.direction.isZero(0))
    return fmt::format(", along {}", vector_text<D>(row.direction, 1e-12));
  if constexpr (D == 3)
    return fmt::format(", about {}", vector_text<3>(row.moment_b.normalized(), 1e-12));
  return "";
}

template <int D>
void print_forces(std::FILE* out, const Scene<D>& scene,
                  const std::vector<ActiveConstraint<D>>& constraints,
                  const std::vector<LinearRow<D>>& rows, const std::vector<LinearRow<D>>& tangents,
                  const std::vector<ContactMode>& modes, const Eigen::VectorXd& normal,
                  const Eigen::VectorXd& all_tangents, double least, std::size_t& listed) {
  const Eigen::VectorXd tangent = unstretched<D>(constraints, all_tangents);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (listed++ >= most_lines) continue;
    const auto k = static_cast<Eigen::Index>(i);
    fmt::print(out, "      {:<28} {}, {}{}{}\n", label<D>(scene, constraints[i]),
               mode_word<D>(constraints[i], modes[i]),
               force_text<D>(rows[i], tangents[i * (D - 1)], normal[k],
                             tangent.segment(k * (D - 1), D - 1).norm(), least),
               constraints[i].adhesion > 0
                   ? fmt::format(", adhesion of {:.6g} N included", constraints[i].adhesion)
                   : "",
               component_text<D>(constraints[i], rows[i]));
  }
}

template <int D>
std::vector<std::size_t> bodies_that_move(const ActiveConstraints<D>& active) {
  std::vector<std::size_t> bodies;
  for (std::size_t i = 0; i < active.mass.size(); ++i)
    if (active.body[i] >= 0 && active.mass[i].moves()) bodies.push_back(i);
  for (const auto& freedom : active.massless)
    if (std::find(bodies.begin(), bodies.end(), freedom.body) == bodies.end())
      bodies.push_back(freedom.body);
  return bodies;
}

template <int D>
std::string_view name(const Scene<D>& scene, const ActiveConstraints<D>& active, std::size_t body) {
  return description<D>(scene, static_cast<std::size_t>(active.body[body])).name;
}

}  // namespace

template <int D>
Eigen::VectorXd with_adhesion(const std::vector<ActiveConstraint<D>>& constraints,
                              Eigen::VectorXd normal) {
  for (std::size_t i = 0; i < constraints.size(); ++i)
    normal[static_cast<Eigen::Index>(i)] -= constraints[i].adhesion;
  return normal;
}

template <int D>
Eigen::VectorXd unstretched(const std::vector<ActiveConstraint<D>>& constraints,
                            Eigen::VectorXd tangent) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    auto force = tangent.template segment<D - 1>(static_cast<Eigen::Index>(i) * (D - 1));
    force.array() *= stretching<D>(constraints[i].stretch).template tail<D - 1>().array();
  }
  return tangent;
}

template <int D>
void print_motion(std::FILE* out, const Scene<D>& scene, const ActiveConstraints<D>& active,
                  const ModeSolution& motion) {
  std::size_t listed = 0;
  double least = 0;
  for (const Eigen::VectorXd* const forces : {&motion.normal_b, &motion.normal_u})
    if (forces->size() > 0) least = std::max(least, 1e-12 * forces->cwiseAbs().maxCoeff());
  print_forces<D>(out, scene, active.bilateral, active.rows.normal_b, active.rows.tangent_b,
                  motion.bilateral, motion.normal_b, motion.tangent_b, least, listed);
  print_forces<D>(out, scene, active.unilateral, active.rows.normal_u, active.rows.tangent_u,
                  motion.unilateral, with_adhesion<D>(active.unilateral, motion.normal_u),
                  motion.tangent_u, least, listed);
  if (listed > most_lines) fmt::print(out, "      … and {} more\n", listed - most_lines);

  const std::vector<Twist<D>> a = accelerations<D>(active, motion);
  const std::vector<std::size_t> bodies = bodies_that_move<D>(active);
  double largest = 0;  // with and without constraints, which may balance all there is
  for (const std::size_t i : bodies)
    largest = std::max({largest, a[i].v.norm(), active.free[i].v.norm()});
  for (std::size_t k = 0; k < std::min(bodies.size(), most_lines); ++k) {
    const std::size_t i = bodies[k];
    fmt::print(out, "      {:<28} accelerates by {} m/s², {} rad/s²\n", name<D>(scene, active, i),
               vector_text<D>(a[i].v, 1e-12 * largest),
               vector_text<spin_dim<D>>(a[i].omega, 1e-12 * (1 + a[i].omega.norm())));
  }
  if (bodies.size() > most_lines)
    fmt::print(out, "      … and {} more bodies\n", bodies.size() - most_lines);
  if (const std::optional<Formulations> apart = other_formulations<D>(active, motion))
    fmt::print(out,
               "      the same by the KKT system to {:.1g}, by Gauss's principle to {:.1g}, by "
               "Aghili's projection to {:.1g}\n",
               apart->kkt, apart->gauss, apart->projection);
}

template <int D>
std::string motion_json(const Scene<D>& scene, const ActiveConstraints<D>& active,
                        const ModeSolution& motion) {
  JsonObject json;
  json.raw("bilateral", modes_json(motion.bilateral));
  json.raw("unilateral", modes_json(motion.unilateral));
  json.raw("normal_bilateral", numbers_json(motion.normal_b));
  json.raw("normal_unilateral", numbers_json(with_adhesion<D>(active.unilateral, motion.normal_u)));
  json.raw("tangential_bilateral", numbers_json(motion.tangent_b));
  json.raw("tangential_unilateral",
           numbers_json(unstretched<D>(active.unilateral, motion.tangent_u)));
  json.add("freedom", motion.freedom);
  const std::vector<Twist<D>> a = accelerations<D>(active, motion);
  std::vector<std::string> bodies;
  for (const std::size_t i : bodies_that_move<D>(active)) {
    JsonObject body;
    body.add("body", name<D>(scene, active, i));
    body.raw("linear", numbers_json(a[i].v)).raw("angular", numbers_json(a[i].omega));
    bodies.push_back(body.text());
  }
  json.raw("accelerations", fmt::format("[{}]", fmt::join(bodies, ", ")));
  if (const std::optional<Formulations> apart = other_formulations<D>(active, motion)) {
    JsonObject formulations;
    formulations.add("kkt", apart->kkt).add("gauss", apart->gauss);
    json.raw("apart", formulations.add("projection", apart->projection).text());
  }
  return json.text();
}

std::string numbers_json(const Eigen::VectorXd& x) {
  std::vector<std::string> items;
  for (const double value : x)
    items.push_back(std::isfinite(value) ? fmt::format("{}", value) : "null");
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string modes_json(const std::vector<ContactMode>& modes) {
  std::vector<std::string> items;
  for (const ContactMode mode : modes) items.push_back(json_string(name_of(mode)));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

#define TALUS_INSTANTIATE(D)                                                              \
  template Eigen::VectorXd with_adhesion<D>(const std::vector<ActiveConstraint<D>>&,      \
                                            Eigen::VectorXd);                             \
  template Eigen::VectorXd unstretched<D>(const std::vector<ActiveConstraint<D>>&,        \
                                          Eigen::VectorXd);                               \
  template void print_motion<D>(std::FILE*, const Scene<D>&, const ActiveConstraints<D>&, \
                                const ModeSolution&);                                     \
  template std::string motion_json<D>(const Scene<D>&, const ActiveConstraints<D>&,       \
                                      const ModeSolution&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
