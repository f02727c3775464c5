// SPDX-License-Identifier: Apache-2.0
#include "engine/step/assembly.hpp"

#include <algorithm>
#include <cmath>

#include "engine/step/activation.hpp"
#include "engine/step/compliant.hpp"
#include "engine/step/friction_ellipse.hpp"
#include "solvers/math/counting_sort.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

// A spring that yields by F/k under a force: û = u + P/(h²k), for P = h F and a yielding of h u.
Compliance compliance_of(const ContactLaw& law, double h) {
  if (!law.yields()) return {};
  return {1 / (h * h * law.normal_stiffness), 1 / (h * h * law.tangential_stiffness)};
}

// W_NN of a contact without its compliance.
template <int D>
double rigid_inverse_mass(ContactRow<D> row, std::span<const MassBlock<D>> mass) {
  row.compliance = {};
  return diagonal_block<D>(row, mass)(0, 0);
}

// v += M⁻¹H p of all contacts, with their moments if there are any. Where threads share it, body by
// body, each adding up its contacts in their order, which gives the same bits.
template <int D>
void add_percussions(const RigidOperator<D>& W, std::span<const Vec<D>> p,
                     std::span<const Spin<D>> moments, std::span<Twist<D>> v) {
  if (threads() == 1 || p.size() < worth_sharing) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      apply_percussion<D>(W.contacts[i], p[i], W.bodies, v);
      if (!moments.empty()) apply_moment<D>(W.contacts[i], moments[i], W.bodies, v);
    }
    return;
  }
  static thread_local CountingSort room;  // kept, so that later steps allocate nothing
  CountingSort& by_body = room;           // this thread's instance, for all threads
  by_body.sort(
      2 * p.size(), W.bodies.size(), [](std::size_t k) { return static_cast<int>(k / 2); },
      [&](std::size_t k) {
        const ContactRow<D>& row = W.contacts[k / 2];
        const int body = k % 2 == 0 ? row.a : row.b;
        return W.bodies[at(body)].moves() ? body : -1;
      });
  parallel_for(W.bodies.size(), [&](std::size_t body) {
    const MassBlock<D>& mass = W.bodies[body];
    for (const int contact : by_body.with_key(body)) {
      const ContactRow<D>& row = W.contacts[at(contact)];
      const Vec<D> impulse = row.frame * p[at(contact)];
      const double side = at(row.a) == body ? -1 : 1;
      if (side < 0) {
        v[body].v -= mass.inverse_mass * impulse;
        v[body].omega -= mass.inverse_inertia * moment<D>(row.arm_a, impulse);
      } else {
        v[body].v += mass.inverse_mass * impulse;
        v[body].omega += mass.inverse_inertia * moment<D>(row.arm_b, impulse);
      }
      if (!moments.empty())
        v[body].omega +=
            side * (mass.inverse_inertia * spin_from<D>(row.frame, moments[at(contact)]));
    }
  });
}

}  // namespace

template <int D>
void mass_blocks(const Bodies<D>& bodies, const Scene<D>& scene,
                 std::vector<MassBlock<D>>& blocks) {
  blocks.resize(bodies.size() + 1);
  blocks.back() = {};
  parallel_for(bodies.size(), [&](std::size_t i) {
    const SpinMat<D>& J_inverse = bodies.inverse_inertia[i];
    if (!scene.has_inertia()) {
      blocks[i].inverse_mass = bodies.moves_freely(i) ? 1 : 0;
      blocks[i].inverse_inertia.setZero();
      if (!J_inverse.isZero(0)) blocks[i].inverse_inertia.setIdentity();
    } else {
      blocks[i].inverse_mass = bodies.inverse_mass[i];
      blocks[i].inverse_inertia = turned_inertia<D>(bodies.orientation[i], J_inverse);
    }
  });
}

template <int D>
void free_velocities(const Bodies<D>& bodies, std::span<const Impulse<D>> external,
                     std::vector<Twist<D>>& v_minus, std::vector<Twist<D>>& v_free) {
  v_minus.resize(bodies.size() + 1);
  v_free.resize(bodies.size() + 1);
  v_minus.back() = v_free.back() = {};
  parallel_for(bodies.size(), [&](std::size_t i) {
    v_minus[i] = {bodies.velocity[i], bodies.spin[i]};
    v_free[i].v = bodies.velocity[i] + bodies.inverse_mass[i] * external[i].linear;
    v_free[i].omega = bodies.spin[i];
    if (!external[i].angular.isZero(0)) {
      v_free[i].omega +=
          turned_inertia<D>(bodies.orientation[i], bodies.inverse_inertia[i]) * external[i].angular;
    }
  });
}

template <int D>
ContactRow<D> contact_row(const Bodies<D>& bodies, const Contact<D>& contact) {
  ContactRow<D> row;
  row.a = contact.key.a;
  row.b = contact.key.b;
  row.frame = frame_of_normal<D>(contact.normal);
  const Vec<D> point = point_of_action<D>(bodies, contact);
  row.arm_a = point - bodies.position[at(contact.key.a)];
  row.arm_b = point - bodies.position[at(contact.key.b)] - contact.offset;
  return row;
}

