// SPDX-License-Identifier: Apache-2.0
// Common to the benchmarks: clocks, and the speed of the machine for comparison.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "solvers/math/parallel.hpp"

namespace talus::bench {

inline double read_clock(clockid_t clock) {  // [s]
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline double wall_clock() { return read_clock(CLOCK_MONOTONIC); }

// Processor time for one thread, which other work on the machine disturbs least; wall time for
// several threads.
inline double work_clock() {
  return read_clock(threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}

// The shortest time of several runs, least disturbed by other work. Stops after `patience` seconds
// and at least three runs.
template <class Work>
double shortest_time(Work work, int runs, double patience = 5) {
  double best = std::numeric_limits<double>::infinity();
  const double end = wall_clock() + patience;
  for (int i = 0; i < runs && (i < 3 || wall_clock() < end); ++i) {
    const double start = work_clock();
    work();
    best = std::min(best, work_clock() - start);
  }
  return best;
}

// STREAM triad: bytes per second of a[i] = b[i] + s c[i] on the threads in use. Each array is four
// times the last-level cache, as STREAM requires, so that memory is measured and not the cache.
inline double triad_bandwidth() {
  const std::size_t cache = static_cast<std::size_t>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
  const std::size_t n = std::clamp<std::size_t>(4 * cache, 64u << 20, 1u << 30) / sizeof(double);
  std::vector<double> a(n), b(n, 1), c(n, 2);
  double seconds = 0;
  parallel_team([&] {
    seconds = shortest_time(
        [&] {
          parallel_chunks(
              n,
              [&](std::size_t, std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i) a[i] = b[i] + 3 * c[i];
              },
              65536);
        },
        20, 2);
  });
  return 3 * 8 * static_cast<double>(n) / seconds;
}

// Steal time: processor time that the host of a virtual machine gave to others so far [s].
inline double stolen_time() {
  std::ifstream file("/proc/stat");
  std::string label;
  double user, nice, system, idle, wait, irq, softirq, stolen = 0;
  file >> label >> user >> nice >> system >> idle >> wait >> irq >> softirq >> stolen;
  return file ? stolen / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0;
}

// Load average over one minute: mean number of runnable processes.
inline double load_average() {
  double load[1] = {0};
  return getloadavg(load, 1) == 1 ? load[0] : 0;
}

// The numbers of an option, as in "--bodies 1000,10000"; `otherwise` if it is absent.
inline std::vector<int> option(int argc, char** argv, const std::string& name,
                               std::vector<int> otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] != name) continue;
    std::istringstream list(argv[i + 1]);
    std::vector<int> numbers;
    for (std::string number; std::getline(list, number, ',');) numbers.push_back(std::stoi(number));
    return numbers;
  }
  return otherwise;
}

}  // namespace talus::bench
