// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/frame_tables.hpp"

#include <algorithm>

#include "engine/model/contact_status.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

template <int D>
void StateRows::fill(const Bodies<D>& bodies, std::span<const std::size_t> places) {
  resize_columns(*this, places.size());
  parallel_for(places.size(), [&](std::size_t row) {
    const std::size_t i = places[row];
    position.put(row, in_space<D>(bodies.position[i]));
    if (periodic) place.put(row, in_space<D>(bodies.lattice.place(bodies.position[i])));
    velocity.put(row, in_space<D>(bodies.velocity[i]));
    angular_velocity.put(row, spin_in_space<D>(bodies.spin[i]));
    const Eigen::Quaterniond q = quaternion<D>(bodies.orientation[i]);
    orientation.put(row, Vec<4>(q.w(), q.x(), q.y(), q.z()));
  });
}

template <int D>
void ContactRows::fill(const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts,
                       std::span<const Spin<D>> moments, double h) {
  std::vector<std::size_t> loaded;
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (!contacts[i].percussion.isZero(0)) loaded.push_back(i);
  resize_columns(*this, loaded.size());
  parallel_for(loaded.size(), [&](std::size_t row) {
    const ActiveContact<D>& active = contacts[loaded[row]];
    const Contact<D>& contact = active.contact;
    // In a periodic cell that of the image of a that is in the cell.
    const auto a = static_cast<std::size_t>(contact.key.a);
    const Vec<D> way = bodies.lattice.place(bodies.position[a]) - bodies.position[a];
    point.put(row, in_space<D>(Vec<D>(contact.point + way)));
    normal.put(row, in_space<D>(contact.normal));
    force.put(row, in_space<D>(active.frame * active.percussion / h));
    velocity.put(row, in_space<D>(active.frame * active.u_plus));
    normal_force.values[row] = active.percussion[0] / h;
    if (adhesive) adhesion.values[row] = active.pull / h;
    if (bonded) {
      cohesion.values[row] = active.cohesion / h;
      bond.values[row] = contact.bond >= 0 ? 1 : contact.cracked ? 0 : -1;
    }
    if (rolling) {
      const Spin<D> impulse = moments.empty() ? Spin<D>(Spin<D>::Zero()) : moments[loaded[row]];
      moment.put(row, spin_in_space<D>(spin_from<D>(active.frame, impulse) / h));
    }
    gap.values[row] = contact.gap;
    body_a.values[row] = bodies.id[static_cast<std::size_t>(contact.key.a)];
    body_b.values[row] = bodies.id[static_cast<std::size_t>(contact.key.b)];
    status.values[row] =
        static_cast<std::uint8_t>(status_of<D>(active));  // as the certificate counts
    // The centre of a wall may be far away: its end of the line is the contact point.
    const auto chain_end = [&](int body, const Vec<D>& offset) {
      const auto i = static_cast<std::size_t>(body);
      const bool centre = bodies.moves_freely(i);
      return in_space<D>(
          Vec<D>((centre ? Vec<D>(bodies.position[i] + offset) : contact.point) + way));
    };
    chain_points.put(2 * row, chain_end(contact.key.a, Vec<D>::Zero()));
    chain_points.put(2 * row + 1, chain_end(contact.key.b, contact.offset));
  });
}

template <int D>
void CellRows::fill(const Lattice<D>& lattice) {
  resize_columns(*this, 1);
  const auto put = [](const Mat<D>& matrix, TableColumn<double>& column) {
    std::fill(column.values.begin(), column.values.end(), 0.0);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) column.values[static_cast<std::size_t>(3 * i + j)] = matrix(i, j);
  };
  Mat<D> A = lattice.A;
  for (int k = 0; k < D; ++k)
    if (!lattice.periodic[static_cast<std::size_t>(k)]) A.col(k).setZero();
  put(A, vectors);
  put(lattice.L, velocity_gradient);
}

