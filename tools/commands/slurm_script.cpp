// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/slurm_script.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace talus {

namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/._-+=:,@").find(c) != std::string_view::npos;
}
bool is_plain(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return is_plain(c); });
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string shell_quoted(const std::string& word) {
  if (is_plain(word)) return word;
  const bool control = std::any_of(word.begin(), word.end(), is_control);
  std::string quoted = control ? "$'" : "'";
  for (const char c : word) {
    if (control && is_control(c))
      quoted += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    else if (control && (c == '\'' || c == '\\'))
      quoted += std::string("\\") + c;
    else if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string slurm_script(const SlurmJob& job) {
  const std::string script = shell_quoted((job.folder / "job.sh").string());
  const std::string study = shell_quoted(job.study.string());
  const std::string folder = shell_quoted(job.folder.string());
  // The shell does not read #SBATCH lines. So names that need quotes are left out there, and Slurm
  // writes its logs to the folder of submission.
  std::string name = job.study.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_plain(c); }, '_');
  const std::string log = is_plain(job.folder.string())
                              ? fmt::format("#SBATCH --output={}/slurm-%a.log\n", folder)
                              : std::string();
  return fmt::format(
      R"(#!/bin/bash
# All {0} cases of {1}. Submit with:  sbatch --time=12:00:00 {2}
# A case stopped by the time limit goes on when the script is submitted again; complete ones are
# skipped. When all have ended:  talus batch {1} -o {3} --summary
#SBATCH --job-name={4}
#SBATCH --array=1-{0}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={5}
#SBATCH --signal=B:TERM@120
{6}exec {7} batch {1} -o {3} --threads {5} --case "$SLURM_ARRAY_TASK_ID"
)",
      job.cases, study, script, folder, name, job.threads, log, shell_quoted(job.program.string()));
}

}  // namespace talus
