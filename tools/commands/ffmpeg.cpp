// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/ffmpeg.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <vector>

#include "io/text/printable.hpp"
#include "io/text/system_failure.hpp"

namespace talus {

namespace {

std::vector<std::string> words_for(const VideoFormat& format, const std::filesystem::path& file) {
  std::vector<std::string> words = {"ffmpeg", "-hide_banner", "-loglevel", "error", "-y"};
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  add({"-f", "rawvideo", "-pixel_format", "rgb24"});
  add({"-video_size", fmt::format("{}x{}", format.width, format.height)});
  add({"-framerate", fmt::format("{}", format.rate), "-i", "pipe:0"});
  // The colours that players expect of HD video, and the one sampling that all of them know.
  add({"-vf", "scale=out_color_matrix=bt709", "-colorspace", "bt709", "-pix_fmt", "yuv420p"});
  if (format.webm)
    add({"-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-cpu-used", "4", "-row-mt", "1", "-f",
         "webm"});
  else
    add({"-c:v", "libx264", "-crf", "18", "-movflags", "+faststart", "-f", "mp4"});
  words.push_back("file:" + file.string());
  return words;
}

// posix_spawn: in a process group of its own, so that Ctrl-C reaches this program alone.
int spawned(pid_t& process, std::vector<std::string> words, int input, int errors) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  const int error =
      posix_spawnp(&process, "ffmpeg", &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

std::string last_line(int file) {
  std::string text;
  std::array<char, 4096> bytes;
  lseek(file, 0, SEEK_SET);
  for (ssize_t count; (count = read(file, bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(count));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return printable(text.substr(text.find_last_of("\r\n") + 1));
}

}  // namespace

std::unique_ptr<Ffmpeg> Ffmpeg::start(const VideoFormat& format,
                                      const std::filesystem::path& file) {
  std::unique_ptr<Ffmpeg> ffmpeg(new Ffmpeg);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail_by_system();
  ffmpeg->pictures_ = ends[1];
  ffmpeg->words_ = memfd_create("ffmpeg", MFD_CLOEXEC);
  pid_t process = -1;
  const int error = ffmpeg->words_ < 0
                        ? errno
                        : spawned(process, words_for(format, file), ends[0], ffmpeg->words_);
  close(ends[0]);
  if (error == ENOENT) return nullptr;
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start ffmpeg");
  ffmpeg->process_ = process;
  return ffmpeg;
}

Ffmpeg::~Ffmpeg() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    wait();
  }
  if (pictures_ >= 0) close(pictures_);
  if (words_ >= 0) close(words_);
}

int Ffmpeg::wait() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

void Ffmpeg::fail(int status) {
  std::string why = last_line(words_);
  if (why.empty())
    why = WIFSIGNALED(status) ? fmt::format("killed by signal {}", WTERMSIG(status))
                              : fmt::format("exit code {}", WEXITSTATUS(status));
  throw std::runtime_error("ffmpeg failed: " + why);
}

void Ffmpeg::add(std::string_view picture) {
  while (!picture.empty()) {
    const ssize_t count = write(pictures_, picture.data(), picture.size());
    if (count >= 0)
      picture.remove_prefix(static_cast<std::size_t>(count));
    else if (errno == EPIPE)
      fail(wait());
    else if (errno != EINTR)
      fail_by_system();
  }
}

void Ffmpeg::finish() {
  close(pictures_);
  pictures_ = -1;
  const int status = wait();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail(status);
}

}  // namespace talus
