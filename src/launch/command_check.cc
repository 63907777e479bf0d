#include "launch/command_check.h"

#include <cstdint>
#include <cstdio>

namespace flatout::launch {

// FNV-1a of 32 bits (Fowler, Noll and Vo), folded to 16; each word with the zero behind it.
std::string command_check(std::span<const std::string> argv) {
  std::uint32_t hash = 2166136261U;
  for (const std::string& word : argv) {
    for (std::size_t i = 0; i <= word.size(); ++i) {
      hash = (hash ^ static_cast<unsigned char>(word.c_str()[i])) * 16777619U;
    }
  }
  char text[8];
  std::snprintf(text, sizeof text, "%04x", (hash >> 16U ^ hash) & 0xffffU);
  return text;
}

}  // namespace flatout::launch
