#include "inject/loader_iterators.h"

namespace flatout::inject {
namespace {

// The oldest_entry entry makes room: more than this many iterators alive at once is
// not seen in practice, and an evicted one only gets a new number.
constexpr int kMostIterators = 64;
struct KnownIterator {
  const void* address = nullptr;
  IteratorNumber number;
};
KnownIterator known_iterators[kMostIterators];
int oldest_entry = 0;
std::uint32_t last_number = 0;
thread_local std::uint32_t current = 0;

KnownIterator* find(const void* address) {
  for (KnownIterator& entry : known_iterators) {
    if (entry.address == address) return &entry;
  }
  return nullptr;
}

}  // namespace

IteratorNumber number_iterator(const void* iterator, std::uint32_t loader) {
  KnownIterator* entry = find(iterator);
  if (entry == nullptr) {
    entry = &known_iterators[oldest_entry];
    oldest_entry = (oldest_entry + 1) % kMostIterators;
  }
  *entry = {iterator, {++last_number, loader}};
  return entry->number;
}

IteratorNumber find_iterator(const void* iterator) {
  const KnownIterator* entry = find(iterator);
  return entry != nullptr ? entry->number : number_iterator(iterator, 0);
}

std::uint32_t current_loader() {
  for (const KnownIterator& entry : known_iterators) {
    if (current != 0 && entry.number.iterator == current) return entry.number.loader;
  }
  return 0;
}

std::uint32_t current_iterator() { return current; }
void set_current_iterator(std::uint32_t iterator) { current = iterator; }

}  // namespace flatout::inject
