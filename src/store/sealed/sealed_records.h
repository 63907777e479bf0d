// The records of a sealed run as run::Records: only where their blocks lie is held in memory, their
// items are read when somebody asks. One open file is shared by all of them; any thread may ask,
// one does at a time. Internal to store/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "run/timeline.h"
#include "store/sealed/sealed_reader.h"

namespace flatout::store {

// The open file of what was read from it.
struct SealedFile {
  explicit SealedFile(SealedReader opened) : reader(std::move(opened)) {}
  std::mutex mutex;
  SealedReader reader;
  // Rows that were whole when the file was opened and gave nothing when they were asked.
  std::set<std::int64_t> unread_events, unread_chunks;
  std::vector<std::int64_t> times;  // of the latest chunk
  std::vector<double> values;
};

// One row of a table: whole, checked, and what the times of its items are.
template <typename Place>
struct SealedPiece {
  Place place;
  run::RecordBlockInfo info;
  bool sorted = true;  // its items are in order of time
};

// Pieces as they were recorded -> blocks in order of time. Pieces that overlap lie in one block,
// which is sorted when it is read: one after the other the blocks give what a stable sort of all
// items would.
// Whether pieces of which one begins at the time at which the other ends lie in one block: where
// items of one time have an order of their own (run::record_before).
enum class Touching { kTwoBlocks, kOneBlock };

template <typename Place>
class SealedBlocks {
 public:
  SealedBlocks() = default;
  explicit SealedBlocks(Touching touching) : touching_(touching) {}

  void add(SealedPiece<Place> piece) {
    Block block{.first = pieces_.size(), .count = 1, .sorted = piece.sorted};
    run::RecordBlockInfo info = piece.info;
    while (!infos_.empty() && overlap(infos_.back(), info)) {
      const run::RecordBlockInfo& before = infos_.back();
      info = {std::min(before.first_ns, info.first_ns), std::max(before.last_ns, info.last_ns),
              before.count + info.count};
      block = {.first = blocks_.back().first,
               .count = blocks_.back().count + block.count,
               .sorted = false};
      infos_.pop_back();
      blocks_.pop_back();
    }
    pieces_.push_back(std::move(piece));
    infos_.push_back(info);
    blocks_.push_back(block);
  }
  std::span<const run::RecordBlockInfo> infos() const { return infos_; }
  std::span<const SealedPiece<Place>> pieces(std::size_t block) const {
    return std::span(pieces_).subspan(blocks_[block].first, blocks_[block].count);
  }
  bool sorted(std::size_t block) const { return blocks_[block].sorted; }

 private:
  bool overlap(const run::RecordBlockInfo& before, const run::RecordBlockInfo& next) const {
    return before.last_ns > next.first_ns ||
           (touching_ == Touching::kOneBlock && before.last_ns == next.first_ns);
  }
  struct Block {
    std::size_t first = 0, count = 0;  // of pieces_
    bool sorted = true;
  };
  std::vector<SealedPiece<Place>> pieces_;
  std::vector<run::RecordBlockInfo> infos_;
  std::vector<Block> blocks_;
  Touching touching_ = Touching::kTwoBlocks;
};

using EventBlocks = SealedBlocks<StatedRow>;
using ChunkBlocks = SealedBlocks<ChunkHead>;

// Events of one process and kind: T is PhaseEvent, Batch, DevicePhase, NamedValue,
// DeviceActivity, HostSpan or TraceWindow. Implausible
// ones (run/plausible.h) are left out.
template <typename T>
run::Records<T> sealed_events(std::shared_ptr<SealedFile> file, EventBlocks blocks);

run::Records<run::Point> sealed_points(std::shared_ptr<SealedFile> file, ChunkBlocks blocks);

}  // namespace flatout::store
