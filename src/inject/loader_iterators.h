// Numbers for the iterators of the program's DataLoaders: 1, 2, ... in the
// order in which they were built, an old one that starts a new epoch counting
// as new. Looked up by address, because nothing may be attached to them.
#pragma once

#include <cstdint>

namespace flatout::inject {

struct IteratorNumber {
  std::uint32_t iterator = 0;
  std::uint32_t loader = 0;  // 0 = not known
};

IteratorNumber number_iterator(const void* iterator, std::uint32_t loader);
IteratorNumber find_iterator(const void* iterator);  // numbers it when it is new

// Loader of the iterator whose __next__ the calling thread is in; 0 = none, or not known.
std::uint32_t current_loader();

// The iterator whose __next__ the calling thread is in; 0 = none.
std::uint32_t current_iterator();
void set_current_iterator(std::uint32_t iterator);

}  // namespace flatout::inject
