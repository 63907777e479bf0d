// What was made of a run's outline, kept until there is another one. Any thread; one makes it, the
// others wait.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

#include "run/timeline.h"

namespace flatout::serve {

template <typename T>
class Made {
 public:
  // How old it may be while the run goes on: making it goes over the whole recording.
  static constexpr std::chrono::seconds kFreshEnough{5};

  using Of = std::shared_ptr<const run::Timeline>;

  // `make(timeline)`, or what it gave before.
  template <typename Make>
  std::shared_ptr<const T> get(const Of& of, const Make& make) {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    const bool live = of->state == run::RunState::kRunning;
    if (it_ && (of == of_ || (live && now - made_at_ < kFreshEnough))) return it_;
    it_ = std::make_shared<const T>(make(*of));
    of_ = of;
    made_at_ = now;
    return it_;
  }
  // Null where nothing was made, or somebody is making it.
  std::shared_ptr<const T> peek() const {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    return lock ? it_ : nullptr;
  }

 private:
  mutable std::mutex mutex_;
  Of of_;
  std::shared_ptr<const T> it_;
  std::chrono::steady_clock::time_point made_at_;
};

}  // namespace flatout::serve
