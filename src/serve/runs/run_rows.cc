#include "serve/runs/run_rows.h"

#include <exception>
#include <string>
#include <utility>

#include "base/blocked_signals.h"

namespace flatout::serve {

RunRows::RunRows(store::Home home, LiveFigures& figures)
    : home_(home), figures_(figures), look_(std::move(home), figures) {
  const base::BlockedSignals none_for_it;
  thread_ = std::thread([this] { work(); });
}

RunRows::~RunRows() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool RunRows::is_fresh() const { return asked_seen_ == asked_ && Clock::now() - seen_at_ < kFresh; }

base::Result<SeenRuns> RunRows::latest() {
  std::unique_lock lock(mutex_);
  const auto until = Clock::now() + kPatience;
  while (!is_fresh() && !ended_) {
    if (!wanted_) {
      wanted_ = true;
      changed_.notify_all();
    }
    if (!seen_) {
      changed_.wait(lock);
    } else if (changed_.wait_until(lock, until) == std::cv_status::timeout) {
      break;
    }
  }
  if (!seen_) return base::fail(base::ErrorCode::kUnavailable, "flatout ui ends");
  return *seen_;
}

void RunRows::look_again() {
  const std::lock_guard lock(mutex_);
  ++asked_;
}

void RunRows::take(base::Result<SeenRuns> found, std::uint64_t asked, bool whole) {
  {
    const std::lock_guard lock(mutex_);
    seen_ = std::move(found);
    if (whole) {
      seen_at_ = Clock::now();
      asked_seen_ = asked;
    }
  }
  changed_.notify_all();
}

void RunRows::work() {
  std::uint64_t looked_for = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return wanted_ || ended_; });
    if (ended_) return;
    wanted_ = false;
    const std::uint64_t asked = asked_;
    lock.unlock();
    if (std::exchange(looked_for, asked) != asked) look_.look_again();
    base::Result<SeenRuns> found = base::fail(base::ErrorCode::kIo, "the runs cannot be listed");
    try {
      found = look_.look([&](SeenRuns part) { take(std::move(part), asked, false); },
                         [this] {
                           const std::lock_guard held(mutex_);
                           return ended_;
                         });
    } catch (const std::exception& problem) {
      found = base::fail(base::ErrorCode::kIo,
                         std::string("the runs cannot be listed: ") + problem.what());
    }
    take(std::move(found), asked, true);
    lock.lock();
  }
}

std::shared_ptr<const RunRow> RunRows::find(std::string_view id) {
  const auto seen = latest();
  if (!seen) return nullptr;
  bool fresh = false;
  {
    const std::lock_guard lock(mutex_);
    fresh = is_fresh() && seen->unread == 0;
  }
  for (const auto& row : *seen->list) {
    if (fresh && row->entry.id == id) return row;
  }
  if (fresh || !home_.has(id)) return nullptr;
  return LookAtRuns(home_, figures_).one(std::string(id));
}

}  // namespace flatout::serve
