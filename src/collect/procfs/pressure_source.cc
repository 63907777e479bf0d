#include "collect/procfs/pressure_source.h"

#include <algorithm>
#include <string>

#include "host/cgroup.h"
#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::collect {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=123".
std::optional<std::uint64_t> total_us(std::string_view line) {
  constexpr std::string_view kKey = "total=";
  const auto at = line.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  return host::parse_number<std::uint64_t>(line.substr(at + kKey.size()));
}

}  // namespace

StallTotals parse_pressure(std::string_view text) {
  // A last line without its newline was cut: its number may be too.
  text = text.substr(0, text.rfind('\n') + 1);
  StallTotals totals;
  std::string_view line;
  while (host::next_line(text, line)) {
    if (line.starts_with("some ")) totals.some_us = total_us(line);
    if (line.starts_with("full ")) totals.full_us = total_us(line);
  }
  return totals;
}

bool has_pressure(const host::Paths& paths) {
  const auto text = host::read_text(paths.proc / "pressure/memory");
  return text && parse_pressure(*text).some_us.has_value();
}

PressureSource::PressureSource(const host::Paths& paths) {
  using run::Metric;
  const auto host = paths.proc / "pressure";
  add({.path = host / "cpu", .some = Metric::kHostPressureCpuSome});
  add({.path = host / "memory",
       .some = Metric::kHostPressureMemorySome,
       .full = Metric::kHostPressureMemoryFull});
  add({.path = host / "io",
       .some = Metric::kHostPressureIoSome,
       .full = Metric::kHostPressureIoFull});
  if (const auto cgroup = host::own_cgroup_v2(paths)) {
    add({.path = *cgroup / "cpu.pressure", .some = Metric::kCgroupPressureCpuSome});
    add({.path = *cgroup / "memory.pressure", .some = Metric::kCgroupPressureMemorySome});
    add({.path = *cgroup / "io.pressure", .some = Metric::kCgroupPressureIoSome});
  }
}

// A kernel that keeps no pressure lacks the file, or fails to read it.
void PressureSource::add(File file) {
  if (host::read_text(file.path)) files_.push_back(std::move(file));
}

base::Result<void> PressureSource::sample(base::TimeNs now, run::SampleSink& out) {
  const auto share = [&](run::Metric metric, std::optional<double> us_per_second) {
    if (!us_per_second) return;
    // The kernel closes its books a little after the time they speak of.
    out.add({.t_ns = now,
             .value = std::min(*us_per_second / kMicrosecondsPerSecond, 1.0),
             .metric = metric});
  };
  for (File& file : files_) {
    const auto text = host::read_text(file.path);
    const StallTotals totals = text ? parse_pressure(*text) : StallTotals{};
    share(file.some, file.some_us.per_second(totals.some_us, now));
    if (file.full) share(*file.full, file.full_us.per_second(totals.full_us, now));
  }
  return {};
}

}  // namespace flatout::collect
