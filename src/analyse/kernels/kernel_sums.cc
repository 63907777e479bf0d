#include "analyse/kernels/kernel_sums.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "analyse/kernels/kernel_class.h"

namespace flatout::analyse {
namespace {

// A launch takes the host 3 to 9 us (medians of traces of V100, A100 and H100), so that a stream of
// shorter kernels cannot keep a device busy.
constexpr std::int64_t kShortNs = 10'000;
constexpr std::size_t kTop = 10;

constexpr double kMostBytes = 9.0e18;  // that an int64 holds

}  // namespace

KernelSums::KernelSums(const run::NameTable& names) : names_(names), of_name_(names.size()) {}

void KernelSums::add(const run::DeviceActivity& activity) {
  const std::int64_t length = std::max<std::int64_t>(0, activity.end_ns - activity.begin_ns);
  const auto ns = static_cast<double>(length);
  if (activity.kind == run::ActivityKind::kCopy) return add_copy(activity, ns);
  if (activity.kind != run::ActivityKind::kKernel || activity.name >= of_name_.size()) return;
  OfName& sums = of_name_[activity.name];
  ++sums.count;
  sums.ns += ns;
  if (length < kShortNs) ++short_;
  if (activity.graph != 0) ++in_graphs_;
}

void KernelSums::add_copy(const run::DeviceActivity& activity, double ns) {
  ++copies_;
  const bool to_device = activity.direction == run::CopyDirection::kHostToDevice;
  if (!to_device && activity.direction != run::CopyDirection::kDeviceToHost) return;
  Direction& direction = to_device ? to_device_ : to_host_;
  direction.ns += ns;
  if (activity.bytes == run::DeviceActivity::kUnknownBytes) return;
  const auto bytes = static_cast<double>(activity.bytes);
  direction.bytes += bytes;
  direction.bytes_known = true;
  if (!to_device || activity.host_memory == run::HostMemory::kUnknown) return;
  placed_bytes_ += bytes;
  if (activity.host_memory == run::HostMemory::kPageable) pageable_bytes_ += bytes;
}

run::KernelsReport KernelSums::kernels() const {
  run::KernelsReport report;
  double tensor_ns = 0, could_ns = 0, all_ns = 0;
  std::vector<std::uint32_t> seen;
  for (std::uint32_t name = 0; name < of_name_.size(); ++name) {
    const OfName& sums = of_name_[name];
    if (sums.count == 0) continue;
    seen.push_back(name);
    report.count += sums.count;
    all_ns += sums.ns;
    const std::string_view text = names_.at(name);
    if (uses_tensor_cores(text)) tensor_ns += sums.ns;
    if (could_use_tensor_cores(kernel_class(text))) could_ns += sums.ns;
  }
  report.time_ms = all_ns / 1e6;
  if (report.count == 0) return report;
  report.short_share = static_cast<double>(short_) / static_cast<double>(report.count);
  if (in_graphs_ > 0) {
    report.graph_share = static_cast<double>(in_graphs_) / static_cast<double>(report.count);
  }
  if (all_ns > 0) {
    report.tensor_core_share = tensor_ns / all_ns;
    report.could_use_share = could_ns / all_ns;
  }
  const std::size_t top = std::min(kTop, seen.size());
  std::ranges::partial_sort(
      seen, seen.begin() + static_cast<std::ptrdiff_t>(top), [&](std::uint32_t a, std::uint32_t b) {
        return of_name_[a].ns != of_name_[b].ns ? of_name_[a].ns > of_name_[b].ns : a < b;
      });
  for (std::size_t i = 0; i < top; ++i) {
    const OfName& sums = of_name_[seen[i]];
    const std::string_view text = names_.at(seen[i]);
    report.top.push_back({std::string(text), std::string(kernel_class_name(kernel_class(text))),
                          sums.count, sums.ns / 1e6});
  }
  return report;
}

// 0 only where the trace holds copies with sizes, or none at all.
std::optional<std::int64_t> KernelSums::bytes_of(const Direction& direction, bool any_copy) {
  if (!direction.bytes_known && direction.ns > 0) return std::nullopt;
  if (!direction.bytes_known && any_copy) return 0;
  return static_cast<std::int64_t>(std::min(direction.bytes, kMostBytes));
}

run::CopiesReport KernelSums::copies() const {
  run::CopiesReport report;
  report.h2d_bytes = bytes_of(to_device_, copies_ > 0);
  report.d2h_bytes = bytes_of(to_host_, copies_ > 0);
  report.h2d_ms = to_device_.ns / 1e6;
  report.d2h_ms = to_host_.ns / 1e6;
  if (placed_bytes_ > 0) report.pageable_share = pageable_bytes_ / placed_bytes_;
  return report;
}

}  // namespace flatout::analyse
