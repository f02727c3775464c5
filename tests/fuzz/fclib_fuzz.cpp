// SPDX-License-Identifier: Apache-2.0
// Feeds damaged FCLib files to the reader: it may accept or refuse them, and must do nothing else.
//     fclib_fuzz PROCESSOR_SECONDS SEED FILE…
// What is accepted and small goes through the solver for some sweeps, whatever its numbers are.
// Most of the files are sound HDF5 holding wrong numbers, read in this process, so that a sanitizer
// sees every slip of ours. In the others bytes are damaged, which can crash HDF5 itself; those go
// through the guarded reader, whose fork takes ten times as long.
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "io/fclib/fclib.hpp"
#include "io/text/input_error.hpp"
#include "solvers/climb/ladder.hpp"

namespace {

using namespace talus;

struct Random {
  std::mt19937_64 bits;
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
};

double processor_seconds() {  // of this process and its children
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used;
    getrusage(who, &used);
    for (const timeval& part : {used.ru_utime, used.ru_stime})
      sum += static_cast<double>(part.tv_sec) + 1e-6 * static_cast<double>(part.tv_usec);
  }
  return sum;
}

double odd_real(Random& random) {
  constexpr double limit = std::numeric_limits<double>::max();
  const double odd[] = {0, -0.0, 1, -1, 1e-320, limit, -limit, 1e-8, NAN, INFINITY, -INFINITY};
  return odd[random.below(std::size(odd))];
}

int odd_integer(Random& random) {
  const int odd[] = {0, 1, -1, -2, -3, 2, 3, 5, 1000, 2147483647, -2147483647 - 1, 65536};
  return odd[random.below(std::size(odd))];
}

template <class T>
void spoil(std::vector<T>& x, Random& random) {
  if (random.one_in(3)) {
    x.resize(random.one_in(2) ? random.below(x.size() + 1) : x.size() + 1 + random.below(3));
  } else if (!x.empty()) {
    const std::size_t at = random.below(x.size());
    if (random.one_in(3)) {
      x[at] = x[random.below(x.size())];
    } else if constexpr (std::is_same_v<T, int>) {
      x[at] = odd_integer(random);
    } else {
      x[at] = odd_real(random);
    }
  }
}

void spoil(FclibMatrix& A, Random& random) {
  switch (random.below(8)) {
    case 0:
      A.rows = odd_integer(random);
      break;
    case 1:
      A.columns = odd_integer(random);
      break;
    case 2:
      A.storage = static_cast<FclibMatrix::Storage>(random.below(3));
      break;
    case 3:
      spoil(A.p, random);
      break;
    case 4:
      spoil(A.i, random);
      break;
    default:
      spoil(A.x, random);
      break;
  }
}

void spoil(FclibFile& file, Random& random) {
  if (random.one_in(12)) file.spacedim = odd_integer(random);
  if (random.one_in(12)) file.solution = FclibSolution{{1}, {2}, {3, 4}, {}};
  if (auto* global = std::get_if<FclibGlobal>(&file.problem)) {
    switch (random.below(8)) {
      case 0:
        spoil(global->M, random);
        break;
      case 1:
        spoil(global->H, random);
        break;
      case 2:
        spoil(global->f, random);
        break;
      case 3:
        spoil(global->w, random);
        break;
      case 4:
        spoil(global->mu, random);
        break;
      case 5:
        if (!global->G) global->G = global->H;
        spoil(*global->G, random);
        break;
      case 6:
        global->b.resize(global->w.size());
        break;
      default:
        global->mu_r = global->mu;
        break;
    }
  } else {
    auto& local = std::get<FclibLocal>(file.problem);
    switch (random.below(9)) {
      case 0:
        spoil(local.q, random);
        break;
      case 1:
        spoil(local.mu, random);
        break;
      case 2:
        local.V = local.W;
        break;
      case 3:
        local.R = local.W;
        break;
      case 4:
        local.s = local.q;
        break;
      case 5: {  // constraints that fit together, some of them without a load or a contact
        if (local.q.size() > 100) break;
        const bool loaded = random.one_in(2);
        local.V = local.R = local.W;
        local.s.assign(local.q.size(), loaded ? 1.0 : 0.0);
        if (random.one_in(2)) local.V->x.assign(local.V->x.size(), 0.0);
        if (random.one_in(4)) spoil(*local.V, random);
        if (random.one_in(4)) spoil(*local.R, random);
        break;
      }
      default:
        spoil(local.W, random);
        break;
    }
  }
}

