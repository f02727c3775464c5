// SPDX-License-Identifier: Apache-2.0
#include "engine/step/impact.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/step/activation.hpp"
#include "solvers/impact/normal_inertia.hpp"
#include "solvers/math/disjoint_sets.hpp"
#include "solvers/math/maximum.hpp"
#include "solvers/math/parallel.hpp"
#include "solvers/problem/kinetic_geometry.hpp"

namespace talus {

template <int D>
double impact_speed(const Scene<D>& scene) {
  return scene.impact_speed ? *scene.impact_speed : settling_speed<D>(scene);
}

template <int D>
bool has_restitution(const Scene<D>& scene) {
  if (acts_before_contact(scene.impact_law)) return true;
  const int n = static_cast<int>(scene.materials.size());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      const ContactLaw& law = scene.laws(i, j);
      if (law.restitution > 0 || law.tangential_restitution > 0 || law.restitution_of_speed >= 0 ||
          law.tangential_restitution_of_speed >= 0)
        return true;
    }
  }
  return false;
}

template <int D>
ImpactClusters find_impact_clusters(const RigidOperator<D>& W, std::span<const char> takes_part,
                                    std::span<const char> impacts,
                                    std::span<const LinearRow<D>> rows,
                                    std::span<const ImpactStop> stops,
                                    std::span<const char> through_cell) {
  DisjointSets sets;  // of bodies joined by contacts and joints
  sets.reset(W.bodies.size());
  const auto moves = [&](int body) { return W.bodies[at(body)].inverse_mass > 0; };
  const auto join = [&](const auto& row) {
    if (moves(row.a) && moves(row.b)) sets.join(row.a, row.b);
  };
  const auto holds = [](const LinearRow<D>& row) {
    return row.is_bilateral() && row.compliance == 0;
  };
  const int n = static_cast<int>(W.contacts.size());
  for (int i = 0; i < n; ++i)
    if (takes_part[at(i)]) join(W.contacts[at(i)]);
  const auto some_body = [&](const ContactRow<D>& row) { return moves(row.a) ? row.a : row.b; };
  for (int i = 0, last = -1; i < n && !through_cell.empty(); ++i) {
    if (!takes_part[at(i)] || !through_cell[at(i)]) continue;
    if (last >= 0) sets.join(some_body(W.contacts[at(last)]), some_body(W.contacts[at(i)]));
    last = i;
  }
  for (const LinearRow<D>& row : rows)
    if (holds(row)) join(row);
  for (const ImpactStop& stop : stops) join(rows[at(stop.row)]);
  const auto set_of_row = [&](const auto& row) { return sets.find(moves(row.a) ? row.a : row.b); };
  const auto set_of = [&](int i) { return set_of_row(W.contacts[at(i)]); };
  std::map<int, std::size_t> cluster_of;  // a set with an impact
  for (int i = 0; i < n; ++i)
    if (impacts[at(i)]) cluster_of.emplace(set_of(i), 0);
  for (const ImpactStop& stop : stops)
    if (stop.comes) cluster_of.emplace(set_of_row(rows[at(stop.row)]), 0);

  ImpactClusters clusters;
  const auto add = [&](int set, std::vector<std::vector<int>> ImpactClusters::*of, int i) {
    const auto found = cluster_of.find(set);
    if (found == cluster_of.end()) return;
    if (found->second == 0) {  // not seen yet
      clusters.contacts.emplace_back();
      clusters.stops.emplace_back();
      found->second = clusters.size();
    }
    (clusters.*of)[found->second - 1].push_back(i);
  };
  for (int i = 0; i < n; ++i)
    if (takes_part[at(i)]) add(set_of(i), &ImpactClusters::contacts, i);
  for (const ImpactStop& stop : stops)
    add(set_of_row(rows[at(stop.row)]), &ImpactClusters::stops, stop.row);
  clusters.joints.resize(clusters.size());
  for (std::size_t i = 0; i < rows.size() && !cluster_of.empty(); ++i) {
    if (!holds(rows[i]) || (!moves(rows[i].a) && !moves(rows[i].b))) continue;
    const auto found = cluster_of.find(set_of_row(rows[i]));
    if (found != cluster_of.end())
      clusters.joints[found->second - 1].push_back(static_cast<int>(i));
  }
  return clusters;
}

