// What the ranks of one communicator share: a file below Config::machine_folder, mapped by each
// rank. All fields are guarded by a robust lock that lies in it. Nothing here blocks for longer
// than that lock is held. The last rank that leaves removes the file.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "core/clock.h"

namespace simgpu::nccl {

inline constexpr int kMostRanks = 16;
inline constexpr std::uint64_t kMovedBytes =
    1 << 20;  // a rank's part of an operation; larger ones take their time and move nothing

enum class RankState : std::uint32_t { kMissing, kJoined, kLeft, kAborted };

struct RankRow {
  RankState state = RankState::kMissing;
  pid_t pid = 0;
  std::int32_t device = 0;  // as the machine counts
  // Of ncclCommSplit(); two of them, as a rank may be one split ahead of the slowest reader.
  std::uint64_t splits = 0;
  std::array<std::int32_t, 2> color{}, key{};
};

// Which operation it is; the same on all ranks that take part.
struct MeetingKey {
  std::uint64_t order = 0;   // n-th one of its sort
  std::uint32_t replay = 0;  // of a captured operation: how often it has run before
  bool captured = false;
  std::int8_t sender = -1, receiver = -1;  // of a send; -1 for a collective

  bool operator==(const MeetingKey&) const = default;
};

struct Party {
  Nanoseconds start = 0, duration = 0;
  std::uint64_t shape = 0;                // of the call: must be the same on all
  std::array<unsigned char, 8> scalar{};  // of a scaled reduction
  bool posted = false, collected = false;
};

struct Slot {
  MeetingKey key;
  bool used = false;
  std::int32_t party_count = 0;
  std::array<Party, kMostRanks> parties{};
};

struct CliqueHeader {
  pthread_mutex_t lock;
  std::int32_t rank_count = 0;
  std::array<RankRow, kMostRanks> ranks{};
  std::int32_t slot_count = 0;
};

// True where all ranks came and none is there any more.
bool is_over(const CliqueHeader& header);

class SharedClique {
 public:
  // Opens it, makes it where no rank was here before. Null where the file cannot be had, or was
  // made for another number of ranks.
  static std::unique_ptr<SharedClique> open(const std::string& name, int rank_count);
  ~SharedClique();
  SharedClique(const SharedClique&) = delete;
  SharedClique& operator=(const SharedClique&) = delete;

  CliqueHeader& header() { return *header_; }
  // With the lock held. The slot of an operation; a free one is taken for it where it has none yet;
  // null while there is no room.
  Slot* slot(const MeetingKey& key, int party_count);
  // Where a party of a slot puts its data: kMovedBytes.
  unsigned char* data(const Slot& slot, int party);

  // Each takes the lock.
  bool join(int rank, int device);  // false where the rank is there already
  void leave(int rank, RankState state);
  int joined();
  bool has_duplicate_device();

  // Without the lock.
  bool is_gone(int rank);  // its process has ended, or it aborted
  bool has_gone_rank();

 private:
  SharedClique(std::string path, void* mapped, std::size_t bytes);
  Slot* slots();

  std::string path_;
  CliqueHeader* header_;
  std::size_t bytes_;
};

class CliqueLock {
 public:
  explicit CliqueLock(SharedClique& clique);
  ~CliqueLock();
  CliqueLock(const CliqueLock&) = delete;
  CliqueLock& operator=(const CliqueLock&) = delete;

 private:
  CliqueHeader& header_;
};

}  // namespace simgpu::nccl
