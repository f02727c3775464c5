#include "engine/impact.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "engine/activation.hpp"

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
                                    std::span<const LinearRow<D>> rows) {
  // Sets of bodies joined by contacts and joints; a set is named by its first body.
  std::vector<int> leader(W.bodies.size());
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](int body) {
    while (leader[at(body)] != body) body = leader[at(body)] = leader[at(leader[at(body)])];
    return body;
  };
  const auto moves = [&](int body) { return W.bodies[at(body)].inverse_mass > 0; };
  const auto join = [&](const auto& row) {
    if (!moves(row.a) || !moves(row.b)) return;
    const int a = find(row.a), b = find(row.b);
    leader[at(std::max(a, b))] = std::min(a, b);
  };
  const auto holds = [](const LinearRow<D>& row) {
    return row.is_bilateral() && row.compliance == 0;
  };
  const int n = static_cast<int>(W.contacts.size());
  for (int i = 0; i < n; ++i)
    if (takes_part[at(i)]) join(W.contacts[at(i)]);
  for (const LinearRow<D>& row : rows)
    if (holds(row)) join(row);
  const auto set_of_row = [&](const auto& row) { return find(moves(row.a) ? row.a : row.b); };
  const auto set_of = [&](int i) { return set_of_row(W.contacts[at(i)]); };
  std::map<int, std::size_t> cluster_of;  // a set with an impact
  for (int i = 0; i < n; ++i)
    if (impacts[at(i)]) cluster_of.emplace(set_of(i), 0);

  ImpactClusters clusters;
  constexpr std::size_t unseen = 0;
  for (int i = 0; i < n; ++i) {
    if (!takes_part[at(i)]) continue;
    const auto found = cluster_of.find(set_of(i));
    if (found == cluster_of.end()) continue;
    if (found->second == unseen) {
      clusters.contacts.emplace_back();
      found->second = clusters.contacts.size();
    }
    clusters.contacts[found->second - 1].push_back(i);
  }
  clusters.joints.resize(clusters.contacts.size());
  for (std::size_t i = 0; i < rows.size() && !cluster_of.empty(); ++i) {
    if (!holds(rows[i]) || (!moves(rows[i].a) && !moves(rows[i].b))) continue;
    const auto found = cluster_of.find(set_of_row(rows[i]));
    if (found != cluster_of.end())
      clusters.joints[found->second - 1].push_back(static_cast<int>(i));
  }
  return clusters;
}

// Drops the contacts that joints hold fast: W_NN vanishes where M⁻¹ alone would not let it.
template <int D>
void leave_out_held(std::vector<int>& cluster, ImpactProblem<D>& impact) {
  const DelassusOperator<D> W = impact_delassus<D>(impact);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < impact.size(); ++i) {
    double W_NN = 0;
    for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
      if (at(W.column[k]) == i) W_NN = W.block[k](0, 0);
    if (W_NN <= 1e-10 * diagonal_block<D>(impact.contacts[i], impact.bodies)(0, 0)) continue;
    cluster[kept] = cluster[i];
    impact.contacts[kept] = impact.contacts[i];
    impact.coefficients[kept] = impact.coefficients[i];
    ++kept;
  }
  cluster.resize(kept);
  impact.contacts.resize(kept);
  impact.coefficients.resize(kept);
}

template <int D>
ImpactProblem<D> impact_problem(const RigidOperator<D>& W, std::vector<int>& cluster,
                                std::span<const ActiveContact<D>> contacts,
                                std::span<const Twist<D>> v_minus, std::span<const int> joints,
                                std::span<const LinearRow<D>> rows) {
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
  for (const int i : cluster) {
    ContactRow<D> row = W.contacts[at(i)];
    row.a = use(row.a);
    row.b = use(row.b);
    impact.contacts.push_back(row);
    const ContactLaw& law = contacts[at(i)].law;
    impact.coefficients.push_back(
        {law.friction, law.restitution, law.tangential_restitution, law.stiffness});
  }
  for (const int i : joints) {
    LinearRow<D> row = rows[at(i)];
    row.a = use(row.a);
    row.b = use(row.b);
    impact.joints.push_back(row);
  }
  if (!impact.joints.empty()) leave_out_held<D>(cluster, impact);
  return impact;
}

template <int D>
bool anything_closes(const Scene<D>& scene, std::span<const ActiveContact<D>> contacts) {
  const double speed = impact_speed<D>(scene);
  return std::any_of(contacts.begin(), contacts.end(), [&](const ActiveContact<D>& contact) {
    return closes<D>(contact.u_minus, speed);
  });
}

// The clusters, where takes_part_ holds what takes part beside the contacts that close.
template <int D>
void Impacts<D>::find_clusters(const Scene<D>& scene, const ContactProblem<D>& problem,
                               std::span<const ActiveContact<D>> contacts) {
  const double speed = impact_speed<D>(scene);
  impacts_.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    impacts_[i] = closes<D>(contacts[i].u_minus, speed);
    takes_part_[i] |= impacts_[i];
  }
  clusters_ = find_impact_clusters<D>(std::get<RigidOperator<D>>(problem.W), takes_part_, impacts_,
                                      problem.rows);
}

