#include "data/batch/batch_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace flatout::data {
namespace {

// Beyond this a huge page saves page faults that would cost as much as writing the batch.
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::byte* map(std::size_t bytes) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  if (bytes >= kHugePage)
    ::madvise(at, bytes, MADV_HUGEPAGE);  // a wish; without it everything works the same
  return static_cast<std::byte*>(at);
}

}  // namespace

struct BatchPool::Pages {
  Pages(std::size_t of_each, std::size_t kept, std::shared_ptr<PagePin> pinned)
      : bytes(of_each), pin(std::move(pinned)), keep(kept) {
    free.reserve(keep);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    for (std::byte* at : free) unmap(at);
  }

  base::Result<std::byte*> map_pinned() {
    std::byte* const at = map(bytes);
    if (at == nullptr) {
      return base::fail(base::ErrorCode::kUnavailable,
                        "no memory for a batch of " + std::to_string(bytes) +
                            " bytes; make the batch smaller, or hold fewer of them");
    }
    if (pin == nullptr) return at;
    // A child would share the pages until somebody writes, and the writer would then have others
    // than those that the device reads.
    ::madvise(at, bytes, MADV_DONTFORK);
    if (auto done = pin->pin(at, bytes); !done) {
      ::munmap(at, bytes);
      return std::unexpected(done.error());
    }
    return at;
  }

  void unmap(std::byte* at) {
    if (pin != nullptr) pin->unpin(at);
    ::munmap(at, bytes);
  }

  void give_back(std::byte* at) {
    {
      const std::scoped_lock lock(mutex);
      if (free.size() < keep) {
        free.push_back(at);  // room for `keep` was reserved
        return;
      }
    }
    unmap(at);
  }

  const std::size_t bytes;
  const std::shared_ptr<PagePin> pin;
  std::mutex mutex;
  std::size_t keep;
  std::vector<std::byte*> free;
};

BatchPool::BatchPool(std::size_t bytes, std::size_t keep, std::shared_ptr<PagePin> pin)
    : pages_(std::make_shared<Pages>(std::max<std::size_t>(bytes, 1), keep, std::move(pin))) {}

std::size_t BatchPool::bytes() const { return pages_->bytes; }

void BatchPool::set_keep(std::size_t keep) {
  const std::scoped_lock lock(pages_->mutex);
  pages_->free.reserve(keep);
  pages_->keep = keep;
  for (; pages_->free.size() > keep; pages_->free.pop_back()) pages_->unmap(pages_->free.back());
}

base::Result<std::shared_ptr<std::byte>> BatchPool::take() {
  std::byte* at = nullptr;
  {
    const std::scoped_lock lock(pages_->mutex);
    if (!pages_->free.empty()) {
      at = pages_->free.back();
      pages_->free.pop_back();
    }
  }
  if (at == nullptr) {
    auto mapped = pages_->map_pinned();
    if (!mapped) return std::unexpected(mapped.error());
    at = *mapped;
  }
  return std::shared_ptr<std::byte>(
      at, [pages = pages_](std::byte* memory) { pages->give_back(memory); });
}

}  // namespace flatout::data
