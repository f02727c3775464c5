// SPDX-License-Identifier: Apache-2.0
// The measures of a scene, evaluated at the end of steps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/geometry/cut_volume.hpp"
#include "engine/measure/outflow.hpp"
#include "engine/model/bodies.hpp"
#include "engine/model/contact.hpp"
#include "engine/model/measure.hpp"
#include "engine/model/signal.hpp"

namespace talus {

template <int D>
class Measures {
 public:
  Measures(std::span<const Measure<D>> measures, const Bodies<D>& bodies);
  Measures(Measures&&) noexcept;
  Measures& operator=(Measures&&) noexcept;
  ~Measures();

  // To be called after every step, with the contacts of the step and their moments, if they pass
  // any [N m s].
  void record(std::span<const Measure<D>> measures, std::int64_t step, double h,
              const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts,
              std::span<const Spin<D>> moments = {});

  // The last row of a measure, in the order of its columns; NaN before the first one.
  std::span<const double> row(std::size_t measure) const { return rows_[measure]; }
  Readings rows() const { return rows_; }

  // The state, beside that of the bodies, on which later rows depend, as plain numbers.
  std::vector<double> state() const;
  void restore(std::span<const Measure<D>> measures, const Bodies<D>& bodies,
               std::span<const double> state);

 private:
  void measure_region(const RegionMeasure<D>& of, std::size_t measure, double h,
                      const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts);

  std::vector<std::vector<double>> rows_;
  std::vector<Outflow<D>> outflows_;  // one per measure; unused for measures of regions
  struct Work;
  const CutRegion<D>* region_of(std::size_t measure) const;  // null: all bodies
  std::unique_ptr<Work> work_;                               // arrays reused from row to row
};

// Number of values in the state of these measures.
template <int D>
std::size_t measures_state_size(std::span<const Measure<D>> measures);

// Whether a row of this measure is due at the end of a step.
template <int D>
bool is_due(const Measure<D>& measure, std::int64_t step) {
  return step > 0 && step % measure.every == 0;
}

}  // namespace talus
