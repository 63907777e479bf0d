#include "launch/hook_watch.h"

#include <array>

namespace flatout::launch {
namespace {

constexpr std::array<base::DurationNs, 2> kLooksAfter = {3 * base::kSecond, 15 * base::kSecond};

}  // namespace

std::vector<std::string> HookWatch::tick(base::TimeNs now_ns, bool hooks_spoke) {
  if (hooks_spoke || looks_ == kLooksAfter.size()) return {};
  if (now_ns - started_ns_ < kLooksAfter[looks_]) return {};
  ++looks_;
  std::vector<std::string> lines;
  for (const HookLoss& loss : look_()) {
    if (said_.insert(loss.line).second) lines.push_back(loss.line);
  }
  return lines;
}

}  // namespace flatout::launch
