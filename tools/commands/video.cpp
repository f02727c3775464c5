// SPDX-License-Identifier: Apache-2.0
// `talus video`: the frames of a run as a video, through ffmpeg, or as numbered pictures.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <optional>

#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/trajectory/run_names.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/drawing_options.hpp"
#include "tools/commands/ffmpeg.hpp"
#include "tools/commands/run_signals.hpp"
#include "tools/draw/frame_image.hpp"
#include "tools/terminal/counted.hpp"
#include "tools/terminal/number_option.hpp"

namespace talus {

namespace {

namespace fs = std::filesystem;

struct VideoArguments {
  std::string run, output;
  std::optional<double> from, to;
  int every = 1;
  double rate = 25;
  DrawingOptions drawing{1280, 720};
  bool pictures = false, force = false;
};

// Frames between two times.
std::vector<std::size_t> wanted_frames(const TrajectoryReader& run,
                                       const VideoArguments& arguments) {
  const std::vector<Frame>& frames = run.frames();
  if (frames.empty()) throw InputError(fmt::format("{}: has no frames yet", arguments.run));
  const double first = frames.front().time(), last = frames.back().time();
  const double margin = 1e-9 * std::max(1.0, std::abs(last));
  const double from = arguments.from.value_or(first), to = arguments.to.value_or(last);
  std::vector<std::size_t> wanted;
  for (std::size_t k = 0; k < frames.size(); k += static_cast<std::size_t>(arguments.every))
    if (frames[k].time() >= from - margin && frames[k].time() <= to + margin) wanted.push_back(k);
  if (wanted.empty())
    throw InputError(
        fmt::format("{}: no frame from {} s to {} s: the run has frames from {} s to "
                    "{} s",
                    arguments.run, from, to, first, last));
  return wanted;
}

fs::path film_place(const VideoArguments& arguments) {
  fs::path place =
      arguments.output.empty() ? beside_run(arguments.run, "mp4") : fs::path(arguments.output);
  if (place.extension() != ".mp4" && place.extension() != ".webm")
    throw InputError(fmt::format("{}: a video is NAME.mp4 or NAME.webm", place.string()));
  return place;
}

constexpr std::string_view picture_begin = "frame-", picture_end = ".png";

std::string picture_name(std::size_t k) {
  return fmt::format("{}{:06d}{}", picture_begin, k, picture_end);
}

bool is_picture_name(const std::string& name) {
  return name.starts_with(picture_begin) && name.ends_with(picture_end);
}

// A folder of numbered pictures that gets its name when it is complete.
class PictureFolder {
 public:
  PictureFolder(fs::path place, Existing existing) : place_(std::move(place)) {
    refuse_occupied(existing);
    unfinished_ = place_.string() + fmt::format(".{}.part", getpid());
    std::error_code error;
    if (!fs::create_directory(unfinished_, error))
      throw InputError(fmt::format("{}: cannot write: {}", place_.string(),
                                   error ? error.message() : "its .part exists"));
  }
  PictureFolder(const PictureFolder&) = delete;
  PictureFolder& operator=(const PictureFolder&) = delete;
  ~PictureFolder() {
    std::error_code none;
    fs::remove_all(unfinished_, none);
  }

  const fs::path& place() const { return place_; }

  void add(std::size_t k, const std::string& png) const {
    write_text_file(unfinished_ / picture_name(k), png, Existing::keep);
  }

  void put_in_place(Existing existing) {
    refuse_occupied(existing);
    std::error_code error;
    if (fs::exists(place_))
      for (const fs::directory_entry& old : fs::directory_iterator(place_)) fs::remove(old, error);
    fs::rename(unfinished_, place_, error);
    if (error)
      throw std::runtime_error(
          fmt::format("{}: cannot write: {}", place_.string(), error.message()));
  }

 private:
  // A folder is replaced only if it holds nothing but such pictures.
  void refuse_occupied(Existing existing) const {
    if (existing == Existing::keep) return refuse_existing(place_, existing);
    const fs::file_status status = fs::symlink_status(place_);
    if (!fs::exists(status)) return;
    if (!fs::is_directory(status))
      throw InputError(fmt::format("{}: is not a folder", place_.string()));
    for (const fs::directory_entry& entry : fs::directory_iterator(place_))
      if (!is_picture_name(entry.path().filename().string()))
        throw InputError(fmt::format("{}: is not replaced: it holds {}", place_.string(),
                                     entry.path().filename().string()));
  }

  fs::path place_, unfinished_;
};

class Painter {
 public:
  Painter(const TrajectoryReader& run, const VideoArguments& arguments)
      : frames_(wanted_frames(run, arguments)),
        still_(run, arguments.drawing.colour_by),
        drawing_(arguments.drawing) {
    still_.share_reference_force(frames_);
  }
  std::size_t count() const { return frames_.size(); }
  double duration() const {  // [s] of the run
    const std::vector<Frame>& all = still_.run.frames();
    return all[frames_.back()].time() - all[frames_.front()].time();
  }

