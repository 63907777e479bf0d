// flatout.hpp: flatout.h for C++11 and later. Header only, and nothing in it
// throws; flatout.h says what the calls mean.
//
//     for (Batch batch; ;) {
//       if (!flatout::timed(flatout::kDataWait, [&] { return reader.next(batch); })) break;
//       {
//         flatout::Phase phase(flatout::kForward);
//         loss = model.forward(batch);
//       }
//       flatout::step_end(batch.size());
//     }
#ifndef FLATOUT_FLATOUT_HPP
#define FLATOUT_FLATOUT_HPP

#include <cstdint>
#include <string>
#include <utility>

#include "flatout/flatout.h"

namespace flatout {

constexpr int kDataWait = FLATOUT_DATA_WAIT;
constexpr int kH2d = FLATOUT_H2D;
constexpr int kForward = FLATOUT_FORWARD;
constexpr int kBackward = FLATOUT_BACKWARD;
constexpr int kOptimizer = FLATOUT_OPTIMIZER;
constexpr int kComm = FLATOUT_COMM;
constexpr int kSync = FLATOUT_SYNC;
constexpr int kCheckpoint = FLATOUT_CHECKPOINT;
constexpr int kEval = FLATOUT_EVAL;

// A phase from here to the end of the block, also when an exception leaves it.
// Belongs to the thread that made it.
class Phase {
 public:
  explicit Phase(int phase) noexcept
      : phase_(flatout_phase_begin(phase) == FLATOUT_OK ? phase : 0) {}
  ~Phase() { end(); }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

  // Before the block ends; a second time does nothing.
  void end() noexcept {
    if (phase_ != 0) flatout_phase_end(phase_);
    phase_ = 0;
  }

 private:
  int phase_;
};

// What `call` returns; its time is the phase's.
template <typename Call>
auto timed(int phase, Call&& call) -> decltype(std::forward<Call>(call)()) {
  const Phase open(phase);
  return std::forward<Call>(call)();
}

inline bool active() noexcept { return flatout_active() != 0; }
inline void step_end(std::uint64_t samples = 0) noexcept { flatout_step_end(samples); }
inline void log(const char* name, double value, std::int64_t step = -1) noexcept {
  flatout_log(name, value, step);
}
inline void log(const std::string& name, double value, std::int64_t step = -1) noexcept {
  flatout_log(name.c_str(), value, step);
}
inline std::int64_t knob(const char* name, std::int64_t value, std::int64_t least,
                         std::int64_t most) noexcept {
  return flatout_knob_int(name, value, least, most);
}
inline void device(const char* name) noexcept { flatout_device(name); }

}  // namespace flatout

#endif  // FLATOUT_FLATOUT_HPP
