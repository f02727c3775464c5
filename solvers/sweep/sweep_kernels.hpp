// SPDX-License-Identifier: Apache-2.0
// The kernels behind sweep_wide.hpp, local to the including file as lanes.hpp says.
//
// For each kind of packet: gather the bodies' lines, u = Hᵀv + b, solve the law, scatter
// v += M⁻¹H Δp. No two lanes of a packet move the same body.
#pragma once

#include <cstdint>

#include "solvers/sweep/anderson_kernels.hpp"
#include "solvers/sweep/sweep_balls.hpp"
#include "solvers/sweep/sweep_plane.hpp"
#include "solvers/sweep/sweep_rolling.hpp"
#include "solvers/sweep/sweep_space.hpp"
#include "solvers/sweep/sweep_wide.hpp"

namespace talus {
namespace {

// Software prefetch. Hardware does not predict which bodies a packet needs. It does predict packets
// and percussions, but only to the end of a page of memory, which is a dozen packets.
constexpr std::size_t packets_ahead = 16;  // whose bodies are prefetched
constexpr std::size_t stream_ahead = 24;   // packets and percussions, before their bodies

[[gnu::always_inline]] inline const double* of_packet(const double* compliance, std::size_t k) {
  return compliance == nullptr ? nullptr : compliance + compliances * k;
}

template <class Packet>
[[gnu::always_inline]] inline void prefetch(const Packet& packet, const double* lines,
                                            const double* inertia) {
  const auto fetch = [&](const int(&at)[4]) {
    for (int lane = 0; lane < 4; ++lane) {
      __builtin_prefetch(lines + at[lane], 1);
      if constexpr (Packet::uses_inertia) __builtin_prefetch(inertia + at[lane]);
    }
  };
  fetch(packet.at_a);
  fetch(packet.at_b);
}

// May prefetch past the end of an array: that is harmless.
template <int for_writing>
[[gnu::always_inline]] inline void prefetch_stream(const void* here, std::size_t ahead,
                                                   std::size_t bytes) {
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(here) + ahead * bytes;
  for (std::size_t line = 0; line < bytes; line += 64) {
    __builtin_prefetch(reinterpret_cast<const void*>(first + line), for_writing);
  }
}

template <class Packet>
[[gnu::always_inline]] inline void prefetch_packet(const Packet* packet, const double* p) {
  prefetch_stream<0>(packet, stream_ahead, sizeof(Packet));
  prefetch_stream<1>(p, stream_ahead, 4 * Packet::components * sizeof(double));
}

template <class Packet>
double sweep(const Packet* packets, std::size_t count, double* p, double* lines,
             const double* inertia, const double* compliance) {
  // Short stretches, of a seam, are mostly about bodies another thread has moved last.
  for (std::size_t k = 0; k < count && k < packets_ahead; ++k) prefetch(packets[k], lines, inertia);
  Lanes moved = broadcast(0);
  for (std::size_t k = 0; k < count; ++k, p += 4 * Packet::components) {
    prefetch_packet(packets + k, p);
    if (k + packets_ahead < count) prefetch(packets[k + packets_ahead], lines, inertia);
    moved = moved + relax(packets[k], p, lines, inertia, of_packet(compliance, k));
  }
  return sum(moved);
}

template <class Packet>
double sweep_backward(const Packet* packets, std::size_t count, double* p, double* lines,
                      const double* inertia, const double* compliance) {
  Lanes moved = broadcast(0);
  for (std::size_t k = count; k-- > 0;) {
    moved = moved + relax(packets[k], p + 4 * Packet::components * k, lines, inertia,
                          of_packet(compliance, k));
  }
  return sum(moved);
}

template <class Packet>
void apply_all(const Packet* packets, std::size_t count, const double* p, double* lines,
               const double* inertia) {
  for (std::size_t k = 0; k < count; ++k) {
    apply(packets[k], p + 4 * Packet::components * k, lines, inertia);
  }
}

template <class Packet>
ErrorSum error(const Packet* packets, std::size_t count, const double* p, const double* lines,
               const double* compliance) {
  ErrorLanes total;
  for (std::size_t k = 0; k < count; ++k, p += 4 * Packet::components) {
    prefetch_packet(packets + k, p);
    add_error(packets[k], p, lines, of_packet(compliance, k), total);
  }
  alignas(32) double worst[4];
  store(worst, sqrt(total.worst));
  double largest = worst[0];
  for (const double x : worst) largest = largest < x ? x : largest;
  return {sum(total.squares), largest};
}

template <AnyPacketInSpace Packet>
void prepare_space(Packet* packets, std::size_t count, const double* lines, const double* inertia,
                   const double* compliance) {
  for (std::size_t k = 0; k < count; ++k)
    prepare(packets[k], lines, inertia, of_packet(compliance, k));
}

void prepare_plane(PlanePacket* packets, std::size_t count, const double* compliance) {
  for (std::size_t k = 0; k < count; ++k) prepare(packets[k], of_packet(compliance, k));
}

void local_solve(const LocalBlocks* blocks, std::size_t count, const double* q, double* p) {
  for (std::size_t k = 0; k < count; ++k) {
    store(p + 12 * k, solve_coulomb(load(blocks[k]), load_space(q + 12 * k)));
  }
}

template <class Packet>
constexpr PacketKernels<Packet> packet_kernels = {sweep<Packet>, sweep_backward<Packet>,
                                                  apply_all<Packet>, error<Packet>};

constexpr WideKernels kernels_named(const char* name) {
  return {name,
          packet_kernels<BallPacket>,
          packet_kernels<SpacePacket>,
          packet_kernels<StretchedPacket>,
          packet_kernels<PlanePacket>,
          packet_kernels<RollingBallPacket>,
          packet_kernels<RollingSpacePacket>,
          packet_kernels<RollingPlanePacket>,
          prepare_space<SpacePacket>,
          prepare_space<StretchedPacket>,
          prepare_plane,
          local_solve,
          measure,
          combine,
          carry,
          push};
}

}  // namespace
}  // namespace talus
