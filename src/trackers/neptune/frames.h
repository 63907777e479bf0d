// The frames that python/flatout/neptune_parquet.py answers with. Bytes are not trusted: lengths
// are bounded before anything is allocated.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trackers/parquet_rows.h"

namespace flatout::trackers::neptune {

constexpr std::size_t kLargestFrame = 8U << 20;

struct Frame {
  char kind = 0;
  std::string payload;
};

class Frames {
 public:
  explicit Frames(ParquetRows& rows) : rows_(rows) {}
  // kCorrupt where the process ended within the answer, or said what no frame is.
  base::Result<Frame> next();

 private:
  base::Result<void> read_exactly(std::span<char> into);

  ParquetRows& rows_;
  std::string buffer_;
  std::size_t at_ = 0;
};

struct NumberRow {
  std::string_view name;             // lives as long as the payload
  std::int64_t ms = 0;               // since 1970; kNone = not said
  std::int64_t step_millionths = 0;  // kNone = none
  double value = 0;
};

constexpr std::int64_t kNone = INT64_MIN;

// Calls take with each row of a frame V. kCorrupt where the payload does not hold what it says.
base::Result<void> each_number(std::string_view payload,
                               const std::function<base::Result<void>(const NumberRow&)>& take);

}  // namespace flatout::trackers::neptune
