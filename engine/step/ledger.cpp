// SPDX-License-Identifier: Apache-2.0
#include "engine/step/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/math/maximum.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

template <int D>
double kinetic(const Bodies<D>& bodies, std::size_t i, const Twist<D>& twist) {
  const SpinMat<D> J = turned_inertia<D>(bodies.orientation[i], bodies.inertia[i]);
  return 0.5 * bodies.mass[i] * twist.v.squaredNorm() + 0.5 * twist.omega.dot(J * twist.omega);
}

struct ContactWork {
  double normal = 0, friction = 0, rolling = 0, adhesion = 0, bond = 0, driven = 0,
         cell = 0;                                  // [J]
  double turnover = 0;                              // [J]
  double normal_impulse = 0, friction_impulse = 0;  // [N s]
  double rounding = 0;  // of the works of bonds: velocities cancel where they hold [J]

  void operator+=(const ContactWork& other) {
    normal += other.normal;
    friction += other.friction;
    rolling += other.rolling;
    adhesion += other.adhesion;
    bond += other.bond;
    driven += other.driven;
    cell += other.cell;
    turnover += other.turnover;
    normal_impulse += other.normal_impulse;
    friction_impulse += other.friction_impulse;
    rounding += other.rounding;
  }
};

// Power of a unit percussion of a row on body a's or b's mean motion.
template <int D>
Vec<D> point_velocity(const Twist<D>& v_minus, const Twist<D>& v_plus, const Vec<D>& arm) {
  return 0.5 * (v_minus.v + v_plus.v) + cross<D>(0.5 * (v_minus.omega + v_plus.omega), arm);
}

// Work of a contact's moment over the jump of velocities, and what driven bodies put into it.
template <int D>
RowWork moment_work(const ContactRow<D>& row, const Spin<D>& moment,
                    std::span<const MassBlock<D>> mass, std::span<const Twist<D>> v_minus,
                    std::span<const Twist<D>> v_plus) {
  const Spin<D> impulse = spin_from<D>(row.frame, moment);
  const auto work_on = [&](int body) {
    return 0.5 * impulse.dot(v_minus[at(body)].omega + v_plus[at(body)].omega);
  };
  const auto driven_by = [&](int body) {
    return mass[at(body)].inverse_mass == 0 ? work_on(body) : 0;
  };
  return {work_on(row.b) - work_on(row.a), driven_by(row.a) - driven_by(row.b)};
}

}  // namespace

bool finite(const Certificate& c) {
  for (const double value : {c.time,
                             c.max_penetration,
                             c.mean_penetration,
                             c.error,
                             c.worst_error,
                             c.kinetic,
                             c.potential,
                             c.contact_work,
                             c.friction_work,
                             c.normal_work,
                             c.rolling_work,
                             c.adhesion_work,
                             c.bond_work,
                             c.external_work,
                             c.spring_work,
                             c.joint_work,
                             c.driven_work,
                             c.cell_work,
                             c.defect,
                             c.turnover,
                             c.impact_work,
                             c.impact_closing,
                             c.impact_cone,
                             c.impact_gain,
                             c.correction_work,
                             c.joint_drift,
                             c.mass,
                             c.born_mass,
                             c.removed_mass,
                             c.inflow_kinetic,
                             c.inflow_potential,
                             c.max_relative_penetration,
                             c.normal_impulse,
                             c.friction_impulse,
                             c.momentum_x,
                             c.momentum_y,
                             c.momentum_z,
                             c.angular_momentum_x,
                             c.angular_momentum_y,
                             c.angular_momentum_z,
                             c.max_speed,
                             c.max_spin,
                             c.max_correction,
                             c.max_correction_turn,
                             c.correction_angular_momentum_x,
                             c.correction_angular_momentum_y,
                             c.correction_angular_momentum_z})
    if (!std::isfinite(value)) return false;
  return true;
}

template <int D>
double kinetic_energy(const Bodies<D>& bodies) {
  return parallel_sum(bodies.size(),
                      [&](std::size_t i) { return kinetic_energy_of<D>(bodies, i); });
}

template <int D>
double kinetic_energy_of(const Bodies<D>& bodies, std::size_t body) {
  return kinetic<D>(bodies, body, {bodies.velocity[body], bodies.spin[body]});
}

template <int D>
double potential_energy(const Bodies<D>& bodies, const Scene<D>& scene) {
  return parallel_sum(bodies.size(),
                      [&](std::size_t i) {
                        return -bodies.mass[i] * scene.gravity.dot(bodies.position[i]);
                      }) +
         spring_energy<D>(bodies, scene);
}

