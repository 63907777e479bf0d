#include "cli/live_line.h"

#include <unistd.h>

#include "base/file.h"
#include "base/printable.h"
#include "report/layout.h"

namespace flatout::cli {
namespace {

constexpr std::size_t kLiveColumns = 79;

}  // namespace

LiveLine::LiveLine() : terminal_(::isatty(2) == 1) {}

void LiveLine::show(const std::string& text) {
  if (!terminal_ || (text.empty() && !shown_)) return;
  shown_ = !text.empty();
  const std::string shortened =
      report::shorten(report::to_ascii(base::printable(text)), kLiveColumns);
  (void)base::write_all(2, "\r\x1b[K" + shortened, "stderr");
}

void LiveLine::keep(const std::string& line) {
  show("");
  (void)base::write_all(1, base::printable(line) + "\n", "stdout");
}

}  // namespace flatout::cli
