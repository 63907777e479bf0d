// A few threads and a bounded queue of what they are to do.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace flatout::serve {

class Workers {
 public:
  Workers(std::size_t threads, std::size_t waiting);
  // Ends what waits without doing it, and waits for what is being done.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False: the queue is full. `job` must not throw.
  bool add(std::function<void()> job);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> jobs_;
  const std::size_t waiting_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace flatout::serve
