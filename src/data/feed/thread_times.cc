#include "data/feed/thread_times.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace flatout::data {
namespace {

// The second number of the file: nanoseconds on a run queue.
base::DurationNs run_delay_of(pid_t thread) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/schedstat", thread);
  const int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 96> text{};
  const ssize_t length = ::read(file, text.data(), text.size());
  ::close(file);
  if (length <= 0) return 0;
  const std::string_view line(text.data(), static_cast<std::size_t>(length));
  const std::size_t second = line.find(' ');
  base::DurationNs delay = 0;
  if (second == std::string_view::npos) return 0;
  const auto read = std::from_chars(line.data() + second + 1, line.data() + line.size(), delay);
  return read.ec == std::errc() ? delay : 0;
}

}  // namespace

void ThreadList::add_this_thread() {
  Thread thread{.id = ::gettid()};
  if (::pthread_getcpuclockid(::pthread_self(), &thread.cpu_clock) == 0) threads_.push_back(thread);
}

ThreadTimes ThreadList::times() const {
  ThreadTimes out;
  for (const Thread& thread : threads_) {
    out.cpu += base::read_clock_ns(thread.cpu_clock);
    out.run_delay += run_delay_of(thread.id);
  }
  return out;
}

}  // namespace flatout::data
