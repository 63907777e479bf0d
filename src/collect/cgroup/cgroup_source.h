// The cgroup of the run: memory used and time throttled, of the level whose
// limit binds, so that "used" and "limit" speak of the same thing; of the own
// cgroup where nothing is limited. Processes killed for want of memory, of the
// own cgroup: that is where the kernel counts its victims.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "host/cgroup.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

struct Throttling {
  std::uint64_t periods = 0;            // in which the cgroup wanted to run
  std::uint64_t throttled_periods = 0;  // of those, in which it met its quota
  std::uint64_t throttled_ns = 0;       // of all its CPUs, added up
};
// cpu.stat of either version; absent where a field is missing (the v2 root).
std::optional<Throttling> parse_throttling(std::string_view text, host::CgroupVersion version);

// The share of `elapsed` in which the cgroup was throttled. The kernel adds the
// time up over CPUs, so that it may exceed `elapsed`; the share of periods
// bounds it as well. The smaller of both: right for one busy CPU, else an upper
// bound. Absent when a counter went back.
std::optional<double> throttled_share(const Throttling& from, const Throttling& to,
                                      base::DurationNs elapsed);

class CgroupSource final : public run::Source {
 public:
  explicit CgroupSource(const host::Paths& paths);
  std::string_view name() const override { return "cgroup"; }
  // kUnavailable: neither memory nor cpu is controlled by a visible cgroup.
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;

 private:
  void memory(base::TimeNs now, run::SampleSink& out) const;
  void throttling(base::TimeNs now, run::SampleSink& out);

  std::filesystem::path memory_file_;  // "" = there is none
  std::filesystem::path oom_file_;
  std::filesystem::path cpu_file_;
  host::CgroupVersion cpu_version_ = host::CgroupVersion::kV2;
  std::optional<Throttling> last_;
  base::TimeNs last_ns_ = 0;
};

}  // namespace flatout::collect
