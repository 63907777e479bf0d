// What `flatout pack` shows while it works and when it is done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/command_line.h"

namespace flatout::cli {

// What flatout_pack() reported.
struct PackDone {
  std::int64_t samples = 0;
  std::int64_t left_out = 0;
  std::int64_t shards = 0;
  std::int64_t kept_shards = 0;
  std::int64_t bytes = 0;
  std::vector<std::string> why = {};  // of samples that were left out, the first ones
};

// One line, no newline, at most 79 columns: a bar, how many of all, how many a second, the time
// that is left. `done` in [0, total].
std::string pack_bar(std::int64_t done, std::int64_t total, std::int64_t left_out,
                     base::DurationNs since_begin);

std::string pack_text(const PackDone& done, const std::string& folder);

// The description that flatout_pack() takes. A folder with tar files and no folder in it is these
// tar files. kInvalid where tar files and folders are mixed, or several folders named.
base::Result<std::string> pack_spec(const PackVerbOptions& options);

base::Result<PackDone> read_pack_report(const std::string& json);
// flatout.pack/1 of a report that read_pack_report takes.
std::string pack_json(const std::string& report);

}  // namespace flatout::cli
