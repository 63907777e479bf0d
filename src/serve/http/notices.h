// Warnings of the server, on a stderr that perhaps nobody reads: the first one at once, later ones
// counted and written as one line a minute, and none of them ever waits. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace flatout::serve {

class Notices {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kEvery{60};

  explicit Notices(int fd = 2) : fd_(fd) {}

  void add(std::string_view text, Clock::time_point now = Clock::now());
  // Writes what was counted, once kEvery is over. Called now and then.
  void flush(Clock::time_point now = Clock::now());

 private:
  void write_due(Clock::time_point now);

  const int fd_;
  std::mutex mutex_;
  std::string last_;
  std::size_t waiting_ = 0;  // not written yet
  bool wrote_ = false;
  Clock::time_point written_at_;
};

}  // namespace flatout::serve
