#include "collect/procfs/disks.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::collect {
namespace {

constexpr std::uint64_t kSectorBytes = 512;  // of /proc/diskstats, whatever the disk's own are
constexpr std::size_t kMaxDisks = 4096;      // names remembered

// Block devices that stand on other block devices, or on memory: their reads
// would be counted twice, or are none.
bool is_stacked(std::string_view name) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"loop", "ram", "zram", "dm-", "md", "sr"};
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::optional<DiskLine> parse_disk_line(std::string_view line) {
  host::next_word(line);  // major
  host::next_word(line);  // minor
  DiskLine disk{.name = host::next_word(line)};
  // Completed, merged, sectors, ms of reads, then of writes; in flight; busy ms.
  for (int field = 0; field < 10; ++field) {
    const auto value = host::next_number<std::uint64_t>(line);
    if (!value) return std::nullopt;
    if (field == 2) disk.read_bytes = *value * kSectorBytes;
    if (field == 6) disk.written_bytes = *value * kSectorBytes;
    if (field == 9) disk.busy_ms = *value;
  }
  // The weighted time follows: the number before it was not cut.
  return line.empty() ? std::nullopt : std::optional(disk);
}

// Each disk has its own rates, so that one that is plugged in does not bring
// its whole past into the sum.
void Disks::sample(base::TimeNs now, run::SampleSink& out) {
  auto text = host::read_text(paths_.proc / "diskstats");
  std::optional<double> read;
  std::optional<double> written;
  std::optional<double> busiest;
  std::string_view line;
  while (text && host::next_line(*text, line)) {
    const auto disk = parse_disk_line(line);
    if (!disk || !is_whole(disk->name)) continue;
    Counters& last = counters_of(disk->name);
    if (const auto bytes = last.read_bytes.per_second(disk->read_bytes, now)) {
      read = read.value_or(0) + *bytes;
    }
    if (const auto bytes = last.written_bytes.per_second(disk->written_bytes, now)) {
      written = written.value_or(0) + *bytes;
    }
    if (const auto ms = last.busy_ms.per_second(disk->busy_ms, now)) {
      busiest = std::max(busiest.value_or(0), std::min(*ms / 1000, 1.0));
    }
  }
  const auto add = [&](run::Metric metric, std::optional<double> value) {
    if (value) out.add({.t_ns = now, .value = *value, .metric = metric});
  };
  add(run::Metric::kHostDiskRead, read);
  add(run::Metric::kHostDiskWritten, written);
  add(run::Metric::kHostDiskBusy, busiest);
}

Disks::Counters& Disks::counters_of(std::string_view name) {
  const auto known = counters_.find(name);
  return known != counters_.end() ? known->second : counters_[std::string(name)];
}

// Partitions have no entry of their own in /sys/block.
bool Disks::is_whole(std::string_view name) {
  if (const auto known = whole_.find(name); known != whole_.end()) return known->second;
  if (whole_.size() >= kMaxDisks) return false;  // bounds counters_ as well
  std::string entry(name);
  std::ranges::replace(entry, '/', '!');  // as sysfs spells it: cciss!c0d0
  std::error_code error;
  const bool whole = !name.empty() && name != "." && name != ".." && !is_stacked(name) &&
                     std::filesystem::exists(paths_.root / "sys/block" / entry, error);
  whole_.emplace(name, whole);
  return whole;
}

}  // namespace flatout::collect
