// Swap in and out, and major faults of the machine, from /proc/vmstat.
#pragma once

#include <unistd.h>

#include <optional>
#include <string_view>

#include "collect/rate.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

struct PagingCounters {
  std::optional<std::uint64_t> swapped_in_pages;
  std::optional<std::uint64_t> swapped_out_pages;
  std::optional<std::uint64_t> major_faults;
};
PagingCounters parse_vmstat(std::string_view text);

class PagingSource final : public run::Source {
 public:
  explicit PagingSource(host::Paths paths, long page_bytes = ::sysconf(_SC_PAGESIZE))
      : paths_(std::move(paths)), page_bytes_(static_cast<double>(page_bytes)) {}
  std::string_view name() const override { return "paging"; }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;

 private:
  host::Paths paths_;
  double page_bytes_;
  Counter in_;
  Counter out_;
  Counter faults_;
};

}  // namespace flatout::collect
