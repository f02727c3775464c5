// Feeds damaged FCLib files to the reader: it may accept or refuse them, and must do nothing else.
//     fclib_fuzz SECONDS SEED FILE…
// Half of the files are sound HDF5 holding wrong numbers, read in this process, so that a sanitizer
// sees every slip of ours. In the other half bytes are damaged, which can crash HDF5 itself; those
// go through the guarded reader.
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "io/fclib.hpp"
#include "io/input_error.hpp"

namespace {

using namespace talus;

struct Random {
  std::mt19937_64 bits;
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
};

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
    switch (random.below(7)) {
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

// True when the file was accepted.
bool accepted(const std::filesystem::path& path, bool guarded) {
  try {
    const FclibFile file = guarded ? read_fclib(path) : read_own_fclib(path);
    fclib_warnings(file);
    if (file.rolling()) return true;
    if (file.spacedim == 2) {
      contact_problem<2>(file);
    } else {
      contact_problem<3>(file);
    }
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: fclib_fuzz SECONDS SEED FILE…\n");
    return 2;
  }
  std::vector<std::string> seeds;
  std::vector<FclibFile> problems;
  for (int k = 3; k < argc; ++k) {
    std::ifstream in(argv[k], std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    problems.push_back(read_fclib(argv[k]));
  }
  Random random{std::mt19937_64(std::strtoull(argv[2], nullptr, 10))};
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(argv[1]));
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("talus-fuzz-{}.hdf5", getpid());
  long tried[2] = {}, kept[2] = {};
  while (std::chrono::steady_clock::now() < end) {
    const bool bytes = random.one_in(2);
    const std::size_t which = random.below(seeds.size());
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
