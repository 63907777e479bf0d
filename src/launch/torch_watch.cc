#include "launch/torch_watch.h"

#include <string>
#include <vector>

#include "base/file.h"
#include "launch/child.h"

namespace flatout::launch {
namespace {

constexpr std::size_t kMapsBytesMax = 4U << 20;  // 40 000 mappings; a training process has 2000

}  // namespace

std::optional<pid_t> process_with_torch(pid_t root, const std::filesystem::path& proc) {
  std::vector<pid_t> pids = descendants(root, proc);
  pids.insert(pids.begin(), root);
  for (const pid_t pid : pids) {
    const auto maps = base::read_file(proc / std::to_string(pid) / "maps", kMapsBytesMax);
    if (maps && maps->find("/libtorch_python.") != std::string::npos) return pid;
  }
  return std::nullopt;
}

void TorchWatch::tick(base::TimeNs now_ns, bool hooks_spoke) {
  if (hooks_spoke) found_.reset();
  if (hooks_spoke || found_ || now_ns < next_ns_) return;
  found_ = look_();
  wait_ns_ *= 2;
  next_ns_ = now_ns + wait_ns_;
}

}  // namespace flatout::launch
