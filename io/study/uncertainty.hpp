// SPDX-License-Identifier: Apache-2.0
// Error bars of a run. A scene runs as it is, with half the step, with a tenth of the tolerance,
// and with other seeds of its packings; every quantity of the summary gets an interval for each:
//
// - step: with Q(h) and Q(h/2), the interval Q(h/2) ± 3 |Q(h) − Q(h/2)|. The scheme is of order 1
//   at impacts; the factor is that of a grid convergence index from two grids (P. J. Roache,
//   J. Fluids Eng. 116, 1994). It holds the exact value if the error falls at least as h^0.42.
// - solver: with Q(ε) and Q(ε/10), the interval Q(ε/10) ± |Q(ε) − Q(ε/10)|, which holds the value
//   of an exact solver if the error falls at least as ε^0.31.
// - packing: mean ± t(0.975, N − 1) s/√N over N seeds; where the mean over all packings lies, with
//   a confidence of 95 %.
//
// Where a motion is chaotic, two runs part whatever their step: then the first two intervals
// measure chance as much as error, and are no smaller than the scatter of the seeds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/study/study_summary.hpp"

namespace talus {

// The study of such runs: cases are reference, half step, tight tolerance, and seeds 2 … N. A
// scene without random numbers has one seed. `folder` is where the study will stand.
Study uncertainty_study(const std::filesystem::path& scene, const std::vector<std::string>& set,
                        int seeds, const std::filesystem::path& folder);

struct ErrorBar {
  double low = 0, high = 0;
};

struct UncertainQuantity {
  std::string name;
  double value = 0;  // of the scene as it is
  ErrorBar step, solver;
  std::size_t seeds = 1;           // that gave a value
  double mean = 0, deviation = 0;  // over them
  ErrorBar packing;                // of the mean; NaN for one seed
};

std::vector<UncertainQuantity> uncertainties(const std::vector<CaseFigures>& cases);

// Writes uncertainty.csv in the folder, atomically.
void write_uncertainties(const std::vector<UncertainQuantity>& table,
                         const std::filesystem::path& folder);

}  // namespace talus
