// Which of the loops that are compiled once an instruction set (flatout_by_instruction_set) this
// machine can run.
#pragma once

namespace flatout::data {

inline bool runs_v3() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("x86-64-v3") != 0;
#else
  return false;
#endif
}

}  // namespace flatout::data
