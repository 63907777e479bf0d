// What a later flatout does for a run whose recorder was killed: it reads what
// still lies in the rings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/sink.h"
#include "run/timeline.h"

namespace flatout::record {

struct Recovered {
  std::uint64_t events = 0;        // written to the sink
  std::vector<pid_t> alive;        // writers that still run
  std::vector<std::string> notes;  // damaged rings, sink errors
};

// Drains every ring in `ring_dir` (of dead and living writers) into `sink`,
// flushes it, and only then frees the records and unlinks the rings of the dead;
// where the sink failed they stay, for a later attempt.
// Events that `stored` (the log as it is; may be null) holds already are left
// out: the dead recorder may have written them without freeing them. The counts
// passed on are `stored`'s plus these. kNotFound: there is no such directory.
// Call it only when the recorder is known to be dead: a ring has one reader.
base::Result<Recovered> recover(const std::filesystem::path& ring_dir, run::RunSink& sink,
                                const run::Timeline* stored = nullptr,
                                const std::filesystem::path& proc = "/proc");

}  // namespace flatout::record
