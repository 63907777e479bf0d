// Which paths one process has met, by their hashes: each is new once, and none any more once half
// of the slots are taken. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::inject {

template <std::size_t kSlots>
class MetPaths {
  static_assert((kSlots & (kSlots - 1)) == 0, "a power of two");

 public:
  bool is_new(const char* path) {
    if (count_ >= kSlots / 2) return false;
    const std::uint64_t hash = hash_of(path);
    std::size_t at = hash % kSlots;
    while (slots_[at] != 0 && slots_[at] != hash) at = (at + 1) % kSlots;
    if (slots_[at] == hash) return false;
    slots_[at] = hash;
    ++count_;
    return true;
  }

 private:
  // 64-bit FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
  static std::uint64_t hash_of(const char* text) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (; *text != '\0'; ++text) {
      hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3ULL;
    }
    return hash == 0 ? 1 : hash;
  }

  std::uint64_t slots_[kSlots] = {};  // 0 = free
  std::size_t count_ = 0;
};

}  // namespace flatout::inject
