#include "data/cache/sample_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <ranges>
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
    : taken(other.taken), data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

SampleMemory::Pages::~Pages() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

SampleMemory::Reading::Reading(SampleMemory* memory) : memory_(memory) {
  if (memory_ == nullptr) return;
  if (memory_->readings_.fetch_add(1, std::memory_order_relaxed) % kReadingsALook == 0)
    memory_->look_while_reading();
  for (;;) {
    generation_ = memory_->generation_.load();
    memory_->reading_[generation_ % 2].fetch_add(1);
    if (memory_->generation_.load() == generation_) return;
    memory_->reading_[generation_ % 2].fetch_sub(1);  // samples were given up in between
  }
}

SampleMemory::Reading::~Reading() {
  if (memory_ != nullptr) memory_->reading_[generation_ % 2].fetch_sub(1);
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
  const auto in = std::ranges::find_if(pages_ | std::views::reverse,
                                       [&](const Pages& pages) { return pages.have(room); });
  in->taken += bytes;
  kept_[at].store(&claimed_, std::memory_order_relaxed);
  return new (room) KeptSample{.data = room + kAlignment, .size = size};
}

void SampleMemory::finish(std::int64_t index, KeptSample* kept) {
  const std::scoped_lock lock(mutex_);
  // Given up while it was filled: it may still be looked at by whom that did.
  const bool gone =
      std::ranges::any_of(given_up_, [&](const Pages& pages) { return pages.have(kept); });
  kept_[static_cast<std::size_t>(index)].store(gone ? nullptr : kept, std::memory_order_release);
  if (!gone) ++stats_.samples;
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
  const bool due = stats_.short_of_memory ? ++refused_ >= kRefusalsALook : bytes > until_look_;
  if (due) (void)look(bytes + kBytesALook);
  if (stats_.short_of_memory) return false;
  until_look_ -= bytes;
  return true;
}

// The room, and whether so many bytes more may be taken of it before the next look.
std::optional<std::int64_t> SampleMemory::look(std::uint64_t until_next) {
  const auto room = options_.room();
  until_look_ = until_next;
  refused_ = 0;
  stats_.short_of_memory =
      room && *room - options_.floor_bytes < static_cast<std::int64_t>(until_next);
  return room;
}

void SampleMemory::look_while_reading() {
  if (!options_.room || options_.give_back_below_bytes == 0) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  free_what_was_given_up();
  // What was given up a moment ago would count twice.
  if (!given_up_.empty()) return;
  const auto room = look(kBytesALook);
  if (!room || *room >= options_.give_back_below_bytes) return;
  // Others on this machine do the same: half of what lacks, each time.
  give_back((options_.floor_bytes - *room) / 2);
  free_what_was_given_up();
}

// What came last goes first: it is the least of the pages that may still be growing.
void SampleMemory::give_back(std::int64_t bytes) {
  while (bytes > 0 && !pages_.empty()) {
    bytes -= static_cast<std::int64_t>(pages_.back().taken);
    Pages last = std::move(pages_.back());
    pages_.pop_back();
    give_up(std::move(last));
  }
  generation_.fetch_add(1);
}

void SampleMemory::give_up(Pages pages) {
  for (auto& kept : kept_) {
    const KeptSample* const at = kept.load(std::memory_order_relaxed);
    if (at == nullptr || !pages.have(at)) continue;
    kept.store(nullptr);
    --stats_.samples;
  }
  stats_.bytes -= pages.taken;
  stats_.given_back_bytes += pages.taken;
  if (pages.have(free_)) {
    free_ = nullptr;
    free_bytes_ = 0;
  }
  given_up_.push_back(std::move(pages));
}

void SampleMemory::free_what_was_given_up() {
  if (reading_[(generation_.load() + 1) % 2].load() == 0) given_up_.clear();
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
