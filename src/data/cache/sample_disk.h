// Encoded samples on a disk that is nearer than their source, kept from one process to the next.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "data/cache/segment_folder.h"
#include "data/cache/segment_index.h"
#include "data/source/source.h"

namespace flatout::data::cache {

struct DiskStats {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t stored = 0;        // by this loader
  std::uint64_t stored_bytes = 0;  // likewise
  std::uint64_t denied = 0;        // samples that found no room, each time they came
  std::uint64_t damaged = 0;       // of samples and entries: another checksum, or not there
  std::uint64_t removed_segments = 0;
  bool can_write = true;  // false once a write failed: from then on it is read alone
};

// Any number of threads; a lock is held while places are looked up, never while samples are read
// or written. What is damaged or does not fit is a miss. A version is asked of the source once for
// a sample that is found, and at each miss.
class SampleDisk {
 public:
  // A segment may be so large, or a sixteenth of the budget.
  static constexpr std::uint64_t kMostOfSegment = std::uint64_t{256} << 20;
  // What other loaders have stored meanwhile is looked for each time that so many were missing.
  static constexpr std::uint64_t kMissesALook = 256;
  // Segments whose data stay open.
  static constexpr std::size_t kMostOpenFiles = 128;

  // `samples`: of the source. Takes some hundred bytes for each sample that the folder has, for at
  // most four times `samples` and a million.
  static base::Result<std::unique_ptr<SampleDisk>> open(const std::filesystem::path& folder,
                                                        std::uint64_t budget_bytes,
                                                        std::int64_t samples);
  ~SampleDisk();
  SampleDisk(const SampleDisk&) = delete;
  SampleDisk& operator=(const SampleDisk&) = delete;

  // source.read(index, buffer), from the disk where it is there, and put there where it was not.
  base::Result<std::span<const std::byte>> read(std::int64_t index, const Source& source,
                                                ReadBuffer& buffer);

  DiskStats stats() const;

 private:
  struct Place {
    std::size_t segment = 0;  // in segments_
    SegmentEntry entry;
    bool usable = true;
  };
  struct Segment {
    std::uint32_t number = 0;
    std::shared_ptr<const base::UniqueFd> data = nullptr;  // where it stays open
    std::uint64_t index_read = 0;
    bool served = false;  // a sample of ours came from it
    bool own = false;
  };
  struct Writing {
    std::size_t segment = 0;
    base::UniqueFd index;
    std::uint64_t may_have = 0;
    std::uint64_t end = 0;          // of what samples were given room for
    std::uint64_t index_bytes = 0;  // likewise
  };
  struct HashKey {
    std::size_t operator()(const SampleKey& key) const { return key.low; }
  };
  // What a thread needs to read or write a sample without the lock.
  struct Part {
    std::shared_ptr<const base::UniqueFd> data;  // null: to be opened
    std::uint32_t number = 0;
    SegmentEntry entry;
  };

  SampleDisk(SegmentFolder folder, std::uint64_t budget_bytes, std::int64_t samples);
  std::optional<Part> find(std::int64_t index, const std::optional<SampleVersion>& version);
  bool load(const Part& part, std::span<std::byte> room) const;
  void lose(std::int64_t index);
  void put(std::int64_t index, const SampleVersion& version, std::span<const std::byte> bytes);
  std::optional<Part> begin(const SegmentEntry& entry);
  void finish(std::int64_t index, const Part& part, bool written);
  bool begin_segment(std::uint64_t bytes);
  void end_segment();
  void read_indices();
  void read_index(std::size_t at, const SegmentFacts& facts);
  Place* add(std::size_t segment, const SegmentEntry& entry);

  SegmentFolder folder_;
  const std::uint64_t segment_bytes_;
  const std::uint64_t samples_;
  const pid_t owner_;

  mutable std::mutex mutex_;  // of all that follows
  std::deque<Segment> segments_;
  std::unordered_map<SampleKey, Place, HashKey> places_;  // its nodes stay where they are
  std::vector<Place*> known_;                             // by index, once it was found
  std::optional<Writing> writing_;
  std::uint64_t asked_ = 0;
  std::uint64_t until_try_ = 0;  // samples to turn away before a segment is asked for again
  DiskStats stats_;
};

}  // namespace flatout::data::cache