namespace {

// Where every active contact acts, what it passed in the last step, and its adhesion.
template <int D>
void place_contacts(const Bodies<D>& bodies, const Scene<D>& scene, const LastImpulses<D>& stored,
                    StepData<D>& step) {
  auto& W = std::get<RigidOperator<D>>(step.problem.W);
  const std::size_t n = step.active.size();
  const bool something_adheres = scene.laws.largest_adhesion() > 0 || !step.bonds.empty();
  step.last.resize(n);
  W.contacts.resize(n);
  step.pull.resize(something_adheres ? n : 0);
  const bool moments = scene.laws.any_passes_moments();
  step.last_moment.resize(moments ? n : 0);
  parallel_stretches(n, [&](std::size_t begin, std::size_t end) {
    PercussionWalk<D> last(stored.percussions, step.found[at(step.active[begin])].key);
    for (std::size_t i = begin; i < end; ++i) {
      const Contact<D>& contact = step.found[at(step.active[i])];
      const ContactLaw& law =
          scene.laws(bodies.material[at(contact.key.a)], bodies.material[at(contact.key.b)]);
      ContactRow<D>& row = W.contacts[i];
      row = contact_row<D>(bodies, contact);
      stretch_row<D>(scene, bodies, law, row);
      const std::ptrdiff_t found = last(contact.key);
      step.last[i].setZero();
      if (found >= 0) {
        step.last[i] = unit_frame<D>(row).transpose() * stored.percussions[found].percussion;
        step.last[i] = step.last[i].cwiseQuotient(stretching<D>(row.stretch));
      }
      if (moments)
        step.last_moment[i] = found >= 0 && !stored.moments.empty()
                                  ? spin_along<D>(row.frame, stored.moments[found])
                                  : Spin<D>(Spin<D>::Zero());
      if (!something_adheres) continue;
      const bool pulls =
          adheres<D>(contact.gap, touching_gap<D>(bodies, contact.key), step.last[i], law);
      const double pull = contact.bond >= 0 ? step.bonds[at(contact.bond)].pull
                          : pulls           ? scene.h * law.adhesion
                                            : 0.0;
      step.pull[i] = -pull * Vec<D>::Unit(0);
    }
  });
}

}  // namespace

template <int D>
void assemble(const Bodies<D>& bodies, const Scene<D>& scene, const LastImpulses<D>& last,
              StepData<D>& step) {
  ContactProblem<D>& problem = step.problem;
  if (!std::holds_alternative<RigidOperator<D>>(problem.W)) problem.W = RigidOperator<D>{};
  auto& W = std::get<RigidOperator<D>>(problem.W);
  problem.velocity_floor = (scene.gravity.norm() + scene.cell_acceleration) * scene.h;
  mass_blocks<D>(bodies, scene, W.bodies);
  place_contacts<D>(bodies, scene, last, step);
  add_percussions<D>(W, step.pull, {}, step.v_free);

  const std::size_t n = step.active.size();
  step.contacts.resize(n);
  problem.b.resize(n);
  problem.law.resize(n);
  problem.rolling.resize(step.last_moment.size());
  parallel_for(n, [&](std::size_t i) {
    const std::size_t number = at(step.active[i]);
    const Contact<D>& contact = step.found[number];
    const std::size_t a = at(contact.key.a), b = at(contact.key.b);
    ContactRow<D>& row = W.contacts[i];
    const auto u_of = [&](std::span<const Twist<D>> v, const Mat<D>& L) -> Vec<D> {
      return relative_velocity<D>(row, v[a], v[b]) + row.frame.transpose() * (L * contact.offset);
    };
    const Vec<D> u_minus = u_of(step.v_minus, step.cell.minus);
    const Vec<D> u_free = u_of(step.v_free, step.cell.free);
    ContactLaw law = law_at(scene.laws(bodies.material[a], bodies.material[b]),
                            scene.coefficients_of_speed, -u_minus[0]);
    if (!scene.has_inertia() && (scene.is_set(contact.key.a) || scene.is_set(contact.key.b)))
      law.friction = 0;
    law.friction = friction_of<D>(scene, law, row);
    double cohesion = 0;
    if (contact.bond >= 0 || contact.cracked) law.friction = law.bond.friction;
    if (contact.bond >= 0) {
      law.restitution = law.tangential_restitution = 0;
      cohesion = step.bonds[at(contact.bond)].cohesion;
    }
    row.compliance = compliance_of(law, scene.h);
    problem.b[i] = scene.has_inertia() ? moreau_term<D>(step.parts[number], contact.gap, u_minus,
                                                        u_free, law, scene)
                                       : sweeping_term<D>(contact.gap, u_free, scene);
    if (law.bounces_by_spring()) {
      const double inverse_mass = rigid_inverse_mass<D>(row, W.bodies);
      const SpringResponse response =
          spring_response(law, contact.gap, u_minus[0], inverse_mass, scene.h);
      row.compliance.normal = response.compliance;
      problem.b[i][0] = u_free[0] + response.bias;
    }
    if (law.yields())
      problem.b[i].template tail<D - 1>() -=
          row.compliance.tangential * step.last[i].template tail<D - 1>();
    // An intact bond brings its points together again by the next q_m.
    if (contact.bond >= 0)
      problem.b[i] += row.frame.transpose() * step.bonds[at(contact.bond)].drift / scene.h;
    problem.law[i] = {law.friction, cohesion};
    if (problem.has_moments()) {
      const bool turns =
          !W.bodies[a].inverse_inertia.isZero(0) || !W.bodies[b].inverse_inertia.isZero(0);
      problem.rolling[i] = {
          turns ? RollingFriction{law.rolling_friction, law.spinning_friction} : RollingFriction{},
          relative_spin<D>(row, step.v_free[a], step.v_free[b])};
    }
    const double pull = step.pull.empty() ? 0 : -step.pull[i][0];
    step.contacts[i] = {contact,
                        unit_frame<D>(row),
                        law,
                        Vec<D>::Zero(),
                        u_minus.cwiseQuotient(stretching<D>(row.stretch)),
                        Vec<D>::Zero(),
                        pull,
                        row.stretch,
                        cohesion};
  });
  spring_rows<D>(bodies, scene, step.v_minus, step.v_free, problem.rows, step.percussions.row);
}

