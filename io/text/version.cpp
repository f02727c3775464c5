// SPDX-License-Identifier: Apache-2.0
#include "io/text/version.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <toml++/toml.h>

#include <Eigen/Core>

namespace talus {

std::string version() { return TALUS_VERSION; }

std::vector<std::pair<std::string, std::string>> dependency_versions() {
  return {
      {"compiler", __VERSION__},
      {"Eigen",
       fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"HDF5", H5_VERS_INFO},
      {"fmt", fmt::format("{}", FMT_VERSION)},
      {"toml++", fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH)},
  };
}

}  // namespace talus
