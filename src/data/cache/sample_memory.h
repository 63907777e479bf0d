// Samples kept in memory, as files or as pixels. What was let in first stays: an epoch draws every
// sample once, so that of a set larger than the budget the least recently used sample is the next
// one to come. Where the machine or the cgroup runs out of memory, what came last is given back.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "data/source/source.h"

namespace flatout::data::cache {

// Of one sample, in memory of the cache. ReadBuffer::kPadding zeros follow the bytes.
struct KeptSample {
  std::byte* data = nullptr;
  std::size_t size = 0;
  PixelSize pixels = {};  // where it is a picture: row after row, without gaps
  int channels = 0;
};

struct MemoryOptions {
  std::uint64_t budget_bytes = 0;  // for samples and the list of them
  // What machine and cgroup have left, and what of it must stay. Unknown room is in nobody's way.
  std::function<std::optional<std::int64_t>()> room = {};
  std::int64_t floor_bytes = 0;
  // Below this room samples are given up until the floor is reached again; 0: never.
  std::int64_t give_back_below_bytes = 0;
};

struct MemoryStats {
  std::uint64_t bytes = 0;  // taken of the budget
  std::uint64_t samples = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t denied = 0;            // samples that found no room, each time they came
  bool short_of_memory = false;        // growth stands still for the floor, not for the budget
  std::uint64_t given_back_bytes = 0;  // of samples that were given up, all told
};

// Any number of threads. Finding takes no lock. What it gave out neither moves nor goes as long as
// the Reading lives under which it was found or begun.
class SampleMemory {
 public:
  // Held by a thread from before it looks for a sample until it is done with its bytes: of one
  // sample, not longer, since what is given up is freed once nobody reads that began before. Null
  // is nobody's. One that is the kReadingsALook'th looks at the room.
  class Reading {
   public:
    explicit Reading(SampleMemory* memory);
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading();

   private:
    SampleMemory* memory_;
    std::size_t generation_ = 0;
  };
  static constexpr std::uint64_t kReadingsALook = 1024;

  // The room is looked at each time that so much was let in,
  static constexpr std::uint64_t kBytesALook = std::uint64_t{16} << 20;
  // and, while it is too small, each time that so many samples were turned away.
  static constexpr int kRefusalsALook = 1024;

  // `samples`: what may come, numbered from 0; 8 bytes of the budget each. Where the budget has no
  // room for that, nothing is kept.
  SampleMemory(std::int64_t samples, MemoryOptions options);

  // `index` below `samples`; null where it is not kept.
  const KeptSample* find(std::int64_t index) const;

  // Room for `size` bytes, which the caller fills and then finish()es; null where there is none, or
  // where somebody else has begun this sample. One that is never finished stays missing.
  KeptSample* begin(std::int64_t index, std::size_t size);
  void finish(std::int64_t index, KeptSample* kept);

  // All of that for bytes that are there.
  void keep(std::int64_t index, std::span<const std::byte> bytes);

  // Whether `size` bytes are within what is left of the budget.
  bool fits(std::size_t size) const;

  std::uint64_t budget_bytes() const { return options_.budget_bytes; }
  MemoryStats stats() const;

 private:
  // Anonymous pages, zero at first. They are no part of a forked child: it makes no samples, and
  // its page tables stay small.
  class Pages {
   public:
    explicit Pages(std::size_t bytes);  // data() is null where the system has none
    Pages(Pages&& other) noexcept;
    Pages& operator=(Pages&&) = delete;
    ~Pages();
    std::byte* data() const { return data_; }
    bool have(const void* at) const {
      return data_ != nullptr && at >= data_ && at < data_ + bytes_;
    }
    std::uint64_t taken = 0;  // bytes, by samples

   private:
    std::byte* data_;
    std::size_t bytes_;
  };

  std::optional<std::int64_t> look(std::uint64_t until_next);
  void look_while_reading();
  void give_back(std::int64_t bytes);
  void give_up(Pages pages);
  void free_what_was_given_up();
  bool may_grow(std::uint64_t bytes);
  std::byte* take(std::size_t bytes);
  std::byte* new_pages(std::size_t bytes);

  const MemoryOptions options_;
  std::vector<std::atomic<KeptSample*>> kept_;  // by index; claimed_ while it is being filled
  KeptSample claimed_;
  mutable std::array<std::atomic<std::uint64_t>, 2> looked_up_{};  // missed, found

  // Who reads, by generation: it moves on when samples are given up, and only when nobody reads of
  // the one before the last.
  std::atomic<std::size_t> generation_ = 0;
  std::array<std::atomic<std::int64_t>, 2> reading_{};
  std::atomic<std::uint64_t> readings_ = 0;

  mutable std::mutex mutex_;  // of what follows
  std::vector<Pages> pages_;
  std::vector<Pages> given_up_;  // nobody finds them, and some of the last generation may read them
  std::byte* free_ = nullptr;    // within the last pages
  std::size_t free_bytes_ = 0;
  std::uint64_t until_look_ = 0;  // bytes
  int refused_ = 0;               // since the last look
  MemoryStats stats_;
};

}  // namespace flatout::data::cache
