// SPDX-License-Identifier: Apache-2.0
#include "engine/outlook/impact_forecast.hpp"

#include <algorithm>
#include <cmath>

#include "engine/detect/contact_search.hpp"
#include "engine/step/activation.hpp"
#include "engine/step/friction_ellipse.hpp"
#include "engine/step/joints.hpp"
#include "solvers/analysis/impact_modes.hpp"

namespace talus {

namespace {

constexpr double counts_as_touching =
    1e-5;  // smaller gaps count as closed; relative to the smaller body
constexpr std::size_t most_contacts = 300;  // largest cluster that is analysed in full
constexpr std::size_t most_joined = 3000;   // largest with bounds beside joints (dense W)
constexpr std::size_t most_tried = 1000;    // largest computed impact: Lemke is dense
constexpr int most_mode_visits = 5000;      // nodes of the search for modes

// Contacts of the largest impact whose modes are enumerated.
template <int D>
constexpr std::size_t most_by_modes() {
  return D == 2 ? 8 : 4;
}

template <int D>
std::vector<Contact<D>> contacts_ahead(const Scene<D>& scene, const Bodies<D>& bodies,
                                       std::span<const Twist<D>> v) {
  std::vector<Reach<D>> reach;
  find_reach<D>(bodies, scene, v, scene.h, reach);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (std::isfinite(bodies.geometry_of(i).size))
      reach[i].margin += counts_as_touching * bodies.geometry_of(i).size;
  std::vector<Contact<D>> contacts;
  ContactSearch<D>().find(bodies, reach, ExcludedPairs<D>(scene), contacts);
  return contacts;
}

template <int D>
void judge(const ImpactProblem<D>& impact, const ImpactLaw& law, ImpactForecast<D>& forecast) {
  const ImpactAnswer<D> answer = acts_before_contact(law) ? solve_impact<D>(impact, law)
                                                          : matrix_impact<D>(impact, MatrixLaw{});
  forecast.solved = answer.solved;
  if (!answer.solved) return;
  ImpactProblem<D> later = impact;
  later.v_minus = velocities_after<D>(impact, answer.percussions);
  const std::vector<Vec<D>> after = contact_velocities<D>(impact, later.v_minus);
  std::vector<ImpactRecord<D>> records;
  for (std::size_t i = 0; i < impact.size(); ++i)
    records.push_back({impact.coefficients[i].friction, answer.percussions[i],
                       forecast.contacts[i].u_minus, after[i]});
  forecast.judgement = judge_impact<D>(records);
  if (forecast.quasi_before) forecast.quasi_after = quasi_state(quasi_velocities<D>(later));
}

// Signs of the slips of arrival, if every contact with friction slips.
template <int D>
std::optional<std::vector<double>> slips_of_arrival(const ImpactProblem<D>& impact) {
  std::vector<double> xi;
  const std::vector<Vec<D>> u = contact_velocities<D>(impact, impact.v_minus);
  bool rough = false;
  for (std::size_t i = 0; i < impact.size(); ++i) {
    const bool slips = std::abs(u[i][1]) > 1e-9 * u[i].norm();
    rough = rough || impact.coefficients[i].friction > 0;
    if (impact.coefficients[i].friction > 0 && !slips) return std::nullopt;
    xi.push_back(u[i][1] > 0 ? 1 : -1);
  }
  return rough ? std::optional(xi) : std::nullopt;
}

template <int D>
void find_modes(const ImpactProblem<D>& impact, const MatrixLaw& law, ImpactForecast<D>& forecast) {
  if (impact.size() > most_by_modes<D>()) return;
  forecast.modes = enumerate_modes(impact_system<D>(impact, law), most_mode_visits);
  if constexpr (D == 2)
    if (const auto xi = slips_of_arrival<D>(impact); xi && !forecast.outlook->walls_apart)
      forecast.all_slide = sliding_mode(impact, law, *xi);
}

}  // namespace

template <int D>
std::vector<ImpactForecast<D>> forecast_impacts(const Scene<D>& scene, const Bodies<D>& bodies,
                                                double t) {
  std::vector<Twist<D>> v(bodies.size() + 1);
  for (std::size_t i = 0; i < bodies.size(); ++i) v[i] = {bodies.velocity[i], bodies.spin[i]};
  const double speed = impact_speed<D>(scene);

  RigidOperator<D> W;
  mass_blocks<D>(bodies, scene, W.bodies);
  std::vector<ActiveContact<D>> contacts;
  std::vector<char> takes_part, closing;
  for (const Contact<D>& contact : contacts_ahead<D>(scene, bodies, v)) {
    ContactRow<D> row = contact_row<D>(bodies, contact);
    const ContactLaw& of_pair = scene.laws(bodies.material[at(row.a)], bodies.material[at(row.b)]);
    stretch_row<D>(scene, bodies, of_pair, row);
    const Vec<D> u = relative_velocity<D>(row, v[at(row.a)], v[at(row.b)]);
    const bool touches = contact.gap <= counts_as_touching / touching_fraction *
                                            touching_gap<D>(bodies, contact.key);
    const bool comes = closes<D>(u, speed) && contact.gap <= std::max(0.0, -u[0] * scene.h);
    const bool opens = u[0] > std::max(speed, 1e-12 * u.norm());
    if (!comes && (!touches || opens)) continue;
    ContactLaw law = law_at(of_pair, scene.coefficients_of_speed, -u[0]);
    law.friction = friction_of<D>(scene, law, row);
    W.contacts.push_back(row);
    contacts.push_back({contact, row.frame, law, Vec<D>::Zero(), u, Vec<D>::Zero()});
    takes_part.push_back(1);
    closing.push_back(comes);
  }
  const bool any = std::any_of(closing.begin(), closing.end(), [](char c) { return c != 0; });
  std::vector<Constraint<D>> held;
  for (const JointFrame<D>& frame : joint_frames<D>(scene.joints, make_bodies<D>(scene)))
    add_constraints<D>(frame, bodies, held);
  std::vector<LinearRow<D>> rows;
  for (const Constraint<D>& constraint : held) rows.push_back(constraint.row);
  ImpactClusters clusters =
      find_impact_clusters<D>(W, takes_part, any ? closing : takes_part, rows);

  const auto* const matrix = std::get_if<MatrixLaw>(&scene.impact_law);
  const MatrixLaw restitution = matrix != nullptr ? *matrix : MatrixLaw{};
  const RestitutionRule rule = std::holds_alternative<ProjectionLaw>(scene.impact_law)
                                   ? RestitutionRule::letter
                                   : RestitutionRule::complementarity;
  std::vector<ImpactForecast<D>> forecasts;
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    const ImpactProblem<D> impact = impact_problem<D>(W, clusters, c, contacts, v, rows);
    const std::vector<int>& cluster = clusters.contacts[c];
    if (cluster.empty()) continue;  // all contacts are held by joints
    ImpactForecast<D> forecast;
    forecast.closes = any;
    for (const int i : cluster) {
      const ContactKey& key = contacts[at(i)].contact.key;
      forecast.contacts.push_back(contacts[at(i)]);
      forecast.bodies.emplace_back(bodies.id[at(key.a)], bodies.id[at(key.b)]);
    }
    if (cluster.size() <= most_contacts) {
      forecast.outlook = impact_outlook<D>(impact, restitution, rule);
      forecast.quasi_before = quasi_state(quasi_velocities<D>(impact));
      std::vector<ContactKey> keys;
      for (const int i : cluster) keys.push_back(contacts[at(i)].contact.key);
      forecast.quasi_forces = quasi_forces<D>(scene, bodies, t, keys, clusters.joints[c]);
    } else if (impact.joints.empty() || cluster.size() <= most_joined) {
      forecast.bounds = restitution_bounds<D>(impact, restitution, rule);
    }
    forecast.left_out = any && cluster.size() > most_tried;
    if (any && !forecast.left_out) judge<D>(impact, scene.impact_law, forecast);
    const bool has_modes = forecast.outlook && rule == RestitutionRule::complementarity &&
                           forecast.outlook->rule == rule &&
                           (matrix != nullptr || !acts_before_contact(scene.impact_law));
    if (any && has_modes) find_modes<D>(impact, restitution, forecast);
    forecasts.push_back(std::move(forecast));
  }
  return forecasts;
}

template std::vector<ImpactForecast<2>> forecast_impacts<2>(const Scene<2>&, const Bodies<2>&,
                                                            double);
template std::vector<ImpactForecast<3>> forecast_impacts<3>(const Scene<3>&, const Bodies<3>&,
                                                            double);

}  // namespace talus
