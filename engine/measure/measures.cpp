// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/measures.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>
#include <string_view>

#include "engine/measure/body_group.hpp"
#include "engine/measure/contact_network.hpp"
#include "engine/measure/coordination.hpp"
#include "engine/measure/region_measures.hpp"
#include "engine/measure/region_strain.hpp"

namespace talus {

namespace {

constexpr std::size_t outflow_numbers = 4;

constexpr std::string_view axes = "xyz";

template <int D>
constexpr const char* stress_unit = D == 2 ? "N/m" : "Pa";

// Names of the components of a vector: prefix_x, prefix_y, …
void add_vector(const std::string& prefix, const char* unit, int components,
                std::vector<MeasureColumn>& columns) {
  for (int i = 0; i < components; ++i)
    columns.push_back({prefix + "_" + axes[static_cast<std::size_t>(i)], unit});
}

// Names of the components of a tensor: prefix_xx, prefix_xy, …
template <int D>
void add_tensor(const std::string& prefix, const char* unit, std::vector<MeasureColumn>& columns) {
  for (const char i : axes.substr(0, D))
    for (const char j : axes.substr(0, D)) columns.push_back({prefix + "_" + i + j, unit});
}

template <int D>
void add_columns(const RegionMeasure<D>& measure, std::vector<MeasureColumn>& columns) {
  columns.push_back({"grains", "1"});
  for (const Quantity quantity : measure.quantities) {
    switch (quantity) {
      case Quantity::solid_fraction:
        columns.push_back({"solid_fraction", "1"});
        break;
      case Quantity::coordination:
        for (const char* name :
             {"coordination", "coordination_touching", "coordination_without_rattlers", "rattlers"})
          columns.push_back({name, "1"});
        break;
      case Quantity::stress:
        add_tensor<D>("stress", stress_unit<D>, columns);
        columns.push_back({"pressure", stress_unit<D>});
        break;
      case Quantity::kinetic_stress:
        add_tensor<D>("kinetic_stress", stress_unit<D>, columns);
        break;
      case Quantity::fabric:
        add_tensor<D>("fabric", "1", columns);
        break;
      case Quantity::forces:
        columns.push_back({"force_mean", "N"});
        columns.push_back({"force_max", "N"});
        for (int k = 0; k < measure.histogram.bins; ++k)
          columns.push_back({"force_bin_" + std::to_string(k), "1"});
        break;
      case Quantity::strain:
        add_tensor<D>("strain", "1", columns);
        columns.push_back({"volumetric_strain", "1"});
        break;
      case Quantity::cell:
        add_tensor<D>("cell", "m", columns);
        add_tensor<D>("velocity_gradient", "1/s", columns);
        break;
    }
  }
}

template <int D>
void add_columns(const BodyMeasure<D>& measure, std::vector<MeasureColumn>& columns) {
  for (const BodyQuantity quantity : measure.quantities) {
    switch (quantity) {
      case BodyQuantity::force:
        add_vector("force", "N", D, columns);
        if constexpr (D == 2)
          columns.push_back({"moment", "N m"});
        else
          add_vector("moment", "N m", D, columns);
        break;
      case BodyQuantity::displacement:
        add_vector("displacement", "m", D, columns);
        columns.push_back({"displacement", "m"});
        break;
    }
  }
}

template <int D>
void add_columns(const PlaneMeasure<D>&, std::vector<MeasureColumn>& columns) {
  columns = {{"grains", "1"}, {"mass", "kg"}, {"grains_rate", "1/s"}, {"mass_rate", "kg/s"}};
}

// Fills a row from left to right.
class RowFiller {
 public:
  explicit RowFiller(std::span<double> row) : row_(row) {}
  void add(double value) { row_[next_++] = value; }
  std::span<double> next(int count) {
    next_ += static_cast<std::size_t>(count);
    return row_.subspan(next_ - static_cast<std::size_t>(count), static_cast<std::size_t>(count));
  }
  template <int D>
  void add(const Mat<D>& tensor) {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) add(tensor(i, j));
  }

