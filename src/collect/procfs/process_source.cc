#include "collect/procfs/process_source.h"

#include <algorithm>

#include "collect/rate.h"
#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::collect {

ProcIo parse_proc_io(std::string_view text) {
  // A last line without its newline was cut: its number may be too.
  text = text.substr(0, text.rfind('\n') + 1);
  return {.read_bytes = host::keyed_number<std::uint64_t>(text, "rchar:"),
          .disk_bytes = host::keyed_number<std::uint64_t>(text, "read_bytes:")};
}

std::optional<std::uint64_t> parse_run_delay_ns(std::string_view text) {
  const auto ran = host::next_number<std::uint64_t>(text);
  const auto delay = host::next_number<std::uint64_t>(text);
  // A kernel that does not keep these figures says "0 0 0".
  if (!ran || *ran == 0 || host::next_word(text).empty()) return std::nullopt;
  return delay;
}

ProcessSource::ProcessSource(host::Paths paths, const ProcessTree& tree, KernelUnits units)
    : paths_(std::move(paths)), tree_(tree), units_(units) {}

base::Result<void> ProcessSource::sample(base::TimeNs now, run::SampleSink& out) {
  const auto& processes = tree_.processes();
  std::erase_if(last_, [&](const auto& item) { return !processes.contains(item.first); });
  for (const auto& [pid, entry] : processes) {
    Last& last = last_[pid];
    if (last.start_ticks != entry.seen.id.start_ticks) {
      last = {};
      last.start_ticks = entry.seen.id.start_ticks;
    }
    sample_stat(entry, last, out);
    sample_files(pid, now, last, out);
  }
  return {};
}

void ProcessSource::sample_stat(const ProcessTree::Entry& entry, Last& last,
                                run::SampleSink& out) const {
  if (entry.stat_ns == last.stat_ns) return;  // the tree has not looked since
  const ProcStat& stat = entry.stat;
  const auto add = [&](run::Metric metric, double value) {
    out.add({.t_ns = entry.stat_ns, .value = value, .source = entry.seen.id.pid, .metric = metric});
  };
  if (last.stat_ns != 0) {
    const base::DurationNs elapsed = entry.stat_ns - last.stat_ns;
    if (const auto ticks = rate(last.cpu_ticks, stat.cpu_ticks, elapsed)) {
      double cores = *ticks / static_cast<double>(units_.ticks_per_s);
      if (units_.cpus > 0) cores = std::min(cores, static_cast<double>(units_.cpus));
      add(run::Metric::kProcessCpuCoresUsed, cores);
    }
    if (const auto faults = rate(last.major_faults, stat.major_faults, elapsed)) {
      add(run::Metric::kProcessMajorFaults, *faults);
    }
  }
  add(run::Metric::kProcessMemoryRss,
      static_cast<double>(stat.rss_pages) * static_cast<double>(units_.page_bytes));
  add(run::Metric::kProcessThreads, static_cast<double>(stat.threads));
  add(run::Metric::kProcessIoDiskWait, stat.state == 'D' ? 1 : 0);
  last.stat_ns = entry.stat_ns;
  last.cpu_ticks = stat.cpu_ticks;
  last.major_faults = stat.major_faults;
}

void ProcessSource::sample_files(pid_t pid, base::TimeNs now, Last& last,
                                 run::SampleSink& out) const {
  const auto io_text = host::read_text(host::pid_file(paths_.proc, pid, "io"));
  const ProcIo io = io_text ? parse_proc_io(*io_text) : ProcIo{};
  const auto delay_text = host::read_text(host::pid_file(paths_.proc, pid, "schedstat"));
  const auto delay = delay_text ? parse_run_delay_ns(*delay_text) : std::nullopt;
  const base::DurationNs elapsed = now - last.files_ns;
  const auto add = [&](run::Metric metric, std::optional<double> value) {
    if (value) out.add({.t_ns = now, .value = *value, .source = pid, .metric = metric});
  };
  add(run::Metric::kProcessIoRead, rate(last.io.read_bytes, io.read_bytes, elapsed));
  add(run::Metric::kProcessIoDiskRead, rate(last.io.disk_bytes, io.disk_bytes, elapsed));
  if (const auto waited = rate(last.run_delay_ns, delay, elapsed)) {
    // The delay is booked when the wait ends, so one longer than the interval
    // between two reads falls into the last of them.
    add(run::Metric::kProcessCpuRunDelay,
        std::min(1.0, *waited / static_cast<double>(base::kSecond)));
  }
  last.files_ns = now;
  last.io = io;
  last.run_delay_ns = delay;
}

}  // namespace flatout::collect
