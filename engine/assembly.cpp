#include "engine/assembly.hpp"

#include <algorithm>
#include <cmath>

#include "engine/activation.hpp"
#include "solvers/counting_sort.hpp"
#include "solvers/parallel.hpp"

namespace talus {

namespace {

// A spring that yields by F/k under a force: û = u + P/(h²k), for P = h F and a yielding of h u.
Compliance compliance_of(const ContactLaw& law, double h) {
  if (!law.yields()) return {};
  return {1 / (h * h * law.normal_stiffness), 1 / (h * h * law.tangential_stiffness)};
}

// v += M⁻¹H p of all contacts. Where threads share it, body by body, each adding up its contacts in
// their order, which gives the same bits.
template <int D>
void add_percussions(const RigidOperator<D>& W, std::span<const Vec<D>> p, std::span<Twist<D>> v) {
  if (threads() == 1 || p.size() < worth_sharing) {
    for (std::size_t i = 0; i < p.size(); ++i)
      apply_percussion<D>(W.contacts[i], p[i], W.bodies, v);
    return;
  }
  static thread_local CountingSort room;  // kept, so that later steps allocate nothing
  CountingSort& by_body = room;           // other threads must not take their own
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
      if (at(row.a) == body) {
        v[body].v -= mass.inverse_mass * impulse;
        v[body].omega -= mass.inverse_inertia * moment<D>(row.arm_a, impulse);
      } else {
        v[body].v += mass.inverse_mass * impulse;
        v[body].omega += mass.inverse_inertia * moment<D>(row.arm_b, impulse);
      }
    }
  });
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
void find_parts(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Twist<D>> v_minus,
                std::span<const Twist<D>> v_free, std::span<const Contact<D>> found,
                std::vector<Part>& parts, std::vector<int>& taking_part) {
  parts.resize(found.size());
  parallel_for(found.size(), [&](std::size_t i) {
    if (scene.dynamics == Dynamics::sweeping) {
      parts[i] = Part::arrives;
      return;
    }
    const Contact<D>& contact = found[i];
    const std::size_t a = at(contact.key.a), b = at(contact.key.b);
    const Vec<D> point = point_of_action<D>(bodies, contact);
    const auto speed = [&](const Twist<D>& v, std::size_t body) {  // along the normal
      return contact.normal.dot(v.v + cross<D>(v.omega, point - bodies.position[body]));
    };
    const double a_closes = speed(v_free[a], a), b_closes = -speed(v_free[b], b);
    const ContactLaw law =
        law_at(scene.laws(bodies.material[a], bodies.material[b]), scene.coefficients_of_speed,
               speed(v_minus[a], a) - speed(v_minus[b], b));
    parts[i] = part_of<D>({contact.gap, touching_gap<D>(bodies, contact.key), -a_closes - b_closes,
                           std::max({a_closes + b_closes, a_closes, b_closes})},
                          law, scene);
  });
  parallel_list(
      found.size(), [&](std::size_t i) { return parts[i] != Part::stays_out; }, taking_part);
}

template <int D>
void assemble(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Contact<D>> found,
              std::span<const Part> parts, std::span<const int> taking_part,
              std::span<const Twist<D>> v_minus, std::span<const Twist<D>> v_free,
              std::vector<ActiveContact<D>>& contacts, ContactProblem<D>& problem,
              std::vector<double>& row_guess) {
  if (!std::holds_alternative<RigidOperator<D>>(problem.W)) problem.W = RigidOperator<D>{};
  auto& W = std::get<RigidOperator<D>>(problem.W);
  problem.velocity_floor = scene.gravity.norm() * scene.h;
  mass_blocks<D>(bodies, scene, W.bodies);

  contacts.resize(taking_part.size());
  W.contacts.resize(taking_part.size());
  problem.b.resize(taking_part.size());
  problem.law.resize(taking_part.size());
  parallel_for(taking_part.size(), [&](std::size_t i) {
    const std::size_t number = at(taking_part[i]);
    const Contact<D>& contact = found[number];
    const std::size_t a = at(contact.key.a), b = at(contact.key.b);
    ContactRow<D>& row = W.contacts[i] = contact_row<D>(bodies, contact);
    const Vec<D> u_minus = relative_velocity<D>(row, v_minus[a], v_minus[b]);
    const Vec<D> u_free = relative_velocity<D>(row, v_free[a], v_free[b]);
    const ContactLaw law = law_at(scene.laws(bodies.material[a], bodies.material[b]),
                                  scene.coefficients_of_speed, -u_minus[0]);
    row.compliance = compliance_of(law, scene.h);
    problem.b[i] = scene.dynamics == Dynamics::sweeping
                       ? catching_up_term<D>(contact.gap, u_free, scene)
                       : moreau_term<D>(parts[number], contact.gap, u_minus, u_free, law, scene);
    problem.law[i] = {law.friction};
    contacts[i] = {contact, row.frame, law, Vec<D>::Zero(), u_minus, Vec<D>::Zero()};
  });
  spring_rows<D>(bodies, scene, v_minus, v_free, problem.rows, row_guess);
}

template <int D>
void warm_start(std::span<const StoredPercussion<D>> stored, const Scene<D>& scene,
                std::span<const ActiveContact<D>> contacts, ContactProblem<D>& problem,
                std::vector<Vec<D>>& percussions) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  percussions.resize(contacts.size());
  parallel_stretches(contacts.size(), [&](std::size_t begin, std::size_t end) {
    PercussionWalk<D> last(stored, contacts[begin].contact.key);
    for (std::size_t i = begin; i < end; ++i) {
      const Vec<D> percussion = contacts[i].frame.transpose() * last(contacts[i].contact.key);
      const bool impact = contacts[i].u_minus[0] < -2 * settling_speed(scene);
      percussions[i] =
          impact ? Vec<D>::Zero() : Coulomb<D>{contacts[i].law.friction}.project(percussion);
      if (contacts[i].law.yields()) {
        problem.b[i].set_tail(problem.b[i].template tail<D - 1>() -
                              W.contacts[i].compliance.tangential *
                                  percussion.template tail<D - 1>());
      }
    }
  });
}

template <int D>
void apply_percussions(const ContactProblem<D>& problem, const Percussions<D>& p,
                       std::span<const Twist<D>> v_free, std::vector<Twist<D>>& v_plus,
                       std::vector<ActiveContact<D>>& contacts) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  v_plus.resize(v_free.size());
  parallel_for(v_free.size(), [&](std::size_t i) { v_plus[i] = v_free[i]; });
  add_percussions<D>(W, p.contact, v_plus);
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
  template void find_parts<D>(const Bodies<D>&, const Scene<D>&, std::span<const Twist<D>>,    \
                              std::span<const Twist<D>>, std::span<const Contact<D>>,          \
                              std::vector<Part>&, std::vector<int>&);                          \
  template void assemble<D>(                                                                   \
      const Bodies<D>&, const Scene<D>&, std::span<const Contact<D>>, std::span<const Part>,   \
      std::span<const int>, std::span<const Twist<D>>, std::span<const Twist<D>>,              \
      std::vector<ActiveContact<D>>&, ContactProblem<D>&, std::vector<double>&);               \
  template void warm_start<D>(std::span<const StoredPercussion<D>>, const Scene<D>&,           \
                              std::span<const ActiveContact<D>>, ContactProblem<D>&,           \
                              std::vector<Vec<D>>&);                                           \
  template void apply_percussions<D>(const ContactProblem<D>&, const Percussions<D>&,          \
                                     std::span<const Twist<D>>, std::vector<Twist<D>>&,        \
                                     std::vector<ActiveContact<D>>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
