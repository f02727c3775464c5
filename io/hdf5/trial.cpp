// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/trial.hpp"

#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>

namespace talus {

namespace {

herr_t complain(hid_t stack, void*) { return H5Eprint2(stack, stderr); }

double patience(const std::filesystem::path& file) {  // [s]
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  return error ? 2 : 2 + 1e-6 * static_cast<double>(bytes);
}

}  // namespace

std::optional<std::string> told_by_child(const std::filesystem::path& file,
                                         const std::function<std::string()>& read_file) {
  constexpr std::size_t longest = 4000;  // fits into the buffer of a pipe
  int answer[2];
  if (pipe(answer) != 0) return std::nullopt;
  bool told = survives(file, [&] {
    const std::string text = "+" + read_file().substr(0, longest);
    if (::write(answer[1], text.data(), text.size()) < 0) _exit(1);
  });
  close(answer[1]);
  std::string text(longest + 1, '\0');
  const ssize_t count = read(answer[0], text.data(), text.size());
  close(answer[0]);
  told = told && count > 0;
  return told ? std::optional(text.substr(1, static_cast<std::size_t>(count) - 1)) : std::nullopt;
}

bool survives(const std::filesystem::path& file, const std::function<void()>& read_file) {
  const bool alone = H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE) == 0;
  int complaints[2];
  if (pipe(complaints) != 0) return true;  // no descriptors left: the caller reads without a trial
  const pid_t child = fork();
  if (child < 0) {
    close(complaints[0]);
    close(complaints[1]);
    return true;
  }
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const auto seconds = static_cast<rlim_t>(std::ceil(patience(file)));
    const rlimit time{seconds, seconds};
    setrlimit(RLIMIT_CPU, &time);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL})
      std::signal(signal, SIG_DFL);
    dup2(complaints[1], STDERR_FILENO);
    close(complaints[0]);
    close(complaints[1]);
    try {
      read_file();
    } catch (...) {  // not a crash: the caller gets the same exception when it reads the file
    }
    // Closing HDF5 shows whether its state is corrupt. Not if other files are open: the child would
    // write data that belongs to the parent.
    if (alone) {
      H5Eset_auto2(H5E_DEFAULT, complain, nullptr);  // HDF5 reports it only if error printing is on
      H5close();
    }
    _exit(0);
  }
  close(complaints[1]);
  char text[256];
  bool silent = true;
  for (;;) {  // read until the child has ended, so that it never blocks on the pipe
    const ssize_t count = read(complaints[0], text, sizeof text);
    if (count > 0) silent = false;
    if (count == 0 || (count < 0 && errno != EINTR)) break;
  }
  close(complaints[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return silent && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace talus
