// A process that tells a signal to the group from a signal to flatout alone.
//
// Problem: flatout must forward `kill -TERM <flatout>` and must not forward
// `kill -TERM -<group>`, which the program gets by itself. siginfo is the same.
// Method: a small process in the same group reports every signal it gets; what
// reached it as well was sent to the group. It blocks all signals, holds no
// descriptor but its pipe, and dies with flatout.
//
// How long to wait for its report must not depend on the load of the machine:
// flatout sends it a ping, which is the highest signal number. The kernel hands
// out pending signals lowest first, so the answer comes after everything else.
//
// Its command line is that of the program, behind a name of its own: `pkill -f
// train.py` hits it together with flatout and the program, and then counts
// as sent to all of them; `pkill flatout` does not hit it. Refused: guessing from
// si_code (cannot tell), and a process group of its own for the program (breaks
// Ctrl-C, Ctrl-Z and reading from the terminal).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace flatout::launch {

// One signal, as flatout or its canary got it. Written through the pipe.
struct SignalReport {
  std::int64_t value = 0;  // si_value of a queued signal, all its bits
  std::int32_t signo = 0;
  std::int32_t code = 0;    // si_code
  std::int32_t sender = 0;  // si_pid
  friend bool operator==(const SignalReport&, const SignalReport&) = default;
};

class Canary {
 public:
  // Forks. Call it with the relayed signals blocked and before any thread.
  static base::Result<Canary> start(std::span<const std::string> command);
  Canary(Canary&& other) noexcept;
  Canary& operator=(Canary&&) = delete;
  ~Canary();  // stop()

  int fd() const { return pipe_.get(); }  // readable when a report is there
  pid_t pid() const { return pid_; }

  // Asks for an answer with this number. Call it right after read() gave nothing:
  // then the pid is known to be the canary's still. No answer may come.
  void ping(std::int32_t number);
  bool is_answer(const SignalReport& report) const;

  // The next report; nothing when there is none yet or the canary is gone,
  // which lost() then tells.
  std::optional<SignalReport> read();
  bool lost() const { return lost_; }

  void stop();  // kills and reaps it; again does nothing

 private:
  Canary(pid_t pid, base::UniqueFd pipe) : pipe_(std::move(pipe)), pid_(pid) {}
  base::UniqueFd pipe_;
  pid_t pid_ = 0;
  bool lost_ = false;
};

}  // namespace flatout::launch
