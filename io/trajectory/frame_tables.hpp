// SPDX-License-Identifier: Apache-2.0
// The tables of a frame of a trajectory: state of the bodies, contacts that carry a force, forces
// of joints, surfaces to be drawn. And the contacts of impacts, which are written step by step.
// Include it from .cpp files of io/ only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/step/assembly.hpp"
#include "engine/step/bonds.hpp"
#include "engine/step/impact.hpp"
#include "engine/step/joints.hpp"
#include "io/trajectory/surface.hpp"
#include "io/trajectory/table_columns.hpp"

namespace talus {

// /state
struct StateRows {
  TableColumn<double> position{"/state/position", 3, "m"};
  TableColumn<double> orientation{"/state/orientation", 4};
  TableColumn<double> velocity{"/state/velocity", 3, "m/s"};
  TableColumn<double> angular_velocity{"/state/angular_velocity", 3, "rad/s"};

  // Where the image of the body in the cell is; only with a periodic cell. The position is that of
  // the image that a body keeps for the whole run.
  TableColumn<double> place{"/state/place", 3, "m"};

  bool periodic = false;

  template <class F>
  void for_each_column(F&& f) {
    f(position), f(orientation), f(velocity), f(angular_velocity);
    if (periodic) f(place);
  }

  template <int D>
  void fill(const Bodies<D>& bodies, std::span<const std::size_t> places);
};

// /contacts, without contacts of zero impulse (percussion)
struct ContactRows {
  TableColumn<double> point{"/contacts/point", 3, "m"};
  TableColumn<double> normal{"/contacts/normal", 3};
  TableColumn<double> force{"/contacts/force", 3, "N"};
  TableColumn<double> velocity{"/contacts/velocity", 3, "m/s"};
  TableColumn<double> normal_force{"/contacts/normal_force", 1, "N"};
  TableColumn<double> gap{"/contacts/gap", 1, "m"};
  TableColumn<std::int32_t> body_a{"/contacts/body_a"};
  TableColumn<std::int32_t> body_b{"/contacts/body_b"};
  TableColumn<std::uint8_t> status{"/contacts/status"};
  TableColumn<float> chain_points{"/contacts/chain_points", 3, "m", 2};
  TableColumn<double> adhesion{"/contacts/adhesion", 1, "N"};  // only with adhesion or bonds
  // Only with bonds: c A − μ σ_t A of its strength that is left, and what the contact is: of a bond
  // 1, of a crack 0, else −1.
  TableColumn<double> cohesion{"/contacts/cohesion", 1, "N"};
  TableColumn<std::int32_t> bond{"/contacts/bond"};
  // On b, at the point; only where contacts pass moments.
  TableColumn<double> moment{"/contacts/moment", 3, "N m"};

  bool adhesive = false, rolling = false, bonded = false;

  template <class F>
  void for_each_column(F&& f) {
    f(point), f(normal), f(force), f(velocity), f(normal_force), f(gap);
    f(body_a), f(body_b), f(status), f(chain_points);
    if (adhesive) f(adhesion);
    if (bonded) f(cohesion), f(bond);
    if (rolling) f(moment);
  }

  std::size_t size() const { return gap.values.size(); }  // contacts to be written next

  template <int D>
  void fill(const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts,
            std::span<const Spin<D>> moments, double h);
};

// /cell, one row a frame; only with a periodic cell. Nine numbers are a matrix by rows; lattice
// vectors are its columns, zero along axes that are not periodic.
struct CellRows {
  TableColumn<double> vectors{"/cell/vectors", 9, "m"};
  TableColumn<double> velocity_gradient{"/cell/velocity_gradient", 9, "1/s"};

  template <class F>
  void for_each_column(F&& f) {
    f(vectors), f(velocity_gradient);
  }

