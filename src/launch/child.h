// The program: started in flatout's own process group and terminal, with the
// descriptors, mask and dispositions that flatout was given. Main thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/plan.h"
#include "launch/signals.h"

namespace flatout::launch {

// How a process ended.
struct Exit {
  int code = 0;    // meaningless when signal != 0
  int signal = 0;  // that ended it, 0 = it exited
  friend bool operator==(const Exit&, const Exit&) = default;
};

// `status`: as waitpid(2) gives it, of a process that has ended.
Exit exit_of(int status);

// What a hook between fork and exec could not do; no `what` = all went well.
struct SetupFailure {
  int err = 0;                 // errno
  const char* what = nullptr;  // "cannot ...", made before the fork or static
};

// Runs in the child, right before exec: nothing in it may allocate, lock or leave
// a descriptor that exec does not close.
using ChildSetup = std::function<SetupFailure()>;

class Child {
 public:
  // Forks and executes `argv`, found as execvp(3) does. flatout becomes the
  // reaper of orphaned descendants. On failure nothing runs and the message is one
  // line; start_failure_code() of nested.h gives the status. argv is not empty.
  // `before_exec` is called in between, with the pid: what it writes down is
  // written before the program's first instruction. Should flatout die in
  // there, the program starts all the same. `in_child` runs after it, in the child;
  // what it fails at is the error of the start (kIo), and nothing is executed.
  static base::Result<Child> start(std::span<const std::string> argv,
                                   std::span<const std::string> env, SignalRelay& relay,
                                   const std::function<void(pid_t)>& before_exec = {},
                                   const ChildSetup& in_child = {});

  pid_t pid() const { return pid_; }

  // Reaps whatever has ended, adopted orphans included. Never blocks. Nothing
  // while the program runs or is stopped; then its exit, again at each call.
  std::optional<Exit> poll_exit();

  // Passes one signal on, with the value of a queued one. Nothing happens after
  // the end: the pid may be somebody else's.
  void send(const SignalReport& signal) const;

 private:
  explicit Child(pid_t pid) : pid_(pid) {}
  pid_t pid_ = 0;
  std::optional<Exit> exit_;
};

// Living processes below `root` in the tree, zombies left out, in order of pid.
std::vector<pid_t> descendants(pid_t root, const std::filesystem::path& proc = "/proc");

// The processes of the run that live on after the main one: all descendants of
// flatout but the canary. Complete, as orphans are handed to flatout. Call it
// after poll_exit() told the end and before SignalRelay::finish().
std::vector<pid_t> survivors(const SignalRelay& relay);

}  // namespace flatout::launch
