// Sealing: the frame log of a run that is over becomes run.sqlite
// (docs/formats/run-sqlite.md), and is then removed. Crash-safe at every
// moment: the new file is written under another name, read back and compared
// with what was put in, synced, renamed; only then does the log go. Until then
// the log is the run, afterwards run.sqlite is, and readers take either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "store/disk.h"
#include "store/home.h"
#include "store/run_reader.h"

namespace flatout::store {

constexpr std::string_view kSealedFileName = "run.sqlite";

enum class SealResult {
  kSealed,   // now
  kAlready,  // before; a log that a crash left beside it was removed
  kNotYet,   // it runs, another flatout has it, or its rings may still hold records
};

// Seals one run. An error leaves the run as it was, with its log. Memory: a few
// thousand points a series, whatever the length of the log. One thread a run.
base::Result<SealResult> seal_run(const Home& home, const std::string& id, const Viewpoint& from,
                                  Disk& disk = system_disk());

// How many bytes of payload (FrameReader::payload_bytes) are sealed within
// `budget`; from the bench, on the safe side.
std::uint64_t sealable_bytes(base::DurationNs budget);

// Seals the run if that takes about `budget` at most; kNotYet otherwise. For
// the end of `flatout run`, which must not keep its user waiting.
base::Result<SealResult> seal_within(const Home& home, const std::string& id, const Viewpoint& from,
                                     base::DurationNs budget);

struct SealSweep {
  std::size_t sealed = 0;
  std::size_t left = 0;               // over, but not sealed for lack of budget
  std::vector<std::string> problems;  // one line a run that could not be sealed
};

// Seals runs that are over and still have a log, smallest first, until
// `budget` is used up. What every command but `run` does first.
SealSweep seal_ended(const Home& home, const Viewpoint& from, const base::Clock& clock,
                     base::DurationNs budget);

}  // namespace flatout::store
