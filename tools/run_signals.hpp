// Signals as `talus run` and `talus batch` take them. SIGINT, SIGTERM, SIGHUP, SIGXCPU and SIGUSR2
// ask for an end in good order: the step is finished, a checkpoint is written, the exit code is
// 128 + signal. (Grid Engine and LSF announce the end of a job by SIGUSR2.) SIGUSR1 asks for a
// checkpoint. SIGPIPE and SIGXFSZ are ignored: what cannot be written is an error of that write.
// All others, SIGQUIT among them, end the program at once.
#pragma once

#include <array>
#include <csignal>

namespace talus {

inline constexpr std::array ending_signals = {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR2};

// The ending signals that apply to this process: SIGHUP does not below nohup.
sigset_t ending_signals_here();

void ignore_write_signals();  // SIGPIPE, SIGXFSZ

// From each of these on a run takes its signals, until the program ends. Before there is a file an
// ending signal may end the program at once; a wish for a checkpoint never does.
void take_checkpoint_signal();
void take_ending_signals();
int ending_signal();       // that was received, 0: none
bool checkpoint_wanted();  // SIGUSR1 came since the last call

}  // namespace talus
