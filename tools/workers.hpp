// Programs run side by side, a few at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/progress.hpp"

namespace talus {

struct Job {
  std::vector<std::string> arguments;      // of this program
  std::filesystem::path output, messages;  // where its standard output and error go
};

struct JobEvents {
  std::function<Job(std::size_t)> start;                      // gives job k
  std::function<void(std::size_t, int)> ended;                // told the exit code, or 128 + signal
  std::function<void(std::size_t, const char*)> not_started;  // told why
  std::function<void(const std::map<std::size_t, JobProgress>&)> waiting;  // ten times a second
};

// Runs jobs 0 … count − 1, `workers` at a time. The ending signals (run_signals.hpp) are passed on
// to the jobs under way, no more are started, and the signal is returned when they have ended;
// SIGUSR1 is passed on. 0: no signal came.
int run_jobs(std::size_t count, int workers, const JobEvents& events);

}  // namespace talus
