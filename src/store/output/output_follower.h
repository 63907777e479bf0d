// Follows what the processes of a run write to stdout and stderr: each call gives what came since
// the one before, so that whoever watches for a day reads each byte once. Costs memory for one
// piece of each process (OutputTail::kPieceBytes). One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/output/output_filter.h"
#include "store/output/output_tail.h"

namespace flatout::store {

struct OutputNews {
  // Finished lines and gaps, by time among what was there to read; texts as shown_output() has
  // them. Of a gap: what has been missing so far, without what was read before it was removed.
  std::vector<OutputLine> lines = {};
  bool more = false;  // there is more already
};

class OutputFollower {
 public:
  // Of a run's folder, whose output need not be there yet. Lines that began before `from_ns` and
  // were finished when this was called are left out. `filter` refers to its text.
  OutputFollower(std::filesystem::path run_folder, const OutputFilter& filter,
                 std::int64_t from_ns = std::numeric_limits<std::int64_t>::min());

  OutputNews read_new();
  // The last line that is wanted and not finished, where there is one: what a terminal shows below
  // all others, a progress bar say. `each`: of each process and stream, by time.
  std::optional<OutputLine> open_line() const;
  std::vector<OutputLine> open_lines() const;
  // With output that is wanted, so far.
  std::size_t processes() const { return followed_.size(); }

 private:
  struct Followed {
    OutputTail tail;
    std::deque<OutputLine> ready = {};
    bool more = false;
  };
  void read_pieces();

  std::filesystem::path run_folder_;
  OutputFilter filter_;
  std::map<std::int64_t, Followed> followed_;  // by process
};

}  // namespace flatout::store
