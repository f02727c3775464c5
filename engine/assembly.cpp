#include "engine/assembly.hpp"

#include <algorithm>
#include <cmath>

#include "engine/activation.hpp"
#include "solvers/parallel.hpp"

namespace talus {

namespace {

template <int D>
bool turns_alike_in_all_directions(const SpinMat<D>& J) {
  return J.isApprox(J(0, 0) * SpinMat<D>::Identity(), 0);
}

constexpr int left_out = -1;  // in place of a body: a contact that does not enter the problem

// Closes ranks over the contacts that were left out; the others keep their order.
template <int D>
void drop_left_out(std::vector<ActiveContact<D>>& contacts, RigidOperator<D>& W,
                   ContactProblem<D>& problem) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (W.contacts[i].a == left_out) continue;
    if (kept != i) {
      contacts[kept] = contacts[i];
      W.contacts[kept] = W.contacts[i];
      problem.b[kept] = problem.b[i];
      problem.law[kept] = problem.law[i];
    }
    ++kept;
  }
  contacts.resize(kept);
  W.contacts.resize(kept);
  problem.b.resize(kept);
  problem.law.resize(kept);
}

// A spring that yields by F/k under a force: û = u + P/(h²k), for P = h F and a yielding of h u.
Compliance compliance_of(const ContactLaw& law, double h) {
  if (!law.yields()) return {};
  return {1 / (h * h * law.normal_stiffness), 1 / (h * h * law.tangential_stiffness)};
}

// Where a percussion acts. On two free bodies at one point, midway between the surfaces, so that
// angular momentum is conserved; if only one is free, on its surface, so that its lever arm is
// right whatever the gap.
template <int D>
Vec<D> point_of_action(const Bodies<D>& bodies, const Contact<D>& contact) {
  const double free_a = bodies.moves_freely(at(contact.key.a)) ? 1 : 0;
  const double free_b = bodies.moves_freely(at(contact.key.b)) ? 1 : 0;
  return contact.point + 0.5 * (free_b - free_a) * contact.gap * contact.normal;
}

}  // namespace

