#include "core/pump.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <thread>
#include <utility>
#include <vector>

#include "core/process.h"

namespace simgpu {
namespace {

struct Due {
  Nanoseconds at;
  std::function<void()> function;
  std::shared_ptr<Mark> done;
};

std::vector<Due>& all_due() {
  static auto* kept = new std::vector<Due>;
  return *kept;
}

// The first whose time has come, taken out.
bool take_due(Due& taken) {
  auto& all = all_due();
  for (auto at = all.begin(); at != all.end(); ++at) {
    if (at->at <= now()) {
      taken = std::move(*at);
      all.erase(at);
      return true;
    }
  }
  return false;
}

void pump() {
  Process& here = process();
  for (;;) {
    bool worked = false;
    Due due{};
    {
      const Locked guard(here.lock);
      worked = advance();
      worked = take_due(due) || worked;
    }
    if (due.function) {
      due.function();  // without the lock: it may not call CUDA, but may wait for who does
      const Locked guard(here.lock);
      due.done->at = now();
      due.done->known = true;
    }
    if (!worked) {
      timespec moment{.tv_sec = 0, .tv_nsec = 200 * kMicrosecond};
      nanosleep(&moment, nullptr);
    }
  }
}

}  // namespace

void start_pump() {
  static bool started = false;
  if (started) {
    return;
  }
  started = true;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the program's signals stay with its own threads
  std::thread(pump).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void run_at(Nanoseconds at, std::function<void()> function, std::shared_ptr<Mark> done) {
  all_due().push_back({at, std::move(function), std::move(done)});
  start_pump();
}

}  // namespace simgpu
