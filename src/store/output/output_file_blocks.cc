#include "store/output/output_file_blocks.h"

#include <algorithm>
#include <string>

#include "store/output/output_folder.h"

namespace flatout::store {
void OutputFileBlocks::add_file(std::filesystem::path path, std::uint64_t bytes) {
  if (bytes > 0) first_of_last_file_ = blocks_.size();
  for (std::uint64_t from = 0; from < bytes; from += kBlockBytes) {
    blocks_.push_back(
        {.file = files_.size(), .from = from, .to = std::min(bytes, from + kBlockBytes)});
  }
  bytes_ += bytes;
  files_.push_back(std::move(path));
}

// At most `most` of its records.
std::vector<OutputLine> OutputFileBlocks::parsed(const Block& block, std::size_t most) const {
  const std::uint64_t before = block.from == 0 ? 0 : 1;  // whether a record ends just before it
  const std::size_t wanted =
      most == 1 ? kMostRecordBytes : static_cast<std::size_t>(block.to - block.from);
  const std::string bytes = read_output_bytes(files_[block.file], block.from - before,
                                              before + wanted + kMostRecordBytes);
  const std::size_t last_start = static_cast<std::size_t>(block.to - block.from + before);
  std::vector<OutputLine> out;
  std::size_t at = before == 0 ? 0 : output_record_end(bytes, 0);
  while (at < bytes.size() && at < last_start && out.size() < most) {
    const std::size_t end = output_record_end(bytes, at);
    const char last = bytes[end - 1];
    const bool ended = last == '\n' || last == '\r';
    const std::string_view record = std::string_view(bytes).substr(at, end - at - (ended ? 1 : 0));
    if (auto line = parse_output_record(record, last == '\n')) {
      line->pid = pid_;
      out.push_back(std::move(*line));
    }
    at = end;
  }
  return out;
}

std::vector<OutputLine> OutputFileBlocks::lines(std::size_t block) const {
  return parsed(blocks_[block], SIZE_MAX);
}

std::optional<std::int64_t> OutputFileBlocks::first_ns(std::size_t block) const {
  const auto first = parsed(blocks_[block], 1);
  return first.empty() ? std::nullopt : std::optional(first.front().t_ns);
}

std::size_t OutputFileBlocks::block_of(std::int64_t t_ns) const {
  std::size_t low = 0, high = blocks_.size();  // blocks from `high` on begin at t_ns or later
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    std::size_t known = middle;
    std::optional<std::int64_t> first = first_ns(known);
    while (!first && known > low) first = first_ns(--known);
    if (first && *first >= t_ns) {
      high = known;
    } else {
      low = middle + 1;
    }
  }
  return low == 0 ? 0 : low - 1;
}

}  // namespace flatout::store