template <int D>
void Impacts<D>::resolve(const Scene<D>& scene, const Bodies<D>& bodies,
                         std::span<const StoredPercussion<D>> stored,
                         std::span<const ActiveContact<D>> contacts,
                         std::span<const Twist<D>> v_minus, std::vector<Twist<D>>& v_free,
                         ContactProblem<D>& problem) {
  clusters_.contacts.clear();
  percussions_.clear();
  row_percussions_.clear();
  failed_ = 0;
  if (!acts_before_contact(scene.impact_law) || !anything_closes<D>(scene, contacts)) return;
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  takes_part_.resize(contacts.size());
  PercussionWalk<D> last(stored);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact<D>& contact = contacts[i].contact;
    takes_part_[i] =
        contact.gap <= touching_gap<D>(bodies, contact.key) || !last(contact.key).isZero(0);
  }
  find_clusters(scene, problem, contacts);

  percussions_.assign(contacts.size(), Vec<D>::Zero());
  row_percussions_.assign(problem.rows.size(), 0.0);
  jump_.assign(W.bodies.size(), {});
  for (std::size_t c = 0; c < clusters_.contacts.size(); ++c) {
    std::vector<int>& cluster = clusters_.contacts[c];
    const std::vector<int>& joints = clusters_.joints[c];
    const ImpactProblem<D> impact =
        impact_problem<D>(W, cluster, contacts, v_minus, joints, problem.rows);
    if (cluster.empty()) continue;  // all held fast
    const ImpactAnswer<D> answer = solve_impact<D>(impact, scene.impact_law);
    if (!answer.solved) {  // the contact problem will stop what closes
      ++failed_;
      continue;
    }
    for (std::size_t k = 0; k < cluster.size(); ++k) {
      percussions_[at(cluster[k])] = answer.percussions[k];
      apply_percussion<D>(W.contacts[at(cluster[k])], answer.percussions[k], W.bodies, jump_);
    }
    const std::vector<double> lambda = joint_percussions<D>(impact, answer.percussions);
    for (std::size_t k = 0; k < joints.size(); ++k) {
      row_percussions_[at(joints[k])] = lambda[k];
      apply_percussion<D>(problem.rows[at(joints[k])], lambda[k], W.bodies, jump_);
    }
  }
  for (std::size_t i = 0; i < jump_.size(); ++i) {
    v_free[i].v += jump_[i].v;
    v_free[i].omega += jump_[i].omega;
  }
  const auto jump_of = [&](const auto& row) {
    return relative_velocity<D>(row, jump_[at(row.a)], jump_[at(row.b)]);
  };
  for (std::size_t i = 0; i < contacts.size(); ++i) problem.b[i] += jump_of(W.contacts[i]);
  for (LinearRow<D>& row : problem.rows) row.bias += jump_of(row);
}

template <int D>
void Impacts<D>::record(const Scene<D>& scene, const Bodies<D>& bodies,
                        const ContactProblem<D>& problem, std::vector<ActiveContact<D>>& contacts,
                        std::span<double> row_percussions, Certificate& certificate) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  const bool before_contact = acts_before_contact(scene.impact_law);
  impacted_.clear();
  if (!before_contact) {
    if (!anything_closes<D>(scene, contacts)) return;
    takes_part_.resize(contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i)
      takes_part_[i] = contacts[i].percussion[0] > 0;
    find_clusters(scene, problem, contacts);
  }
  for (std::size_t i = 0; i < row_percussions_.size(); ++i)
    row_percussions[i] += row_percussions_[i];
  certificate.impact_failed = failed_;
  certificate.converged = certificate.converged && failed_ == 0;

  std::vector<ImpactRecord<D>> records;
  for (const std::vector<int>& cluster : clusters_.contacts) {
    if (cluster.empty()) continue;
    records.clear();
    for (const int i : cluster) {
      ActiveContact<D>& contact = contacts[at(i)];
      ImpactRecord<D> record{contact.law.friction, contact.percussion, contact.u_minus,
                             contact.u_plus};
      if (before_contact) {
        const ContactRow<D>& row = W.contacts[at(i)];
        record.percussion = percussions_[at(i)];
        record.u_plus =
            contact.u_minus + relative_velocity<D>(row, jump_[at(row.a)], jump_[at(row.b)]);
        contact.percussion += percussions_[at(i)];
      } else if (contact.contact.gap > touching_gap<D>(bodies, contact.contact.key)) {
        record.u_plus[0] = std::max(record.u_plus[0], 0.0);  // it may go on up to the surface
      }
      records.push_back(record);
      const ContactKey& key = contact.contact.key;
      impacted_.push_back({certificate.impacts, bodies.id[at(key.a)], bodies.id[at(key.b)],
                           contact.frame.col(0), contact.frame * record.percussion,
                           contact.frame * record.u_minus, contact.frame * record.u_plus,
                           record.work()});
    }
    const ImpactJudgement judgement = judge_impact<D>(records);
    const double tolerance = admissible_tolerance(scene.solver.tolerance);
    certificate.impact_inadmissible += !judgement.admissible(tolerance);
    ++certificate.impacts;
    certificate.impact_contacts += static_cast<int>(cluster.size());
    certificate.impact_work += judgement.work;
    certificate.impact_closing = std::max(certificate.impact_closing, judgement.closing);
    certificate.impact_cone = std::max(certificate.impact_cone, judgement.cone);
    certificate.impact_gain = std::max(certificate.impact_gain, judgement.gain);
  }
}

#define TALUS_INSTANTIATE(D)                                                                      \
  template double impact_speed<D>(const Scene<D>&);                                               \
  template bool has_restitution<D>(const Scene<D>&);                                              \
  template ImpactClusters find_impact_clusters<D>(const RigidOperator<D>&, std::span<const char>, \
                                                  std::span<const char>,                          \
                                                  std::span<const LinearRow<D>>);                 \
  template ImpactProblem<D> impact_problem<D>(                                                    \
      const RigidOperator<D>&, std::vector<int>&, std::span<const ActiveContact<D>>,              \
      std::span<const Twist<D>>, std::span<const int>, std::span<const LinearRow<D>>);            \
  template class Impacts<D>;

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
