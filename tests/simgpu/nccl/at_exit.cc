// A program that ends without destroying its communicators leaves them.
#include "nccl/at_exit.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "core/process.h"

namespace simgpu::nccl {
namespace {

std::vector<std::weak_ptr<Communicator>>& kept() {
  static auto* all = new std::vector<std::weak_ptr<Communicator>>;
  return *all;
}

__attribute__((destructor)) void leave_all() {
  for (const auto& one : kept()) {
    const auto communicator = one.lock();
    if (communicator != nullptr && communicator->pid == getpid() && !communicator->left) {
      communicator->clique->leave(communicator->rank, RankState::kLeft);
    }
  }
}

}  // namespace

void leave_at_exit(const std::shared_ptr<Communicator>& communicator) {
  const Locked guard(process().lock);
  std::erase_if(kept(), [](const auto& one) { return one.expired(); });
  kept().push_back(communicator);
}

}  // namespace simgpu::nccl
