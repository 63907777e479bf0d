#include "inject/cupti/name_table.h"

#include <sys/mman.h>

#include <cstring>

namespace flatout::inject::cupti {
namespace {

void* map_zeroed(std::size_t bytes) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

std::uint64_t hash_of(const char* text, std::size_t bytes) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (std::size_t i = 0; i < bytes; ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 1099511628211U;
  }
  return hash;
}

}  // namespace

bool NameTable::has_memory() {
  if (texts_ != nullptr) return true;
  entries_ = static_cast<Entry*>(map_zeroed(sizeof(Entry) * kMostNames));
  slots_ = static_cast<std::uint32_t*>(map_zeroed(sizeof(std::uint32_t) * kSlots));
  pointers_ = static_cast<Pointer*>(map_zeroed(sizeof(Pointer) * kPointers));
  if (entries_ == nullptr || slots_ == nullptr || pointers_ == nullptr) return false;
  texts_ = static_cast<char*>(map_zeroed(kMostBytes));
  return texts_ != nullptr;
}

const char* NameTable::keep(const char* text, std::size_t bytes) {
  if (bytes > kMostBytes - texts_bytes_) return nullptr;
  char* at = texts_ + texts_bytes_;
  std::memcpy(at, text, bytes);
  texts_bytes_ += bytes;
  return at;
}

NameTable::Entry* NameTable::find(const char* text) {
  if (text == nullptr || !has_memory()) return nullptr;
  Pointer& near = pointers_[(reinterpret_cast<std::uintptr_t>(text) >> 3) % kPointers];
  const std::size_t bytes = ::strnlen(text, kLongestBytes);
  const bool same = near.of == text && near.entry->bytes == bytes &&
                    std::memcmp(near.entry->text, text, bytes) == 0;
  if (same) return near.entry;
  Entry* found = find(text, bytes);
  if (found != nullptr) near = {text, found};
  return found;
}

NameTable::Entry* NameTable::find(const char* text, std::size_t bytes) {
  if (!has_memory()) return nullptr;
  if (bytes > kLongestBytes) bytes = kLongestBytes;
  std::size_t at = hash_of(text, bytes) % kSlots;
  for (; slots_[at] != 0; at = (at + 1) % kSlots) {
    Entry& one = entries_[slots_[at] - 1];
    if (one.bytes == bytes && std::memcmp(one.text, text, bytes) == 0) return &one;
  }
  if (count_ >= kMostNames) return nullptr;
  const char* kept = keep(text, bytes);
  if (kept == nullptr) return nullptr;
  entries_[count_] = {kept, static_cast<std::uint32_t>(bytes), next_id_++, false};
  slots_[at] = ++count_;
  return &entries_[count_ - 1];
}

}  // namespace flatout::inject::cupti
