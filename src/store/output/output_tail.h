// One process's output while it is written: each call gives the records that came since the one
// before, over all its files. Any bytes may lie in them. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "store/output/output_folder.h"
#include "store/output/output_record.h"

namespace flatout::store {

class OutputTail {
 public:
  // From the record on that begins at `from_ns` or later; of all files that are there by now.
  OutputTail(std::int64_t pid, const std::map<std::int64_t, OutputFileFound>& files,
             std::int64_t from_ns);

  // At most kPieceBytes of what is new, finished lines and gaps alone, appended to `lines`; texts
  // are as they were written. `files` are what is there now. True: there is more to read.
  bool read(const std::map<std::int64_t, OutputFileFound>& files, std::vector<OutputLine>& lines);

  // The last state of each stream, where it is not finished: stdout, stderr.
  const std::array<std::optional<OutputLine>, 2>& open_lines() const { return open_; }

  static constexpr std::size_t kPieceBytes = 64U << 10;

 private:
  void to_file(std::int64_t number);
  std::size_t take_records(std::string_view bytes, bool file_is_over,
                           std::vector<OutputLine>& lines);
  void take(OutputLine line, std::vector<OutputLine>& lines);
  void take_gap(OutputLine gap, std::vector<OutputLine>& lines);

  std::int64_t pid_;
  std::int64_t number_ = -1;        // of the file that is read; -1: none was there yet
  std::int64_t first_read_ = -1;    // number of the file that was the first
  std::uint64_t offset_ = 0;        // after the last finished record
  std::uint64_t looked_bytes_ = 0;  // how long the file was when it was last read to its end
  bool within_record_ = false;      // what comes first is the rest of one that is left out
  std::optional<std::int64_t> skip_before_ns_ = {};  // until the end was reached once
  std::map<std::int64_t, std::uint64_t> lines_in_;   // of files that were read from their beginning
  std::uint64_t said_missing_ = 0;                   // in the writer's count
  std::uint64_t missing_ = 0;                        // of those that nobody has read
  bool at_file_begin_ = false;
  bool began_late_ = false;
  std::array<std::optional<OutputLine>, 2> open_ = {};
};

}  // namespace flatout::store
