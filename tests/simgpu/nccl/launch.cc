#include "nccl/launch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/copy.h"
#include "core/process.h"
#include "nccl/operation_meeting.h"
#include "nccl/status.h"

namespace simgpu::nccl {
namespace {

// As NCCL's device code names types; signed integers share the kernels of unsigned ones.
const char* type_name(ncclDataType_t type) {
  static constexpr std::array<const char*, ncclNumTypes> kNames = {
      "u8", "u8", "u32", "u32", "u64", "u64", "f16", "f32", "f64", "bf16", "f8e4m3", "f8e5m2"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string plain_name(const Part& part) {
  const std::string type = type_name(part.type);
  switch (part.pattern) {
    case Pattern::kAllReduce:
      return "AllReduce_Sum_" + type + "_RING_LL";
    case Pattern::kReduce:
      return "Reduce_Sum_" + type + "_RING_LL";
    case Pattern::kReduceScatter:
      return "ReduceScatter_Sum_" + type + "_RING_LL";
    case Pattern::kAllGather:
      return "AllGather_RING_LL";
    case Pattern::kBroadcast:
      return "Broadcast_RING_LL";
    default:
      return "SendRecv";
  }
}

// ncclDevKernel_...(ncclDevKernelArgsStorage<4096ul>): one kernel for all operators and protocols
// of a type, as NCCL builds it.
const char* kernel_name(const Part& part) {
  const std::string name = "ncclDevKernel_" + plain_name(part);
  return intern(
      ("_Z" + std::to_string(name.size()) + name + "24ncclDevKernelArgsStorageILm4096EE").c_str());
}

constexpr std::uint64_t kBytesPerBlock = 256 << 10;
constexpr std::uint64_t kMostBlocks = 24;
constexpr std::uint32_t kThreads = 512;

Operation kernel(const LaunchedParts& what, Nanoseconds duration) {
  std::uint64_t bytes = 0;
  for (const Part& part : what.parts) {
    bytes += transfer_bytes(part, what.communicator->rank_count);
  }
  Operation kernel;
  kernel.kind = OpKind::kKernel;
  kernel.name = kernel_name(what.parts.front());
  kernel.duration = duration;
  kernel.shares_sms = true;
  kernel.grid = {
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bytes / kBytesPerBlock, 1, kMostBlocks)),
      1, 1};
  kernel.block = {kThreads, 1, 1};
  return kernel;
}

// The default streams are those of the communicator's device, whichever the thread is on when its
// group ends.
class OnDevice {
 public:
  explicit OnDevice(int device) : before_(current_device_slot()) { current_device_slot() = device; }
  ~OnDevice() { current_device_slot() = before_; }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_;
};

bool is_alone(const LaunchedParts& what) {
  return what.communicator->rank_count == 1 &&
         std::none_of(what.parts.begin(), what.parts.end(), [](const Part& part) {
           return is_point_to_point(part) || part.reduction.scaled;
         });
}

// A communicator of one rank copies, and does nothing in place.
ncclResult_t launch_alone(const LaunchedParts& what) {
  for (const Part& part : what.parts) {
    const std::size_t bytes = part.count * bytes_of(part.type);
    if (part.from != part.to && bytes > 0) {
      const Copy moved{.to = part.to, .from = part.from, .row_bytes = bytes};
      if (const Status status = copy(what.stream, moved, true); status != kSuccess) {
        return as_result(status);
      }
    }
  }
  return ncclSuccess;
}

Status put_onto_the_stream(LaunchedParts what) {
  SIMGPU_API(cudaLaunchKernelExC);  // NCCL's own launch, as CUPTI sees it
  const Locked guard(process().lock);
  Communicator& communicator = *what.communicator;
  const bool captured = captures(what.stream);
  const auto meeting = std::make_shared<OperationMeeting>(what.communicator, what.parts, captured);
  if (!captured) {
    communicator.pending.push_back(meeting.get());
  }
  Submission submission;
  submission.what = kernel(what, meeting->duration());
  submission.meeting = meeting;
  const Status status = submit(what.stream, std::move(submission));
  if (status != kSuccess) {
    std::erase(communicator.pending, meeting.get());
    communicator.error = ncclUnhandledCudaError;  // its calls no longer match those of the others
  }
  return simgpu_scope_.ends(status);
}

}  // namespace

ncclResult_t check(const Communicator& communicator, const Part& part) {
  if (bytes_of(part.type) == 0) {
    return fail(ncclInvalidArgument, "the type is none of NCCL's");
  }
  if (part.root < 0 || part.root >= communicator.rank_count) {
    return fail(ncclInvalidArgument, "the root or peer is none of the ranks");
  }
  const Locked guard(process().lock);
  if (communicator.error != ncclSuccess) {
    return communicator.error;
  }
  return communicator.ready ? ncclSuccess
                            : fail(ncclInvalidUsage, "the communicator is not ready yet");
}

ncclResult_t launch(LaunchedParts what) {
  std::erase_if(what.parts, [](const Part& part) {
    return part.count == 0 && !is_point_to_point(part);  // nothing is launched for these
  });
  if (what.parts.empty()) {
    return ncclSuccess;
  }
  const OnDevice guard(what.communicator->device);
  if (is_alone(what)) {
    return launch_alone(what);
  }
  return as_result(put_onto_the_stream(std::move(what)));
}

}  // namespace simgpu::nccl
