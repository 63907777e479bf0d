// The whole disks of the machine, from /proc/diskstats: bytes read and written
// by all of them together, and how busy the busiest one is. Partitions, and
// devices that stand on others (LVM, RAID, loop), would count twice: left out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "collect/rate.h"
#include "host/paths.h"
#include "run/sample.h"

namespace flatout::collect {

// One line of /proc/diskstats (Documentation/admin-guide/iostats).
struct DiskLine {
  std::string_view name;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t busy_ms = 0;  // with at least one request in flight
};
// Absent where the line is not whole.
std::optional<DiskLine> parse_disk_line(std::string_view line);

class Disks {
 public:
  explicit Disks(host::Paths paths) : paths_(std::move(paths)) {}
  // Says nothing where there is no disk to read from.
  void sample(base::TimeNs now, run::SampleSink& out);

 private:
  struct Counters {
    Counter read_bytes;
    Counter written_bytes;
    Counter busy_ms;
  };

  bool is_whole(std::string_view name);
  Counters& counters_of(std::string_view name);

  host::Paths paths_;
  std::map<std::string, bool, std::less<>> whole_;
  std::map<std::string, Counters, std::less<>> counters_;
};

}  // namespace flatout::collect
