// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/measures.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

#include "engine/measure/coordination.hpp"
#include "engine/measure/region_measures.hpp"

namespace talus {

namespace {

constexpr std::size_t outflow_numbers = 4;

// Names of the components of a tensor: prefix_xx, prefix_xy, …
template <int D>
void add_tensor(const std::string& prefix, std::vector<MeasureColumn>& columns) {
  const std::string axes = "xyz";
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j)
      columns.push_back(
          {prefix + "_" + axes[static_cast<std::size_t>(i)] + axes[static_cast<std::size_t>(j)],
           D == 2 ? "N/m" : "Pa"});
}

// Fills a row from left to right.
class RowFiller {
 public:
  explicit RowFiller(std::span<double> row) : row_(row) {}
  void add(double value) { row_[next_++] = value; }
  template <int D>
  void add(const Mat<D>& tensor) {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) add(tensor(i, j));
  }

 private:
  std::span<double> row_;
  std::size_t next_ = 0;
};

}  // namespace

template <int D>
struct Measures<D>::Work {
  std::vector<std::optional<CutRegion<D>>> regions;  // one per measure
  RegionScratch<D> scratch;
  Coordination<D> coordination;
};

template <int D>
std::vector<MeasureColumn> measure_columns(const Measure<D>& measure) {
  if (std::holds_alternative<PlaneMeasure<D>>(measure.of))
    return {{"grains", "1"}, {"mass", "kg"}, {"grains_rate", "1/s"}, {"mass_rate", "kg/s"}};
  std::vector<MeasureColumn> columns = {{"grains", "1"}};
  for (const Quantity quantity : std::get<RegionMeasure<D>>(measure.of).quantities) {
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
        add_tensor<D>("stress", columns);
        columns.push_back({"pressure", D == 2 ? "N/m" : "Pa"});
        break;
      case Quantity::kinetic_stress:
        add_tensor<D>("kinetic_stress", columns);
        break;
    }
  }
  return columns;
}

template <int D>
Measures<D>::Measures(std::span<const Measure<D>> measures, const Bodies<D>& bodies)
    : outflows_(measures.size()), work_(std::make_unique<Work>()) {
  for (std::size_t k = 0; k < measures.size(); ++k) {
    work_->regions.emplace_back();
    if (const auto* in = std::get_if<RegionMeasure<D>>(&measures[k].of); in && in->region)
      work_->regions.back().emplace(*in->region);
    rows_.emplace_back(measure_columns<D>(measures[k]).size());
    if (const auto* plane = std::get_if<PlaneMeasure<D>>(&measures[k].of))
      outflows_[k].start(*plane, bodies);
  }
}

template <int D>
Measures<D>::Measures(Measures&&) noexcept = default;
template <int D>
Measures<D>& Measures<D>::operator=(Measures&&) noexcept = default;
template <int D>
Measures<D>::~Measures() = default;

template <int D>
void Measures<D>::record(std::span<const Measure<D>> measures, std::int64_t step, double h,
                         const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts) {
  bool coordination_found = false;
  for (std::size_t k = 0; k < measures.size(); ++k) {
    if (const auto* plane = std::get_if<PlaneMeasure<D>>(&measures[k].of)) {
      outflows_[k].count(*plane, bodies);
      if (is_due<D>(measures[k], step)) outflows_[k].measure(measures[k].every * h, rows_[k]);
    } else if (is_due<D>(measures[k], step)) {
      const auto& quantities = std::get<RegionMeasure<D>>(measures[k].of).quantities;
      if (!coordination_found &&
          std::count(quantities.begin(), quantities.end(), Quantity::coordination) > 0) {
        work_->coordination.find(bodies, contacts);
        coordination_found = true;
      }
      measure_region(quantities, k, h, bodies, contacts);
    }
  }
}

template <int D>
void Measures<D>::measure_region(std::span<const Quantity> quantities, std::size_t k, double h,
                                 const Bodies<D>& bodies,
                                 std::span<const ActiveContact<D>> contacts) {
  const std::optional<CutRegion<D>>& region = work_->regions[k];
  const auto is_within = [&](std::size_t i) {
    return !region || region->contains(bodies.position[i]);
  };
  RowFiller row(rows_[k]);
  double grains = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) grains += bodies.moves_freely(i) && is_within(i);
  row.add(grains);
  for (const Quantity quantity : quantities) {
    switch (quantity) {
      case Quantity::solid_fraction:
        row.add(solid_volume<D>(*region, bodies, work_->scratch) / region->volume);
        break;
      case Quantity::coordination: {
        const MeanCoordination mean = mean_coordination<D>(bodies, work_->coordination, is_within);
        for (const double x : {mean.pressing, mean.touching, mean.without_rattlers, mean.rattlers})
          row.add(x);
        break;
      }
      case Quantity::stress: {
        const Mat<D> stress = contact_stress<D>(*region, bodies, contacts, h, work_->scratch);
        row.add<D>(stress);
        row.add(stress.trace() / D);
        break;
      }
      case Quantity::kinetic_stress:
        row.add<D>(kinetic_stress<D>(*region, bodies, work_->scratch));
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
  return numbers;
}

template <int D>
void Measures<D>::restore(std::span<const Measure<D>> measures, const Bodies<D>& bodies,
                          std::span<const double> state) {
  assert(state.size() == measures_state_size<D>(measures) && "a state of these measures");
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
  return outflow_numbers * measures.size();
}

template std::vector<MeasureColumn> measure_columns<2>(const Measure<2>&);
template std::vector<MeasureColumn> measure_columns<3>(const Measure<3>&);
template class Measures<2>;
template class Measures<3>;
template std::size_t measures_state_size<2>(std::span<const Measure<2>>);
template std::size_t measures_state_size<3>(std::span<const Measure<3>>);

}  // namespace talus
