#include "serve/http/workers.h"

#include <utility>

#include "base/blocked_signals.h"

namespace flatout::serve {

Workers::Workers(std::size_t threads, std::size_t waiting) : waiting_(waiting) {
  const base::BlockedSignals none_for_them;
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    jobs_.clear();
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::add(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_ || jobs_.size() >= waiting_) return false;
    jobs_.push_back(std::move(job));
  }
  more_.notify_one();
  return true;
}

void Workers::work() {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [this] { return ended_ || !jobs_.empty(); });
      if (ended_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace flatout::serve
