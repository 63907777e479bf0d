// What `flatout top` looks at, once a second or so: a run through its log, a process that flatout
// did not start or the whole machine through the sources of a recording. Main thread.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "run/watched.h"

namespace flatout::app {

class Watch {
 public:
  virtual ~Watch() = default;
  // As it is now. Never fails: what cannot be read any more is a note.
  virtual run::Watched look() = 0;
};

// `what`: the number of a process, or a run as everywhere; "" = the newest run that is running,
// also where it begins later, else the machine. A process that a running run started is watched as
// that run. kNotFound: neither is there.
base::Result<std::unique_ptr<Watch>> open_watch(const std::string& home, const std::string& what,
                                                const base::Clock& clock);

// The parts of it. `pid` 0 = the machine.
base::Result<std::unique_ptr<Watch>> watch_run(const std::string& home, const std::string& id,
                                               const base::Clock& clock);
base::Result<std::unique_ptr<Watch>> watch_processes(pid_t pid, const base::Clock& clock);

}  // namespace flatout::app
