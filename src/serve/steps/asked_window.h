// The part of a run that a request asks for, in ms since it began.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "analyse/contention.h"
#include "base/result.h"
#include "run/timeline.h"
#include "serve/http/message.h"

namespace flatout::serve {

inline double run_ms_of(std::int64_t t_ns, std::int64_t start_ns) {
  return static_cast<double>(t_ns - start_ns) / 1e6;
}

struct AskedWindow {
  std::optional<double> from_ms, to_ms;

  // What is not asked for is that of the whole run. Never reaches beyond it.
  analyse::TimeWindow in(const run::Timeline& timeline) const;
  bool whole() const { return !from_ms && !to_ms; }
};
// kInvalid.
base::Result<AskedWindow> asked_window(const Request& request);

}  // namespace flatout::serve
