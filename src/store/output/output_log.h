// What the processes of a run wrote to stdout and stderr, merged by time and read in pages. A page
// costs memory for its own lines and one block of each process, however long the run. Any thread;
// the files may grow meanwhile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "store/output/output_file_blocks.h"
#include "store/output/output_filter.h"
#include "store/output/output_folder.h"
#include "store/output/output_record.h"

namespace flatout::store {

struct OutputQuery {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();  // both included
  std::int64_t to_ns = std::numeric_limits<std::int64_t>::max();
  std::size_t limit = 500;
  bool last = false;  // the latest lines of that time instead of the first
  std::optional<std::int64_t> pid = {};
  std::optional<OutputStream> stream = {};
  std::string contains = {};  // of the text that is shown; ASCII letters in either case
  bool states = false;        // also those of lines that were rewritten or finished later

  OutputFilter filter() const { return {pid, stream, contains}; }
};

struct OutputPage {
  std::vector<OutputLine> lines = {};  // by time; texts as shown_output() has them
  bool more = false;                   // there may be more in the direction that was read
  // Where a search ended that looked at kMostSearched without finding enough: go on from here.
  std::optional<std::int64_t> reached_ns = {};
};

struct OutputProcess {
  std::int64_t pid = 0;
  std::uint64_t bytes = 0;
  std::uint64_t left_out_lines = 0, left_out_bytes = 0;  // as last said
};

class OutputLog {
 public:
  // Of a run's folder; empty where nothing was recorded.
  static OutputLog open(const std::filesystem::path& run_folder);

  bool empty() const { return files_.empty(); }
  std::vector<OutputProcess> processes() const;
  OutputPage read(const OutputQuery& query) const;

  static constexpr std::uint64_t kMostSearched = 256U << 20;  // bytes

 private:
  std::vector<OutputFileBlocks> files_;  // by process
};

}  // namespace flatout::store
