// SPDX-License-Identifier: Apache-2.0
#include "solvers/sweep/anderson.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "solvers/math/index.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

// Sweeps without extrapolation at the start, while the active contacts settle.
constexpr int plain_sweeps = 2;
constexpr double regularisation = 1e-10;  // of the trace of ΔFᵀΔF
constexpr double restart_growth = 2;      // of ‖f‖ from one sweep to the next
constexpr double momentum_growth = 1.15;  // of ‖f‖ above its least, before momentum is dropped

// While contacts still come and go much momentum does harm; later, little holds back.
constexpr int sweeps_with_little_momentum = 40;

// A long window pays where convergence is slow, and only there.
constexpr int early_window = 8;
constexpr int sweeps_with_early_window = 60;

constexpr std::size_t chunk = 8192;        // numbers
constexpr std::size_t chunk_groups = 512;  // of four contacts

void add(MeasureSums& sums, const MeasureSums& part, int kept) {
  sums.ff += part.ff;
  sums.dd += part.dd;
  sums.df += part.df;
  for (int j = 0; j < kept; ++j) {
    sums.kept_f[j] += part.kept_f[j];
    sums.kept_d[j] += part.kept_d[j];
  }
}

}  // namespace

void AccelerationMemory::resize(std::size_t percussions, std::size_t velocities, int window) {
  window_ = window;
  g_.resize(percussions);
  gv_.resize(velocities);
  if (window == 0) return;
  assert(window >= 2 && window <= max_window && "a window of changes");
  for (AlignedNumbers* numbers : {&x_, &f_}) numbers->resize(percussions);
  for (auto* changes : {&df_, &dg_, &dgv_}) changes->resize(std::max(changes->size(), at(window)));
  for (std::size_t k = 0; k < at(window); ++k) {
    df_[k].resize(percussions);
    dg_[k].resize(percussions);
    dgv_[k].resize(velocities);
  }
  partial_.resize(percussions / (4 * chunk_groups) + 1);
}

// Calls f(first, last) for the pieces of a range: of a fixed length when the island has the threads
// to itself, the whole when other islands are solved beside it.
template <class F>
void Accelerator::each_piece(Range range, F f) {
  if (range.size() == 0) return;
  parallel_chunks(
      range.size(),
      [&](std::size_t piece, std::size_t first, std::size_t last) {
        f(piece, range.first + first, range.first + last);
      },
      shared_ ? range.size() : chunk);
}

void Accelerator::start(Method method, const double* p, const double* v) {
  method_ = method;
  sweeps_ = 0;
  kept_ = 0;
  extrapolated_ = false;
  if (method == Method::momentum || memory_.window() == 0) return;
  each_piece(percussions_, [&](std::size_t, std::size_t first, std::size_t last) {
    std::copy(p + first, p + last, memory_.x_.data() + first);
  });
  if (method == Method::nncg) {
    each_piece(velocities_, [&](std::size_t, std::size_t first, std::size_t last) {
      std::copy(v + first, v + last, memory_.gv_.data() + first);
    });
  }
}

MeasureSums Accelerator::measure_groups(const MeasureArguments& arguments, std::size_t groups) {
  if (shared_) return wide_kernels().measure(arguments, 0, groups);
  parallel_chunks(
      groups,
      [&](std::size_t piece, std::size_t first, std::size_t last) {
        memory_.partial_[piece] = wide_kernels().measure(arguments, first, last);
      },
      chunk_groups);
  MeasureSums sums;
  const std::size_t pieces = (groups + chunk_groups - 1) / chunk_groups;
  for (std::size_t k = 0; k < pieces; ++k) add(sums, memory_.partial_[k], arguments.kept);
  return sums;
}

