// SPDX-License-Identifier: Apache-2.0
// Number of sweeps to errors of 1e-4 and 1e-8 from a cold start, for a poured packing of balls,
// columns of balls and towers of boxes with a heavy load on top. Errors are those of contact_error.
// The last column uses errors relative to the impulses instead, which is less strict under a heavy
// load.
//     bench_columns [--balls 10000] [--height 100] [--limit 20000]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tools/bench/measure.hpp"
#include "tools/bench/packing.hpp"

using namespace talus;
using namespace talus::bench;

namespace {

struct Variant {
  const char* name;
  SweepOptions options;
};

const Variant variants[] = {
    {"plain", {.method = Method::nsgs}},
    {"nncg", {.method = Method::nncg}},
    {"momentum", {.method = Method::momentum}},
    {"anderson 3", {.method = Method::anderson, .window = 3}},
    {"anderson 4", {.method = Method::anderson, .window = 4}},
    {"anderson 5", {.method = Method::anderson, .window = 5}},
    {"anderson 8", {.method = Method::anderson, .window = 8}},
    {"anderson 16", {.method = Method::anderson, .window = 16}},
    {"automatic", {}},
};

// Number of sweeps of a solve, or "-" if the limit is reached.
std::string sweeps_to(double tolerance, const ContactProblem<3>& problem, const Variant& variant,
                      int limit) {
  SweepOptions options = variant.options;
  if (options.method != Method::automatic) options.stall_share = 1;
  Percussions<3> p{std::vector<Vec<3>>(problem.size(), Vec<3>::Zero()), {}};
  const SolveReport report =
      SweepSolver<3>({.tolerance = tolerance, .max_sweeps = limit}, options).solve(problem, p);
  return report.converged ? fmt::format("{}", report.sweeps) : "-";
}

// √Σ‖p − proj_K(p − r (û + μ‖û_T‖ n))‖² / ‖p‖ with r = 1/W_T.
double percussion_error(const ContactProblem<3>& problem, const Percussions<3>& p) {
  const Velocities<3> u = velocities<3>(problem, p);
  const std::vector<Mat<3>> W = diagonal_blocks<3>(problem);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const double r = 2 / (W[i](1, 1) + W[i](2, 2));
    const double e = r * problem.law[i].residual(u.contact[i], p.contact[i], r);
    error += e * e;
    size += p.contact[i].squaredNorm();
  }
  return std::sqrt(error / size);
}

// Number of sweeps to that error, within 5 %. A solve does not stop by it, so it is found by
// limiting the sweeps.
std::string sweeps_to_percussion_error(double tolerance, const ContactProblem<3>& problem,
                                       int limit) {
  const auto reached = [&](int sweeps) {
    Percussions<3> p{std::vector<Vec<3>>(problem.size(), Vec<3>::Zero()), {}};
    SweepSolver<3>({.tolerance = 0, .max_sweeps = sweeps}, {.stall_share = 1}).solve(problem, p);
    return percussion_error(problem, p) <= tolerance;
  };
  int high = 8;
  while (!reached(high)) {
    if (high >= limit) return "-";
    high = std::min(2 * high, limit);
  }
  for (int low = high / 2; high - low > std::max(1, high / 20);) {
    const int middle = (low + high) / 2;
    (reached(middle) ? high : low) = middle;
  }
  return fmt::format("{}", high);
}

void measure(const std::string& name, const ContactProblem<3>& problem, int limit) {
  const std::string title = fmt::format("{} ({} contacts)", name, problem.size());
  fmt::print("{:44}", title);
  for (const Variant& variant : variants) {
    const std::string rough = sweeps_to(1e-4, problem, variant, limit);
    // Plain sweeps need long to show that they do not converge.
    const std::string fine = rough == "-" ? "-" : sweeps_to(1e-8, problem, variant, limit);
    fmt::print("{:>15}", rough + " / " + fine);
    std::fflush(stdout);
  }
  fmt::print("{:>15}\n", sweeps_to_percussion_error(1e-4, problem, limit) + " / " +
                             sweeps_to_percussion_error(1e-8, problem, limit));
}

}  // namespace

int main(int argc, char** argv) {
  const int balls = option(argc, argv, "--balls", {10000}).front();
  const int height = option(argc, argv, "--height", {100}).front();
  const int limit = option(argc, argv, "--limit", {20000}).front();

  fmt::print("{:44}", "sweeps to 1e-4 / 1e-8");
  for (const Variant& variant : variants) fmt::print("{:>15}", variant.name);
  fmt::print("{:>15}\n", "by percussion");
  for (const double top : {1.0, 10.0, 100.0, 1000.0}) {
    measure(fmt::format("column of {}, top mass x{:.0f}", height, top), ball_column(height, top),
            limit);
  }
  for (const double top : {1.0, 10.0, 100.0, 1000.0}) {
    measure(fmt::format("tower of 20 boxes, top mass x{:.0f}", top), box_tower(20, top), limit);
  }
  if (balls > 0) {
    const auto measure_packing = [&](const std::string& kind, const Packing& packing) {
      const std::string count = fmt::format("{} balls, {}", packing.position.size(), kind);
      measure(count + ", all touch", cold_problem(packing, Gaps::closed), limit);
      measure(count + ", gaps may close", cold_problem(packing, Gaps::may_close), limit);
    };
    // Poured with few plain sweeps per step, a packing is loose and still moves. Poured to a
    // tolerance it is at rest, and many contacts carry almost no force.
    const int side = static_cast<int>(std::lround(std::cbrt(0.8 * balls)));
    const int layers = (balls + side * side - 1) / (side * side);
    for (const int sweeps : {30, 40}) {
      measure_packing(
          fmt::format("{} sweeps a step", sweeps),
          pour(side, layers, 16 * layers,
               SweepSolver<3>({.tolerance = 0, .max_sweeps = sweeps}, {.method = Method::nsgs})));
    }
    measure_packing("to 1e-3", pour(side, layers, 20 * layers));
  }
  fmt::print("load {:.1f}\n", load_average());
}