// Drops the contacts and stops that joints hold fast: W_NN vanishes where M⁻¹ alone would not let
// it.
template <int D>
void leave_out_held(std::vector<int>& contacts, std::vector<int>& stops, ImpactProblem<D>& impact) {
  const std::vector<double> W_NN = normal_inertias<D>(impact);
  std::vector<char> held(impact.size(), 0);
  for (std::size_t i = 0; i < impact.size(); ++i)
    held[i] = W_NN[i] <= 1e-10 * diagonal_block<D>(normal_row<D>(impact, i), impact.bodies);
  const auto drop = [&](auto& list, std::size_t first) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!held[first + i]) list[kept++] = list[i];
    list.resize(kept);
  };
  drop(contacts, 0);
  drop(stops, impact.contacts.size());
  drop(impact.coefficients, 0);
  drop(impact.stops, impact.contacts.size());
  drop(impact.contacts, 0);
}

template <int D>
ImpactProblem<D> impact_problem(const RigidOperator<D>& W, ImpactClusters& clusters, std::size_t c,
                                std::span<const ActiveContact<D>> contacts,
                                std::span<const Twist<D>> v_minus,
                                std::span<const LinearRow<D>> rows,
                                std::span<const ImpactStop> stops) {
  ImpactProblem<D> impact;
  std::map<int, int> place;
  const auto use = [&](int body) {
    const auto [found, is_new] = place.emplace(body, static_cast<int>(impact.bodies.size()));
    if (is_new) {
      impact.bodies.push_back(W.bodies[at(body)]);
      impact.v_minus.push_back(v_minus[at(body)]);
    }
    return found->second;
  };
  const auto placed = [&](auto row) {
    row.a = use(row.a);
    row.b = use(row.b);
    return row;
  };
  for (const int i : clusters.contacts[c]) {
    impact.contacts.push_back(placed(W.contacts[at(i)]));
    const ContactLaw& law = contacts[at(i)].law;
    impact.coefficients.push_back(
        {law.friction, law.restitution, law.tangential_restitution, law.stiffness});
  }
  for (const int i : clusters.stops[c]) {
    impact.stops.push_back(placed(rows[at(i)]));
    const auto stop = std::find_if(stops.begin(), stops.end(),
                                   [&](const ImpactStop& other) { return other.row == i; });
    impact.coefficients.push_back({.restitution = stop->restitution});
  }
  for (const int i : clusters.joints[c]) impact.joints.push_back(placed(rows[at(i)]));
  if (!impact.joints.empty()) leave_out_held<D>(clusters.contacts[c], clusters.stops[c], impact);
  return impact;
}

template <int D>
bool anything_closes(const Scene<D>& scene, std::span<const ActiveContact<D>> contacts,
                     std::span<const ImpactStop> stops) {
  const double speed = impact_speed<D>(scene);
  if (std::any_of(stops.begin(), stops.end(), [](const ImpactStop& stop) { return stop.comes; }))
    return true;
  const int chunks_that_close =
      parallel_total<int>(contacts.size(), [&](std::size_t first, std::size_t last) {
        return std::any_of(contacts.begin() + first, contacts.begin() + last,
                           [&](const ActiveContact<D>& contact) {
                             return !contact.law.yields() && closes<D>(contact.u_minus, speed);
                           });
      });
  return chunks_that_close > 0;
}

// The clusters, where takes_part_ and impacts_ hold the contacts' part in them.
template <int D>
void Impacts<D>::find_clusters(const ContactProblem<D>& problem,
                               std::span<const ImpactStop> stops) {
  clusters_ = find_impact_clusters<D>(std::get<RigidOperator<D>>(problem.W), takes_part_, impacts_,
                                      problem.rows, stops, through_cell_);
}