  // Hands the pictures on, one after the other. Returns false if a signal has ended it.
  template <class Take>
  bool paint(const Take& take) const {
    const bool watched = isatty(STDERR_FILENO) == 1;
    for (std::size_t k = 0; k < count() && ending_signal() == 0; ++k) {
      if (watched) fmt::print(stderr, "\r{} of {}", k, count());
      take(k, frame_image(still_, frames_[k], drawing_.width, drawing_.height));
    }
    if (watched) fmt::print(stderr, "\r\033[K");
    return ending_signal() == 0;
  }

 private:
  std::vector<std::size_t> frames_;
  StillRun still_;
  DrawingOptions drawing_;
};

// The exit code; nothing if there is no ffmpeg.
std::optional<int> write_film(const Painter& painter, const VideoArguments& arguments,
                              const fs::path& place, Existing existing) {
  refuse_existing(place, existing);
  NewFile film(place);
  const VideoFormat format{arguments.drawing.width, arguments.drawing.height, arguments.rate,
                           place.extension() == ".webm"};
  const std::unique_ptr<Ffmpeg> ffmpeg = Ffmpeg::start(format, film.unfinished());
  if (!ffmpeg) return std::nullopt;
  const bool whole =
      painter.paint([&](std::size_t, const Image& image) { ffmpeg->add(rgb_bytes(image)); });
  if (!whole) return 128 + ending_signal();
  ffmpeg->finish();
  film.put_in_place(existing);
  const double seconds = static_cast<double>(painter.count()) / arguments.rate;
  fmt::print(stderr, "wrote {}: {}, {:.3g} s at {:g} a second", place.string(),
             counted(painter.count(), "frame"), seconds, arguments.rate);
  if (painter.duration() > 0)
    fmt::print(stderr, ", {:.2g} times as fast as the run", painter.duration() / seconds);
  fmt::print(stderr, "\n");
  return 0;
}

int write_pictures(const Painter& painter, const VideoArguments& arguments, const fs::path& film,
                   Existing existing) {
  fs::path place = film;
  PictureFolder folder(place.replace_extension("frames"), existing);
  const bool whole =
      painter.paint([&](std::size_t k, const Image& image) { folder.add(k, png(image)); });
  if (!whole) return 128 + ending_signal();
  folder.put_in_place(existing);
  fmt::print(stderr, "{}wrote {} to {}\n", arguments.pictures ? "" : "ffmpeg is not installed: ",
             counted(painter.count(), "picture"), place.string());
  if (!arguments.pictures)
    fmt::print(stderr, "with it:  ffmpeg -framerate {:g} -i '{}/{}%06d{}' -pix_fmt yuv420p '{}'\n",
               arguments.rate, place.string(), picture_begin, picture_end, film.string());
  return 0;
}

int video(const VideoArguments& arguments) {
  const int width = arguments.drawing.width, height = arguments.drawing.height;
  if (width % 2 != 0 || height % 2 != 0)
    throw InputError(
        fmt::format("--size {}x{}: both numbers must be even in a video", width, height));
  const fs::path place = film_place(arguments);
  const Existing existing = existing_files(arguments.force);
  const TrajectoryReader run(arguments.run);
  const Painter painter(run, arguments);
  take_ending_signals();  // from here on there are files to be removed
  if (!arguments.pictures)
    if (const std::optional<int> code = write_film(painter, arguments, place, existing))
      return *code;
  return write_pictures(painter, arguments, place, existing);
}

}  // namespace

void add_video(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand("video", "Make a video of a run, through ffmpeg");
  const auto arguments = std::make_shared<VideoArguments>();
  command->add_option("run", arguments->run, "Trajectory file (RUN.h5)")->required();
  command->add_option("-o,--output", arguments->output, "NAME.mp4 or NAME.webm [RUN.mp4]");
  command->add_option("--from", arguments->from, "first time [s]")->check(any_finite_number());
  command->add_option("--to", arguments->to, "last time [s]")->check(any_finite_number());
  command->add_option("--every", arguments->every, "draw every N-th frame [1]")
      ->check(whole_number(1));
  command->add_option("--fps", arguments->rate, "frames a second [25]")
      ->check(positive_number(240));
  add_drawing_options(*command, arguments->drawing);
  command->add_flag("--frames", arguments->pictures,
                    "write numbered PNG pictures in a folder, NAME.frames, and no video");
  command->add_flag("--force", arguments->force, "overwrite an existing video or its pictures");
  command->footer(
      "Without ffmpeg it writes the pictures, and says how to make a video of them.\n"
      "Example:  talus video wall.h5 --from 0 --to 0.02 --size 320x180");
  command->callback([arguments, &action] { action = [arguments] { return video(*arguments); }; });
}

}  // namespace talus