template <int D>
void BondRows::fill(const Bodies<D>& bodies, std::span<const Bond<D>> bonds) {
  resize_columns(*this, bonds.size());
  parallel_for(bonds.size(), [&](std::size_t i) {
    const Bond<D>& own = bonds[i];
    const BondPlace<D> place = place_of<D>(own, bodies);
    body_a.values[i] = bodies.id[static_cast<std::size_t>(own.key.a)];
    body_b.values[i] = bodies.id[static_cast<std::size_t>(own.key.b)];
    point.put(i, in_space<D>(place.point));
    normal.put(i, in_space<D>(place.normal));
    area.values[i] = own.area;
    damage.values[i] = own.damage;
    opening.values[i] = place.opening();
  });
}

template <int D>
void JointRows::fill(std::span<const JointReaction<D>> joints, double h) {
  resize_columns(*this, joints.size());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    point.put(i, in_space<D>(joints[i].point));
    force.put(i, in_space<D>(joints[i].percussion / h));
    torque.put(i, spin_in_space<D>(joints[i].moment / h));
  }
}

template <int D>
void MeshRows::fill(const Bodies<D>& bodies, std::span<const std::size_t> places,
                    const DrawnShapes& drawn) {
  const auto surface_of = [&](std::size_t row) {
    return drawn.surface(static_cast<std::size_t>(bodies.id[places[row]]), which);
  };
  std::size_t vertices = 0, polygons = 0;
  first_vertex_.clear();
  first_polygon_.clear();
  for (std::size_t row = 0; row < places.size(); ++row) {
    first_vertex_.push_back(vertices);
    first_polygon_.push_back(polygons);
    if (surface_of(row) < 0) continue;
    const Surface& surface = drawn.surfaces[static_cast<std::size_t>(surface_of(row))];
    vertices += surface.vertices.size();
    polygons += surface.polygons();
  }
  points.values.resize(3 * vertices);
  velocity.values.resize(3 * polygons);
  parallel_for(places.size(), [&](std::size_t row) {
    if (surface_of(row) < 0) return;
    const std::size_t i = places[row];
    const Surface& surface = drawn.surfaces[static_cast<std::size_t>(surface_of(row))];
    const Vec<3> centre = in_space<D>(bodies.lattice.place(bodies.position[i]));
    const Mat<3> R = quaternion<D>(bodies.orientation[i]).matrix();
    for (std::size_t v = 0; v < surface.vertices.size(); ++v)
      points.put(first_vertex_[row] + v, Vec<3>(centre + R * surface.vertices[v]));
    for (std::size_t k = 0; k < surface.polygons(); ++k)
      velocity.put(first_polygon_[row] + k, in_space<D>(bodies.velocity[i]));
  });
}

template <int D>
void ImpactRows::add(std::int64_t number, const ImpactedContact<D>& contact) {
  const std::size_t row = size();
  resize_columns(*this, row + 1);
  step.values[row] = number;
  impact.values[row] = contact.impact;
  body_a.values[row] = contact.a;
  body_b.values[row] = contact.b;
  normal.put(row, in_space<D>(contact.normal));
  percussion.put(row, in_space<D>(contact.percussion));
  velocity_before.put(row, in_space<D>(contact.u_minus));
  velocity_after.put(row, in_space<D>(contact.u_plus));
  work.values[row] = contact.work;
  quasi_before.values[row] = contact.quasi_normal(contact.u_minus);
  quasi_after.values[row] = contact.quasi_normal(contact.u_plus);
  normal_energy_before.values[row] = contact.energies_before.normal;
  normal_energy_after.values[row] = contact.energies_after.normal;
  tangential_energy_before.values[row] = contact.energies_before.tangential;
  tangential_energy_after.values[row] = contact.energies_after.tangential;
}

#define TALUS_INSTANTIATE(D)                                                              \
  template void StateRows::fill<D>(const Bodies<D>&, std::span<const std::size_t>);       \
  template void ContactRows::fill<D>(const Bodies<D>&, std::span<const ActiveContact<D>>, \
                                     std::span<const Spin<D>>, double);                   \
  template void CellRows::fill<D>(const Lattice<D>&);                                     \
  template void BondRows::fill<D>(const Bodies<D>&, std::span<const Bond<D>>);            \
  template void JointRows::fill<D>(std::span<const JointReaction<D>>, double);            \
  template void MeshRows::fill<D>(const Bodies<D>&, std::span<const std::size_t>,         \
                                  const DrawnShapes&);                                    \
  template void ImpactRows::add<D>(std::int64_t, const ImpactedContact<D>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
