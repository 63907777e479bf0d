#include "collect/procfs/switches_source.h"

#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::collect {

Switches parse_switches(std::string_view status) {
  // A last line without its newline was cut: its number may be too.
  status = status.substr(0, status.rfind('\n') + 1);
  // The last two of some sixty lines. The name of a program in the first line
  // cannot pretend to be one: the kernel writes its newlines as "\n".
  const auto at = status.rfind("\nvoluntary_ctxt_switches:");
  if (at == std::string_view::npos) return {};
  status = status.substr(at + 1);
  return {.voluntary = host::keyed_number<std::uint64_t>(status, "voluntary_ctxt_switches:"),
          .forced = host::keyed_number<std::uint64_t>(status, "nonvoluntary_ctxt_switches:")};
}

base::Result<void> SwitchesSource::sample(base::TimeNs now, run::SampleSink& out) {
  const auto& processes = tree_.processes();
  std::erase_if(last_, [&](const auto& item) { return !processes.contains(item.first); });
  for (const auto& [pid, entry] : processes) {
    Last& last = last_[pid];
    if (last.start_ticks != entry.seen.id.start_ticks) {
      last = {.start_ticks = entry.seen.id.start_ticks};
    }
    const auto text = host::read_text(host::pid_file(paths_.proc, pid, "status"));
    const Switches switches = text ? parse_switches(*text) : Switches{};
    const auto add = [&](run::Metric metric, std::optional<double> value) {
      if (value) out.add({.t_ns = now, .value = *value, .source = pid, .metric = metric});
    };
    add(run::Metric::kProcessContextSwitchesVoluntary,
        last.voluntary.per_second(switches.voluntary, now));
    add(run::Metric::kProcessContextSwitchesForced, last.forced.per_second(switches.forced, now));
  }
  return {};
}

}  // namespace flatout::collect
