// The part of a run that a request asks for, in ms since it began, and how finely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analyse/contention.h"
#include "base/result.h"
#include "run/timeline.h"
#include "serve/http/message.h"

namespace flatout::serve {

struct AskedWindow {
  std::optional<double> from_ms, to_ms;
  std::size_t width = 0;  // columns of pixels, at least 1

  // What is not asked for is that of the whole run. Never reaches beyond it.
  analyse::TimeWindow in(const run::Timeline& timeline) const;
  bool whole() const { return !from_ms && !to_ms; }
};
struct WidthRange {
  std::int64_t usual = 0, most = 0;
};
// Of `from`, `to` and `width`. kInvalid.
base::Result<AskedWindow> asked_window(const Request& request, WidthRange widths);

}  // namespace flatout::serve
