// SPDX-License-Identifier: Apache-2.0
// How far percussions are from the law: the one measure that every solver is judged by.
//
// Measured on velocities, so that it has no unit of its own, and island by island (islands.hpp):
//     e_α      = ‖p_α − proj_K(p_α − r_α (û_α + μ‖û_T‖ n))‖ / r_α,   r_α = D / (2 tr W_αα)
//     relative = max over islands of √Σ e_α² / max(√Σ' ‖b_α‖², √n' · velocity_floor)
// Σ' and n' are over what acts: contacts and unilateral rows that close when no percussion stops
// them (b_N ≤ 0), and all other rows. What opens by itself has no part in the scale, so that
// nothing distant, open or slack can loosen the measure. Where all opens, and there is no gravity,
// the scale is the least ‖b_α‖: any fixed number would depend on the units. Scalar rows are judged
// alike, on their bounds in place of K and with r = 1 / (2 W_ii), and a contact with rolling
// friction by its whole wrench, with the law of rolling.hpp in units of moment_unit.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "solvers/problem/contact_problem.hpp"
#include "solvers/problem/islands.hpp"

namespace talus {

struct ContactError {
  double relative = 0;
  double worst = 0;     // max_α e_α against the scale of its island per acting contact
  double velocity = 0;  // max over islands of √Σ e_α² [m/s]
};

// The scale of one island: add what it holds, then ask.
struct ErrorScale {
  double squares = 0;                                              // Σ' ‖b‖² [m²/s²]
  double count = 0;                                                // n'
  double least_opening = std::numeric_limits<double>::infinity();  // ‖b‖ of what opens [m/s]

  template <int D>
  void add(const Vec<D>& b) {
    if (b[0] > 0) {
      least_opening = std::min(least_opening, b.norm());
      return;
    }
    squares += b.squaredNorm();
    count += 1;
  }

  // A compliant row counts with the velocity that it gives its bodies, bias · W/(W + compliance): a
  // soft spring far from its rest length has a large bias and hardly any effect. W_ii is the row's
  // diagonal block, compliance included.
  template <int D>
  void add(const LinearRow<D>& row, double W_ii) {
    const double velocity = W_ii > 0 ? row.bias * (1 - row.compliance / W_ii) : 0;
    if (row.is_unilateral() && row.bias > 0) {
      if (velocity > 0) least_opening = std::min(least_opening, velocity);
      return;
    }
    squares += velocity * velocity;
    count += 1;
  }

  void operator+=(const ErrorScale& other) {
    squares += other.squares;
    count += other.count;
    least_opening = std::min(least_opening, other.least_opening);
  }

  // What √Σ e² is divided by [m/s]. Where nothing moves that is 1: the error is then in m/s.
  double value(double velocity_floor) const {
    const double scale = std::max(std::sqrt(squares), std::sqrt(count) * velocity_floor);
    if (scale > 0) return scale;
    return std::isfinite(least_opening) ? least_opening : 1;
  }
};

// Measures errors; keeps its arrays, so that to measure again allocates nothing.
template <int D>
class ErrorMeasure {
 public:
  // The error of percussions p at which û is u. `rounding`, if given, says for each contact and
  // then each row how far u can be off by rounding [m/s]: errors below that count as none.
  ContactError operator()(const ContactProblem<D>& problem, const Islands<D>& islands,
                          const Percussions<D>& p, const Velocities<D>& u,
                          std::span<const double> rounding = {});

  // `relative` of an island alone, by the last measurement.
  double of_island(int island) const { return sums_[at(island)].relative; }

 private:
  struct IslandSum {
    ErrorScale scale;
    double squares = 0;  // Σ e²
    double worst = 0;    // max e²
    double relative = 0;
  };

  std::vector<double> e_squared_;
  std::vector<IslandSum> sums_;
};

// The same from the percussions alone, û = W p + b.
template <int D>
ContactError contact_error(const ContactProblem<D>& problem, const Percussions<D>& p);
template <int D>
ContactError contact_error(const ContactProblem<D>& problem, const Islands<D>& islands,
                           const Percussions<D>& p);

// The measure of published comparisons, for use beside the one above: r_α = 1 kg and √Σ e_α² / ‖b‖.
// It depends on the units of mass. Not divided where ‖b‖ is below rounding.
template <int D>
double siconos_error(const ContactProblem<D>& problem, const Percussions<D>& p);

// Puts percussions that are outside by what a solver leaves back into their cones and bounds:
// p_N ≥ 0 and ‖p_T‖ ≤ μ p_N hold to the last bit afterwards, and so do the bounds of moments. NaN
// stays.
template <int D>
void into_cones(const ContactProblem<D>& problem, Percussions<D>& p);

}  // namespace talus
