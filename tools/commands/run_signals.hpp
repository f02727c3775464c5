// SPDX-License-Identifier: Apache-2.0
// Signals of `talus run` and `talus batch`. SIGINT, SIGTERM, SIGHUP, SIGXCPU and SIGUSR2 request a
// graceful stop: the step is finished, a checkpoint is written, the exit code is 128 + signal.
// (Grid Engine and LSF announce the end of a job by SIGUSR2.) SIGUSR1 asks for a checkpoint.
// SIGPIPE and SIGXFSZ are ignored: a failed write reports its own error. All others, SIGQUIT among
// them, end the program at once.
#pragma once

#include <array>
#include <csignal>

namespace talus {

inline constexpr std::array ending_signals = {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR2};

// The ending signals that apply to this process; without SIGHUP under nohup.
sigset_t ending_signals_here();

void ignore_write_signals();  // SIGPIPE, SIGXFSZ

// Install the handlers until the end of the program. Before the file exists an ending signal may
// end the program at once; SIGUSR1 never does.
void take_checkpoint_signal();
void take_ending_signals();
int ending_signal();       // the signal received; 0: none
bool checkpoint_wanted();  // SIGUSR1 came since the last call

}  // namespace talus