template <int D>
void warm_start(const Scene<D>& scene, StepData<D>& step) {
  const std::vector<ActiveContact<D>>& contacts = step.contacts;
  Percussions<D>& p = step.percussions;
  p.contact.resize(contacts.size());
  p.moment.resize(step.last_moment.size());
  parallel_for(contacts.size(), [&](std::size_t i) {
    const bool impact = scene.has_inertia() && contacts[i].u_minus[0] < -2 * settling_speed(scene);
    p.contact[i] = impact ? Vec<D>::Zero() : step.problem.law[i].project(step.last[i]);
    if (p.moment.empty()) return;
    Wrench<D> guess = wrench_of<D>(p.contact[i], step.last_moment[i], 1);
    RollingCoulomb<D>(contacts[i].law.friction, step.problem.rolling[i].friction, 1)
        .put_inside(guess);
    p.moment[i] = guess.template tail<spin_dim<D>>();
  });
}

template <int D>
void apply_percussions(const ContactProblem<D>& problem, const Percussions<D>& p,
                       std::span<const Twist<D>> v_impact, std::vector<Twist<D>>& v_plus,
                       std::vector<ActiveContact<D>>& contacts) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  v_plus.resize(v_impact.size());
  parallel_for(v_impact.size(), [&](std::size_t i) { v_plus[i] = v_impact[i]; });
  add_percussions<D>(W, p.contact, p.moment, v_plus);
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    apply_percussion<D>(problem.rows[i], p.row[i], W.bodies, v_plus);
  }
  parallel_for(contacts.size(), [&](std::size_t i) {
    const ContactRow<D>& row = W.contacts[i];
    const Vec<D> T = stretching<D>(row.stretch);
    contacts[i].percussion = T.cwiseProduct(p.contact[i]) - contacts[i].pull * Vec<D>::Unit(0);
    contacts[i].u_plus =
        relative_velocity<D>(row, v_plus[at(row.a)], v_plus[at(row.b)]).cwiseQuotient(T);
  });
}

template <int D>
void carry_images(const ContactProblem<D>& problem, const Mat<D>& L,
                  std::vector<ActiveContact<D>>& contacts) {
  if (L.isZero(0)) return;
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  parallel_for(contacts.size(), [&](std::size_t i) {
    const ContactRow<D>& row = W.contacts[i];
    const Vec<D> velocity = row.frame.transpose() * (L * contacts[i].contact.offset);
    contacts[i].u_plus += velocity.cwiseQuotient(stretching<D>(row.stretch));
  });
}

#define TALUS_INSTANTIATE(D)                                                                   \
  template void mass_blocks<D>(const Bodies<D>&, const Scene<D>&, std::vector<MassBlock<D>>&); \
  template void free_velocities<D>(const Bodies<D>&, std::span<const Impulse<D>>,              \
                                   std::vector<Twist<D>>&, std::vector<Twist<D>>&);            \
  template ContactRow<D> contact_row<D>(const Bodies<D>&, const Contact<D>&);                  \
  template void assemble<D>(const Bodies<D>&, const Scene<D>&, const LastImpulses<D>&,         \
                            StepData<D>&);                                                     \
  template void warm_start<D>(const Scene<D>&, StepData<D>&);                                  \
  template void apply_percussions<D>(const ContactProblem<D>&, const Percussions<D>&,          \
                                     std::span<const Twist<D>>, std::vector<Twist<D>>&,        \
                                     std::vector<ActiveContact<D>>&);                          \
  template void carry_images<D>(const ContactProblem<D>&, const Mat<D>&,                       \
                                std::vector<ActiveContact<D>>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
