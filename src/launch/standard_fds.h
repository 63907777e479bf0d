// Descriptors that flatout was given and that belong to the program. Two harms
// are kept away: a file of flatout's that lands on a closed 0, 1 or 2 and gets
// the program's output, and a pipe whose reader waits for an end of file that
// does not come because flatout holds a copy. Main thread.
#pragma once

#include <vector>

#include "base/result.h"

namespace flatout::launch {

// Opens /dev/null, close-on-exec, on those of 0, 1, 2 that are closed; the
// child finds them closed as flatout did. First thing in main.
base::Result<void> reserve_standard_fds();

// The descriptors above 2 that flatout was given.
class InheritedFds {
 public:
  // Before flatout opens anything. Those that are close-on-exec are not listed:
  // they are not the program's.
  static InheritedFds list();

  // After the child has started: closes them and puts /dev/null on 0 and 1, so
  // that only the program holds its files. stderr stays for flatout's lines.
  void release();

 private:
  std::vector<int> fds_;
};

}  // namespace flatout::launch
