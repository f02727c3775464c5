// SPDX-License-Identifier: Apache-2.0
// A periodic cell: space repeats along the lattice vectors a_k, the columns of A. A body at x
// stands for all its images x + A n with whole n, and a contact may join a body to an image of
// another.
//
// Positions and velocities of bodies are continued: those of one image that a body keeps for the
// whole run, wherever it goes. So nothing jumps when it leaves the cell: momentum is that of a
// closed system, and displacements are differences of positions. place() is where the image within
// the cell is.
//
// The cell deforms with the velocity gradient L: Ȧ = L A, so an image moves with v + L A n against
// the body. L is upper triangular, for any other cell is one of these turned. [Lees & Edwards,
// J. Phys. C 5 (1972) 1921; Parrinello & Rahman, J. Appl. Phys. 52 (1981) 7182]
#pragma once

#include <array>
#include <optional>

#include "engine/geometry/space.hpp"
#include "engine/model/signal.hpp"

namespace talus {

template <int D>
struct Lattice {
  Mat<D> A = Mat<D>::Identity();  // upper triangular; the unit vector where space does not repeat
  Mat<D> L = Mat<D>::Zero();      // velocity gradient [1/s]
  std::array<bool, D> periodic = {};

  bool exists() const {
    for (const bool axis : periodic)
      if (axis) return true;
    return false;
  }
  bool fills_space() const {
    for (const bool axis : periodic)
      if (!axis) return false;
    return true;
  }
  double volume() const { return A.determinant(); }  // if it fills space [m^D]

  // Smallest distance between opposite faces of the cell [m].
  double width() const;

  // n for which x − A n is in the cell.
  Vec<D> images_away(const Vec<D>& x) const;
  // n for which x − A n is nearest to the origin, or nearly so: never farther than half a cell.
  Vec<D> nearest_image(const Vec<D>& x) const;

  Vec<D> place(const Vec<D>& x) const { return exists() ? Vec<D>(x - A * images_away(x)) : x; }
  // The velocity of the image that is in the cell, of a body at x.
  Vec<D> velocity(const Vec<D>& x, const Vec<D>& v) const {
    return exists() ? Vec<D>(v - L * (A * images_away(x))) : v;
  }

  void advance(double duration);  // A ← exp(duration L) A
};

// A basis of the same lattice, A U, whose vectors are as upright as they can be while upper
// triangular. U is whole.
template <int D>
struct UprightBasis {
  Mat<D> B, U;
};
template <int D>
UprightBasis<D> upright_basis(const Lattice<D>& lattice);

// The cell of a scene. Of every component of L either its value is prescribed, 0 by default, or the
// stress it works against.
template <int D>
struct Cell {
  Vec<D> size = Vec<D>::Zero();  // of its sides at the start [m]; not used where it is not periodic
  std::array<bool, D> periodic = {};
  std::array<std::array<std::optional<Signal>, D>, D> gradient;  // [1/s]
  std::array<std::array<std::optional<Signal>, D>, D> stress;    // pressure positive [Pa]
  std::optional<double> mass;  // its inertia is that of so much mass spread over it [kg]

  bool is_free() const {  // whether a stress is imposed
    for (const auto& row : stress)
      for (const auto& component : row)
        if (component) return true;
    return false;
  }
  bool deforms() const {
    for (const auto& row : gradient)
      for (const auto& component : row)
        if (component) return true;
    return is_free();
  }
  Lattice<D> lattice() const;  // at the start, at rest
};

}  // namespace talus
