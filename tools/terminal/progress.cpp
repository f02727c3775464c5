// SPDX-License-Identifier: Apache-2.0
#include "tools/terminal/progress.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>

namespace talus {

namespace {

std::string readable_time(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto s = static_cast<std::int64_t>(std::ceil(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

constexpr double live_interval = 0.1;  // [s]
constexpr double line_interval = 10;   // [s], growing with the length of the run
constexpr double told_interval = 0.5;  // [s], reports to the parent

bool is_pipe(int descriptor) {
  struct stat about {};
  return fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode);
}

}  // namespace

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {
  interval_ = std::chrono::duration<double>(terminal_ ? live_interval : line_interval);
  if (!terminal_) next_ += std::chrono::duration_cast<Clock::duration>(interval_);
}

void ProgressLine::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

void ProgressLine::show(const std::string& line) {
  if (terminal_) {
    fmt::print(stderr, "\r\x1b[K{}", line);
    drawn_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
    interval_ *= 1.5;
  }
  next_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(interval_);
}

double ProgressLine::wall_seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

Progress::Progress(std::int64_t first_step, std::int64_t last_step, Options options)
    : first_step_(first_step),
      last_step_(last_step),
      line_(options.quiet),
      tells_parent_(options.tell_parent && is_pipe(progress_descriptor)) {}

double Progress::seconds_left(std::int64_t step) const {
  const auto done = static_cast<double>(step - first_step_);
  return done > 0 ? wall_seconds() * static_cast<double>(last_step_ - step) / done : INFINITY;
}

void Progress::update(const Certificate& certificate) {
  if (tells_parent_) tell_parent(certificate.step);
  if (line_.due())
    line_.show(line_.on_terminal() ? live_line(certificate) : logged_line(certificate));
}

// Never blocks or fails if the parent has ended or does not read.
void Progress::tell_parent(std::int64_t step) {
  const double now = wall_seconds();
  if (now < next_told_) return;
  const JobProgress progress{step, last_step_};
  [[maybe_unused]] const ssize_t ignored = write(progress_descriptor, &progress, sizeof progress);
  next_told_ = now + told_interval;
}

std::string Progress::live_line(const Certificate& certificate) const {
  constexpr int width = 30;
  const double share = static_cast<double>(certificate.step) / static_cast<double>(last_step_);
  const int filled = static_cast<int>(share * width);
  return fmt::format("{:>3.0f} % [{}{}] t = {:.4g} s, {} contacts, error {:.0e}, {} left",
                     100 * share, std::string(static_cast<std::size_t>(filled), '#'),
                     std::string(static_cast<std::size_t>(width - filled), '.'), certificate.time,
                     certificate.contacts, certificate.error,
                     readable_time(seconds_left(certificate.step)));
}

std::string Progress::logged_line(const Certificate& certificate) const {
  return fmt::format(
      "step {} of {}, t = {:.6g} s, {} contacts, {} sweeps, error {:.1e}, about {} left",
      certificate.step, last_step_, certificate.time, certificate.contacts, certificate.sweeps,
      certificate.error, readable_time(seconds_left(certificate.step)));
}

}  // namespace talus