double Accelerator::measure(double moved, const double* p, const double* weights) {
  if (method_ == Method::momentum || memory_.window() == 0) {
    f_norm_last_ = f_norm_;
    f_norm_ = std::sqrt(moved);
    ++sweeps_;
    return f_norm_;
  }
  const int window = memory_.window();
  const int used = sweeps_ < sweeps_with_early_window ? std::min(window, early_window) : window;
  const int slot = (slot_ + 1) % window;
  int slots[max_window];
  const int older = method_ == Method::anderson ? std::min(kept_, used - 1) : 0;
  for (int k = 0; k < older; ++k) slots[k] = (slot - 1 - k + window) % window;

  const auto groups_at = [&](int components, std::size_t first, std::size_t weight,
                             std::size_t groups) {
    const double* df[max_window];
    for (int k = 0; k < older; ++k) df[k] = memory_.df_[at(slots[k])].data() + first;
    return measure_groups(
        {components, p + first, memory_.x_.data() + first, weights + weight,
         memory_.f_.data() + first, memory_.g_.data() + first, memory_.df_[at(slot)].data() + first,
         memory_.dg_[at(slot)].data() + first, df, older},
        groups);
  };
  MeasureSums sums =
      groups_at(groups_.components, groups_.first, groups_.first_weight, groups_.contacts);
  const std::size_t first_row_weight = groups_.first_weight + 4 * groups_.contacts;
  add(sums, groups_at(1, groups_.first_row(), first_row_weight, groups_.rows), older);

  f_norm_last_ = f_norm_;
  f_norm_ = std::sqrt(sums.ff);
  ++sweeps_;
  if (sweeps_ > 1 && method_ == Method::anderson) {
    gram_[at(slot)][at(slot)] = sums.dd;
    right_[at(slot)] = sums.df;
    for (int j = 0; j < older; ++j) {
      gram_[at(slot)][at(slots[j])] = gram_[at(slots[j])][at(slot)] = sums.kept_d[j];
      right_[at(slots[j])] = sums.kept_f[j];
    }
    slot_ = slot;
    kept_ = std::min(kept_ + 1, used);
  }
  for (std::size_t k = max_window; k > 0; --k) drift_of_[k] = drift_of_[k - 1];
  drift_of_[0] = drift_ + 1;
  return f_norm_;
}

Push Accelerator::advance(double* p, double* v) {
  switch (method_) {
    case Method::anderson:
      extrapolate(p, v);
      break;
    case Method::momentum:
      return carry_on();
    case Method::nncg:
      conjugate(p, v);
      break;
    default:
      drift_ += 1;
      start(method_, p, v);
      break;
  }
  return {};
}

void Accelerator::extrapolate(double* p, double* v) {
  const bool grew = extrapolated_ && !(f_norm_ <= restart_growth * f_norm_last_);
  if (grew) {
    go_back(p, v);
    return;
  }
  const int window = memory_.window();
  double gamma[max_window];
  const double *dg[max_window], *dgv[max_window];
  int used = 0;
  if (kept_ > 0 && sweeps_ > plain_sweeps) {
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_window, max_window> A(kept_,
                                                                                       kept_);
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_window, 1> b(kept_);
    const auto slot = [&](int k) { return at((slot_ - k + window) % window); };
    for (int i = 0; i < kept_; ++i) {
      b[i] = right_[slot(i)];
      for (int j = 0; j < kept_; ++j) A(i, j) = gram_[slot(i)][slot(j)];
    }
    A.diagonal().array() += regularisation * A.trace();
    b = A.ldlt().solve(b).eval();
    if (b.allFinite()) {
      used = kept_;
      for (int i = 0; i < kept_; ++i) {
        gamma[i] = b[i];
        dg[i] = memory_.dg_[slot(i)].data();
        dgv[i] = memory_.dgv_[slot(i)].data();
      }
    }
  }
  extrapolated_ = used > 0;
  // x = Σ θ_i G_i over the last sweeps, θ_0 = 1 − γ_0, θ_i = γ_{i−1} − γ_i.
  drift_ = 1;
  for (int i = 0; i <= used; ++i) {
    const double before = i > 0 ? gamma[i - 1] : 1, after = i < used ? gamma[i] : 0;
    drift_ += std::abs(before - after) * drift_of_[at(i)];
  }
  each_piece(percussions_, [&](std::size_t, std::size_t first, std::size_t last) {
    wide_kernels().combine(p, memory_.x_.data(), dg, gamma, used, first, last);
  });
  double* const dv_new = memory_.dgv_[at(slot_)].data();
  each_piece(velocities_, [&](std::size_t, std::size_t first, std::size_t last) {
    wide_kernels().carry(v, memory_.gv_.data(), dv_new, dgv, gamma, used, first, last);
  });
}

