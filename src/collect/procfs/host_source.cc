#include "collect/procfs/host_source.h"

#include <algorithm>

#include "collect/rate.h"
#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::collect {

namespace {

// "cpu0 ...", one line a CPU that is online, after the first line.
int cpu_lines(std::string_view text) {
  int cpus = 0;
  std::string_view line;
  while (host::next_line(text, line)) {
    if (line.starts_with("cpu")) ++cpus;
  }
  return cpus;
}

}  // namespace

std::optional<CpuTicks> parse_cpu_ticks(std::string_view text) {
  if (host::next_word(text) != "cpu") return std::nullopt;
  CpuTicks ticks;
  std::string_view first;
  // user nice system idle iowait irq softirq steal; guest is part of user.
  for (int field = 0; field < 7; ++field) {
    const auto value = host::next_number<std::uint64_t>(text);
    if (!value) return std::nullopt;
    if (field == 4) {
      ticks.iowait = *value;
    } else if (field != 3) {
      ticks.busy += *value;
    }
  }
  ticks.stolen = host::next_number<std::uint64_t>(text);
  host::next_line(text, first);
  ticks.cpus = cpu_lines(text);
  return ticks;
}

MemoryKib parse_meminfo(std::string_view text) {
  // A last line without its newline was cut: its number may be too.
  text = text.substr(0, text.rfind('\n') + 1);
  MemoryKib memory;
  memory.total = host::keyed_number<std::uint64_t>(text, "MemTotal:");
  memory.available = host::keyed_number<std::uint64_t>(text, "MemAvailable:");
  const auto cached = host::keyed_number<std::uint64_t>(text, "Cached:");
  const auto shared = host::keyed_number<std::uint64_t>(text, "Shmem:");
  if (cached && shared && *cached >= *shared) memory.page_cache = *cached - *shared;
  return memory;
}

HostSource::HostSource(host::Paths paths, long ticks_per_s)
    : paths_(std::move(paths)), ticks_per_s_(static_cast<double>(ticks_per_s)), disks_(paths_) {}

base::Result<void> HostSource::sample(base::TimeNs now, run::SampleSink& out) {
  cpu(now, out);
  memory(now, out);
  disks_.sample(now, out);
  return {};
}

void HostSource::cpu(base::TimeNs now, run::SampleSink& out) {
  const auto text = host::read_text(paths_.proc / "stat");
  const auto ticks = text ? parse_cpu_ticks(*text) : std::nullopt;
  if (ticks && ticks_ && now > ticks_ns_) {
    const double scale = 1 / (ticks_per_s_ * seconds(now - ticks_ns_));
    const auto add = [&](run::Metric metric, std::uint64_t from, std::uint64_t to) {
      if (to < from) return;
      // A tick belongs whole to the moment it ends in, and no clock is read as /proc/stat is: a
      // figure above all CPUs is all of them.
      double cores = static_cast<double>(to - from) * scale;
      if (ticks->cpus > 0) cores = std::min(cores, static_cast<double>(ticks->cpus));
      out.add({.t_ns = now, .value = cores, .metric = metric});
    };
    add(run::Metric::kHostCpuCoresUsed, ticks_->busy, ticks->busy);
    add(run::Metric::kHostIowait, ticks_->iowait, ticks->iowait);
    if (ticks_->stolen && ticks->stolen) {
      add(run::Metric::kHostCpuStolen, *ticks_->stolen, *ticks->stolen);
    }
  }
  ticks_ = ticks;
  ticks_ns_ = now;
}

void HostSource::memory(base::TimeNs now, run::SampleSink& out) const {
  const auto text = host::read_text(paths_.proc / "meminfo");
  if (!text) return;
  const MemoryKib memory = parse_meminfo(*text);
  const auto add = [&](run::Metric metric, std::optional<std::uint64_t> kib) {
    if (!kib) return;
    out.add({.t_ns = now, .value = static_cast<double>(*kib) * 1024, .metric = metric});
  };
  add(run::Metric::kHostMemoryAvailable, memory.available);
  add(run::Metric::kHostMemoryTotal, memory.total);
  add(run::Metric::kHostMemoryPageCache, memory.page_cache);
}

}  // namespace flatout::collect
