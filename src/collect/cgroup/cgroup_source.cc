#include "collect/cgroup/cgroup_source.h"

#include <algorithm>

#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::collect {

std::optional<Throttling> parse_throttling(std::string_view text, host::CgroupVersion version) {
  // A last line without its newline was cut.
  text = text.substr(0, text.rfind('\n') + 1);
  const bool v2 = version == host::CgroupVersion::kV2;
  const auto periods = host::keyed_number<std::uint64_t>(text, "nr_periods");
  const auto throttled = host::keyed_number<std::uint64_t>(text, "nr_throttled");
  const auto time =
      host::keyed_number<std::uint64_t>(text, v2 ? "throttled_usec" : "throttled_time");
  if (!periods || !throttled || !time) return std::nullopt;
  return Throttling{.periods = *periods,
                    .throttled_periods = *throttled,
                    .throttled_ns = v2 ? *time * 1000 : *time};
}

std::optional<double> throttled_share(const Throttling& from, const Throttling& to,
                                      base::DurationNs elapsed) {
  if (elapsed <= 0 || to.periods < from.periods || to.throttled_periods < from.throttled_periods ||
      to.throttled_ns < from.throttled_ns) {
    return std::nullopt;
  }
  const double time =
      static_cast<double>(to.throttled_ns - from.throttled_ns) / static_cast<double>(elapsed);
  const auto periods = to.periods - from.periods;
  // A period is counted at its end, the time as it passes.
  const double counted = periods == 0
                             ? 1
                             : static_cast<double>(to.throttled_periods - from.throttled_periods) /
                                   static_cast<double>(periods);
  return std::min({1.0, time, counted});
}

CgroupSource::CgroupSource(const host::Paths& paths) {
  if (const auto levels = host::cgroup_levels(paths, "memory")) {
    const auto binding = host::binding_memory_limit(*levels);
    memory_file_ =
        (binding ? binding->dir : levels->dirs.front()) /
        (levels->version == host::CgroupVersion::kV2 ? "memory.current" : "memory.usage_in_bytes");
    oom_file_ =
        levels->dirs.front() /
        (levels->version == host::CgroupVersion::kV2 ? "memory.events" : "memory.oom_control");
  }
  if (const auto levels = host::cgroup_levels(paths, "cpu")) {
    const auto binding = host::binding_cpu_quota(*levels);
    cpu_file_ = (binding ? binding->dir : levels->dirs.front()) / "cpu.stat";
    cpu_version_ = levels->version;
  }
}

base::Result<void> CgroupSource::sample(base::TimeNs now, run::SampleSink& out) {
  if (memory_file_.empty() && cpu_file_.empty()) {
    return base::fail(base::ErrorCode::kUnavailable,
                      "no cgroup with memory or cpu control is visible here");
  }
  if (!memory_file_.empty()) memory(now, out);
  if (!cpu_file_.empty()) throttling(now, out);
  return {};
}

void CgroupSource::memory(base::TimeNs now, run::SampleSink& out) const {
  const auto add = [&](run::Metric metric, std::optional<std::uint64_t> value) {
    if (value) out.add({.t_ns = now, .value = static_cast<double>(*value), .metric = metric});
  };
  if (auto text = host::read_text(memory_file_)) {
    add(run::Metric::kCgroupMemoryUsed, host::next_number<std::uint64_t>(*text));
  }
  if (const auto text = host::read_text(oom_file_)) {
    const auto whole_lines = text->substr(0, text->rfind('\n') + 1);
    add(run::Metric::kCgroupMemoryOomKills,
        host::keyed_number<std::uint64_t>(whole_lines, "oom_kill"));
  }
}

void CgroupSource::throttling(base::TimeNs now, run::SampleSink& out) {
  const auto text = host::read_text(cpu_file_);
  const auto read = text ? parse_throttling(*text, cpu_version_) : std::nullopt;
  if (read && last_) {
    if (const auto share = throttled_share(*last_, *read, now - last_ns_)) {
      out.add({.t_ns = now, .value = *share, .metric = run::Metric::kCgroupCpuThrottled});
    }
  }
  last_ = read;
  last_ns_ = now;
}

}  // namespace flatout::collect
