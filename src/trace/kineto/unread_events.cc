#include "trace/kineto/unread_events.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace flatout::trace {
namespace {

constexpr std::size_t kMostCategories = 64;
constexpr std::size_t kShownCategories = 3;

// Of Kineto's ActivityType.h: what accelerators do that are no GPUs, and what CUPTI's range
// profiler counts instead of recording kernels.
constexpr auto kDeviceCategories = std::to_array<std::string_view>(
    {"cuda_profiler_range", "hpu_op", "mtia_ccp_events", "xpu_scope_profiler"});

// XLA's profiler names its processes so, for JAX and TensorFlow; neither has categories.
bool is_xla_process(const ChromeEvent& event) {
  return event.phase == 'M' && event.name == "process_name" &&
         (event.label_name.starts_with("/device:") || event.label_name.starts_with("/host:"));
}

std::string counted(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " event" : " events");
}

}  // namespace

void UnreadEvents::add(const ChromeEvent& event) {
  ++count_;
  of_xla_ = of_xla_ || is_xla_process(event);
  if (event.phase != 'X' || event.category.empty()) return;
  const auto known = categories_.find(event.category);
  if (known != categories_.end()) {
    ++known->second;
  } else if (categories_.size() < kMostCategories) {
    categories_.emplace(event.category, 1);
  }
}

std::string UnreadEvents::why_no_trace() const {
  if (of_xla_) {
    return "XLA's profiler wrote it (JAX, TensorFlow), whose events flatout does not know";
  }
  if (count_ == 0) return "it holds no event";
  std::vector<std::pair<std::string, std::int64_t>> most(categories_.begin(), categories_.end());
  std::ranges::stable_sort(most, std::ranges::greater(),
                           &std::pair<std::string, std::int64_t>::second);
  std::string named;
  for (std::size_t i = 0; i < std::min(kShownCategories, most.size()); ++i) {
    named += (named.empty() ? "; its categories: " : ", ") + most[i].first;
  }
  return "it holds " + counted(count_) +
         ", and no kernel, copy, call, op or range as PyTorch's profiler writes them" + named;
}

std::string UnreadEvents::devices_note() const {
  for (const std::string_view category : kDeviceCategories) {
    const auto found = categories_.find(category);
    if (found == categories_.end()) continue;
    return counted(found->second) + " of category " + found->first +
           " were left out: flatout does not read what they say of a device";
  }
  return "";
}

}  // namespace flatout::trace
