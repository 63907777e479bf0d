#include "nccl/shared_clique.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/config.h"
#include "nccl/process_state.h"

namespace simgpu::nccl {
namespace {

// Room for an all-to-all of sends, and for ranks that are one operation ahead of others.
int slots_for(int rank_count) { return 64 + 4 * rank_count * rank_count; }

std::size_t data_offset(int rank_count) {
  const std::size_t before =
      sizeof(CliqueHeader) + sizeof(Slot) * static_cast<std::size_t>(slots_for(rank_count));
  return (before + 4095) / 4096 * 4096;
}

// Address space: pages exist only where data was put.
std::size_t bytes_for(int rank_count) {
  return data_offset(rank_count) +
         static_cast<std::size_t>(slots_for(rank_count) * rank_count) * kMovedBytes;
}

void make_lock(CliqueHeader& header) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&header.lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

// With the file locked. Null on errors, errno says which.
void* map_locked(int file, int rank_count) {
  struct stat status{};
  fstat(file, &status);
  const std::size_t bytes = bytes_for(rank_count);
  const bool is_new = status.st_size == 0;
  if (is_new && ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    return nullptr;
  }
  if (!is_new && status.st_size != static_cast<off_t>(bytes)) {
    errno = EINVAL;  // made for another number of ranks
    return nullptr;
  }
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (mapped == MAP_FAILED) {
    return nullptr;
  }
  if (is_new) {
    auto* const header = static_cast<CliqueHeader*>(mapped);
    make_lock(*header);
    header->rank_count = rank_count;
    header->slot_count = slots_for(rank_count);
  }
  return mapped;
}

}  // namespace

bool is_over(const CliqueHeader& header) {
  return std::all_of(
      header.ranks.begin(), header.ranks.begin() + header.rank_count, [](const RankRow& row) {
        const bool left = row.state == RankState::kLeft || row.state == RankState::kAborted;
        return left || (row.state == RankState::kJoined && !is_alive(row.pid));
      });
}

std::unique_ptr<SharedClique> SharedClique::open(const std::string& name, int rank_count) {
  const std::string path = config().machine_folder + "/" + name;
  mkdir(config().machine_folder.c_str(), 0700);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void* mapped = nullptr;
  if (file >= 0) {
    flock(file, LOCK_EX);
    mapped = map_locked(file, rank_count);
    flock(file, LOCK_UN);
    close(file);
  }
  if (mapped == nullptr) {
    std::fprintf(stderr, "simgpu: %s: %s\n", path.c_str(), std::strerror(errno));
    return nullptr;
  }
  return std::unique_ptr<SharedClique>(new SharedClique(path, mapped, bytes_for(rank_count)));
}

SharedClique::SharedClique(std::string path, void* mapped, std::size_t bytes)
    : path_(std::move(path)), header_(static_cast<CliqueHeader*>(mapped)), bytes_(bytes) {}

SharedClique::~SharedClique() { munmap(header_, bytes_); }

Slot* SharedClique::slots() { return reinterpret_cast<Slot*>(header_ + 1); }

Slot* SharedClique::slot(const MeetingKey& key, int party_count) {
  Slot* free_one = nullptr;
  for (Slot* one = slots(); one != slots() + header_->slot_count; ++one) {
    if (one->used && one->key == key) {
      return one;
    }
    if (!one->used && free_one == nullptr) {
      free_one = one;
    }
  }
  if (free_one != nullptr) {
    *free_one = {.key = key, .used = true, .party_count = party_count, .parties = {}};
  }
  return free_one;
}

unsigned char* SharedClique::data(const Slot& slot, int party) {
  const auto index = (&slot - slots()) * header_->rank_count + party;
  return reinterpret_cast<unsigned char*>(header_) + data_offset(header_->rank_count) +
         static_cast<std::size_t>(index) * kMovedBytes;
}

bool SharedClique::join(int rank, int device) {
  const CliqueLock guard(*this);
  RankRow& row = header_->ranks[static_cast<std::size_t>(rank)];
  if (row.state != RankState::kMissing) {
    return false;
  }
  row.state = RankState::kJoined;
  row.pid = getpid();
  row.device = device;
  return true;
}

void SharedClique::leave(int rank, RankState state) {
  const CliqueLock guard(*this);
  header_->ranks[static_cast<std::size_t>(rank)].state = state;
  if (is_over(*header_)) {
    unlink(path_.c_str());
  }
}

int SharedClique::joined() {
  const CliqueLock guard(*this);
  return static_cast<int>(
      std::count_if(header_->ranks.begin(), header_->ranks.end(),
                    [](const RankRow& row) { return row.state != RankState::kMissing; }));
}

bool SharedClique::is_gone(int rank) {
  const RankRow row = header_->ranks[static_cast<std::size_t>(rank)];
  return row.state == RankState::kAborted ||
         (row.state != RankState::kMissing && !is_alive(row.pid));
}

bool SharedClique::has_gone_rank() {
  for (int rank = 0; rank < header_->rank_count; ++rank) {
    if (is_gone(rank)) {
      return true;
    }
  }
  return false;
}

bool SharedClique::has_duplicate_device() {
  const CliqueLock guard(*this);
  for (int a = 0; a < header_->rank_count; ++a) {
    for (int b = 0; b < a; ++b) {
      if (header_->ranks[static_cast<std::size_t>(a)].device ==
          header_->ranks[static_cast<std::size_t>(b)].device) {
        return true;
      }
    }
  }
  return false;
}

CliqueLock::CliqueLock(SharedClique& clique) : header_(clique.header()) {
  if (pthread_mutex_lock(&header_.lock) == EOWNERDEAD) {
    pthread_mutex_consistent(&header_.lock);  // at worst one start was being posted
  }
}

CliqueLock::~CliqueLock() { pthread_mutex_unlock(&header_.lock); }

}  // namespace simgpu::nccl
