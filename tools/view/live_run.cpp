// SPDX-License-Identifier: Apache-2.0
#include "tools/view/live_run.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>

#include "io/text/digest.hpp"
#include "io/text/input_error.hpp"
#include "io/text/printable.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

constexpr std::size_t bytes_of_news = 4u << 20;

// The same for a run that was stopped and resumed, or copied.
std::string identity_of(const TrajectoryReader& run) {
  const RunHeader& header = run.header();
  Digest digest;
  for (const std::string& text : {header.created, header.version, header.scene_text})
    digest.add_counted(text);
  for (const std::string& text : header.overrides) digest.add_counted(text);
  digest.add_number(run.bodies().size());
  return fmt::format("{:016x}", digest.value());
}

// Frames that the run will have at its end.
std::size_t expected_frames(const RunHeader& header) {
  constexpr double most = 1e7;
  const double frames = header.end / (header.h * static_cast<double>(header.save_every)) + 1;
  return std::isfinite(frames) ? static_cast<std::size_t>(std::clamp(frames, 1.0, most)) : 1;
}

}  // namespace

// A file that is not there has a stamp of its own.
LiveRun::Stamp LiveRun::stamp_of(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

// At most a fifth of the time goes into reading.
bool LiveRun::is_due(const Stamp& stamp) const {
  constexpr std::chrono::milliseconds least_pause{300};
  const Clock::duration pause = std::max<Clock::duration>(least_pause, 4 * reading_);
  return version_ == 0 || (stamp != stamp_ && Clock::now() >= last_read_ + pause);
}

bool LiveRun::has_frames_for(const Seen& seen) const {
  return seen.identity == identity_ &&
         !shown_frames(steps_, complete_, seen.step, seen.shown.every).empty();
}

void LiveRun::read(const TrajectoryReader& run, const Stamp& stamp) {
  const Clock::time_point start = Clock::now();
  identity_ = identity_of(run);
  growing_ = growing_text(run, file_);
  steps_ = frame_steps(run);
  complete_ = run.header().complete;
  stamp_ = stamp;
  ++version_;
  last_read_ = Clock::now();
  reading_ = last_read_ - start;
}

PageRun LiveRun::page_run(double bytes) {
  const Stamp stamp = stamp_of(file_);
  const TrajectoryReader run(file_);
  read(run, stamp);
  const double fixed = static_cast<double>(fixed_text(run, file_, {}).size());
  const Shown shown = shown_within(run, expected_frames(run.header()),
                                   bytes - fixed - static_cast<double>(growing_.size()));
  const std::string live = JsonObject()
                               .add("identity", identity_)
                               .add("version", version_)
                               .add("every", shown.every)
                               .add("share", shown.contact_share)
                               .text();
  return {printable(file_.stem().string()), fixed_text(run, file_, shown, live), growing_, {}};
}

std::string LiveRun::news(const Seen& seen) {
  Chunks chunks;
  std::string problem;
  try {
    const Stamp stamp = stamp_of(file_);
    const bool due = is_due(stamp);
    if (due || has_frames_for(seen)) {
      const TrajectoryReader run(file_);
      if (due || identity_of(run) != identity_) read(run, stamp);
      if (seen.identity == identity_)
        chunks = chunk_texts(run, seen.step, seen.shown, bytes_of_news);
    }
  } catch (const InputError& error) {
    problem = printable(error.what());
  }
  const bool knows_series = seen.identity != identity_ || seen.version == version_;
  JsonObject news;
  news.add("identity", identity_).add("version", version_).add("problem", problem);
  news.add("more", !chunks.all).raw("growing", knows_series ? "null" : growing_);
  return news.raw("chunks", fmt::format("[{}]", fmt::join(chunks.texts, ", "))).text();
}

}  // namespace talus
