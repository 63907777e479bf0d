// A ring in shared memory, a segment or a file: one observed process writes, one
// recorder reads. std and POSIX only; no allocation after creation; the
// writer never blocks. A full ring drops the newest record and counts it.
//
// It is: RingHeader (one page), then `capacity` bytes of records. `head` and
// `tail` count bytes for ever; their difference is what waits to be read. A
// record never wraps: kPadding fills the end. A record is published by moving
// `head` after its bytes, so a writer killed at any moment leaves only whole
// records behind, and whoever maps the file first afterwards reads the rest.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "wire/record.h"

namespace flatout::wire {

constexpr char kRingMagic[8] = {'F', 'L', 'O', 'R', 'I', 'N', 'G', '1'};
constexpr std::size_t kRingHeaderBytes = 4096;
constexpr std::size_t kRankRingBytes = 4U << 20;
constexpr std::size_t kWorkerRingBytes = 256U << 10;
constexpr std::size_t kLeastRankRingBytes = 64U << 10;
constexpr std::size_t kMaxRingBytes = 1U << 30;

// Threads of a process whose lane a ring remembers; later ones still get a lane.
constexpr std::uint32_t kRingLanes = 512;

enum class RingRole : std::uint32_t { kMain = 0, kWorker = 1, kTrace = 2 };

struct RingHeader {
  char magic[8];
  std::uint32_t version;   // kWireVersion
  std::uint32_t role;      // RingRole
  std::uint64_t capacity;  // bytes after the header, power of two
  std::int32_t pid;
  std::int32_t parent_pid;
  std::uint64_t start_ticks;  // of pid, see base::ProcessId
  std::int64_t created_ns;
  std::int32_t worker_id;  // of a loader worker, else -1
  std::int32_t rank;       // RANK of torch.distributed's environment, else -1
  alignas(64) std::atomic<std::uint64_t> head;
  alignas(64) std::atomic<std::uint64_t> tail;
  alignas(64) std::atomic<std::uint64_t> dropped;  // records
  std::atomic<std::uint64_t> written;              // records

  // From here on, stop_said aside, for the writing process alone, whose threads, and whose
  // copies of flatout's code (hooks, libflatout.so), share this ring: see ring_lock.h.
  alignas(64) std::atomic<std::int32_t> writer_tid;  // who writes just now; 0 = nobody
  // 1: the process stops itself (a kStop record was written), or flatout stops it; who
  // puts the 1 there does it, so that it is done once.
  std::atomic<std::uint32_t> stop_said;
  std::uint32_t lane_count;            // under the lock
  std::int32_t lane_tids[kRingLanes];  // thread of lane i; under the lock
};
static_assert(sizeof(RingHeader) <= kRingHeaderBytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// Writes records. Not thread-safe: the caller holds the ring's lock (ring_lock.h).
class RingWriter {
 public:
  RingWriter() = default;
  RingWriter(RingHeader* header, unsigned char* data) : header_(header), data_(data) {}
  explicit operator bool() const { return header_ != nullptr; }
  RingHeader* header() const { return header_; }

  // Space for a record of `bytes` (multiple of 8), or nullptr when the ring is
  // full; the drop is counted. Fill it, then call publish() with the same size.
  unsigned char* reserve(std::uint32_t bytes) {
    const std::uint64_t head = header_->head.load(std::memory_order_relaxed);
    const std::uint64_t tail = header_->tail.load(std::memory_order_acquire);
    const std::uint64_t capacity = header_->capacity;
    const std::uint64_t offset = head & (capacity - 1);
    const std::uint64_t to_end = capacity - offset;
    const std::uint64_t need = bytes <= to_end ? bytes : to_end + bytes;
    if (bytes > kMaxRecordBytes || need > capacity - (head - tail)) {
      header_->dropped.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    if (bytes <= to_end) {
      padding_ = 0;
      return data_ + offset;
    }
    padding_ = to_end;
    const std::uint64_t mark = static_cast<std::uint64_t>(RecordType::kPadding);
    std::memcpy(data_ + offset, &mark, sizeof mark);  // to_end is a multiple of 8, so 8 bytes fit
    return data_;
  }
  void publish(std::uint32_t bytes) {
    header_->written.store(header_->written.load(std::memory_order_relaxed) + 1,
                           std::memory_order_relaxed);
    header_->head.store(header_->head.load(std::memory_order_relaxed) + padding_ + bytes,
                        std::memory_order_release);
  }

 private:
  RingHeader* header_ = nullptr;
  unsigned char* data_ = nullptr;
  std::uint64_t padding_ = 0;
};

// Reads what was published, in two moves: peek() hands records out, commit()
// frees their space once the caller has them safe. Trusts nothing: a record
// whose size does not fit makes it skip all that waits and sets damaged(). One
// thread; one reader a ring.
class RingReader {
 public:
  RingReader(RingHeader* header, const unsigned char* data, std::uint64_t capacity)
      : header_(header),
        data_(data),
        capacity_(capacity),
        next_(header->tail.load(std::memory_order_relaxed)) {}

  // Calls take(const RecordHead&, const unsigned char* record) for each record
  // after those peeked at before, and stops after the one with which at least
  // `max_bytes` were handed out. Returns the number of records. The bytes are
  // the writer's memory: read each once.
  template <typename Take>
  std::size_t peek(std::uint64_t max_bytes, Take&& take) {
    const std::uint64_t head = header_->head.load(std::memory_order_acquire);
    if (head - next_ > capacity_ || head % 8 != 0 || next_ % 8 != 0) {
      skip_damage(head);
      return 0;
    }
    const std::uint64_t start = next_;
    std::size_t count = 0;
    while (next_ != head && next_ - start < max_bytes) {
      const std::uint64_t offset = next_ & (capacity_ - 1);
      const std::uint64_t room =
          head - next_ < capacity_ - offset ? head - next_ : capacity_ - offset;
      const bool padding = data_[offset] == static_cast<unsigned char>(RecordType::kPadding);
      if (padding && room == capacity_ - offset) {
        next_ += room;
        continue;
      }
      RecordHead record{};
      if (!padding && room >= sizeof record) std::memcpy(&record, data_ + offset, sizeof record);
      if (record.bytes < sizeof record || record.bytes % 8 != 0 || record.bytes > kMaxRecordBytes ||
          record.bytes > room) {
        skip_damage(head);
        break;
      }
      take(record, data_ + offset);
      next_ += record.bytes;
      ++count;
    }
    return count;
  }
  void commit() { header_->tail.store(next_, std::memory_order_release); }

  // Both at once, for all that waits.
  template <typename Take>
  std::size_t drain(Take&& take) {
    const std::size_t count = peek(~std::uint64_t{0}, take);
    commit();
    return count;
  }
  bool damaged() const { return damaged_; }
  // Of its capacity, what waits for peek().
  double fullness() const {
    const std::uint64_t waits = header_->head.load(std::memory_order_relaxed) - next_;
    return static_cast<double>(waits) / static_cast<double>(capacity_);
  }

 private:
  // `head` is always the begin of a record.
  void skip_damage(std::uint64_t head) {
    damaged_ = true;
    next_ = head;
  }

  RingHeader* header_;
  const unsigned char* data_;
  std::uint64_t capacity_;
  std::uint64_t next_;  // not yet handed out
  bool damaged_ = false;
};

}  // namespace flatout::wire
