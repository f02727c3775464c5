// The columns of /series: which number of a step's certificate goes where.
#pragma once

#include "engine/ledger.hpp"

namespace talus {

// Calls visit(name, unit, member) for every column.
template <class Visitor>
void for_each_series_column(Visitor&& visit) {
  visit("step", "1", &Certificate::step);
  visit("time", "s", &Certificate::time);
  visit("kinetic", "J", &Certificate::kinetic);
  visit("potential", "J", &Certificate::potential);
  visit("contact_work", "J", &Certificate::contact_work);
  visit("friction_work", "J", &Certificate::friction_work);
  visit("normal_work", "J", &Certificate::normal_work);
  visit("external_work", "J", &Certificate::external_work);
  visit("spring_work", "J", &Certificate::spring_work);
  visit("joint_work", "J", &Certificate::joint_work);
  visit("driven_work", "J", &Certificate::driven_work);
  visit("correction_work", "J", &Certificate::correction_work);
  visit("defect", "J", &Certificate::defect);
  visit("turnover", "J", &Certificate::turnover);
  visit("contacts", "1", &Certificate::contacts);
  visit("sticking", "1", &Certificate::sticking);
  visit("sliding", "1", &Certificate::sliding);
  visit("separating", "1", &Certificate::separating);
  visit("max_penetration", "m", &Certificate::max_penetration);
  visit("mean_penetration", "m", &Certificate::mean_penetration);
  visit("joint_drift", "m", &Certificate::joint_drift);
  visit("region", "1", &Certificate::region);
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
