// When the host had waited for the device (cudaDeviceSynchronize and the like), asked in order of
// time.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "analyse/kernels/name_cache.h"
#include "run/host_calls.h"
#include "run/timeline.h"

namespace flatout::analyse {

// One pass over the host's spans; memory of the waits that are open at one time.
class HostWaits {
 public:
  // Both must outlive it.
  HostWaits(const run::ProcessTrack& process, const run::NameTable& names)
      : is_wait_(names, run::is_sync_call), next_(process.host_spans.begin()) {}

  // Whether one ended in [from_ns, to_ns]. Of one call to the next, both may only grow.
  bool ended_between(std::int64_t from_ns, std::int64_t to_ns) {
    if (to_ns < from_ns) return false;
    std::erase_if(ends_ns_, [&](std::int64_t end_ns) { return end_ns < from_ns; });
    for (; next_ != std::default_sentinel && next_->begin_ns <= to_ns; ++next_) {
      const run::HostSpan& span = *next_;
      if (span.end_ns < from_ns || span.kind != run::HostSpanKind::kCall) continue;
      if (is_wait_.of(span.name)) ends_ns_.push_back(span.end_ns);
    }
    for (const std::int64_t end_ns : ends_ns_) {
      if (end_ns <= to_ns) return true;
    }
    return false;
  }

 private:
  NameCache<bool (*)(std::string_view)> is_wait_;
  run::RecordIterator<run::HostSpan> next_;
  std::vector<std::int64_t> ends_ns_;  // not before the last from_ns
};

}  // namespace flatout::analyse
