#include "io/trial.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>

namespace talus {

bool survives(const std::function<void()>& attempt, double processor_seconds) {
  int complaints[2];
  if (pipe(complaints) != 0) return true;  // nothing to spare: the caller reads without a trial
  const pid_t child = fork();
  if (child < 0) {
    close(complaints[0]);
    close(complaints[1]);
    return true;
  }
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const auto seconds = static_cast<rlim_t>(std::ceil(processor_seconds));
    const rlimit time{seconds, seconds};
    setrlimit(RLIMIT_CPU, &time);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL})
      std::signal(signal, SIG_DFL);
    dup2(complaints[1], STDERR_FILENO);
    close(complaints[0]);
    close(complaints[1]);
    try {
      attempt();
    } catch (...) {  // orderly: the caller meets the same exception when it tries itself
    }
    _exit(0);
  }
  close(complaints[1]);
  char text[256];
  bool silent = true;
  for (;;) {  // until the child has ended, so that it never waits for us to read
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
