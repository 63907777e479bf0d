// Every signal of this thread, held back while this lives. A thread that is started meanwhile never
// takes one: signals are for the thread that waits for them.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace flatout::base {

class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace flatout::base
