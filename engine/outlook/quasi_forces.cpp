// SPDX-License-Identifier: Apache-2.0
#include "engine/outlook/quasi_forces.hpp"

#include <algorithm>
#include <cmath>

#include "engine/outlook/free_acceleration.hpp"
#include "engine/outlook/touching_contacts.hpp"
#include "engine/step/assembly.hpp"
#include "engine/step/joints.hpp"

namespace talus {

namespace {

constexpr double part_of_size = 1e-4;  // of a body in a difference, relative to its size

// A time in which none of the bodies of this impact moves by more than that.
template <int D>
double difference_time(const Bodies<D>& bodies, const ImpactProblem<D>& impact) {
  std::vector<int> taking_part;
  for (const ContactRow<D>& row : impact.contacts)
    taking_part.insert(taking_part.end(), {row.a, row.b});
  for (const LinearRow<D>& row : impact.joints)
    taking_part.insert(taking_part.end(), {row.a, row.b});
  double rate = 0;  // [1/s]
  for (const int body : taking_part) {
    const std::size_t i = at(body);
    if (i >= bodies.size()) continue;  // the world
    const Geometry<D>& geometry = bodies.geometry_of(i);
    if (!std::isfinite(geometry.bounding_radius)) continue;
    rate = std::max(rate, bodies.velocity[i].norm() / geometry.size +
                              bodies.spin[i].norm() * geometry.bounding_radius / geometry.size);
  }
  return rate > 0 ? part_of_size / rate : part_of_size;
}

// The contacts that are asked for, in their order, as an impact of bodies with velocities v.
template <int D>
std::optional<ImpactProblem<D>> contacts_as_impact(const Scene<D>& scene, const Bodies<D>& bodies,
                                                   std::vector<Twist<D>> v,
                                                   std::span<const ContactKey> keys,
                                                   std::span<const int> joint_rows) {
  const std::vector<Contact<D>> found = contacts_within<D>(scene, bodies, 10 * part_of_size);
  ImpactProblem<D> impact;
  mass_blocks<D>(bodies, scene, impact.bodies);
  impact.v_minus = std::move(v);
  for (const ContactKey& key : keys) {
    const auto contact = std::find_if(found.begin(), found.end(),
                                      [&](const Contact<D>& other) { return other.key == key; });
    if (contact == found.end()) return std::nullopt;
    impact.contacts.push_back(contact_row<D>(bodies, *contact));
    const ContactLaw& law = scene.laws(bodies.material[at(key.a)], bodies.material[at(key.b)]);
    impact.coefficients.push_back({.friction = law.friction});
  }
  std::vector<Constraint<D>> held;
  for (const JointFrame<D>& frame : joint_frames<D>(scene.joints, make_bodies<D>(scene)))
    add_constraints<D>(frame, bodies, held);
  for (const int row : joint_rows) impact.joints.push_back(held[at(row)].row);
  return impact;
}

}  // namespace

template <int D>
std::optional<QuasiForces> quasi_forces(const Scene<D>& scene, const Bodies<D>& bodies, double t,
                                        std::span<const ContactKey> contacts,
                                        std::span<const int> joint_rows) {
  std::vector<Twist<D>> v(bodies.size() + 1);
  for (std::size_t i = 0; i < bodies.size(); ++i) v[i] = {bodies.velocity[i], bodies.spin[i]};
  const std::vector<Twist<D>> a = free_accelerations<D>(scene, bodies, t, v);
  const auto now = contacts_as_impact<D>(scene, bodies, v, contacts, joint_rows);
  if (!now) return std::nullopt;
  const double dt = difference_time<D>(bodies, *now);
  const std::vector<Eigen::Index> freedoms = quasi_velocities<D>(*now).freedoms;
  QuasiForces F;
  for (const double side : {1.0, -1.0}) {
    Bodies<D> moved = bodies;
    std::vector<Twist<D>> then = v;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      moved.position[i] += side * dt * v[i].v;
      moved.orientation[i] = rotated<D>(bodies.orientation[i], side * dt * v[i].omega);
      then[i].v += side * dt * a[i].v;
      then[i].omega += side * dt * a[i].omega;
    }
    const auto impact = contacts_as_impact<D>(scene, moved, std::move(then), contacts, joint_rows);
    if (!impact) return std::nullopt;
    const QuasiVelocities quasi = quasi_velocities<D>(*impact, freedoms);
    if (quasi.freedoms != freedoms) return std::nullopt;
    const Eigen::VectorXd normal = quasi.normal(), tangential = quasi.tangential();
    if (side > 0) {
      F.normal = -normal / (2 * dt);
      F.tangential = -tangential / (2 * dt);
    } else {
      F.normal += normal / (2 * dt);
      F.tangential += tangential / (2 * dt);
    }
  }
  return F;
}

template std::optional<QuasiForces> quasi_forces<2>(const Scene<2>&, const Bodies<2>&, double,
                                                    std::span<const ContactKey>,
                                                    std::span<const int>);
template std::optional<QuasiForces> quasi_forces<3>(const Scene<3>&, const Bodies<3>&, double,
                                                    std::span<const ContactKey>,
                                                    std::span<const int>);

}  // namespace talus
