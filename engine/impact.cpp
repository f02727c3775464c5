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
ImpactClusters find_impact_clusters(const RigidOperator<D>& W, std::span<const char> takes_part,
                                    std::span<const char> impacts) {
  // Sets of bodies joined by contacts; a set is named by its first body.
  std::vector<int> leader(W.bodies.size());
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](int body) {
    while (leader[at(body)] != body) body = leader[at(body)] = leader[at(leader[at(body)])];
    return body;
  };
  const auto moves = [&](int body) { return W.bodies[at(body)].inverse_mass > 0; };
  const int n = static_cast<int>(W.contacts.size());
  for (int i = 0; i < n; ++i) {
    const ContactRow<D>& row = W.contacts[at(i)];
    if (!takes_part[at(i)] || !moves(row.a) || !moves(row.b)) continue;
    const int a = find(row.a), b = find(row.b);
    leader[at(std::max(a, b))] = std::min(a, b);
  }
  const auto set_of = [&](int i) {
    const ContactRow<D>& row = W.contacts[at(i)];
    return find(moves(row.a) ? row.a : row.b);
  };
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
  return clusters;
}

template <int D>
ImpactProblem<D> impact_problem(const RigidOperator<D>& W, std::span<const int> cluster,
                                std::span<const ActiveContact<D>> contacts,
                                std::span<const Twist<D>> v_minus) {
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
  return impact;
}

// Whether a contact closes fast. A speed that is rounding of the bodies' speeds is none.
template <int D>
bool closes(const ActiveContact<D>& contact, double speed) {
  return contact.u_minus[0] < -std::max(speed, 1e-12 * contact.u_minus.norm());
}

template <int D>
bool anything_closes(const Scene<D>& scene, std::span<const ActiveContact<D>> contacts) {
  const double speed = impact_speed<D>(scene);
  return std::any_of(contacts.begin(), contacts.end(),
                     [&](const ActiveContact<D>& contact) { return closes<D>(contact, speed); });
}

// The clusters, where takes_part_ holds what takes part beside the contacts that close.
template <int D>
void Impacts<D>::find_clusters(const Scene<D>& scene, const RigidOperator<D>& W,
                               std::span<const ActiveContact<D>> contacts) {
  const double speed = impact_speed<D>(scene);
  impacts_.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    impacts_[i] = closes<D>(contacts[i], speed);
    takes_part_[i] |= impacts_[i];
  }
  clusters_ = find_impact_clusters<D>(W, takes_part_, impacts_);
}

template <int D>
void Impacts<D>::resolve(const Scene<D>& scene, const Bodies<D>& bodies,
                         std::span<const StoredPercussion<D>> stored,
                         std::span<const ActiveContact<D>> contacts,
                         std::span<const Twist<D>> v_minus, std::vector<Twist<D>>& v_free,
                         ContactProblem<D>& problem) {
  clusters_.contacts.clear();
  percussions_.clear();
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
  find_clusters(scene, W, contacts);

  percussions_.assign(contacts.size(), Vec<D>::Zero());
  jump_.assign(W.bodies.size(), {});
  for (const std::vector<int>& cluster : clusters_.contacts) {
    const ImpactAnswer<D> answer =
        solve_impact<D>(impact_problem<D>(W, cluster, contacts, v_minus), scene.impact_law);
    if (!answer.solved) {  // the contact problem will stop what closes
      ++failed_;
      continue;
    }
    for (std::size_t k = 0; k < cluster.size(); ++k) {
      percussions_[at(cluster[k])] = answer.percussions[k];
      apply_percussion<D>(W.contacts[at(cluster[k])], answer.percussions[k], W.bodies, jump_);
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
                        Certificate& certificate) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  const bool before_contact = acts_before_contact(scene.impact_law);
  if (!before_contact) {
    if (!anything_closes<D>(scene, contacts)) return;
    takes_part_.resize(contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i)
      takes_part_[i] = contacts[i].percussion[0] > 0;
    find_clusters(scene, W, contacts);
  }
  certificate.impact_failed = failed_;
  certificate.converged = certificate.converged && failed_ == 0;

  std::vector<ImpactRecord<D>> records;
  for (const std::vector<int>& cluster : clusters_.contacts) {
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
    }
    const ImpactJudgement judgement = judge_impact<D>(records);
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
  template ImpactClusters find_impact_clusters<D>(const RigidOperator<D>&, std::span<const char>, \
                                                  std::span<const char>);                         \
  template ImpactProblem<D> impact_problem<D>(const RigidOperator<D>&, std::span<const int>,      \
                                              std::span<const ActiveContact<D>>,                  \
                                              std::span<const Twist<D>>);                         \
  template class Impacts<D>;

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
