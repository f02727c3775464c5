// SPDX-License-Identifier: Apache-2.0
// The inner loops of a sweep, four contacts at a time. The same source is compiled for every x86-64
// machine, for AVX2 and for AVX-512, of which it takes the larger set of registers; the processor
// decides at run time, and the bits are the same.
#pragma once

#include <cstddef>

#include "solvers/sweep/packet.hpp"

namespace talus {

struct ErrorSum {
  double squares = 0;  // Σ e_α² [m²/s²]
  double worst = 0;    // max e_α [m/s]
};

template <class Packet>
struct PacketKernels {
  // One Gauss–Seidel pass over packets in order, or in reverse order; returns Σ W_N‖Δp‖².
  // p: components × 4 numbers a packet. inertia: beside lines where uses_inertia, else unused.
  // compliance: C_N of the four contacts of a packet, then C_T, then cohesion; null if all are
  // rigid and none coheres.
  double (*sweep)(const Packet* packets, std::size_t count, double* p, double* lines,
                  const double* inertia, const double* compliance);
  double (*sweep_backward)(const Packet* packets, std::size_t count, double* p, double* lines,
                           const double* inertia, const double* compliance);
  // v += M⁻¹H p
  void (*apply)(const Packet* packets, std::size_t count, const double* p, double* lines,
                const double* inertia);
  // Distance of p from the law at û = Hᵀv + C p + b, as contact_error defines it.
  ErrorSum (*error)(const Packet* packets, std::size_t count, const double* p, const double* lines,
                    const double* compliance);
};

// What a sweep did to the percussions, for anderson.cpp. They come in groups of four contacts, one
// component after the other, which share four weights.
struct MeasureArguments {
  int components;
  const double* g;          // G(x)
  const double* x;          // where the sweep started
  const double* weight;     // √W_N of each contact
  double* f;                // in: of the last sweep, out: weight (g − x)
  double* g_last;           // in: of the last sweep, out: g
  double* df_new;           // out: change of f
  double* dg_new;           // out: change of g
  const double* const* df;  // older changes of f
  int kept;                 // how many
};

constexpr int max_window = 16;

// f·f, Δf·Δf, Δf·f, then df_j·f and df_j·Δf for every kept j.
struct MeasureSums {
  double ff = 0, dd = 0, df = 0;
  double kept_f[max_window] = {}, kept_d[max_window] = {};
};

struct WideKernels {
  const char* name;
  PacketKernels<BallPacket> ball;
  PacketKernels<SpacePacket> space;
  PacketKernels<StretchedPacket> stretched;
  PacketKernels<PlanePacket> plane;
  PacketKernels<RollingBallPacket> rolling_ball;
  PacketKernels<RollingSpacePacket> rolling_space;
  PacketKernels<RollingPlanePacket> rolling_plane;

  // Schur complement of every contact from frames, arms and masses; turns t₁ to its eigenvector.
  void (*prepare_space)(SpacePacket* packets, std::size_t count, const double* lines,
                        const double* inertia, const double* compliance);
  void (*prepare_stretched)(StretchedPacket* packets, std::size_t count, const double* lines,
                            const double* inertia, const double* compliance);
  void (*prepare_plane)(PlanePacket* packets, std::size_t count, const double* compliance);

  // p of `count` groups of four local problems (12 numbers each in q and p).
  void (*local_solve)(const LocalBlocks* blocks, std::size_t count, const double* q, double* p);

  // On groups [first, last).
  MeasureSums (*measure)(const MeasureArguments& arguments, std::size_t first, std::size_t last);
  // On numbers [first, last), multiples of 4:  p ← p − Σ γ_j dp_j, and x ← p
  void (*combine)(double* p, double* x, const double* const* dp, const double* gamma, int kept,
                  std::size_t first, std::size_t last);
  // The same for velocities, whose newest change dv_new = v − v_last is taken on the way:
  // v_last ← v, v ← v − Σ γ_j dv_j
  void (*carry)(double* v, double* v_last, double* dv_new, const double* const* dv,
                const double* gamma, int kept, std::size_t first, std::size_t last);
  // x_last ← x, x ← x + β (x − x_last); at β = 0 whatever x_last held
  void (*push)(double* x, double* x_last, double beta, std::size_t first, std::size_t last);
};

// The latter two are null where the build or the processor lacks them.
const WideKernels* portable_kernels();
const WideKernels* avx2_kernels();
const WideKernels* avx512_kernels();

// What sweeps use: the fastest, unless others were chosen.
const WideKernels& wide_kernels();
void choose_kernels(const WideKernels* kernels);  // null: the fastest

}  // namespace talus
