#include "inject/process_state.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "inject/ring_environment.h"
#include "inject/ring_file.h"
#include "wire/ring_lock.h"

namespace flatout::inject {
namespace {

enum class RingState : std::uint8_t { kUnopened, kOpening, kOpen, kOff };

struct ProcessState {
  char ring_dir[384] = "";
  bool quiet = false;
  bool follows_forks = false;
  bool segments = false;       // rings may lie in shared memory segments
  std::size_t rank_bytes = 0;  // as the user wants it, 0 = not said
  std::size_t usual_bytes = wire::kRankRingBytes;
  Callbacks callbacks;
  std::atomic<RingState> ring_state = RingState::kOff;  // until configured
  wire::RingWriter writer;
  std::uint32_t generation = 1;  // changes in a new process only, which has one thread
};

ProcessState state;
thread_local Lane this_lane;

void after_fork_in_child() {
  ++state.generation;
  state.writer = {};
  if (state.ring_state != RingState::kOff || state.ring_dir[0] != '\0') {
    state.ring_state = RingState::kUnopened;
  }
}

// FLATOUT_RING_BYTES as flatout has checked it: bytes, a power of two.
std::size_t wanted_bytes() {
  const char* text = std::getenv("FLATOUT_RING_BYTES");
  const std::size_t bytes = text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
  const bool fits = bytes >= wire::kLeastRankRingBytes && bytes <= wire::kMaxRingBytes &&
                    (bytes & (bytes - 1)) == 0;
  return fits ? bytes : 0;
}

RingSize ring_size(wire::RingRole role) {
  RingSize out{.bytes = state.usual_bytes, .segment = state.segments, .exact = false};
  if (state.rank_bytes != 0) out = {state.rank_bytes, state.segments, true};
  if (role == wire::RingRole::kWorker) out.bytes /= wire::kRankRingBytes / wire::kWorkerRingBytes;
  return out;
}

void say_ring_failed(const RingFile& file) {
  char line[640];
  const int n = std::snprintf(
      line, sizeof line,
      "flatout: no steps from process %d: cannot %s its ring in %s (%s); the program runs on\n",
      static_cast<int>(::getpid()), file.failed_at, state.ring_dir, std::strerror(file.error));
  if (n > 0) {
    const auto size =
        static_cast<std::size_t>(n) < sizeof line ? static_cast<std::size_t>(n) : sizeof line;
    if (::write(STDERR_FILENO, line, size) < 0) return;
  }
}

// By the one thread that has set kOpening; its callbacks may come back here.
void open_ring() {
  const Identity who =
      state.callbacks.identify != nullptr ? state.callbacks.identify() : Identity{};
  const RingFile file = create_ring(state.ring_dir, ring_size(who.role), who.role, who.worker_id,
                                    rank_from_environment());
  if (file.error == EBUSY) {
    state.ring_state = RingState::kUnopened;  // the other copy is at it: join it at the next event
    return;
  }
  if (!file.writer) {
    state.ring_state = RingState::kOff;
    state.ring_dir[0] = '\0';  // forked children would fail alike: one line is enough
    if (!state.quiet && who.role == wire::RingRole::kMain) say_ring_failed(file);
    return;
  }
  state.writer = file.writer;
  state.ring_state = RingState::kOpen;
  if (state.callbacks.opened != nullptr) state.callbacks.opened();
}

// A thread that comes while another makes the ring waits for it, unless making
// it runs Python code, which may need what this thread holds.
void await_ring() {
  constexpr int kYields = 20'000;
  if (!state.callbacks.await) return;
  for (int i = 0; i < kYields && state.ring_state.load() == RingState::kOpening; ++i) {
    ::sched_yield();
  }
}

void announce(const Lane& lane) {
  unsigned char* at = state.writer.reserve(sizeof(wire::LaneRecord));
  if (at == nullptr) return;
  const wire::LaneRecord record{
      {static_cast<std::uint8_t>(wire::RecordType::kLane), 0, lane.index, sizeof record, now_ns()},
      lane.tid,
      lane.tid == static_cast<std::int32_t>(::getpid()) ? 1U : 0U};
  std::memcpy(at, &record, sizeof record);
  state.writer.publish(sizeof record);
}

// The ring's lane of this thread: the same for every copy of this code.
void find_lane(Lane& lane) {
  constexpr std::uint32_t kLast = 0xffff;  // all threads beyond it share a lane
  wire::RingHeader* header = state.writer.header();
  const std::uint32_t known = header->lane_count;
  for (std::uint32_t i = 0; i < known && i < wire::kRingLanes; ++i) {
    if (header->lane_tids[i] != lane.tid) continue;
    lane.index = static_cast<std::uint16_t>(i);
    return;
  }
  lane.index = static_cast<std::uint16_t>(known < kLast ? known : kLast);
  if (known < wire::kRingLanes) header->lane_tids[known] = lane.tid;
  if (known < kLast) header->lane_count = known + 1;
  announce(lane);
}

}  // namespace

void configure(const char* ring_dir, bool quiet, Callbacks callbacks, const char* ring_ipc,
               std::size_t usual_bytes) {
  if (std::strlen(ring_dir) >= sizeof state.ring_dir) return;
  std::strcpy(state.ring_dir, ring_dir);
  state.quiet = quiet;
  state.segments = ring_ipc == nullptr ? shares_segments() : is_own_ipc(ring_ipc);
  state.rank_bytes = wanted_bytes();
  state.usual_bytes = usual_bytes;
  state.callbacks = callbacks;
  if (!state.follows_forks) ::pthread_atfork(nullptr, nullptr, after_fork_in_child);
  state.follows_forks = true;
  // Lanes are those of a ring: a second configure() is of another one.
  if (state.writer) ++state.generation;
  state.writer = {};
  state.ring_state = RingState::kUnopened;
}

const char* ring_folder() { return state.ring_dir; }

wire::RingWriter* ring() {
  RingState now = state.ring_state.load(std::memory_order_acquire);
  if (now == RingState::kOpen) return &state.writer;
  if (now == RingState::kOff) return nullptr;
  if (now == RingState::kUnopened &&
      state.ring_state.compare_exchange_strong(now, RingState::kOpening)) {
    open_ring();
  } else if (now == RingState::kOpening) {
    await_ring();
  }
  return state.ring_state.load(std::memory_order_acquire) == RingState::kOpen ? &state.writer
                                                                              : nullptr;
}

Lane& lane() {
  if (this_lane.generation == state.generation) return this_lane;
  // First use in this thread, or the first after a fork: phases that were
  // open in the parent are not open here.
  this_lane = Lane{};
  this_lane.tid = static_cast<std::int32_t>(::syscall(SYS_gettid));
  if (ring() == nullptr) return this_lane;
  const wire::RingLock lock(state.writer.header(), this_lane.tid);
  if (!lock) return this_lane;
  this_lane.generation = state.generation;
  find_lane(this_lane);
  return this_lane;
}

Lane* writing_lane() {
  if (ring() == nullptr) return nullptr;
  Lane& here = lane();
  return here.generation == state.generation ? &here : nullptr;
}

Lane& lane_if_known() {
  static thread_local Lane none;
  return this_lane.generation == state.generation ? this_lane : none;
}

std::uint32_t generation() { return state.generation; }

}  // namespace flatout::inject
