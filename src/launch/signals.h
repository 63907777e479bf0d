// Signals between the terminal, flatout and the program.
//
// Ctrl-C, Ctrl-\ and window size reach the program by itself, since it is in
// flatout's process group; flatout only survives them. A hang-up does, where flatout
// does not lead the session. A signal sent to flatout alone is passed on exactly
// once; one sent to the whole group is not passed on (forwarding.h, canary.h). TSTP, TTIN, TTOU and
// CONT keep their default, so Ctrl-Z and fg work. Main thread; start() before any other thread.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "base/time.h"
#include "launch/canary.h"
#include "launch/forwarding.h"
#include "launch/signal_state.h"

namespace flatout::launch {

class SignalRelay {
 public:
  // `command` is what will be started, for the canary's command line. On an
  // error everything is as it was given.
  static base::Result<SignalRelay> start(std::span<const std::string> command);
  SignalRelay(SignalRelay&&) noexcept = default;

  const SignalState& state() const { return state_; }
  pid_t canary_pid() const { return canary_.pid(); }  // no part of the run

  // Readable when there is something to pump().
  int signal_fd() const { return signals_.get(); }
  int canary_fd() const { return canary_.fd(); }  // -1 once the canary is gone

  // What came up to now came before the program. Child::start calls it last
  // thing before fork.
  void mark_start(base::TimeNs now);

  // Reads what there is, never blocks, and gives what is to be forwarded now.
  std::vector<SignalReport> pump(base::TimeNs now);
  std::optional<base::TimeNs> deadline() const { return forwarding_.deadline(); }

  // After the program's end, and after what must not be lost is written: stops
  // the canary, forgets what is pending (the program has had it) and restores mask
  // and dispositions, so that a further Ctrl-C ends flatout. A file size limit that
  // what flatout still writes meets is from then on an error and no signal.
  void finish();

  // Instead of finish, before flatout becomes the program by exec: all is as it was.
  void give_back();

 private:
  SignalRelay(SignalState state, base::UniqueFd signals, Canary canary);
  void read_signals(base::TimeNs now, bool early);
  void read_canary(base::TimeNs now);

  SignalState state_;
  base::UniqueFd signals_;
  Canary canary_;
  Forwarding forwarding_;
};

}  // namespace flatout::launch
