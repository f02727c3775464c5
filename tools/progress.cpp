#include "tools/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <string>

namespace talus {

namespace {

std::string readable_time(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto s = static_cast<std::int64_t>(std::ceil(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

constexpr double bar_interval = 0.1;  // [s]
constexpr double line_interval = 10;  // [s], growing with the length of the run

}  // namespace

Progress::Progress(std::int64_t first_step, std::int64_t last_step, bool quiet)
    : first_step_(first_step),
      last_step_(last_step),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0) {
  interval_ = std::chrono::duration<double>(terminal_ ? bar_interval : line_interval);
  if (!terminal_) next_ += std::chrono::duration_cast<Clock::duration>(interval_);
}

Progress::~Progress() { finish(); }

void Progress::finish() {
  if (bar_drawn_) fmt::print(stderr, "\r\x1b[K");
  bar_drawn_ = false;
}

double Progress::wall_seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

double Progress::seconds_left(std::int64_t step) const {
  const auto done = static_cast<double>(step - first_step_);
  return done > 0 ? wall_seconds() * static_cast<double>(last_step_ - step) / done : INFINITY;
}

void Progress::update(const Certificate& certificate) {
  if (quiet_ || Clock::now() < next_) return;
  terminal_ ? draw_bar(certificate) : print_line(certificate);
  if (!terminal_) interval_ *= 1.5;
  next_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(interval_);
}

void Progress::draw_bar(const Certificate& certificate) {
  constexpr int width = 30;
  const double share = static_cast<double>(certificate.step) / static_cast<double>(last_step_);
  const int filled = static_cast<int>(share * width);
  fmt::print(stderr, "\r\x1b[K{:>3.0f} % [{}{}] t = {:.4g} s, {} contacts, error {:.0e}, {} left",
             100 * share, std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(width - filled), '.'), certificate.time,
             certificate.contacts, certificate.error,
             readable_time(seconds_left(certificate.step)));
  std::fflush(stderr);
  bar_drawn_ = true;
}

void Progress::print_line(const Certificate& certificate) {
  fmt::print(stderr,
             "step {} of {}, t = {:.6g} s, {} contacts, {} sweeps, error {:.1e}, about {} left\n",
             certificate.step, last_step_, certificate.time, certificate.contacts,
             certificate.sweeps, certificate.error, readable_time(seconds_left(certificate.step)));
}

}  // namespace talus
