// Blocks of steps that a tuner asks for while the program runs (wire/control_page.h): switch,
// settle, measure, answer. One object a process; only the thread that closes a step calls it, and
// no two at once, since the interpreter is held.
//
// An epoch or an evaluation that begins in a block disturbs it and is no part of what is
// compared: the block begins anew, after the steps in which an iterator's first batches come. Where
// the tuner asks for a block with epochs, it goes on.
#pragma once

#include <cstdint>

#include "wire/control_page.h"

namespace flatout::inject {

// A block that is disturbed so often is given up: epochs are shorter than it.
constexpr std::uint32_t kMostBlockRestarts = 4;
constexpr std::uint64_t kSettleAfterDisturbance = 3;  // steps, at least

class Blocks {
 public:
  // The program's language does these. Each may be null.
  struct Calls {
    // Puts the settings in place. False: it could not, and `answer` was written.
    bool (*put)(const char* text, std::uint32_t bytes, wire::ControlPage& page) = nullptr;
    // All that the steps so far have started on devices is over when it comes back.
    void (*settled)() = nullptr;
    // Writes the answer's text and its length: what became of each setting.
    void (*outcomes)(wire::ControlPage& page) = nullptr;
    // Comes back once something else than `taken` is asked for, or a signal's handler has raised.
    void (*rest)(wire::ControlPage& page, std::uint32_t taken) = nullptr;
  };

  // `page` stays mapped.
  void drive_by(wire::ControlPage& page, const Calls& calls) {
    page_ = &page;
    calls_ = calls;
  }
  bool driven() const { return page_ != nullptr; }

  // At the end of a step; `now` gives the time (ns), and is asked only where one is needed.
  // True: the process is to end now.
  bool step_closed(std::int64_t (*now)());

  void disturbed() { disturbed_ = true; }

 private:
  enum class Phase : std::uint8_t { kIdle, kSettling, kMeasuring };

  bool take(std::int64_t (*now)());
  void begin(std::int64_t (*now)());
  void answer(wire::BlockEnd end);
  void begin_anew();
  bool rest();

  wire::ControlPage* page_ = nullptr;
  Calls calls_;
  Phase phase_ = Phase::kIdle;
  bool disturbed_ = false;
  std::uint32_t taken_ = 0;
  std::uint64_t left_ = 0;  // steps until the block begins
  std::uint64_t steps_ = 0;
  std::uint32_t restarts_ = 0;
  std::int64_t put_ns_ = 0, begin_ns_ = 0;
};

}  // namespace flatout::inject
