// Named values as columns: what decode_values() gives, without a string for each value, for readers
// that go over millions of them. Pure.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace flatout::store {

struct ValueColumns {
  pid_t pid = 0;
  std::vector<std::string_view> names;  // into the payload
  // Of each value:
  std::vector<std::int64_t> times_ns;
  std::vector<std::int64_t> steps;
  std::vector<std::uint32_t> name;  // of `names`
  std::vector<double> values;
  std::vector<std::uint32_t> tracks;  // empty: all are of track 0

  std::size_t size() const { return values.size(); }
};

// Of a frame or an event of type kValues; reuses the memory of `out`. kCorrupt as decode_values(),
// and `out` then holds anything.
base::Result<void> decode_value_columns(std::string_view payload, ValueColumns& out);

}  // namespace flatout::store