// The extrapolation did harm: back to where the sweep before it ended, with nothing remembered.
// From far away p comes back with as much rounding, which v knows nothing of: it is to be rebuilt.
void Accelerator::go_back(double* p, double* v) {
  const double* const change = memory_.dg_[at(slot_)].data();
  each_piece(percussions_, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) p[i] -= change[i];
  });
  each_piece(velocities_, [&](std::size_t, std::size_t first, std::size_t last) {
    std::copy(memory_.gv_.data() + first, memory_.gv_.data() + last, v + first);
  });
  drift_ = std::numeric_limits<double>::infinity();
  start(method_, p, v);
}

void Accelerator::conjugate(double* p, double* v) {
  // The direction d is kept in a slot that measure does not write to.
  double* const d_p = memory_.dg_[at(slot_)].data();
  double* const d_v = memory_.dgv_[at(slot_)].data();
  const double beta = sweeps_ > 1 ? f_norm_ * f_norm_ / (f_norm_last_ * f_norm_last_) : 0;
  const bool follow = beta <= 1;
  drift_ = (follow ? 1 + 2 * beta : 1) * (drift_ + 1);
  const auto move = [&](double* x, double* start, double* d, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const double change = x[i] - start[i];
      const double along = sweeps_ > 1 ? beta * d[i] : 0;
      d[i] = follow ? along + change : 0;
      if (follow) x[i] += along;
      start[i] = x[i];
    }
  };
  each_piece(percussions_, [&](std::size_t, std::size_t first, std::size_t last) {
    move(p, memory_.x_.data(), d_p, first, last);
  });
  each_piece(velocities_, [&](std::size_t, std::size_t first, std::size_t last) {
    move(v, memory_.gv_.data(), d_v, first, last);
  });
}

// p and v of the sweep before are kept in g_ and gv_.
Push Accelerator::carry_on() {
  const bool first_sweeps = sweeps_ <= plain_sweeps;
  const bool lost_way = f_norm_ > momentum_growth * f_norm_least_;
  double beta = 0;
  if (first_sweeps || lost_way) {
    f_norm_least_ = f_norm_;
  } else {
    const double ratio = f_norm_ / f_norm_last_;
    beta = std::min(1.0, sweeps_ <= sweeps_with_little_momentum ? ratio * ratio : ratio);
    f_norm_least_ = std::min(f_norm_least_, f_norm_);
  }
  // An affine combination of the last two: their difference in drift is what is carried on.
  drift_change_ = beta * drift_change_ + 1;
  drift_ += drift_change_;
  return {beta, memory_.g_.data(), memory_.gv_.data()};
}

// What momentum carries on is the difference of two velocities, which must not feel that one of
// them is computed afresh.
void Accelerator::before_rebuild(const double* v) {
  if (method_ != Method::momentum) return;
  each_piece(velocities_, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) memory_.gv_.data()[i] -= v[i];
  });
}

void Accelerator::after_rebuild(const double* v) {
  drift_ = drift_change_ = 1;
  if (method_ != Method::momentum) return;
  each_piece(velocities_, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) memory_.gv_.data()[i] += v[i];
  });
}

}  // namespace talus
