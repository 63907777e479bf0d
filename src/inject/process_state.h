// What one observed process knows: where its ring is, which thread is which
// lane, which phases are open. Any thread may call any of it; writers of the
// ring take its lock (wire/ring_lock.h).
//
// This code can be in a process twice, in the hooks' module and in
// libflatout.so. Each copy has a state of its own, but both write into the one
// ring of the process, where a thread is the same lane for both.
#pragma once

#include <cstdint>

#include "base/kernel_clock.h"
#include "run/phase.h"
#include "wire/ring.h"

namespace flatout::inject {

// As the recorder has it, also where the program has a clock of its own making.
inline std::int64_t now_ns() { return base::kernel_monotonic_ns(); }

// The open phases of one thread. Deeper nesting than kMaxDepth is not
// recorded, so that its time stays with the enclosing phase.
struct Lane {
  static constexpr int kMaxDepth = 32;
  std::uint32_t generation = 0;  // of the process; differs after a fork
  std::int32_t tid = 0;
  std::uint16_t index = 0;
  std::uint8_t depth = 0;
  std::uint32_t silent = 0;  // bit i: open[i] was not written
  run::Phase open[kMaxDepth] = {};
  std::int64_t prepared_ns = 0;  // since when the phase `prepared` is being prepared; 0: none is
  run::Phase prepared = run::Phase::kOther;

  bool inside(run::Phase phase) const {
    for (int i = 0; i < depth; ++i) {
      if (open[i] == phase) return true;
    }
    return false;
  }
};

// Answers who this process is, just before its ring is made.
struct Identity {
  wire::RingRole role = wire::RingRole::kMain;
  int worker_id = -1;
};

struct Callbacks {
  Identity (*identify)() = nullptr;  // before the ring is created
  void (*opened)() = nullptr;        // right after; may emit facts
  bool await = false;                // other threads may wait for these two
};

// Before the first event. `ring_dir` is copied; quiet suppresses the one
// line that a process says when it cannot create its ring. `ring_ipc`: as FLATOUT_RING_IPC, which
// nullptr means. `usual_bytes`: of its ring, where the user has not said. Again, with another
// folder, once that recording is over and no thread writes.
void configure(const char* ring_dir, bool quiet, Callbacks callbacks,
               const char* ring_ipc = nullptr, std::size_t usual_bytes = wire::kRankRingBytes);

// As configured; "" where it was not, or where no ring could be made in it.
const char* ring_folder();

// The ring, created at the first call in this process; nullptr when this
// process is not observed, when its ring could not be made, and for other
// threads while it is being made.
wire::RingWriter* ring();

// The calling thread's lane, announced to the ring at its first use. Without a
// ring, or when it could not be announced, its generation is not generation().
Lane& lane();

// The same, but nullptr where nothing can be written.
Lane* writing_lane();

// The same without opening a ring: for callers that only ask what is open.
Lane& lane_if_known();

// Differs from what it was before in every process made by fork(): what was
// cached for the parent is then void.
std::uint32_t generation();

}  // namespace flatout::inject
