// flatout.h over the ring of this process. Nothing here allocates, throws or
// keeps a caller waiting; errno stays what it was.
#include <sched.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "capi/declared_knobs.h"
#include "capi/keep_errno.h"
#include "capi/track/tracks.h"
#include "flatout/flatout.h"
#include "inject/emit.h"
#include "inject/steps.h"
#include "run/phase.h"

namespace {

using flatout::capi::KeepErrno;
using flatout::inject::Lane;
using flatout::run::Phase;
namespace inject = flatout::inject;
namespace wire = flatout::wire;

static_assert(FLATOUT_DATA_WAIT == static_cast<int>(Phase::kDataWait));
static_assert(FLATOUT_H2D == static_cast<int>(Phase::kH2d));
static_assert(FLATOUT_FORWARD == static_cast<int>(Phase::kForward));
static_assert(FLATOUT_BACKWARD == static_cast<int>(Phase::kBackward));
static_assert(FLATOUT_OPTIMIZER == static_cast<int>(Phase::kOptimizer));
static_assert(FLATOUT_COMM == static_cast<int>(Phase::kComm));
static_assert(FLATOUT_SYNC == static_cast<int>(Phase::kSync));
static_assert(FLATOUT_CHECKPOINT == static_cast<int>(Phase::kCheckpoint));
static_assert(FLATOUT_EVAL == static_cast<int>(Phase::kEval));

bool observed = false;  // set before main(), or at dlopen

constexpr std::size_t kMostLogNameBytes = 64;  // as flatout.h says

void say_marks() {
  char json[64];
  const int bytes = std::snprintf(json, sizeof json, R"({"abi":%d,"version":"%s"})",
                                  FLATOUT_ABI_VERSION, FLATOUT_VERSION);
  inject::emit_fact("marks", 5, json, static_cast<std::uint32_t>(bytes));
}

__attribute__((constructor)) void read_environment() {
  const char* ring_dir = ::secure_getenv("FLATOUT_RING_DIR");
  if (ring_dir == nullptr || *ring_dir == '\0') return;
  const char* limit = ::secure_getenv("FLATOUT_STOP_AFTER");
  const char* trial = ::secure_getenv("FLATOUT_TRIAL");
  const bool ends_at_once = trial != nullptr && std::strcmp(trial, "1") == 0;
  if (limit != nullptr) inject::stop_after(std::strtoull(limit, nullptr, 10), ends_at_once);
  flatout::capi::set_planned_knobs(::secure_getenv("FLATOUT_KNOBS"));
  const bool quiet = ::secure_getenv("FLATOUT_QUIET") != nullptr;
  inject::configure(ring_dir, quiet, {.identify = nullptr, .opened = say_marks, .await = true});
  flatout::capi::begin_tracking(::secure_getenv("FLATOUT_TRACK_FILES"), trial != nullptr, quiet);
  observed = true;
}

bool is_phase(int phase) {
  return (phase >= FLATOUT_DATA_WAIT && phase <= FLATOUT_CHECKPOINT) || phase == FLATOUT_EVAL;
}

// --stop-after counts while the program runs; its counter is one for all threads.
class StepsLock {
 public:
  // Gives up in the end: a signal handler may have come in between.
  StepsLock() {
    for (int i = 0; i < 1000 && !held_; ++i) {
      held_ = !busy_.test_and_set(std::memory_order_acquire);
      if (!held_) ::sched_yield();
    }
  }
  ~StepsLock() {
    if (held_) busy_.clear(std::memory_order_release);
  }
  StepsLock(const StepsLock&) = delete;
  StepsLock& operator=(const StepsLock&) = delete;
  explicit operator bool() const { return held_; }

