#include "serve/http/notices.h"

#include "base/ready_write.h"

namespace flatout::serve {
void Notices::add(std::string_view text, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  last_ = text;
  ++waiting_;
  write_due(now);
}

void Notices::flush(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  write_due(now);
}

void Notices::write_due(Clock::time_point now) {
  constexpr std::size_t kLongest = 1024;
  if (waiting_ == 0 || (wrote_ && now - written_at_ < kEvery)) return;
  std::string line = "flatout: " + last_.substr(0, kLongest);
  if (waiting_ > 1) {
    line += " (the last of " + std::to_string(waiting_) + " warnings since the one before)";
  }
  // One that found no room is counted with the next.
  if (base::write_if_ready(fd_, line + "\n")) waiting_ = 0;
  wrote_ = true;
  written_at_ = now;
}

}  // namespace flatout::serve
