// When a program whose hooks have not spoken is looked at for the reason: early
// enough for a short script, and again for one that a launcher starts late. One
// look a tick, none once the hooks have spoken, and no line twice. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "launch/hook_loss.h"

namespace flatout::launch {

class HookWatch {
 public:
  using Look = std::function<std::vector<HookLoss>()>;

  HookWatch(base::TimeNs started_ns, Look look) : started_ns_(started_ns), look_(std::move(look)) {}

  // Lines for the user. `hooks_spoke`: any event has come from the program.
  std::vector<std::string> tick(base::TimeNs now_ns, bool hooks_spoke);

 private:
  base::TimeNs started_ns_;
  Look look_;
  std::size_t looks_ = 0;
  std::set<std::string> said_;
};

}  // namespace flatout::launch