 private:
  std::span<double> row_;
  std::size_t next_ = 0;
};

template <int D>
bool measures_quantity(const RegionMeasure<D>& measure, Quantity quantity) {
  return std::count(measure.quantities.begin(), measure.quantities.end(), quantity) > 0;
}

}  // namespace

template <int D>
struct Measures<D>::Work {
  std::vector<std::optional<CutRegion<D>>> regions;  // one per measure
  RegionScratch<D> scratch;
  Coordination<D> coordination;
  std::vector<RegionStrain<D>> strains;  // one per measure; unused for those without strain
  std::vector<BodyGroup<D>> groups;      // one per measure; unused for those of regions and planes
};

template <int D>
std::vector<MeasureColumn> measure_columns(const Measure<D>& measure) {
  std::vector<MeasureColumn> columns;
  std::visit([&](const auto& of) { add_columns<D>(of, columns); }, measure.of);
  return columns;
}

template <int D>
Measures<D>::Measures(std::span<const Measure<D>> measures, const Bodies<D>& bodies)
    : outflows_(measures.size()), work_(std::make_unique<Work>()) {
  work_->regions.resize(measures.size());
  work_->strains.resize(measures.size());
  work_->groups.resize(measures.size());
  for (std::size_t k = 0; k < measures.size(); ++k) {
    rows_.emplace_back(measure_columns<D>(measures[k]).size(),
                       std::numeric_limits<double>::quiet_NaN());
    if (const auto* in = std::get_if<RegionMeasure<D>>(&measures[k].of)) {
      if (in->region) work_->regions[k].emplace(*in->region);
      if (measures_quantity<D>(*in, Quantity::strain))
        work_->strains[k].start(region_of(k), bodies);
    } else if (const auto* group = std::get_if<BodyMeasure<D>>(&measures[k].of)) {
      work_->groups[k].start(*group, bodies);
    } else {
      outflows_[k].start(std::get<PlaneMeasure<D>>(measures[k].of), bodies);
    }
  }
}

template <int D>
Measures<D>::Measures(Measures&&) noexcept = default;
template <int D>
Measures<D>& Measures<D>::operator=(Measures&&) noexcept = default;
template <int D>
Measures<D>::~Measures() = default;

template <int D>
const CutRegion<D>* Measures<D>::region_of(std::size_t measure) const {
  const std::optional<CutRegion<D>>& region = work_->regions[measure];
  return region ? &*region : nullptr;
}

template <int D>
void Measures<D>::record(std::span<const Measure<D>> measures, std::int64_t step, double h,
                         const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts,
                         std::span<const Spin<D>> moments) {
  bool coordination_found = false;
  for (std::size_t k = 0; k < measures.size(); ++k) {
    const auto* const plane = std::get_if<PlaneMeasure<D>>(&measures[k].of);
    if (plane != nullptr) outflows_[k].count(*plane, bodies);
    if (!is_due<D>(measures[k], step)) continue;
    if (plane != nullptr) {
      outflows_[k].measure(measures[k].every * h, rows_[k]);
    } else if (const auto* group = std::get_if<BodyMeasure<D>>(&measures[k].of)) {
      work_->groups[k].measure(*group, bodies, contacts, moments, h, rows_[k]);
    } else {
      const auto& of = std::get<RegionMeasure<D>>(measures[k].of);
      if (!coordination_found && measures_quantity<D>(of, Quantity::coordination)) {
        work_->coordination.find(bodies, contacts);
        coordination_found = true;
      }
      measure_region(of, k, h, bodies, contacts);
    }
  }
}

