#include "nccl/link.h"

#include <array>
#include <string_view>

#include "core/config.h"

namespace simgpu::nccl {
namespace {

struct NvLink {
  std::string_view device;
  double bytes_per_s;  // in one direction: half of the total of the data sheet
};

// NVIDIA's data sheets of H100 SXM5 (900 GB/s) and A100 SXM4 (600 GB/s); other devices of the
// table talk over PCIe.
constexpr std::array<NvLink, 2> kNvLinks = {{{"h100", 450e9}, {"a100", 300e9}}};

// Of the link's peak; one figure, not a model of any one protocol.
constexpr double kLinkEfficiency = 0.8;
constexpr double kStart_s = 5e-6;  // the kernel's own, and what a step to the neighbour adds
constexpr double kStep_s = 1e-6;

double link_bytes_per_s(const DeviceSpec& spec) {
  for (const NvLink& link : kNvLinks) {
    if (link.device == spec.id) {
      return link.bytes_per_s * kLinkEfficiency;
    }
  }
  return spec.pinned_bytes_per_s;  // what is reached, not a peak
}

// Which part of S passes each link of a ring, and in how many steps.
struct Share {
  double of_bytes;
  int steps;
};

Share share(Pattern pattern, int rank_count) {
  const double others = static_cast<double>(rank_count - 1) / rank_count;
  switch (pattern) {
    case Pattern::kAllReduce:
      return {2 * others, 2 * (rank_count - 1)};
    case Pattern::kReduceScatter:
    case Pattern::kAllGather:
    case Pattern::kAllToAll:
      return {others, rank_count - 1};
    case Pattern::kBroadcast:
    case Pattern::kReduce:
      return {1, rank_count - 1};
    case Pattern::kSend:
    case Pattern::kReceive:
      break;
  }
  return {1, 1};
}

}  // namespace

Nanoseconds transfer_time(int device, Pattern pattern, std::uint64_t bytes, int rank_count) {
  const Share taken = share(pattern, rank_count);
  const double seconds =
      kStart_s + taken.steps * kStep_s +
      taken.of_bytes * static_cast<double>(bytes) / link_bytes_per_s(spec_of(device));
  return static_cast<Nanoseconds>(seconds * config().slower * static_cast<double>(kSecond));
}

}  // namespace simgpu::nccl
