// Programs run side by side, a few at a time.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace talus {

struct Job {
  std::vector<std::string> arguments;      // of this program
  std::filesystem::path output, messages;  // where its standard output and error go
};

// Runs jobs 0 … count − 1, `workers` at a time. start(k) gives job k; ended(k, status) is told its
// exit code, or 128 + signal. SIGINT and SIGTERM are passed on to the jobs under way, no more are
// started, and the signal is returned; 0 otherwise. What start or
// ended throws comes out when the jobs under way have ended; no more are started.
int run_jobs(std::size_t count, int workers, const std::function<Job(std::size_t)>& start,
             const std::function<void(std::size_t, int)>& ended);

}  // namespace talus
