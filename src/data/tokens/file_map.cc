#include "data/tokens/file_map.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <utility>

namespace flatout::data {
namespace {

// Where the handler finds the maps: it may take no lock.
struct Slot {
  std::atomic<std::uintptr_t> begin = 0;  // 0: free
  std::atomic<std::uintptr_t> end = 0;
  std::atomic<bool> damaged = false;
};
std::array<Slot, FileMap::kMost> slots;
std::atomic<bool> installed = false;
struct sigaction before;  // of `installed`
std::uintptr_t page_bytes = 4096;

Slot* slot_at(std::uintptr_t address) {
  for (Slot& slot : slots) {
    if (address >= slot.begin.load() && address < slot.end.load()) return &slot;
  }
  return nullptr;
}

void pass_on(int signal, siginfo_t* facts, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, facts, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {  // what faulted faults again, and the program ends as it would have
    ::sigaction(signal, &before, nullptr);
    if (facts->si_code <= 0) (void)::raise(signal);
  }
}

void on_bus_error(int signal, siginfo_t* facts, void* context) {
  const int kept = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(facts->si_addr);
  Slot* const slot = facts->si_code > 0 ? slot_at(address) : nullptr;
  if (slot != nullptr) {
    slot->damaged.store(true);
    void* const page = reinterpret_cast<void*>(address / page_bytes * page_bytes);
    if (::mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        page) {
      errno = kept;
      return;
    }
  }
  pass_on(signal, facts, context);
  errno = kept;
}

void install() {
  static const bool once = [] {
    page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction ours{};
    ours.sa_sigaction = on_bus_error;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    // `before` has to be there when the first signal comes.
    return ::sigaction(SIGBUS, nullptr, &before) == 0 && ::sigaction(SIGBUS, &ours, nullptr) == 0;
  }();
  installed.store(once);
}

bool address_space_is_bounded() {
  rlimit bound{};
  return ::getrlimit(RLIMIT_AS, &bound) != 0 || bound.rlim_cur != RLIM_INFINITY;
}

}  // namespace

std::optional<FileMap> FileMap::of(int fd, std::uint64_t bytes) {
  if (bytes == 0 || bytes > SIZE_MAX / 2 || address_space_is_bounded()) return std::nullopt;
  install();
  if (!installed.load()) return std::nullopt;
  const auto length = static_cast<std::size_t>(bytes);
  void* const at = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return std::nullopt;
  // Samples are short and lie anywhere: what is around them would be read in vain.
  ::madvise(at, length, MADV_RANDOM);
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  for (std::size_t slot = 0; slot < kMost; ++slot) {
    std::uintptr_t nothing = 0;
    if (!slots[slot].begin.compare_exchange_strong(nothing, begin)) continue;
    slots[slot].damaged.store(false);
    slots[slot].end.store(begin + length);
    return FileMap(static_cast<std::byte*>(at), length, slot);
  }
  ::munmap(at, length);
  return std::nullopt;
}

FileMap::FileMap(FileMap&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_), slot_(other.slot_) {}

FileMap& FileMap::operator=(FileMap&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(slot_, other.slot_);
  return *this;
}

FileMap::~FileMap() {
  if (data_ == nullptr) return;
  slots[slot_].end.store(0);
  ::munmap(data_, bytes_);
  slots[slot_].begin.store(0);
}

bool FileMap::intact() const { return !slots[slot_].damaged.load(); }

bool FileMap::watched() {
  struct sigaction now{};
  return installed.load() && ::sigaction(SIGBUS, nullptr, &now) == 0 &&
         (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_bus_error;
}

}  // namespace flatout::data
