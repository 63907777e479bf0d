#include "nccl/communicator.h"

#include <time.h>
#include <unistd.h>

#include "core/context.h"
#include "core/process.h"
#include "nccl/at_exit.h"
#include "nccl/status.h"

namespace simgpu::nccl {
namespace {

void pause() {
  timespec moment{.tv_sec = 0, .tv_nsec = 200 * kMicrosecond};
  nanosleep(&moment, nullptr);
}

}  // namespace

ncclResult_t open_communicator(const std::string& name, int rank_count, int rank, int device,
                               bool blocking, std::shared_ptr<Communicator>& made) {
  if (rank_count < 1 || rank < 0 || rank >= rank_count) {
    return fail(ncclInvalidArgument, "the rank is not one of the communicator");
  }
  if (rank_count > kMostRanks) {
    return fail(ncclInvalidUsage, "simgpu: a communicator has at most 16 ranks");
  }
  made = std::make_shared<Communicator>();
  made->name = name;
  made->rank = rank;
  made->rank_count = rank_count;
  made->device = device;
  made->blocking = blocking;
  made->pid = getpid();
  made->clique = SharedClique::open(name, rank_count);
  if (made->clique == nullptr) {
    return fail(ncclSystemError, "simgpu: the ranks have no file in common");
  }
  open_context(device);
  if (!made->clique->join(rank, device)) {
    return fail(ncclInvalidUsage, "the rank is in the communicator already");
  }
  leave_at_exit(made);
  return ncclSuccess;
}

bool is_ready(Communicator& communicator) {
  const Locked guard(process().lock);
  if (communicator.ready || communicator.error != ncclSuccess) {
    return communicator.ready;
  }
  if (communicator.clique->joined() < communicator.rank_count) {
    if (communicator.clique->has_gone_rank()) {
      communicator.error = fail(ncclRemoteError, "a rank ended before all had come");
    }
    return false;
  }
  if (communicator.clique->has_duplicate_device()) {
    communicator.error = fail(ncclInvalidUsage, "Duplicate GPU detected");
    return false;
  }
  communicator.ready = true;
  return true;
}

ncclResult_t wait_until_ready(Communicator& communicator) {
  while (!is_ready(communicator)) {
    if (communicator.error != ncclSuccess || communicator.aborted) {
      return communicator.error;
    }
    pause();
  }
  return ncclSuccess;
}

void flush(Communicator& communicator) {
  for (;;) {
    {
      const Locked guard(process().lock);
      advance();
      if (communicator.pending.empty() || communicator.error != ncclSuccess ||
          communicator.aborted) {
        return;
      }
    }
    pause();
  }
}

}  // namespace simgpu::nccl
