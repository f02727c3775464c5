// SPDX-License-Identifier: Apache-2.0
// Names of the files that belong to a trajectory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace talus {

// RUN.h5 → RUN.ENDING. Any other name is kept whole, NAME → NAME-ENDING, so that mu0.2 and mu0.3,
// or run.h5, run.hdf5 and run, share no file.
inline std::filesystem::path beside_run(const std::filesystem::path& run, std::string_view ending) {
  const bool usual = run.extension() == ".h5";
  std::filesystem::path path = run;
  if (usual) path.replace_extension();
  path += usual ? "." : "-";
  path += ending;
  return path;
}

// Resolves symbolic links, so that a run has only one name.
inline std::filesystem::path real_path(const std::filesystem::path& run) {
  std::error_code none;
  const std::filesystem::path real = std::filesystem::canonical(run, none);
  return std::filesystem::is_symlink(run, none) && !real.empty() ? real : run;
}

}  // namespace talus