template <int D>
void record_contacts(std::span<const ActiveContact<D>> contacts, Certificate& certificate) {
  struct Tally {
    int separating = 0, sliding = 0, sticking = 0;

    void operator+=(const Tally& other) {
      separating += other.separating;
      sliding += other.sliding;
      sticking += other.sticking;
    }
  };
  const Tally tally =
      parallel_total<Tally>(contacts.size(), [&](std::size_t first, std::size_t last) {
        Tally part;
        for (const ActiveContact<D>& active : contacts.subspan(first, last - first)) {
          if (!active.presses()) {
            ++part.separating;
          } else if (active.slides()) {
            ++part.sliding;
          } else {
            ++part.sticking;
          }
        }
        return part;
      });
  certificate.contacts = static_cast<int>(contacts.size());
  certificate.separating = tally.separating;
  certificate.sliding = tally.sliding;
  certificate.sticking = tally.sticking;
}

template <int D>
ContactError ContactJudge<D>::operator()(const ContactProblem<D>& problem,
                                         const Islands<D>& islands, const Percussions<D>& p,
                                         std::span<const Twist<D>> v_free,
                                         std::span<const Twist<D>> v_plus) {
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  const std::size_t contacts = problem.size();
  u_hat_.contact.resize(contacts);
  u_hat_.row.resize(problem.rows.size());
  rounding_.resize(contacts + problem.rows.size());
  const auto change = [&](int body) {
    return Twist<D>{v_plus[at(body)].v - v_free[at(body)].v,
                    v_plus[at(body)].omega - v_free[at(body)].omega};
  };
  constexpr double few_operations = 32 * std::numeric_limits<double>::epsilon();
  parallel_for(contacts, [&](std::size_t i) {
    const ContactRow<D>& row = W.contacts[i];
    u_hat_.contact[i] = problem.b[i] + relative_velocity<D>(row, change(row.a), change(row.b)) +
                        diagonal<D>(row.compliance).cwiseProduct(p.contact[i]);
    const auto speed = [&](int body, const Vec<D>& arm) {
      return v_plus[at(body)].v.norm() + v_plus[at(body)].omega.norm() * arm.norm();
    };
    rounding_[i] =
        few_operations * (problem.b[i].norm() + speed(row.a, row.arm_a) + speed(row.b, row.arm_b));
  });
  u_hat_.spin.resize(problem.rolling.size());
  parallel_for(problem.rolling.size(), [&](std::size_t i) {
    const ContactRow<D>& row = W.contacts[i];
    const Spin<D>& omega = problem.rolling[i].omega;
    u_hat_.spin[i] = omega + relative_spin<D>(row, change(row.a), change(row.b));
    const double spins =
        omega.norm() + v_plus[at(row.a)].omega.norm() + v_plus[at(row.b)].omega.norm();
    rounding_[i] += few_operations * moment_unit<D>(row, islands.trace(i), W.bodies) * spins;
  });
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const LinearRow<D>& row = problem.rows[i];
    u_hat_.row[i] = row.bias + row.compliance * p.row[i] +
                    relative_velocity<D>(row, change(row.a), change(row.b));
    const auto speed = [&](int body, const Spin<D>& moment) {
      return v_plus[at(body)].v.norm() * row.direction.norm() +
             v_plus[at(body)].omega.norm() * moment.norm();
    };
    rounding_[contacts + i] = few_operations * (std::abs(row.bias) + speed(row.a, row.moment_a) +
                                                speed(row.b, row.moment_b));
  }
  return measure_(problem, islands, p, u_hat_, rounding_);
}

template <int D>
void record_penetration(const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts,
                        Certificate& certificate) {
  struct Tally {
    int penetrating = 0;
    double deepest = 0, depths = 0, deepest_relative = 0;

    void operator+=(const Tally& other) {
      penetrating += other.penetrating;
      deepest = maximum(deepest, other.deepest);
      depths += other.depths;
      deepest_relative = maximum(deepest_relative, other.deepest_relative);
    }
  };
  const auto half_width = [&](int body) { return bodies.geometry_of(at(body)).half_width; };
  const Tally tally =
      parallel_total<Tally>(contacts.size(), [&](std::size_t first, std::size_t last) {
        Tally part;
        for (const ActiveContact<D>& active : contacts.subspan(first, last - first)) {
          const double depth = -active.contact.gap;
          if (depth <= 0) continue;  // NaN goes on
          const ContactKey& key = active.contact.key;
          const double relative = depth / std::min(half_width(key.a), half_width(key.b));
          part += {1, depth, depth, relative};
        }
        return part;
      });
  certificate.max_penetration = tally.deepest;
  certificate.mean_penetration = tally.penetrating > 0 ? tally.depths / tally.penetrating : 0;
  certificate.max_relative_penetration = tally.deepest_relative;
}

