#include "data/cache/sample_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace flatout::data::cache {
namespace {

constexpr std::size_t kAlignment = 64;
// Addresses alone: pages count once they are written.
constexpr std::size_t kPagesBytes = std::size_t{32} << 20;
static_assert(sizeof(KeptSample) <= kAlignment);

constexpr std::size_t footprint(std::size_t size) {
  const std::size_t whole = kAlignment + size + ReadBuffer::kPadding;
  return (whole + kAlignment - 1) / kAlignment * kAlignment;
}

std::size_t listed(std::int64_t samples, std::uint64_t budget) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, samples));
  return count <= budget / sizeof(void*) ? count : 0;
}

}  // namespace

SampleMemory::Pages::Pages(std::size_t bytes) : data_(nullptr), bytes_(bytes) {
  void* const at =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return;
  (void)::madvise(at, bytes, MADV_DONTFORK);
  data_ = static_cast<std::byte*>(at);
}

SampleMemory::Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

SampleMemory::Pages::~Pages() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

SampleMemory::SampleMemory(std::int64_t samples, MemoryOptions options)
    : options_(std::move(options)), kept_(listed(samples, options_.budget_bytes)) {
  stats_.bytes = kept_.size() * sizeof(void*);
}

const KeptSample* SampleMemory::find(std::int64_t index) const {
  const auto at = static_cast<std::size_t>(index);
  const KeptSample* kept = at < kept_.size() ? kept_[at].load(std::memory_order_acquire) : nullptr;
  if (kept == &claimed_) kept = nullptr;
  looked_up_[kept == nullptr ? 0 : 1].fetch_add(1, std::memory_order_relaxed);
  return kept;
}

KeptSample* SampleMemory::begin(std::int64_t index, std::size_t size) {
  const auto at = static_cast<std::size_t>(index);
  const std::size_t bytes = footprint(size);
  const std::scoped_lock lock(mutex_);
  if (at < kept_.size() && kept_[at].load(std::memory_order_relaxed) != nullptr) return nullptr;
  std::byte* const room = at < kept_.size() && may_grow(bytes) ? take(bytes) : nullptr;
  if (room == nullptr) {
    ++stats_.denied;
    return nullptr;
  }
  stats_.bytes += bytes;
  kept_[at].store(&claimed_, std::memory_order_relaxed);
  return new (room) KeptSample{.data = room + kAlignment, .size = size};
}

void SampleMemory::finish(std::int64_t index, KeptSample* kept) {
  kept_[static_cast<std::size_t>(index)].store(kept, std::memory_order_release);
  const std::scoped_lock lock(mutex_);
  ++stats_.samples;
}

void SampleMemory::keep(std::int64_t index, std::span<const std::byte> bytes) {
  KeptSample* const kept = begin(index, bytes.size());
  if (kept == nullptr) return;
  std::memcpy(kept->data, bytes.data(), bytes.size());
  finish(index, kept);
}

bool SampleMemory::fits(std::size_t size) const {
  const std::scoped_lock lock(mutex_);
  return !kept_.empty() && footprint(size) <= options_.budget_bytes - stats_.bytes;
}

MemoryStats SampleMemory::stats() const {
  const std::scoped_lock lock(mutex_);
  MemoryStats out = stats_;
  out.misses = looked_up_[0].load(std::memory_order_relaxed);
  out.hits = looked_up_[1].load(std::memory_order_relaxed);
  return out;
}

bool SampleMemory::may_grow(std::uint64_t bytes) {
  if (bytes > options_.budget_bytes - stats_.bytes) return false;
  if (!options_.room) return true;
  const bool look = stats_.short_of_memory ? ++refused_ >= kRefusalsALook : bytes > until_look_;
  if (look) {
    const auto room = options_.room();
    until_look_ = bytes + kBytesALook;
    refused_ = 0;
    stats_.short_of_memory =
        room && *room - options_.floor_bytes < static_cast<std::int64_t>(until_look_);
  }
  if (stats_.short_of_memory) return false;
  until_look_ -= bytes;
  return true;
}

std::byte* SampleMemory::take(std::size_t bytes) {
  if (bytes > kPagesBytes / 2) return new_pages(bytes);
  if (bytes > free_bytes_) {
    free_ = new_pages(kPagesBytes);
    free_bytes_ = free_ == nullptr ? 0 : kPagesBytes;
    if (free_ == nullptr) return nullptr;
  }
  free_bytes_ -= bytes;
  return std::exchange(free_, free_ + bytes);
}

std::byte* SampleMemory::new_pages(std::size_t bytes) { return pages_.emplace_back(bytes).data(); }

}  // namespace flatout::data::cache
