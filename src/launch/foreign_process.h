// A process that somebody else started, watched until it has ended. One thread.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/file.h"
#include "base/process.h"
#include "base/result.h"
#include "launch/child.h"

namespace flatout::launch {

class ForeignProcess {
 public:
  // kNotFound: there is no such process.
  static base::Result<ForeignProcess> open(pid_t pid);

  pid_t pid() const { return id_.pid; }
  // Readable once it has ended; -1 where the kernel has no such descriptor (before 5.3).
  int fd() const { return pidfd_.get(); }
  bool ended() const;
  // How it ended, after ended(). The kernel says so of a process that nobody has waited for yet,
  // and since 6.15 of any; else absent.
  std::optional<Exit> exit() const;

 private:
  ForeignProcess(base::ProcessId id, base::UniqueFd pidfd) : id_(id), pidfd_(std::move(pidfd)) {}

  base::ProcessId id_;
  base::UniqueFd pidfd_;
};

}  // namespace flatout::launch
