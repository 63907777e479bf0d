// The output of one process: its files as one row of blocks, each of which can be read by itself.
// Nothing is held but their sizes; any bytes may lie in them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "store/output/output_record.h"

namespace flatout::store {

class OutputFileBlocks {
 public:
  explicit OutputFileBlocks(std::int64_t pid) : pid_(pid) {}

  // In the order of their numbers.
  void add_file(std::filesystem::path path, std::uint64_t bytes);

  std::int64_t pid() const { return pid_; }
  std::uint64_t bytes() const { return bytes_; }
  std::size_t count() const { return blocks_.size(); }
  std::size_t first_of_last_file() const { return first_of_last_file_; }
  // The records that begin in the block, in their order; none where it cannot be read.
  std::vector<OutputLine> lines(std::size_t block) const;
  // When the block's first record began; absent where none begins in it.
  std::optional<std::int64_t> first_ns(std::size_t block) const;
  // The block from which on all records from `t_ns` on lie, given that times grow.
  std::size_t block_of(std::int64_t t_ns) const;

  // Where the block lies: in which file, counted as they were added, and from which byte on.
  struct Place {
    std::size_t file = 0;
    std::uint64_t from = 0;
  };
  Place place(std::size_t block) const { return {blocks_[block].file, blocks_[block].from}; }

  static constexpr std::uint64_t kBlockBytes = 64U << 10;

 private:
  struct Block {
    std::size_t file = 0;
    std::uint64_t from = 0, to = 0;
  };
  std::vector<OutputLine> parsed(const Block& block, std::size_t most) const;

  std::int64_t pid_;
  std::uint64_t bytes_ = 0;
  std::size_t first_of_last_file_ = 0;
  std::vector<std::filesystem::path> files_;
  std::vector<Block> blocks_;
};

}  // namespace flatout::store
