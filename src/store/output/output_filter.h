// Which lines of a program's output are wanted. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/output/output_record.h"

namespace flatout::store {

// Refers to its text.
struct OutputFilter {
  std::optional<std::int64_t> pid = {};
  std::optional<OutputStream> stream = {};
  std::string_view contains = {};  // of the text that is shown; ASCII letters in either case
};

// Makes the line's text one that may be shown, where it is wanted; a gap is where neither a stream
// nor a text was asked for.
bool show_if_wanted(const OutputFilter& filter, OutputLine& line);

}  // namespace flatout::store