template <int D>
void record_momentum(const Bodies<D>& bodies, Certificate& certificate) {
  struct Sum {
    Vec<3> linear = Vec<3>::Zero(), angular = Vec<3>::Zero();
    double speed = 0, spin = 0;

    void operator+=(const Sum& other) {
      linear += other.linear;
      angular += other.angular;
      speed = maximum(speed, other.speed);
      spin = maximum(spin, other.spin);
    }
  };
  const Sum sum = parallel_total<Sum>(bodies.size(), [&](std::size_t first, std::size_t last) {
    Sum part;
    for (std::size_t i = first; i < last; ++i) {
      if (!bodies.moves_freely(i)) continue;
      const Vec<D> linear = bodies.mass[i] * bodies.velocity[i];
      const Spin<D> angular =
          moment<D>(bodies.position[i], linear) +
          turned_inertia<D>(bodies.orientation[i], bodies.inertia[i]) * bodies.spin[i];
      part += {in_space<D>(linear), spin_in_space<D>(angular), bodies.velocity[i].norm(),
               bodies.spin[i].norm()};
    }
    return part;
  });
  certificate.momentum_x = sum.linear[0];
  certificate.momentum_y = sum.linear[1];
  certificate.momentum_z = sum.linear[2];
  certificate.angular_momentum_x = sum.angular[0];
  certificate.angular_momentum_y = sum.angular[1];
  certificate.angular_momentum_z = sum.angular[2];
  certificate.max_speed = sum.speed;
  certificate.max_spin = sum.spin;
}

template <int D>
RowWork row_work(const LinearRow<D>& row, double p, std::span<const MassBlock<D>> mass,
                 std::span<const Twist<D>> v_minus, std::span<const Twist<D>> v_plus) {
  const auto mean_of = [&](int body) {
    return Twist<D>{0.5 * (v_minus[at(body)].v + v_plus[at(body)].v),
                    0.5 * (v_minus[at(body)].omega + v_plus[at(body)].omega)};
  };
  const auto is_driven = [&](int body) { return mass[at(body)].inverse_mass == 0; };
  const Twist<D> a = mean_of(row.a), b = mean_of(row.b), none{};
  return {p * relative_velocity<D>(row, a, b),
          -p * relative_velocity<D>(row, is_driven(row.a) ? a : none, is_driven(row.b) ? b : none)};
}

template <int D>
BondWork bond_work(const ActiveContact<D>& contact) {
  const Vec<D>& P = contact.percussion;
  const Vec<D> mean = 0.5 * (contact.u_plus + contact.u_minus);
  const double pressing = std::max(P[0], 0.0);
  const double friction = contact.law.friction * pressing;
  const double bound = contact.law.friction * contact.pressing()[0] + contact.cohesion;
  const double share = bound > friction ? friction / bound : 1;
  const double sliding = P.template tail<D - 1>().dot(mean.template tail<D - 1>());
  return {(P[0] - pressing) * mean[0] + (1 - share) * sliding, pressing * mean[0], share * sliding};
}