 private:
  static inline std::atomic_flag busy_;
  bool held_ = false;
};

void count_begin(Phase phase, const Lane& lane) {
  const StepsLock lock;
  if (!lock) return;
  const bool trains = !lane.inside(Phase::kEval);
  if (phase == Phase::kDataWait) inject::step_draw(1, trains);
  if (phase == Phase::kForward) inject::step_forward(trains, trains);
  if (phase == Phase::kBackward) inject::step_backward();
}

void count_update() {
  const StepsLock lock;
  if (lock) inject::step_update();
}

std::uint32_t flags_of(Phase phase, const Lane& lane) {
  if (lane.inside(Phase::kEval)) return wire::kMarked;
  if (phase == Phase::kDataWait) return wire::kMarked | wire::kGradEnabled;
  if (phase == Phase::kForward) return wire::kMarked | wire::kGradEnabled | wire::kTraining;
  return wire::kMarked;
}

int begin(Phase phase) {
  Lane* here = inject::writing_lane();
  if (here == nullptr) return FLATOUT_OFF;
  if (here->inside(phase)) return inject::nest_phase(phase) ? FLATOUT_OK : FLATOUT_INVALID;
  if (inject::steps_limited()) count_begin(phase, *here);
  return inject::begin_phase(phase, flags_of(phase, *here), 0, 0) ? FLATOUT_OK : FLATOUT_INVALID;
}

int end(Phase phase) {
  Lane* here = inject::writing_lane();
  if (here == nullptr) return FLATOUT_OFF;
  if (!here->inside(phase)) return FLATOUT_INVALID;
  inject::end_phase(phase, 0, 0, 0);
  if (phase == Phase::kOptimizer && inject::steps_limited() && !here->inside(phase)) count_update();
  return FLATOUT_OK;
}

// "cpu", "cuda", "cuda:1": nothing that JSON would have to escape.
bool is_device(const char* device) {
  const std::size_t bytes = ::strnlen(device, 33);
  if (bytes == 0 || bytes > 32) return false;
  for (std::size_t i = 0; i < bytes; ++i) {
    const char c = device[i];
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ':')) return false;
  }
  return true;
}

}  // namespace

extern "C" {

int flatout_abi_version(void) { return FLATOUT_ABI_VERSION; }

int flatout_active(void) {
  if (!observed) return 0;
  const KeepErrno kept;
  return inject::ring() != nullptr ? 1 : 0;
}

int flatout_phase_begin(int phase) {
  if (!observed) return FLATOUT_OFF;
  const KeepErrno kept;
  return is_phase(phase) ? begin(static_cast<Phase>(phase)) : FLATOUT_INVALID;
}

int flatout_phase_end(int phase) {
  if (!observed) return FLATOUT_OFF;
  const KeepErrno kept;
  return is_phase(phase) ? end(static_cast<Phase>(phase)) : FLATOUT_INVALID;
}

int flatout_step_end(uint64_t samples) {
  if (!observed) return FLATOUT_OFF;
  const KeepErrno kept;
  if (inject::writing_lane() == nullptr) return FLATOUT_OFF;
  inject::close_stale_phases();
  inject::emit_step(samples);
  if (!inject::steps_limited()) return FLATOUT_OK;
  const StepsLock lock;
  if (lock) inject::step_mark();
  return FLATOUT_OK;
}

int flatout_log(const char* name, double value, int64_t step) {
  if (!observed) return FLATOUT_OFF;
  const KeepErrno kept;
  if (name == nullptr || step < wire::kNoStep) return FLATOUT_INVALID;
  const std::size_t bytes = ::strnlen(name, kMostLogNameBytes + 1);
  if (bytes == 0 || bytes > kMostLogNameBytes) return FLATOUT_INVALID;
  if (inject::writing_lane() == nullptr) return FLATOUT_OFF;
  inject::emit_value(name, static_cast<std::uint32_t>(bytes), value, step);
  return FLATOUT_OK;
}

int64_t flatout_knob_int(const char* name, int64_t value, int64_t least, int64_t most) {
  if (!observed) return value;
  const KeepErrno kept;
  return flatout::capi::declared_knob(name, value, least, most);
}

int flatout_device(const char* device) {
  if (!observed) return FLATOUT_OFF;
  const KeepErrno kept;
  if (device == nullptr || !is_device(device)) return FLATOUT_INVALID;
  if (inject::writing_lane() == nullptr) return FLATOUT_OFF;
  char json[64];
  const int bytes = std::snprintf(json, sizeof json, R"({"device":"%s"})", device);
  inject::emit_fact("model", 5, json, static_cast<std::uint32_t>(bytes));
  return FLATOUT_OK;
}

}  // extern "C"
