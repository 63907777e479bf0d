// A call that returned when its device had come so far, and what is known of who called it.
#pragma once

#include <compare>
#include <cstdint>

namespace flatout::analyse {

// Numbers of names in the Timeline's NameTable, 0 = none; `site` one of the process's wait_site
// facts.
struct WaitCaller {
  std::uint32_t api = 0;    // cudaStreamSynchronize
  std::uint32_t site = 0;   // of a run: the place in the program
  std::uint32_t own = 0;    // the innermost function of the program's own code
  std::uint32_t by = 0;     // the innermost function of a library's below it
  std::uint32_t op = 0;     // the outermost op of the framework below those, else a function of C
  std::uint32_t range = 0;  // the innermost range that the program marked
  friend auto operator<=>(const WaitCaller&, const WaitCaller&) = default;
};

struct WaitCall {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  WaitCaller caller;
};

}  // namespace flatout::analyse
