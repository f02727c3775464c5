// SPDX-License-Identifier: Apache-2.0
// Version of the layout of a trajectory file, {major, minor}, and what every minor version added.
// A minor version only adds. So this program reads the files of every earlier minor version, and
// programs of before read what they know of (docs/TRAJECTORY.md states the promise).
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace talus {

inline constexpr std::int32_t format_major = 1, format_minor = 4;

// What the runs of earlier versions would have had in a column that they lack.
enum class Before {
  zero,    // the quantity did not exist then
  unknown  // it was not recorded: NaN, or −1 for a count
};

struct AddedColumn {
  std::string_view path;
  std::int32_t since;  // minor version of the first files that are sure to have it
  Before before;
};

// Columns and tables of pairs that were added to /materials, /series, /contacts or /impacts.
inline constexpr AddedColumn added_columns[] = {
    {"/materials/adhesion", 2, Before::zero},
    {"/materials/adhesion_range", 2, Before::zero},
    {"/series/adhesion_work", 2, Before::zero},
    {"/series/solutions", 2, Before::zero},  // 0: not tested
    {"/series/solution_difference", 2, Before::zero},
    {"/series/momentum_x", 2, Before::unknown},
    {"/series/momentum_y", 2, Before::unknown},
    {"/series/momentum_z", 2, Before::unknown},
    {"/series/angular_momentum_x", 2, Before::unknown},
    {"/series/angular_momentum_y", 2, Before::unknown},
    {"/series/angular_momentum_z", 2, Before::unknown},
    {"/series/correction_angular_momentum_x", 2, Before::unknown},
    {"/series/correction_angular_momentum_y", 2, Before::unknown},
    {"/series/correction_angular_momentum_z", 2, Before::unknown},
    {"/series/max_speed", 2, Before::unknown},
    {"/series/max_spin", 2, Before::unknown},
    {"/series/normal_impulse", 2, Before::unknown},
    {"/series/friction_impulse", 2, Before::unknown},
    {"/series/max_correction", 2, Before::unknown},
    {"/series/max_correction_turn", 2, Before::unknown},
    {"/series/max_relative_penetration", 2, Before::unknown},
    {"/series/passed_through", 2, Before::unknown},
    {"/series/worst_residual", 2, Before::unknown},
    {"/materials/rolling_friction", 3, Before::zero},
    {"/materials/spinning_friction", 3, Before::zero},
    {"/series/rolling_work", 3, Before::zero},
    {"/impacts/quasi_normal_energy_before", 3, Before::unknown},
    {"/impacts/quasi_normal_energy_after", 3, Before::unknown},
    {"/impacts/quasi_tangential_energy_before", 3, Before::unknown},
    {"/impacts/quasi_tangential_energy_after", 3, Before::unknown},
    {"/series/cell_work", 3, Before::zero},
    {"/materials/bond_tension", 4, Before::zero},
    {"/materials/bond_cohesion", 4, Before::zero},
    {"/materials/bond_friction", 4, Before::zero},
    {"/materials/bond_fracture_energy", 4, Before::zero},
    {"/series/bond_work", 4, Before::zero},
};

// The entry of a column that files of this minor version may lack, or none.
constexpr const AddedColumn* added_since(std::string_view path, std::int32_t minor_version) {
  for (const AddedColumn& column : added_columns)
    if (column.path == path && minor_version < column.since) return &column;
  return nullptr;
}

template <class T>
constexpr T value_before(const AddedColumn& column) {
  if (column.before == Before::zero) return T{};
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  return static_cast<T>(-1);
}

}  // namespace talus
