// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/run_signals.hpp"

#include <atomic>

namespace talus {

namespace {

std::atomic<int> received = 0;
std::atomic<bool> checkpoint_asked_for = false;
static_assert(std::atomic<int>::is_always_lock_free, "they are set by signal handlers");

bool is_ignored(int signal) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler == SIG_IGN;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

sigset_t ending_signals_here() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : ending_signals)
    if (signal != SIGHUP || !is_ignored(SIGHUP)) sigaddset(&set, signal);
  return set;
}

void ignore_write_signals() {
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
}

void take_checkpoint_signal() {
  handle(SIGUSR1, [](int) { checkpoint_asked_for = true; });
  // `talus batch` starts a case with SIGUSR1 blocked, so that it waits for the handler.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void take_ending_signals() {
  ignore_write_signals();
  const sigset_t taken = ending_signals_here();
  for (const int signal : ending_signals)
    if (sigismember(&taken, signal) == 1) handle(signal, [](int caught) { received = caught; });
}

int ending_signal() { return received; }
bool checkpoint_wanted() { return checkpoint_asked_for.exchange(false); }

}  // namespace talus
