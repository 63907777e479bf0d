// Keeps flatout alive where somebody cuts a ring file short while it is mapped:
// touching what is gone raises SIGBUS, and flatout's death would leave the program
// an orphan. The handler puts zeros in the place of the whole map and goes on.
//
// Refused: reading with pread(2), as `tail` must be written as one word that the
// writer never sees half of; looking at the size before each read, which races.
// Rings in segments cannot be cut (wire/ring_segment.h). Any thread.
#pragma once

#include <cstddef>

namespace flatout::record {

// Guards [at, at + bytes), which a mapping of this process covers. False where
// there are too many already: then the map must not be used.
bool guard_map(void* at, std::size_t bytes);

// Before it is unmapped.
void unguard_map(void* at);

// Whether something was gone, so that from then on there are zeros.
bool was_cut(const void* at);

}  // namespace flatout::record