template <int D>
void mass_blocks(const Bodies<D>& bodies, const Scene<D>& scene,
                 std::vector<MassBlock<D>>& blocks) {
  blocks.resize(bodies.size() + 1);
  blocks.back() = {};
  parallel_for(bodies.size(), [&](std::size_t i) {
    const SpinMat<D>& J_inverse = bodies.inverse_inertia[i];
    if (scene.dynamics == Dynamics::sweeping) {
      blocks[i].inverse_mass = bodies.moves_freely(i) ? 1 : 0;
      blocks[i].inverse_inertia.setZero();
      if (!J_inverse.isZero(0)) blocks[i].inverse_inertia.setIdentity();
    } else {
      blocks[i].inverse_mass = bodies.inverse_mass[i];
      blocks[i].inverse_inertia = turns_alike_in_all_directions<D>(J_inverse)
                                      ? J_inverse
                                      : turned_inertia<D>(bodies.orientation[i], J_inverse);
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
void find_reach(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Twist<D>> v_free,
                double duration, std::vector<Reach<D>>& reach) {
  reach.resize(bodies.size());
  double allowance = 0.5 * settling_speed(scene) * scene.h;
  if (scene.dynamics == Dynamics::sweeping) {  // what one wall moves may reach another
    for (const Twist<D>& v : v_free) allowance = std::max(allowance, duration * v.v.norm());
  }
  parallel_for(bodies.size(), [&](std::size_t i) {
    const Geometry<D>& geometry = bodies.geometry_of(i);
    reach[i].displacement = duration * v_free[i].v;
    reach[i].margin = allowance;
    if (std::isfinite(geometry.bounding_radius)) {
      reach[i].margin += duration * v_free[i].omega.norm() * geometry.bounding_radius;
      reach[i].margin += touching_fraction * geometry.size;
    }
  });
}

template <int D>
double touching_gap(const Bodies<D>& bodies, const ContactKey& key) {
  return touching_fraction *
         std::min(bodies.geometry_of(at(key.a)).size, bodies.geometry_of(at(key.b)).size);
}

template <int D>
ContactRow<D> contact_row(const Bodies<D>& bodies, const Contact<D>& contact) {
  ContactRow<D> row;
  row.a = contact.key.a;
  row.b = contact.key.b;
  row.frame = frame_of_normal<D>(contact.normal);
  const Vec<D> point = point_of_action<D>(bodies, contact);
  row.arm_a = point - bodies.position[at(contact.key.a)];
  row.arm_b = point - bodies.position[at(contact.key.b)];
  return row;
}

template <int D>
void assemble(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Contact<D>> found,
              std::span<const Twist<D>> v_minus, std::span<const Twist<D>> v_free,
              std::vector<ActiveContact<D>>& contacts, ContactProblem<D>& problem,
              std::vector<double>& row_guess) {
  if (!std::holds_alternative<RigidOperator<D>>(problem.W)) problem.W = RigidOperator<D>{};
  auto& W = std::get<RigidOperator<D>>(problem.W);
  problem.velocity_floor = scene.gravity.norm() * scene.h;
  mass_blocks<D>(bodies, scene, W.bodies);

  contacts.resize(found.size());
  W.contacts.resize(found.size());
  problem.b.resize(found.size());
  problem.law.resize(found.size());
  parallel_for(found.size(), [&](std::size_t i) {
    const Contact<D>& contact = found[i];
    const std::size_t a = at(contact.key.a), b = at(contact.key.b);
    ContactRow<D>& row = W.contacts[i] = contact_row<D>(bodies, contact);

    const Vec<D> u_free = relative_velocity<D>(row, v_free[a], v_free[b]);
    const double a_closes = -relative_velocity<D>(row, v_free[a], {})[0];
    const double b_closes = -relative_velocity<D>(row, {}, v_free[b])[0];
    const Approach<D> approach{contact.gap, touching_gap<D>(bodies, contact.key),
                               relative_velocity<D>(row, v_minus[a], v_minus[b]), u_free,
                               std::max({-u_free[0], a_closes, b_closes})};
    const ContactLaw law = law_at(scene.laws(bodies.material[a], bodies.material[b]),
                                  scene.coefficients_of_speed, -approach.u_minus[0]);
    if (scene.dynamics == Dynamics::sweeping) {
      catch_up<D>(approach, scene, problem.b[i]);
    } else if (!activate<D>(approach, law, scene, problem.b[i])) {
      row.a = left_out;
    }
    row.compliance = compliance_of(law, scene.h);
    problem.law[i] = {law.friction};
    contacts[i] = {contact, row.frame, law, Vec<D>::Zero(), approach.u_minus, Vec<D>::Zero()};
  });
  drop_left_out<D>(contacts, W, problem);
  spring_rows<D>(bodies, scene, v_minus, v_free, problem.rows, row_guess);
}

template <int D>
void warm_start(std::span<const StoredPercussion<D>> stored, const Scene<D>& scene,
                std::span<const ActiveContact<D>> contacts, std::vector<Vec<D>>& percussions) {
  percussions.resize(contacts.size());
  PercussionWalk<D> last(stored);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Vec<D> percussion = contacts[i].frame.transpose() * last(contacts[i].contact.key);
    const bool impact = contacts[i].u_minus[0] < -2 * settling_speed(scene);
    percussions[i] =
        impact ? Vec<D>::Zero() : Coulomb<D>{contacts[i].law.friction}.project(percussion);
  }
}

template <int D>
void carry_springs(std::span<const StoredPercussion<D>> stored,
                   std::span<const ActiveContact<D>> contacts, ContactProblem<D>& problem) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  PercussionWalk<D> last(stored);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (W.contacts[i].compliance.is_rigid()) continue;
    const Vec<D> percussion = contacts[i].frame.transpose() * last(contacts[i].contact.key);
    problem.b[i].template tail<D - 1>() -=
        W.contacts[i].compliance.tangential * percussion.template tail<D - 1>();
  }
}

template <int D>
void apply_percussions(const ContactProblem<D>& problem, const Percussions<D>& p,
                       std::span<const Twist<D>> v_free, std::vector<Twist<D>>& v_plus,
                       std::vector<ActiveContact<D>>& contacts) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  v_plus.assign(v_free.begin(), v_free.end());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    apply_percussion<D>(W.contacts[i], p.contact[i], W.bodies, v_plus);
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    apply_percussion<D>(problem.rows[i], p.row[i], W.bodies, v_plus);
  }
  parallel_for(contacts.size(), [&](std::size_t i) {
    const ContactRow<D>& row = W.contacts[i];
    contacts[i].percussion = p.contact[i];
    contacts[i].u_plus = relative_velocity<D>(row, v_plus[at(row.a)], v_plus[at(row.b)]);
  });
}

#define TALUS_INSTANTIATE(D)                                                                   \
  template void mass_blocks<D>(const Bodies<D>&, const Scene<D>&, std::vector<MassBlock<D>>&); \
  template void free_velocities<D>(const Bodies<D>&, std::span<const Impulse<D>>,              \
                                   std::vector<Twist<D>>&, std::vector<Twist<D>>&);            \
  template void find_reach<D>(const Bodies<D>&, const Scene<D>&, std::span<const Twist<D>>,    \
                              double, std::vector<Reach<D>>&);                                 \
  template double touching_gap<D>(const Bodies<D>&, const ContactKey&);                        \
  template ContactRow<D> contact_row<D>(const Bodies<D>&, const Contact<D>&);                  \
  template void assemble<D>(const Bodies<D>&, const Scene<D>&, std::span<const Contact<D>>,    \
                            std::span<const Twist<D>>, std::span<const Twist<D>>,              \
                            std::vector<ActiveContact<D>>&, ContactProblem<D>&,                \
                            std::vector<double>&);                                             \
  template void warm_start<D>(std::span<const StoredPercussion<D>>, const Scene<D>&,           \
                              std::span<const ActiveContact<D>>, std::vector<Vec<D>>&);        \
  template void carry_springs<D>(std::span<const StoredPercussion<D>>,                         \
                                 std::span<const ActiveContact<D>>, ContactProblem<D>&);       \
  template void apply_percussions<D>(const ContactProblem<D>&, const Percussions<D>&,          \
                                     std::span<const Twist<D>>, std::vector<Twist<D>>&,        \
                                     std::vector<ActiveContact<D>>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
