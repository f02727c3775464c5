// SPDX-License-Identifier: Apache-2.0
// What Anderson acceleration does to every number of a sweep. Local to the including file as
// lanes.hpp says.
#pragma once

#include "solvers/sweep/sweep_lanes.hpp"
#include "solvers/sweep/sweep_wide.hpp"

namespace talus {
namespace {

MeasureSums measure(const MeasureArguments& m, std::size_t first, std::size_t last) {
  Lanes ff = broadcast(0), dd = ff, df = ff, kept_f[max_window], kept_d[max_window];
  for (int j = 0; j < m.kept; ++j) kept_f[j] = kept_d[j] = ff;
  std::size_t i = 4 * static_cast<std::size_t>(m.components) * first;
  for (std::size_t group = first; group < last; ++group) {
    const Lanes weight = load(m.weight + 4 * group);
    for (int c = 0; c < m.components; ++c, i += 4) {
      const Lanes g = load(m.g + i);
      const Lanes f = weight * (g - load(m.x + i));
      const Lanes change = f - load(m.f + i);
      store(m.df_new + i, change);
      store(m.dg_new + i, g - load(m.g_last + i));
      store(m.f + i, f);
      store(m.g_last + i, g);
      ff = ff + f * f;
      dd = dd + change * change;
      df = df + change * f;
      for (int j = 0; j < m.kept; ++j) {
        const Lanes kept = load(m.df[j] + i);
        kept_f[j] = kept_f[j] + kept * f;
        kept_d[j] = kept_d[j] + kept * change;
      }
    }
  }
  MeasureSums sums{sum(ff), sum(dd), sum(df), {}, {}};
  for (int j = 0; j < m.kept; ++j) {
    sums.kept_f[j] = sum(kept_f[j]);
    sums.kept_d[j] = sum(kept_d[j]);
  }
  return sums;
}

void combine(double* p, double* x, const double* const* dp, const double* gamma, int kept,
             std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; i += 4) {
    Lanes next = load(p + i);
    for (int j = 0; j < kept; ++j) next = next - broadcast(gamma[j]) * load(dp[j] + i);
    store(p + i, next);
    store(x + i, next);
  }
}

void carry(double* v, double* v_last, double* dv_new, const double* const* dv, const double* gamma,
           int kept, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; i += 4) {
    Lanes next = load(v + i);
    store(dv_new + i, next - load(v_last + i));
    store(v_last + i, next);
    for (int j = 0; j < kept; ++j) next = next - broadcast(gamma[j]) * load(dv[j] + i);
    store(v + i, next);
  }
}

void push(double* x, double* x_last, double beta, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; i += 4) {
    const Lanes now = load(x + i);
    if (beta > 0) store(x + i, now + broadcast(beta) * (now - load(x_last + i)));
    store(x_last + i, now);
  }
}

}  // namespace
}  // namespace talus