template <int D>
void record_work(const Bodies<D>& bodies, std::size_t first_joint_row, const StepData<D>& step,
                 Certificate& certificate) {
  const ContactProblem<D>& problem = step.problem;
  const std::vector<ActiveContact<D>>& contacts = step.contacts;
  const std::vector<Twist<D>>&v_minus = step.v_minus, &v_plus = step.v_plus;
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  const auto is_driven = [&](int body) { return W.bodies[at(body)].inverse_mass == 0; };

  constexpr double few_operations = 8 * std::numeric_limits<double>::epsilon();
  const auto speed = [](const Twist<D>& v, const Vec<D>& arm) {
    return v.v.norm() + v.omega.norm() * arm.norm();
  };
  const Mat<D> gradient = 0.5 * (step.cell.minus + step.cell.plus);
  const ContactWork of_contacts =
      parallel_total<ContactWork>(contacts.size(), [&](std::size_t first, std::size_t last) {
        ContactWork sum;
        for (std::size_t i = first; i < last; ++i) {
          const ContactRow<D>& row = W.contacts[i];
          const Vec<D> mean = 0.5 * (contacts[i].u_plus + contacts[i].u_minus);
          BondWork work;
          double adhesion = 0, rounding = 0;
          if (contacts[i].contact.bond >= 0) {
            work = bond_work<D>(contacts[i]);
            const auto moved = [&](int body, const Vec<D>& arm) {
              return speed(v_minus[at(body)], arm) + speed(v_plus[at(body)], arm);
            };
            rounding = few_operations * contacts[i].percussion.norm() *
                       (moved(row.a, row.arm_a) + moved(row.b, row.arm_b));
          } else {
            const Vec<D> on = contacts[i].pressing().cwiseProduct(mean);
            work = {0, on[0], on.template tail<D - 1>().sum()};
            adhesion = -contacts[i].pull * mean[0];
          }
          double driven = 0;
          if (is_driven(row.a) || is_driven(row.b)) {
            const Vec<D> impulse = contacts[i].frame * contacts[i].percussion;
            if (is_driven(row.a))
              driven +=
                  impulse.dot(point_velocity<D>(v_minus[at(row.a)], v_plus[at(row.a)], row.arm_a));
            if (is_driven(row.b))
              driven -=
                  impulse.dot(point_velocity<D>(v_minus[at(row.b)], v_plus[at(row.b)], row.arm_b));
          }
          double cell = 0;
          if (const Vec<D>& offset = contacts[i].contact.offset; !gradient.isZero(0))
            cell = -(contacts[i].frame * contacts[i].percussion).dot(gradient * offset);
          RowWork turning;
          if (problem.has_moments())
            turning = moment_work<D>(row, step.percussions.moment[i], W.bodies, v_minus, v_plus);
          driven += turning.driven;
          sum += {work.normal,
                  work.friction,
                  turning.on_row,
                  adhesion,
                  work.bond,
                  driven,
                  cell,
                  std::abs(work.normal + work.friction) + std::abs(work.bond) +
                      std::abs(turning.on_row) + std::abs(adhesion) + std::abs(driven) +
                      std::abs(cell),
                  contacts[i].percussion[0],
                  contacts[i].percussion.template tail<D - 1>().norm(),
                  rounding};
        }
        return sum;
      });
  certificate.contact_work = of_contacts.normal + of_contacts.friction + of_contacts.rolling;
  certificate.normal_work = of_contacts.normal;
  certificate.friction_work = of_contacts.friction;
  certificate.rolling_work = of_contacts.rolling;
  certificate.adhesion_work = of_contacts.adhesion;
  certificate.bond_work = of_contacts.bond;
  certificate.driven_work = of_contacts.driven;
  certificate.cell_work = of_contacts.cell;
  certificate.normal_impulse = of_contacts.normal_impulse;
  certificate.friction_impulse = of_contacts.friction_impulse;
  double turnover = of_contacts.turnover;
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const RowWork work =
        row_work<D>(problem.rows[i], step.row_percussions[i], W.bodies, v_minus, v_plus);
    (i < first_joint_row ? certificate.spring_work : certificate.joint_work) += work.on_row;
    certificate.driven_work += work.driven;
    turnover += std::abs(work.on_row) + std::abs(work.driven);
  }
  certificate.external_work = parallel_sum(bodies.size(), [&](std::size_t i) {
    if (!bodies.moves_freely(i)) return 0.0;
    return 0.5 * step.external[i].linear.dot(v_minus[i].v + v_plus[i].v) +
           0.5 * step.external[i].angular.dot(v_minus[i].omega + v_plus[i].omega);
  });
  const double before =
      parallel_sum(bodies.size(), [&](std::size_t i) { return kinetic<D>(bodies, i, v_minus[i]); });
  const double after =
      parallel_sum(bodies.size(), [&](std::size_t i) { return kinetic<D>(bodies, i, v_plus[i]); });
  certificate.turnover = turnover + before + after + std::abs(certificate.external_work);
  certificate.defect = after - before - certificate.contact_work - certificate.adhesion_work -
                       certificate.bond_work - certificate.external_work - certificate.spring_work -
                       certificate.joint_work - certificate.driven_work - certificate.cell_work;
  // The sums have no digits left below that: what rolls to its stop goes through all numbers.
  constexpr double least =
      std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  if (certificate.turnover < least || std::abs(certificate.defect) < of_contacts.rounding)
    certificate.defect = 0;
}

#define TALUS_INSTANTIATE(D)                                                               \
  template double kinetic_energy<D>(const Bodies<D>&);                                     \
  template double kinetic_energy_of<D>(const Bodies<D>&, std::size_t);                     \
  template double potential_energy<D>(const Bodies<D>&, const Scene<D>&);                  \
  template void record_contacts<D>(std::span<const ActiveContact<D>>, Certificate&);       \
  template class ContactJudge<D>;                                                          \
  template void record_penetration<D>(const Bodies<D>&, std::span<const ActiveContact<D>>, \
                                      Certificate&);                                       \
  template void record_momentum<D>(const Bodies<D>&, Certificate&);                        \
  template BondWork bond_work<D>(const ActiveContact<D>&);                                 \
  template RowWork row_work<D>(const LinearRow<D>&, double, std::span<const MassBlock<D>>, \
                               std::span<const Twist<D>>, std::span<const Twist<D>>);      \
  template void record_work<D>(const Bodies<D>&, std::size_t, const StepData<D>&, Certificate&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