template <int D>
void Impacts<D>::resolve(const Scene<D>& scene, const Bodies<D>& bodies,
                         std::span<const ImpactStop> stops, StepData<D>& step) {
  const std::vector<ActiveContact<D>>& contacts = step.contacts;
  ContactProblem<D>& problem = step.problem;
  step.v_impact.resize(step.v_free.size());
  parallel_for(step.v_free.size(), [&](std::size_t i) { step.v_impact[i] = step.v_free[i]; });
  clusters_ = {};
  percussions_.clear();
  row_percussions_.clear();
  failed_ = 0;
  if (!acts_before_contact(scene.impact_law) || !anything_closes<D>(scene, contacts, stops)) return;
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  takes_part_.resize(contacts.size());
  impacts_.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact<D>& contact = contacts[i].contact;
    impacts_[i] = closes<D>(contacts[i].u_minus, impact_speed<D>(scene));
    takes_part_[i] = contact.gap <= touching_gap<D>(bodies, contact.key) ||
                     !step.last[i].isZero(0) || impacts_[i];  // touches or carries load
  }
  stops_.clear();
  for (const ImpactStop& stop : stops)
    if (stop.touches || stop.comes) stops_.push_back(stop);
  find_clusters(problem, stops_);

  percussions_.assign(contacts.size(), Vec<D>::Zero());
  row_percussions_.assign(problem.rows.size(), 0.0);
  jump_.assign(W.bodies.size(), {});
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const ImpactProblem<D> impact =
        impact_problem<D>(W, clusters_, c, contacts, step.v_minus, problem.rows, stops_);
    if (impact.size() == 0) continue;  // all held fast
    const ImpactAnswer<D> answer = solve_impact<D>(impact, scene.impact_law);
    if (!answer.solved) {  // the contact problem will stop what closes
      ++failed_;
      continue;
    }
    const std::vector<int>&cluster = clusters_.contacts[c], &stopped = clusters_.stops[c],
          &joints = clusters_.joints[c];
    for (std::size_t k = 0; k < cluster.size(); ++k) {
      percussions_[at(cluster[k])] = answer.percussions[k];
      apply_percussion<D>(W.contacts[at(cluster[k])], answer.percussions[k], W.bodies, jump_);
    }
    const auto push = [&](int row, double p) {
      row_percussions_[at(row)] = p;
      apply_percussion<D>(problem.rows[at(row)], p, W.bodies, jump_);
    };
    for (std::size_t k = 0; k < stopped.size(); ++k)
      push(stopped[k], answer.percussions[cluster.size() + k][0]);
    const std::vector<double> lambda = joint_percussions<D>(impact, answer.percussions);
    for (std::size_t k = 0; k < joints.size(); ++k) push(joints[k], lambda[k]);
  }
  for (std::size_t i = 0; i < jump_.size(); ++i) {
    step.v_impact[i].v += jump_[i].v;
    step.v_impact[i].omega += jump_[i].omega;
  }
  const auto jump_of = [&](const auto& row) {
    return relative_velocity<D>(row, jump_[at(row.a)], jump_[at(row.b)]);
  };
  for (std::size_t i = 0; i < contacts.size(); ++i) problem.b[i] += jump_of(W.contacts[i]);
  for (LinearRow<D>& row : problem.rows) row.bias += jump_of(row);
}

// With joints, W of the cluster alone, which they are taken out of.
template <int D>
void Impacts<D>::find_kinetic_norms(const StepData<D>& step, std::size_t cluster) {
  const ContactProblem<D>& problem = step.problem;
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  const std::vector<int>&contacts = clusters_.contacts[cluster], &stops = clusters_.stops[cluster];
  norms_.assign(contacts.size() + stops.size(), 0.0);
  if (clusters_.joints[cluster].empty()) {
    for (std::size_t k = 0; k < contacts.size(); ++k)
      norms_[k] =
          std::sqrt(diagonal_block<D>(component_row<D>(W.contacts[at(contacts[k])], 0), W.bodies));
    for (std::size_t k = 0; k < stops.size(); ++k)
      norms_[contacts.size() + k] =
          std::sqrt(diagonal_block<D>(problem.rows[at(stops[k])], W.bodies));
    return;
  }
  ImpactClusters one{{contacts}, {stops}, {clusters_.joints[cluster]}};
  const ImpactProblem<D> impact =
      impact_problem<D>(W, one, 0, step.contacts, step.v_minus, problem.rows, stops_);
  const std::vector<double> W_NN = normal_inertias<D>(impact);
  std::size_t i = 0;  // among those that are not held fast
  const auto fill = [&](const std::vector<int>& all, const std::vector<int>& kept, double* norm) {
    for (std::size_t k = 0, next = 0; k < all.size() && next < kept.size(); ++k) {
      if (all[k] != kept[next]) continue;
      norm[k] = std::sqrt(W_NN[i]);
      ++next;
      ++i;
    }
  };
  fill(contacts, one.contacts[0], norms_.data());
  fill(stops, one.stops[0], norms_.data() + contacts.size());
}

