// The buffers that CUPTI fills. lend() and give_back() are called from its callbacks, on any
// thread, and take no lock; one thread at a time drains. Memory is taken as buffers come into use,
// up to a bound, and by malloc: a client that replaces our callbacks without a word gets the
// buffers that CUPTI still has of us, and frees them as its own. We never touch a buffer that is
// lent.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace flatout::inject::cupti {

class BufferPool {
 public:
  static constexpr std::size_t kMostBuffers = 64;

  // Before anything else. `count` buffers of `bytes` (a multiple of 8) at most.
  void configure(std::size_t bytes, std::size_t count);

  std::size_t bytes() const { return bytes_; }

  // nullptr where all are lent or wait to be drained.
  std::uint8_t* lend();
  // `valid`: bytes of records in it. False where it is none of ours.
  bool give_back(const std::uint8_t* buffer, std::size_t valid);

  // How many CUPTI has, and how many wait.
  std::size_t lent() const { return count(kLent); }
  std::size_t waiting() const { return count(kFull); }

  // Calls take(buffer, valid) for each that waits, in the order in which they came back, and then
  // has them free again.
  template <typename Take>
  void drain(Take&& take) {
    while (Slot* slot = oldest()) {
      take(slot->memory.load(std::memory_order_relaxed), slot->valid);
      slot->state.store(kFree, std::memory_order_release);
    }
  }

  // Hands the pages of free buffers back to the system.
  void release_pages();

 private:
  static constexpr int kFree = 0, kLent = 1, kFull = 2, kBusy = 3;

  struct Slot {
    std::atomic<int> state = kFree;
    std::atomic<std::uint8_t*> memory = nullptr;
    std::size_t valid = 0;
    std::uint64_t order = 0;
  };

  bool has_memory(Slot& slot);
  Slot* oldest();
  std::size_t count(int state) const;

  Slot slots_[kMostBuffers];
  std::atomic<std::uint64_t> next_order_ = 0;
  std::size_t bytes_ = 0;
  std::size_t count_ = 0;
};

}  // namespace flatout::inject::cupti
