// A communicator as one rank has it.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "nccl/api.h"
#include "nccl/reduction.h"
#include "nccl/shared_clique.h"

namespace simgpu::nccl {

class OperationMeeting;

// How many operations of each sort a rank has called: what it has in common with the other ranks.
// NCCL user guide, "Collective Operations": all ranks call the same ones in the same order.
struct CallCounts {
  std::uint64_t collectives = 0;
  std::array<std::uint64_t, kMostRanks> sends{}, receives{};
};

struct Scalar {
  bool used = false;
  ncclDataType_t type = ncclFloat32;
  std::array<unsigned char, 8> value{};
};

// Guarded by the process's lock, but for what does not change.
struct Communicator {
  std::string name;
  std::unique_ptr<SharedClique> clique;
  int rank = 0, rank_count = 1, device = 0;
  bool blocking = true;

  bool ready = false;  // all ranks are there
  bool aborted = false;
  bool finalized = false;
  bool left = false;  // the shared file
  pid_t pid = 0;
  ncclResult_t error = ncclSuccess;  // of an operation that runs; it stays
  // Called and not ended yet, without captured ones. Operations of one communicator run one behind
  // the other, whatever streams they are on (NCCL user guide, "Using multiple NCCL communicators
  // concurrently" and "CUDA Stream Semantics").
  std::deque<const OperationMeeting*> pending;
  Nanoseconds last_end = 0;
  CallCounts called, captured;
  int splits = 0, shrinks = 0;
  std::vector<Scalar> scalars;  // of the operators from ncclNumOps on
};

// Opens it and shows itself to the other ranks; does not wait for them.
ncclResult_t open_communicator(const std::string& name, int rank_count, int rank, int device,
                               bool blocking, std::shared_ptr<Communicator>& made);

// True once all ranks are there; sets the communicator's error where one is gone or two of them
// are on one device. Takes the process's lock.
bool is_ready(Communicator& communicator);

// Waits for that.
ncclResult_t wait_until_ready(Communicator& communicator);

// Waits until all that was called has its end, or the communicator has an error.
void flush(Communicator& communicator);

}  // namespace simgpu::nccl

struct ncclComm {
  std::shared_ptr<simgpu::nccl::Communicator> communicator;
};
