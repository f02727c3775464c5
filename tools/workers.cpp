#include "tools/workers.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <map>
#include <system_error>

namespace talus {

namespace {

volatile std::sig_atomic_t workers_signal = 0;

// While one of these lives, SIGINT and SIGTERM are noted, and interrupt a wait; jobs that have
// ended are waited for, whatever this program was started with.
class SignalNote {
 public:
  SignalNote() {
    struct sigaction action {};
    action.sa_handler = [](int signal) { workers_signal = signal; };
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &usual, &child_);
  }
  ~SignalNote() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
    sigaction(SIGCHLD, &child_, nullptr);
  }

 private:
  struct sigaction interrupt_ {
  }, terminate_{}, child_{};
};

void redirect(const std::filesystem::path& path, int mode, int descriptor) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | mode, 0666);
  if (file < 0) _exit(127);
  dup2(file, descriptor);
  close(file);
}

pid_t spawn(const Job& job) {
  std::vector<char*> arguments;
  std::string name = "talus";
  std::vector<std::string> texts = job.arguments;
  arguments.push_back(name.data());
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start a job");
  if (child > 0) return child;
  redirect(job.output, O_TRUNC, STDOUT_FILENO);
  redirect(job.messages, O_APPEND, STDERR_FILENO);
  execv("/proc/self/exe", arguments.data());
  _exit(127);
}

}  // namespace

int run_jobs(std::size_t count, int workers, const std::function<Job(std::size_t)>& start,
             const std::function<void(std::size_t, int)>& ended) {
  const SignalNote note;
  workers_signal = 0;
  std::map<pid_t, std::size_t> under_way;
  std::size_t next = 0;
  bool passed_on = false;
  std::exception_ptr thrown;
  const auto attempt = [&](auto action) {  // if it fails, those under way come to their end first
    try {
      action();
    } catch (...) {
      if (!thrown) thrown = std::current_exception();
      next = count;
    }
  };
  while (next < count || !under_way.empty()) {
    if (workers_signal != 0) {
      next = count;
      if (!passed_on) {
        for (const auto& [child, job] : under_way) kill(child, workers_signal);
      }
      passed_on = true;
      if (under_way.empty()) break;
    }
    if (next < count && std::ssize(under_way) < workers) {
      attempt([&] {
        under_way[spawn(start(next))] = next;
        ++next;
      });
      continue;
    }
    int status = 0;
    const pid_t child = waitpid(-1, &status, 0);
    if (child < 0) continue;  // a signal came: looked at above
    const auto found = under_way.find(child);
    if (found == under_way.end()) continue;
    const std::size_t job = found->second;
    under_way.erase(found);
    attempt([&] { ended(job, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)); });
  }
  if (thrown) std::rethrow_exception(thrown);
  return workers_signal;
}

}  // namespace talus
