// /proc/<pid>/stat, proc(5). Pure.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flatout::collect {

struct ProcStat {
  std::string command;  // the kernel's name of the main thread, at most 15 bytes
  char state = '?';     // of the main thread: R S D Z T ...
  pid_t parent = 0;
  std::uint64_t major_faults = 0;  // of all threads, dead ones too
  std::uint64_t cpu_ticks = 0;     // user + system, the same
  std::int64_t threads = 0;
  std::uint64_t start_ticks = 0;
  std::int64_t rss_pages = 0;
};

// Absent when `text` is not a whole line of that form.
std::optional<ProcStat> parse_proc_stat(std::string_view text);

}  // namespace flatout::collect
