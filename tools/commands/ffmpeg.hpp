// SPDX-License-Identifier: Apache-2.0
// ffmpeg, a program of its own: it gets pictures through a pipe and writes a video.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace talus {

struct VideoFormat {
  int width = 0, height = 0;  // [pixels], even
  double rate = 25;           // pictures a second
  bool webm = false;          // VP9 in WebM; otherwise H.264 in MP4
};

class Ffmpeg {
 public:
  // Nothing if it is not installed. `file` exists already and is overwritten.
  static std::unique_ptr<Ffmpeg> start(const VideoFormat& format,
                                       const std::filesystem::path& file);
  Ffmpeg(const Ffmpeg&) = delete;
  Ffmpeg& operator=(const Ffmpeg&) = delete;
  ~Ffmpeg();  // ends it, if it has not finished

  // Both throw std::runtime_error with its last words if it fails.
  void add(std::string_view picture);  // three bytes a pixel, row by row
  void finish();

 private:
  Ffmpeg() = default;
  [[noreturn]] void fail(int status);
  int wait();

  pid_t process_ = -1;
  int pictures_ = -1;  // end of a pipe
  int words_ = -1;     // a file in memory: what it prints
};

}  // namespace talus
