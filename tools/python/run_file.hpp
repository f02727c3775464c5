// SPDX-License-Identifier: Apache-2.0
// A trajectory file in Python's hands. It may stay open for long, so it is locked only while it is
// read, and opened anew where it has changed since.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

class RunFile {
 public:
  explicit RunFile(std::string path) : path_(std::move(path)) {
    open();
    reader_->unlock();
  }

  const std::string& path() const { return path_; }

  // f(reader), while the file does not change.
  template <class F>
  auto read(F f) {
    if (reader_) reader_->lock();
    const Unlocking unlocking(reader_);
    if (!reader_ || state_of_file() != read_state_) open();
    return f(std::as_const(*reader_));
  }

 private:
  using State = std::tuple<dev_t, ino_t, off_t, time_t, long>;

  struct Unlocking {
    explicit Unlocking(std::unique_ptr<TrajectoryReader>& of) : reader(of) {}
    ~Unlocking() {
      if (reader) reader->unlock();
    }
    Unlocking(const Unlocking&) = delete;
    Unlocking& operator=(const Unlocking&) = delete;
    std::unique_ptr<TrajectoryReader>& reader;
  };

  State state_of_file() const {
    struct stat s {};
    if (stat(path_.c_str(), &s) != 0) return {};
    return {s.st_dev, s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
  }

  void open() {
    reader_.reset();
    reader_ = std::make_unique<TrajectoryReader>(path_);
    read_state_ = state_of_file();
  }

  std::string path_;
  std::unique_ptr<TrajectoryReader> reader_;
  State read_state_;
};

}  // namespace talus
