// SPDX-License-Identifier: Apache-2.0
// A job script for Slurm: one task of an array for every case of a study.
#pragma once

#include <filesystem>
#include <string>

namespace talus {

// Quotes any text as one word of a bash command, on one line.
std::string shell_quoted(const std::string& word);

struct SlurmJob {
  std::filesystem::path program, study, folder;
  std::size_t cases = 0;
  int threads = 1;
};
std::string slurm_script(const SlurmJob& job);

}  // namespace talus
