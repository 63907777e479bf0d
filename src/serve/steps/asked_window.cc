#include "serve/steps/asked_window.h"

#include <algorithm>

#include "serve/parameters.h"
#include "serve/run_ms.h"

namespace flatout::serve {

analyse::TimeWindow AskedWindow::in(const run::Timeline& timeline) const {
  const std::int64_t start_ns = timeline.info.started_ns;
  const std::int64_t end_ns = std::max(
      {start_ns + 1, timeline.last_ns, timeline.end ? timeline.end->t_ns : timeline.last_ns});
  const auto at = [&](double ms) {
    const double most = run_ms_of(end_ns, start_ns);
    return start_ns + static_cast<std::int64_t>(std::clamp(ms, 0.0, most) * 1e6);
  };
  return {from_ms ? at(*from_ms) : start_ns, to_ms ? at(*to_ms) : end_ns};
}

base::Result<AskedWindow> asked_window(const Request& request, WidthRange widths) {
  const auto from = number(request, "from");
  const auto to = number(request, "to");
  const auto width = whole_number(request, "width", widths.usual, 1, widths.most);
  if (!from) return std::unexpected(from.error());
  if (!to) return std::unexpected(to.error());
  if (!width) return std::unexpected(width.error());
  return AskedWindow{.from_ms = *from, .to_ms = *to, .width = static_cast<std::size_t>(*width)};
}

}  // namespace flatout::serve
