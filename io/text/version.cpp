// SPDX-License-Identifier: Apache-2.0
#include "io/text/version.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <toml++/toml.h>

#include <Eigen/Core>

namespace talus {

namespace {

std::string compiler() {
#ifdef __clang__
  return __VERSION__;  // "Clang 14.0.6", with the name of the distribution
#else
  return "GCC " __VERSION__;
#endif
}

// HDF5 as it is loaded, which need not be the one whose headers were used.
std::string hdf5_version() {
  unsigned major_number = 0, minor_number = 0, release = 0;
  H5get_libversion(&major_number, &minor_number, &release);
  return fmt::format("{}.{}.{}", major_number, minor_number, release);
}

}  // namespace

std::string version() { return TALUS_VERSION; }

std::vector<std::pair<std::string, std::string>> dependency_versions() {
  return {
      {"compiler", compiler()},
      {"Eigen",
       fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"HDF5", hdf5_version()},
      {"fmt",
       fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"toml++", fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH)},
  };
}

}  // namespace talus