// Velocities after the impacts are in v_after_.
template <int D>
void Impacts<D>::find_energies(const StepData<D>& step, std::size_t cluster) {
  constexpr std::size_t most_contacts = 60;  // beyond, a dense matrix for a line of output
  energies_before_ = energies_after_ = {-1, -1};
  const std::vector<int>&contacts = clusters_.contacts[cluster], &stops = clusters_.stops[cluster];
  if (contacts.size() + stops.size() > most_contacts) return;
  const ContactProblem<D>& problem = step.problem;
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  ImpactClusters one{{contacts}, {stops}, {clusters_.joints[cluster]}};
  const ImpactProblem<D> impact =
      impact_problem<D>(W, one, 0, step.contacts, step.v_minus, problem.rows, stops_);
  if (impact.size() == 0) return;  // all held fast
  one = {{contacts}, {stops}, {clusters_.joints[cluster]}};
  const std::vector<Twist<D>> after =
      impact_problem<D>(W, one, 0, step.contacts, v_after_, problem.rows, stops_).v_minus;
  const DelassusOperator<D> W_one = impact_delassus<D>(impact);
  energies_before_ = quasi_energies<D>(impact, W_one, impact.v_minus);
  energies_after_ = quasi_energies<D>(impact, W_one, after);
}

template <int D>
void Impacts<D>::record(const Scene<D>& scene, const Bodies<D>& bodies,
                        std::span<const ImpactStop> stops, double velocity_error, StepData<D>& step,
                        Certificate& certificate) {
  const ContactProblem<D>& problem = step.problem;
  std::vector<ActiveContact<D>>& contacts = step.contacts;
  const std::span<double> row_percussions = step.row_percussions;
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  const bool before_contact = acts_before_contact(scene.impact_law);
  impacted_.clear();
  if (!before_contact) {
    if (!anything_closes<D>(scene, contacts, stops)) return;
    takes_part_.resize(contacts.size());
    impacts_.resize(contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      takes_part_[i] = contacts[i].pressing()[0] > 0 && !contacts[i].law.yields();
      impacts_[i] = takes_part_[i] && closes<D>(contacts[i].u_minus, impact_speed<D>(scene));
    }
    through_cell_.clear();
    if (scene.cell && scene.cell->is_free())
      for (const ActiveContact<D>& contact : contacts)
        through_cell_.push_back(!contact.contact.shift.isZero(0));
    stops_.clear();
    for (const ImpactStop& stop : stops)
      if (row_percussions[at(stop.row)] > 0) stops_.push_back(stop);
    find_clusters(problem, stops_);
  }
  for (std::size_t i = 0; i < row_percussions_.size(); ++i)
    row_percussions[i] += row_percussions_[i];
  certificate.impact_failed = failed_;
  certificate.converged = certificate.converged && failed_ == 0;

  const double missed = before_contact ? 0 : velocity_error;
  std::vector<ImpactRecord<D>> records;
  // Records of elliptic friction are those of the stretched row, in which the law is Coulomb's.
  const auto take_down = [&](const ImpactRecord<D>& record, int a, int b, const Mat<D>& frame,
                             double stretch = 1) {
    const Vec<D> T = stretching<D>(stretch);
    const auto number = [&](int body) {
      return at(body) < bodies.id.size() ? bodies.id[at(body)] : -1;
    };
    records.push_back(record);
    impacted_.push_back({certificate.impacts, number(a), number(b), frame.col(0),
                         frame * T.cwiseProduct(record.percussion),
                         frame * record.u_minus.cwiseQuotient(T),
                         frame * record.u_plus.cwiseQuotient(T), record.work(),
                         norms_[records.size() - 1], energies_before_, energies_after_});
  };
  if (clusters_.size() > 0) {
    v_after_.assign(step.v_plus.begin(), step.v_plus.end());
    for (std::size_t i = 0; before_contact && i < v_after_.size(); ++i)
      v_after_[i] = {step.v_minus[i].v + jump_[i].v, step.v_minus[i].omega + jump_[i].omega};
  }
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    records.clear();
    find_kinetic_norms(step, c);
    find_energies(step, c);
    for (const int i : clusters_.contacts[c]) {
      ActiveContact<D>& contact = contacts[at(i)];
      const ContactRow<D>& row = W.contacts[at(i)];
      const Vec<D> T = stretching<D>(row.stretch);
      ImpactRecord<D> record{contact.law.friction, contact.pressing().cwiseQuotient(T),
                             T.cwiseProduct(contact.u_minus), T.cwiseProduct(contact.u_plus)};
      if (before_contact) {
        record.percussion = percussions_[at(i)];
        record.u_plus =
            record.u_minus + relative_velocity<D>(row, jump_[at(row.a)], jump_[at(row.b)]);
        contact.percussion += T.cwiseProduct(percussions_[at(i)]);
      } else {
        record.smooth = relative_velocity<D>(row, step.v_free[at(row.a)], step.v_free[at(row.b)]) +
                        row.frame.transpose() * (step.cell.free * contact.contact.offset) -
                        record.u_minus;
        record.restitution = contact.law.restitution;
        if (contact.contact.gap > touching_gap<D>(bodies, contact.contact.key))
          record.u_plus[0] = std::max(record.u_plus[0], 0.0);  // it may go on up to the surface
      }
      take_down(record, contact.contact.key.a, contact.contact.key.b, contact.frame, row.stretch);
    }
    for (const int i : clusters_.stops[c]) {
      const LinearRow<D>& row = problem.rows[at(i)];
      const auto velocity = [&](std::span<const Twist<D>> twists) -> Vec<D> {
        return relative_velocity<D>(row, twists[at(row.a)], twists[at(row.b)]) * Vec<D>::Unit(0);
      };
      ImpactRecord<D> record{0, row_percussions[at(i)] * Vec<D>::Unit(0), velocity(step.v_minus),
                             velocity(step.v_plus)};
      if (before_contact) {
        record.percussion[0] = row_percussions_[at(i)];
        record.u_plus = record.u_minus + velocity(jump_);
      } else {
        record.smooth = velocity(step.v_free) - record.u_minus;
        record.u_plus[0] = std::max(record.u_plus[0], 0.0);  // may go on until it is taut
      }
      const bool has_direction = row.direction.squaredNorm() > 0.5;
      Mat<D> frame = Mat<D>::Zero();
      frame.col(0) = has_direction ? row.direction : Vec<D>::Unit(0);
      take_down(record, row.a, row.b, frame);
    }
    if (records.empty()) continue;
    const ImpactJudgement judgement = judge_impact<D>(records, missed);
    const double tolerance = admissible_tolerance(scene.solver.tolerance);
    certificate.impact_inadmissible +=
        !(judgement.kinematic(tolerance) && judgement.kinetic(tolerance) &&
          judgement.energetic(std::max(tolerance, scene.certificate.energy_gain)));
    ++certificate.impacts;
    certificate.impact_contacts += static_cast<int>(records.size());
    certificate.impact_work += judgement.work;
    certificate.impact_closing = maximum(certificate.impact_closing, judgement.closing);
    certificate.impact_cone = maximum(certificate.impact_cone, judgement.cone);
    certificate.impact_gain = maximum(certificate.impact_gain, judgement.gain);
  }
}

#define TALUS_INSTANTIATE(D)                                                                    \
  template double impact_speed<D>(const Scene<D>&);                                             \
  template bool has_restitution<D>(const Scene<D>&);                                            \
  template ImpactClusters find_impact_clusters<D>(                                              \
      const RigidOperator<D>&, std::span<const char>, std::span<const char>,                    \
      std::span<const LinearRow<D>>, std::span<const ImpactStop>, std::span<const char>);       \
  template ImpactProblem<D> impact_problem<D>(                                                  \
      const RigidOperator<D>&, ImpactClusters&, std::size_t, std::span<const ActiveContact<D>>, \
      std::span<const Twist<D>>, std::span<const LinearRow<D>>, std::span<const ImpactStop>);   \
  template class Impacts<D>;

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
