// Texts that were met, each with the number under which the ring has it. A kernel comes again and
// again under the same pointer, so that is looked at first; the text decides. Memory is mapped, and
// bounded. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::inject::cupti {

class NameTable {
 public:
  static constexpr std::uint32_t kMostNames = 1U << 15;
  static constexpr std::size_t kLongestBytes = 16U << 10;  // longer ones are cut
  static constexpr std::size_t kMostBytes = 16U << 20;     // of all texts

  struct Entry {
    const char* text;  // not terminated
    std::uint32_t bytes;
    std::uint32_t id;
    bool written;  // the caller's: the ring has it
  };

  // Ids begin with `first`.
  void number_from(std::uint32_t first) { next_id_ = first; }

  // nullptr where there is no room for another one.
  Entry* find(const char* text);
  Entry* find(const char* text, std::size_t bytes);

 private:
  static constexpr std::size_t kSlots = std::size_t{kMostNames} * 2;
  static constexpr std::size_t kPointers = 4096;

  struct Pointer {
    const char* of;
    Entry* entry;
  };

  bool has_memory();
  const char* keep(const char* text, std::size_t bytes);

  Entry* entries_ = nullptr;        // kMostNames
  std::uint32_t* slots_ = nullptr;  // kSlots: number of an entry + 1, by the hash of its text
  Pointer* pointers_ = nullptr;     // kPointers
  char* texts_ = nullptr;           // kMostBytes
  std::size_t texts_bytes_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t next_id_ = 1;
};

}  // namespace flatout::inject::cupti
