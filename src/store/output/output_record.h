// A record of a program's output, as src/inject/output writes it (docs/formats/output.md). Pure;
// any bytes may be given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flatout::store {

enum class OutputStream : std::uint8_t { kStdout, kStderr };

struct OutputLine {
  std::int64_t t_ns = 0;  // CLOCK_MONOTONIC: when it began
  std::int64_t pid = 0;
  OutputStream stream = OutputStream::kStdout;
  bool going_on = false;             // it was not finished then: a progress bar, a prompt
  bool is_gap = false;               // no line of the program's: `left_out_*` say what is missing
  std::string text = {};             // as it was written, without its line feed
  std::uint64_t left_out_bytes = 0;  // of this line; of a gap: in all so far
  std::uint64_t left_out_lines = 0;  // of a gap: in all so far
};

// Beyond this, nothing that we write is one record.
constexpr std::size_t kMostRecordBytes = 32U << 10;

// Of a record without its end; absent where it is none. `pid` is not set.
std::optional<OutputLine> parse_output_record(std::string_view record, bool finished);

// Where the record that begins at or before `at` ends, its end included; the whole length where it
// has none yet.
std::size_t output_record_end(std::string_view bytes, std::size_t at);

// One line of text as it may be shown: without escape sequences, controls and marks that turn the
// direction of writing; tabs stay. Bytes that are no UTF-8 become '?'.
std::string shown_output(std::string_view text);

}  // namespace flatout::store
