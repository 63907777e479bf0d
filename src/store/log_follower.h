// Follows the log of a run that is still written: each call gives what came since the one before,
// so that whoever watches a run for a day reads each byte of it once. One thread.
//
// PointScan (point_scan.h) follows the same log, for curves. What following takes they share:
// open_log(), FrameReader::go_on(). They stay two, since nothing else is alike: this one makes a
// Timeline of everything but traces, begins before the end of a long log, and is over when it is
// sealed; that one hands over columns of numbers from the beginning, with their places, and reads
// sealed runs too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/result.h"
#include "run/timeline.h"
#include "store/run_reader.h"

namespace flatout::store {

class LogFollower {
 public:
  // Events and readings that lie further before the end than this when the log is opened are left
  // out; what was stated is not.
  static constexpr std::uint64_t kTailBytes = 16U << 20;

  // kNotFound: no such run, nothing written yet, or its log was sealed (it is over then).
  static base::Result<LogFollower> open(const std::filesystem::path& folder,
                                        std::uint64_t tail_bytes = kTailBytes);

  LogFollower(LogFollower&&) noexcept;
  LogFollower& operator=(LogFollower&&) noexcept;
  ~LogFollower();

  // A Timeline of what is new alone: its info is whole at the first call only, a process that was
  // not stated anew has no command. Kernel traces are left out. Its state: what the end says, else
  // `running` while the recorder is alive, else `lost`.
  base::Result<run::Timeline> read_new(const Viewpoint& from);

  // False where events before the tail were left out, so that counting them says nothing.
  bool whole() const;

 private:
  struct State;
  explicit LogFollower(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace flatout::store
