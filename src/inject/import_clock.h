// How long the main thread has been importing modules, for the report's start-up. The hook in front
// of importlib calls it; nothing is counted once the hook is gone.
#pragma once

#include <cstdint>

namespace flatout::inject {

// Around one import. Only the outermost of the main thread counts.
class ImportSpan {
 public:
  ImportSpan();
  ~ImportSpan();
  ImportSpan(const ImportSpan&) = delete;
  ImportSpan& operator=(const ImportSpan&) = delete;

 private:
  bool counts_;
};

// Wall time in imports so far, the one that runs now included; of a forked process with its
// parent's. Called with the interpreter held.
std::int64_t imports_ns();

}  // namespace flatout::inject