template <int D>
void Measures<D>::measure_region(const RegionMeasure<D>& of, std::size_t k, double h,
                                 const Bodies<D>& bodies,
                                 std::span<const ActiveContact<D>> contacts) {
  const CutRegion<D>* const region = region_of(k);
  const auto is_within = [&](std::size_t i) {
    return region == nullptr || region->contains(bodies.position[i]);
  };
  RowFiller row(rows_[k]);
  double grains = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) grains += bodies.moves_freely(i) && is_within(i);
  row.add(grains);
  for (const Quantity quantity : of.quantities) {
    switch (quantity) {
      case Quantity::solid_fraction:
        row.add(region == nullptr
                    ? solid_volume<D>(bodies, work_->scratch) / bodies.lattice.volume()
                    : solid_volume<D>(*region, bodies, work_->scratch) / region->volume);
        break;
      case Quantity::coordination: {
        const MeanCoordination mean = mean_coordination<D>(bodies, work_->coordination, is_within);
        for (const double x : {mean.pressing, mean.touching, mean.without_rattlers, mean.rattlers})
          row.add(x);
        break;
      }
      case Quantity::stress: {
        const Mat<D> stress = region == nullptr
                                  ? contact_stress<D>(bodies, contacts, h, work_->scratch)
                                  : contact_stress<D>(*region, bodies, contacts, h, work_->scratch);
        row.add<D>(stress);
        row.add(stress.trace() / D);
        break;
      }
      case Quantity::kinetic_stress:
        row.add<D>(region == nullptr ? kinetic_stress<D>(bodies, work_->scratch)
                                     : kinetic_stress<D>(*region, bodies, work_->scratch));
        break;
      case Quantity::fabric:
        row.add<D>(fabric_tensor<D>(region, contacts));
        break;
      case Quantity::forces:
        force_distribution<D>(region, contacts, h, row.next(2 + of.histogram.bins), of.histogram);
        break;
      case Quantity::strain: {
        const Mat<D> F = work_->strains[k].deformation_gradient(bodies);
        row.add<D>(0.5 * (F + F.transpose()) - Mat<D>::Identity());
        row.add(F.determinant() - 1);
        break;
      }
      case Quantity::cell:
        row.add<D>(bodies.lattice.A);
        row.add<D>(bodies.lattice.L);
        break;
    }
  }
}

template <int D>
std::vector<double> Measures<D>::state() const {
  std::vector<double> numbers;
  for (const Outflow<D>& outflow : outflows_) {
    const auto& memory = outflow.memory();
    for (const double x :
         {memory.grains, memory.mass, memory.grains_last_row, memory.mass_last_row})
      numbers.push_back(x);
  }
  for (const std::vector<double>& row : rows_)
    numbers.insert(numbers.end(), row.begin(), row.end());
  return numbers;
}

template <int D>
void Measures<D>::restore(std::span<const Measure<D>> measures, const Bodies<D>& bodies,
                          std::span<const double> state) {
  assert(state.size() == measures_state_size<D>(measures) && "a state of these measures");
  const double* number = state.data() + outflow_numbers * measures.size();
  for (std::vector<double>& row : rows_)
    for (double& x : row) x = *number++;
  for (std::size_t k = 0; k < measures.size(); ++k) {
    const auto* plane = std::get_if<PlaneMeasure<D>>(&measures[k].of);
    if (plane == nullptr) continue;
    const double* const x = &state[outflow_numbers * k];
    outflows_[k].recall({x[0], x[1], x[2], x[3]});
    outflows_[k].start(*plane, bodies);
  }
}

template <int D>
std::size_t measures_state_size(std::span<const Measure<D>> measures) {
  std::size_t size = outflow_numbers * measures.size();
  for (const Measure<D>& measure : measures) size += measure_columns<D>(measure).size();
  return size;
}

template std::vector<MeasureColumn> measure_columns<2>(const Measure<2>&);
template std::vector<MeasureColumn> measure_columns<3>(const Measure<3>&);
template class Measures<2>;
template class Measures<3>;
template std::size_t measures_state_size<2>(std::span<const Measure<2>>);
template std::size_t measures_state_size<3>(std::span<const Measure<3>>);

}  // namespace talus