  template <int D>
  void fill(const Lattice<D>& lattice);
};

// /bonds, one row for each bond of the start in every frame; only with bonds
struct BondRows {
  TableColumn<std::int32_t> body_a{"/bonds/body_a"};
  TableColumn<std::int32_t> body_b{"/bonds/body_b"};
  TableColumn<double> point{"/bonds/point", 3, "m"};
  TableColumn<double> normal{"/bonds/normal", 3};
  TableColumn<double> area{"/bonds/area", 1, "m^2"};
  TableColumn<double> damage{"/bonds/damage"};
  TableColumn<double> opening{"/bonds/opening", 1, "m"};

  template <class F>
  void for_each_column(F&& f) {
    f(body_a), f(body_b), f(point), f(normal), f(area), f(damage), f(opening);
  }

  std::size_t size() const { return damage.values.size(); }  // bonds to be written next

  template <int D>
  void fill(const Bodies<D>& bodies, std::span<const Bond<D>> bonds);
};

// /joints, force and torque of every joint
struct JointRows {
  TableColumn<double> point{"/joints/point", 3, "m"};
  TableColumn<double> force{"/joints/force", 3, "N"};
  TableColumn<double> torque{"/joints/torque", 3, "N m"};

  template <class F>
  void for_each_column(F&& f) {
    f(point), f(force), f(torque);
  }

  template <int D>
  void fill(std::span<const JointReaction<D>> joints, double h);
};

// /mesh, surfaces of free bodies in world coordinates, and /walls, those of fixed and driven
// bodies. Points and polygons have separate rows.
struct MeshRows {
  Drawn which = Drawn::mesh;
  TableColumn<float> points{which == Drawn::mesh ? "/mesh/points" : "/walls/points", 3, "m"};
  TableColumn<float> velocity{which == Drawn::mesh ? "/mesh/velocity" : "/walls/velocity", 3,
                              "m/s"};

  explicit MeshRows(Drawn part) : which(part) {}

  template <class F>
  void for_each_column(F&& f) {
    f(points), f(velocity);
  }

  template <int D>
  void fill(const Bodies<D>& bodies, std::span<const std::size_t> places, const DrawnShapes& drawn);

 private:
  std::vector<std::size_t> first_vertex_, first_polygon_;  // of each body
};

// /impacts
struct ImpactRows {
  TableColumn<std::int64_t> step{"/impacts/step"};
  TableColumn<std::int32_t> impact{"/impacts/impact"};
  TableColumn<std::int32_t> body_a{"/impacts/body_a"};
  TableColumn<std::int32_t> body_b{"/impacts/body_b"};
  TableColumn<double> normal{"/impacts/normal", 3};
  TableColumn<double> percussion{"/impacts/percussion", 3, "N s"};
  TableColumn<double> velocity_before{"/impacts/velocity_before", 3, "m/s"};
  TableColumn<double> velocity_after{"/impacts/velocity_after", 3, "m/s"};
  TableColumn<double> work{"/impacts/work", 1, "J"};
  TableColumn<double> quasi_before{"/impacts/quasi_normal_before", 1, "J^0.5"};
  TableColumn<double> quasi_after{"/impacts/quasi_normal_after", 1, "J^0.5"};
  TableColumn<double> normal_energy_before{"/impacts/quasi_normal_energy_before", 1, "J"};
  TableColumn<double> normal_energy_after{"/impacts/quasi_normal_energy_after", 1, "J"};
  TableColumn<double> tangential_energy_before{"/impacts/quasi_tangential_energy_before", 1, "J"};
  TableColumn<double> tangential_energy_after{"/impacts/quasi_tangential_energy_after", 1, "J"};

  template <class F>
  void for_each_column(F&& f) {
    f(step), f(impact), f(body_a), f(body_b);
    f(normal), f(percussion), f(velocity_before), f(velocity_after), f(work);
    f(quasi_before), f(quasi_after);
    f(normal_energy_before), f(normal_energy_after);
    f(tangential_energy_before), f(tangential_energy_after);
  }

  std::size_t size() const { return step.values.size(); }  // rows to be written next

  template <int D>
  void add(std::int64_t number, const ImpactedContact<D>& contact);
};

}  // namespace talus
