// Whether a process of the run has loaded PyTorch for Python while no hook has spoken: then
// the hooks did not attach, which is a fault of flatout's and never the program's. Looks from
// outside, seldom, and no more once it has an answer. One thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "base/time.h"

namespace flatout::launch {

// The first of `root` and its descendants that maps libtorch_python. A process whose maps may
// not be read is passed over. A C++ program on libtorch alone is none.
std::optional<pid_t> process_with_torch(pid_t root, const std::filesystem::path& proc = "/proc");

class TorchWatch {
 public:
  using Look = std::function<std::optional<pid_t>()>;

  TorchWatch(base::TimeNs started_ns, Look look)
      : next_ns_(started_ns + base::kSecond), wait_ns_(base::kSecond), look_(std::move(look)) {}

  // `hooks_spoke`: any event has come from the program.
  void tick(base::TimeNs now_ns, bool hooks_spoke);

  // The process, if one was seen and the hooks have not spoken since.
  std::optional<pid_t> without_hooks() const { return found_; }

 private:
  base::TimeNs next_ns_;
  base::DurationNs wait_ns_;  // doubled after each look
  Look look_;
  std::optional<pid_t> found_;
};

}  // namespace flatout::launch
