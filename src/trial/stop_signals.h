// Ctrl-C, SIGTERM and SIGHUP as a question that a loop asks. Main thread.
#pragma once

#include <csignal>

namespace flatout::trial {

// While one lives, these signals end nothing by themselves. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool asked() const;  // one came since it was made
  // As they were before it was made; for a child that was forked. Async-signal-safe.
  void hand_back() const;
};

}  // namespace flatout::trial
