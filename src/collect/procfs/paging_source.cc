#include "collect/procfs/paging_source.h"

#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::collect {

// In one pass: the file has some 200 lines.
PagingCounters parse_vmstat(std::string_view text) {
  text = text.substr(0, text.rfind('\n') + 1);
  PagingCounters counters;
  std::string_view line;
  while (host::next_line(text, line)) {
    if (!line.starts_with('p')) continue;
    const auto key = host::next_word(line);
    if (key == "pswpin") counters.swapped_in_pages = host::next_number<std::uint64_t>(line);
    if (key == "pswpout") counters.swapped_out_pages = host::next_number<std::uint64_t>(line);
    if (key == "pgmajfault") counters.major_faults = host::next_number<std::uint64_t>(line);
  }
  return counters;
}

base::Result<void> PagingSource::sample(base::TimeNs now, run::SampleSink& out) {
  const auto text = host::read_text(paths_.proc / "vmstat");
  const PagingCounters counters = text ? parse_vmstat(*text) : PagingCounters{};
  const auto add = [&](run::Metric metric, std::optional<double> rate, double unit) {
    if (rate) out.add({.t_ns = now, .value = *rate * unit, .metric = metric});
  };
  add(run::Metric::kHostSwapIn, in_.per_second(counters.swapped_in_pages, now), page_bytes_);
  add(run::Metric::kHostSwapOut, out_.per_second(counters.swapped_out_pages, now), page_bytes_);
  add(run::Metric::kHostMajorFaults, faults_.per_second(counters.major_faults, now), 1);
  return {};
}

}  // namespace flatout::collect
