// SPDX-License-Identifier: Apache-2.0
// Runs several jobs (child processes) in parallel.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/terminal/progress.hpp"

namespace talus {

struct Job {
  std::vector<std::string> arguments;      // of this program
  std::filesystem::path output, messages;  // where its standard output and error go
};

struct JobEvents {
  std::function<Job(std::size_t)> start;        // returns job k
  std::function<void(std::size_t, int)> ended;  // receives the exit code, or 128 + signal
  std::function<void(std::size_t, const char*)> not_started;               // receives the reason
  std::function<void(const std::map<std::size_t, JobProgress>&)> waiting;  // ten times a second
};

// Runs jobs 0 … count − 1, `workers` at a time. An ending signal (run_signals.hpp) is passed on to
// the running jobs, no more jobs are started, and the signal is returned when all have ended.
// SIGUSR1 is passed on. Returns 0 if there was no ending signal.
int run_jobs(std::size_t count, int workers, const JobEvents& events);

}  // namespace talus
