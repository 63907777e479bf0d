// Times as the API gives them: milliseconds since the run began.
#pragma once

#include <cstdint>

namespace flatout::serve {

inline double run_ms_of(std::int64_t t_ns, std::int64_t start_ns) {
  return static_cast<double>(t_ns - start_ns) / 1e6;
}

}  // namespace flatout::serve
