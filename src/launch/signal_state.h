// The signal mask and dispositions that flatout was given, kept while flatout
// has its own. Main thread, before any other thread exists.
#pragma once

#include <csignal>

namespace flatout::launch {

// True for signals that the relay takes: all that can be caught, but not those
// of job control (TSTP, TTIN, TTOU, CONT), of faults (SEGV, BUS, ILL, FPE, TRAP,
// SYS, ABRT) and PIPE.
bool is_relayed(int signo);

class SignalState {
 public:
  // Blocks SIGCHLD and the relayed signals, gives SIGCHLD its default (an
  // inherited "ignore" would lose exit codes) and ignores SIGPIPE.
  static SignalState take_over();

  // Puts mask and dispositions back as flatout was given them. Safe between
  // fork and exec.
  void restore() const noexcept;

  const sigset_t& taken() const { return taken_; }  // what the signalfd reads

 private:
  sigset_t mask_{};   // as given
  sigset_t taken_{};  // blocked by us
  struct sigaction child_{};
  struct sigaction pipe_{};
};

// Has a write beyond the limit on file sizes fail with EFBIG, which is reported, rather than end
// flatout by SIGXFSZ. Once, first thing in main(); children get back what flatout was given.
void ignore_file_size_signal();
// Between fork and exec.
void restore_file_size_signal() noexcept;

}  // namespace flatout::launch