std::string damaged_bytes(std::string bytes, Random& random) {
  if (random.one_in(8)) bytes.resize(random.below(bytes.size()));
  for (std::size_t n = 1 + random.below(6); n > 0 && !bytes.empty(); --n) {
    // Headers and tables of contents sit at the front: half of the damage goes there.
    const std::size_t front = std::min<std::size_t>(bytes.size(), 4096);
    const std::size_t at = random.below(random.one_in(2) ? bytes.size() : front);
    switch (random.below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random.bits());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 2:
        bytes.replace(at, 8, 8, random.one_in(2) ? '\xff' : '\0');
        break;
      default:
        bytes.replace(at, 16, bytes.substr(random.below(bytes.size()), 16));
        break;
    }
  }
  return bytes;
}

template <int D>
void condense_and_solve(const FclibFile& file) {
  constexpr std::size_t small = 30;
  const ContactProblem<D> problem = contact_problem<D>(file).problem;
  if (problem.size() > small) return;
  Percussions<D> p;
  p.contact.assign(problem.size(), Vec<D>::Zero());
  const SolveOptions options{.tolerance = 1e-8, .max_sweeps = 60, .time_limit = 0.5};
  const SolveReport report = LadderSolver<D>(Method::automatic, options).solve(problem, p);
  if (report.converged && !(contact_error<D>(problem, p).relative <= options.tolerance)) {
    fmt::print(stderr, "fclib_fuzz: an answer was called converged that is not\n");
    std::abort();
  }
}

// True when the file was accepted.
bool accepted(const std::filesystem::path& path, bool guarded) {
  try {
    const FclibFile file = guarded ? read_fclib(path) : read_own_fclib(path);
    fclib_warnings(file);
    if (file.rolling()) return true;
    if (file.spacedim == 2) {
      condense_and_solve<2>(file);
    } else {
      condense_and_solve<3>(file);
    }
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: fclib_fuzz PROCESSOR_SECONDS SEED FILE…\n");
    return 2;
  }
  std::vector<std::string> seeds;
  std::vector<FclibFile> problems;
  for (int k = 3; k < argc; ++k) {
    std::ifstream in(argv[k], std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    problems.push_back(read_fclib(argv[k]));
  }
  // A large file takes as much longer as it is larger: all files get the same share of the time.
  std::vector<double> share;
  for (const std::string& bytes : seeds) share.push_back(1.0 / static_cast<double>(bytes.size()));
  std::discrete_distribution<std::size_t> choose(share.begin(), share.end());
  Random random{std::mt19937_64(std::strtoull(argv[2], nullptr, 10))};
  const double end = std::atof(argv[1]);
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("talus-fuzz-{}.hdf5", getpid());
  long tried[2] = {}, kept[2] = {};
  while (processor_seconds() < end) {
    const bool bytes = random.one_in(6);
    const std::size_t which = choose(random.bits);
    if (bytes) {
      const std::string damaged = damaged_bytes(seeds[which], random);
      std::ofstream(path, std::ios::binary | std::ios::trunc)
          .write(damaged.data(), static_cast<std::streamsize>(damaged.size()));
    } else {
      FclibFile file = problems[which];
      for (std::size_t n = 1 + random.below(3); n > 0; --n) spoil(file, random);
      write_fclib(path, file, true);
    }
    kept[bytes] += accepted(path, bytes);
    ++tried[bytes];
  }
  std::filesystem::remove(path);
  for (const bool bytes : {false, true})
    fmt::print("{} files with wrong {}: {} refused, {} accepted\n", tried[bytes],
               bytes ? "bytes" : "numbers", tried[bytes] - kept[bytes], kept[bytes]);
}
