#include "store/output/output_tail.h"

#include <limits>
#include <string>
#include <utility>

#include "store/output/output_file_blocks.h"

namespace flatout::store {
namespace {

constexpr std::size_t kGapBytes = 128;  // of a record that says what is missing, with room

}  // namespace

OutputTail::OutputTail(std::int64_t pid, const std::map<std::int64_t, OutputFileFound>& files,
                       std::int64_t from_ns)
    : pid_(pid) {
  if (from_ns == std::numeric_limits<std::int64_t>::min()) return;
  skip_before_ns_ = from_ns;
  OutputFileBlocks blocks(pid);
  std::vector<std::int64_t> numbers;
  for (const auto& [number, file] : files) {
    blocks.add_file(file.path, file.bytes);
    numbers.push_back(number);
  }
  if (blocks.count() == 0) return;
  const OutputFileBlocks::Place place = blocks.place(blocks.block_of(from_ns));
  to_file(numbers[place.file]);
  began_late_ = true;
  if (place.from == 0) return;
  const std::string begin = read_output_bytes(files.at(number_).path, 0, kGapBytes);
  const auto first =
      parse_output_record(std::string_view(begin).substr(0, begin.find_first_of("\r\n")), true);
  if (first && first->is_gap) said_missing_ = first->left_out_lines;
  offset_ = place.from - 1;  // a record may end just before it
  within_record_ = true;
  at_file_begin_ = false;
  lines_in_.erase(number_);
}

void OutputTail::to_file(std::int64_t number) {
  number_ = number;
  if (first_read_ < 0) first_read_ = number;
  offset_ = looked_bytes_ = 0;
  within_record_ = false;
  at_file_begin_ = true;
  lines_in_[number] = 0;
  lines_in_.erase(lines_in_.begin(), lines_in_.lower_bound(number - kOutputSegments));
}

bool OutputTail::read(const std::map<std::int64_t, OutputFileFound>& files,
                      std::vector<OutputLine>& lines) {
  auto file = files.find(number_);
  const auto later = files.upper_bound(number_);
  if (file == files.end() || (file->second.bytes == looked_bytes_ && later != files.end())) {
    if (later == files.end()) return false;
    to_file(later->first);
    file = later;
  }
  if (file->second.bytes == looked_bytes_) {
    skip_before_ns_.reset();
    return false;
  }
  const bool is_last = files.upper_bound(number_) == files.end();
  const std::size_t wanted = kPieceBytes + kMostRecordBytes;
  const std::string bytes = read_output_bytes(file->second.path, offset_, wanted);
  // Whoever writes goes on to a file only after the last byte of the one before; so if there was
  // one when the files were listed, its end now is its end.
  const bool to_end = bytes.size() < wanted;
  const std::size_t taken = take_records(bytes, to_end && !is_last, lines);
  offset_ += taken;
  if (!to_end) return true;
  looked_bytes_ = is_last ? offset_ + (bytes.size() - taken) : file->second.bytes;
  if (is_last) skip_before_ns_.reset();
  return !is_last;
}

// How many of the bytes are done with: of a record that may go on none.
std::size_t OutputTail::take_records(std::string_view bytes, bool file_is_over,
                                     std::vector<OutputLine>& lines) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t end = output_record_end(bytes, at);
    const char last = bytes[end - 1];
    const bool ended = last == '\n' || last == '\r';
    const std::string_view record = bytes.substr(at, end - at - (ended ? 1 : 0));
    const bool endless = !ended && record.size() > kMostRecordBytes;
    const bool is_rest = std::exchange(within_record_, endless || (within_record_ && !ended));
    auto line = is_rest || endless ? std::nullopt : parse_output_record(record, last == '\n');
    if (line) line->pid = pid_;
    if (!ended && !endless && !is_rest && !file_is_over) {
      if (line && !line->is_gap) open_[static_cast<std::size_t>(line->stream)] = std::move(line);
      return at;
    }
    if (line) take(std::move(*line), lines);
    at = end;
    at_file_begin_ = false;
  }
  return at;
}

void OutputTail::take(OutputLine line, std::vector<OutputLine>& lines) {
  if (line.is_gap) {
    take_gap(std::move(line), lines);
    return;
  }
  if (const auto known = lines_in_.find(number_); known != lines_in_.end()) ++known->second;
  auto& open = open_[static_cast<std::size_t>(line.stream)];
  open.reset();
  if (line.going_on) {
    open = std::move(line);
  } else if (!skip_before_ns_ || line.t_ns >= *skip_before_ns_) {
    lines.push_back(std::move(line));
  }
}

// The writer counts what it could not keep together with the lines of files that it removed. What
// was read here before it was removed is not missing here.
void OutputTail::take_gap(OutputLine gap, std::vector<OutputLine>& lines) {
  std::uint64_t more =
      gap.left_out_lines >= said_missing_ ? gap.left_out_lines - said_missing_ : gap.left_out_lines;
  said_missing_ = gap.left_out_lines;
  if (at_file_begin_) {
    const std::int64_t removed = number_ - (kOutputSegments - 1);
    const auto read = lines_in_.find(removed);
    if (read != lines_in_.end() && more >= read->second) more -= read->second;
    if (began_late_ && removed <= first_read_) more = 0;  // before what was asked for
  }
  if (more == 0 || (skip_before_ns_ && gap.t_ns < *skip_before_ns_)) return;
  missing_ += more;
  gap.left_out_lines = missing_;
  lines.push_back(std::move(gap));
}

}  // namespace flatout::store
