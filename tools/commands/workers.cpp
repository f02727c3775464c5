// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/workers.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <list>
#include <system_error>

#include "tools/commands/run_signals.hpp"
#include "tools/terminal/program_command.hpp"

namespace talus {

namespace {

void require(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

// Signals that the parent of the jobs blocks and waits for (sigtimedwait). So none can arrive
// unnoticed between a check of the jobs and the wait. They are never unblocked: a late signal must
// not end the program before it has written its summary.
class AwaitedSignals {
 public:
  AwaitedSignals() : awaited_(ending_signals_here()) {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;  // SIGCHLD may have been inherited as ignored
    sigaction(SIGCHLD, &usual, nullptr);
    sigaddset(&awaited_, SIGUSR1);
    sigaddset(&awaited_, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &awaited_, &before_);
  }

  int next() const {  // 0: none within a tenth of a second
    constexpr timespec timeout{0, 100'000'000};
    const int signal = sigtimedwait(&awaited_, nullptr, &timeout);
    return signal > 0 ? signal : 0;
  }

  // Signal mask of a new job: SIGUSR1 is blocked until the job has a handler for it.
  sigset_t mask_of_job() const {
    sigset_t mask = before_;
    sigaddset(&mask, SIGUSR1);
    return mask;
  }

 private:
  sigset_t awaited_, before_{};
};

// A running job, and the pipe through which it reports its progress.
class RunningJob {
 public:
  RunningJob(std::size_t k, const Job& job, const sigset_t& mask) : number(k) {
    int ends[2];
    require(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0 ? 0 : errno, "cannot start a job");
    progress_ = ends[0];
    const int error = spawn(job, mask, ends[1]);
    close(ends[1]);
    if (error == 0) return;
    close(progress_);
    require(error, "cannot start a job");
  }
  ~RunningJob() { close(progress_); }
  RunningJob(const RunningJob&) = delete;
  RunningJob& operator=(const RunningJob&) = delete;

  JobProgress progress() {
    for (JobProgress now; read(progress_, &now, sizeof now) == sizeof now;) last_ = now;
    return last_;
  }

  const std::size_t number;
  pid_t process = 0;

 private:
  int spawn(const Job& job, const sigset_t& mask, int progress_end) {
    std::vector<std::string> texts = program_command();
    texts.insert(texts.end(), job.arguments.begin(), job.arguments.end());
    std::vector<char*> arguments;
    for (std::string& text : texts) arguments.push_back(text.data());
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, job.output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, job.messages.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0666);
    posix_spawn_file_actions_adddup2(&files, progress_end, progress_descriptor);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &mask);
    const int error =
        posix_spawn(&process, arguments[0], &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
  }

  int progress_ = -1;
  JobProgress last_;
};

}  // namespace

int run_jobs(std::size_t count, int workers, const JobEvents& events) {
  const AwaitedSignals signals;
  ignore_write_signals();
  std::list<RunningJob> under_way;
  std::size_t next = 0;
  int ending = 0;
  const auto start_next = [&] {
    const std::size_t k = next++;
    try {
      under_way.emplace_back(k, events.start(k), signals.mask_of_job());
    } catch (const std::exception& failure) {
      events.not_started(k, failure.what());
    }
  };
  const auto look_for_ends = [&] {
    for (auto job = under_way.begin(); job != under_way.end();) {
      int status = 0;
      if (waitpid(job->process, &status, WNOHANG) != job->process) {
        ++job;
        continue;
      }
      const std::size_t k = job->number;
      job = under_way.erase(job);
      events.ended(k, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
  };
  for (;;) {
    while (ending == 0 && next < count && std::ssize(under_way) < workers) start_next();
    if (under_way.empty()) return ending;
    const int signal = signals.next();
    if (signal != 0 && signal != SIGCHLD) {
      for (const RunningJob& job : under_way) kill(job.process, signal);
      if (signal != SIGUSR1) ending = signal;
    }
    look_for_ends();
    std::map<std::size_t, JobProgress> progress;
    for (RunningJob& job : under_way) progress[job.number] = job.progress();
    events.waiting(progress);
  }
}

}  // namespace talus
