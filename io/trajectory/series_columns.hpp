// SPDX-License-Identifier: Apache-2.0
// The columns of /series: name, unit and member of the Certificate.
#pragma once

#include "engine/step/ledger.hpp"

namespace talus {

// Calls visit(name, unit, member) for every column.
template <class Visitor>
void for_each_series_column(Visitor&& visit) {
  visit("step", "1", &Certificate::step);
  visit("time", "s", &Certificate::time);
  visit("kinetic", "J", &Certificate::kinetic);
  visit("potential", "J", &Certificate::potential);
  visit("momentum_x", "kg m/s", &Certificate::momentum_x);
  visit("momentum_y", "kg m/s", &Certificate::momentum_y);
  visit("momentum_z", "kg m/s", &Certificate::momentum_z);
  visit("angular_momentum_x", "kg m^2/s", &Certificate::angular_momentum_x);
  visit("angular_momentum_y", "kg m^2/s", &Certificate::angular_momentum_y);
  visit("angular_momentum_z", "kg m^2/s", &Certificate::angular_momentum_z);
  visit("max_speed", "m/s", &Certificate::max_speed);
  visit("max_spin", "rad/s", &Certificate::max_spin);
  visit("normal_impulse", "N s", &Certificate::normal_impulse);
  visit("friction_impulse", "N s", &Certificate::friction_impulse);
  visit("contact_work", "J", &Certificate::contact_work);
  visit("friction_work", "J", &Certificate::friction_work);
  visit("normal_work", "J", &Certificate::normal_work);
  visit("rolling_work", "J", &Certificate::rolling_work);
  visit("adhesion_work", "J", &Certificate::adhesion_work);
  visit("bond_work", "J", &Certificate::bond_work);
  visit("external_work", "J", &Certificate::external_work);
  visit("spring_work", "J", &Certificate::spring_work);
  visit("joint_work", "J", &Certificate::joint_work);
  visit("driven_work", "J", &Certificate::driven_work);
  visit("cell_work", "J", &Certificate::cell_work);
  visit("correction_work", "J", &Certificate::correction_work);
  visit("correction_angular_momentum_x", "kg m^2/s", &Certificate::correction_angular_momentum_x);
  visit("correction_angular_momentum_y", "kg m^2/s", &Certificate::correction_angular_momentum_y);
  visit("correction_angular_momentum_z", "kg m^2/s", &Certificate::correction_angular_momentum_z);
  visit("max_correction", "m", &Certificate::max_correction);
  visit("max_correction_turn", "rad", &Certificate::max_correction_turn);
  visit("defect", "J", &Certificate::defect);
  visit("turnover", "J", &Certificate::turnover);
  visit("contacts", "1", &Certificate::contacts);
  visit("sticking", "1", &Certificate::sticking);
  visit("sliding", "1", &Certificate::sliding);
  visit("separating", "1", &Certificate::separating);
  visit("max_penetration", "m", &Certificate::max_penetration);
  visit("mean_penetration", "m", &Certificate::mean_penetration);
  visit("max_relative_penetration", "1", &Certificate::max_relative_penetration);
  visit("passed_through", "1", &Certificate::passed_through);
  visit("joint_drift", "m", &Certificate::joint_drift);
  visit("region", "1", &Certificate::region);
  visit("solutions", "1", &Certificate::solutions);
  visit("solution_difference", "m/s", &Certificate::solution_difference);
  visit("iterations", "1", &Certificate::sweeps);
  visit("residual", "1", &Certificate::error);
  visit("worst_residual", "1", &Certificate::worst_error);
  visit("converged", "1", &Certificate::converged);
  visit("impacts", "1", &Certificate::impacts);
  visit("impact_contacts", "1", &Certificate::impact_contacts);
  visit("impact_failed", "1", &Certificate::impact_failed);
  visit("impact_inadmissible", "1", &Certificate::impact_inadmissible);
  visit("impact_work", "J", &Certificate::impact_work);
  visit("impact_closing", "1", &Certificate::impact_closing);
  visit("impact_cone", "1", &Certificate::impact_cone);
  visit("impact_gain", "1", &Certificate::impact_gain);
  visit("bodies", "1", &Certificate::bodies);
  visit("mass", "kg", &Certificate::mass);
  visit("born", "1", &Certificate::born);
  visit("removed", "1", &Certificate::removed);
  visit("waiting", "1", &Certificate::waiting);
  visit("born_mass", "kg", &Certificate::born_mass);
  visit("removed_mass", "kg", &Certificate::removed_mass);
  visit("inflow_kinetic", "J", &Certificate::inflow_kinetic);
  visit("inflow_potential", "J", &Certificate::inflow_potential);
}

}  // namespace talus
