// The files that a trial read its data from (inject/read_watch.h), and getting them out of the
// kernel's page cache. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace flatout::trial {

// Regular files that hold something, each once whatever names it has.
struct TrialReads {
  std::set<std::string> paths;  // absolute
  std::uint64_t bytes = 0;      // of all of them
};

// Reads and removes `list`, which need not be there. At most 32 MiB of it count.
TrialReads take_trial_reads(const std::filesystem::path& list);

// Asks the kernel to forget what it keeps of them; pages that are mapped or not yet written
// stay. Nothing of the files changes. How many it was asked for: those that can be opened.
std::size_t drop_from_page_cache(const TrialReads& reads);

}  // namespace flatout::trial
