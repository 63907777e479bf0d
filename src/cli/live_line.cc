#include "cli/live_line.h"

#include <unistd.h>

#include <algorithm>

#include "base/file.h"
#include "base/printable.h"
#include "base/terminal_text.h"
#include "cli/terminal.h"

namespace flatout::cli {
LiveLine::LiveLine() : terminal_(::isatty(2) == 1) {}

void LiveLine::show(const std::string& text) {
  if (!terminal_ || (text.empty() && !shown_)) return;
  shown_ = !text.empty();
  // The last column stays free: some terminals go on to the next line from there.
  const std::string shortened = base::shorten_to(base::terminal_text(text, shows_unicode()),
                                                 std::max<std::size_t>(columns_of(2), 2) - 1);
  (void)base::write_all(2, "\r\x1b[K" + inked(Ink::kDim, shortened, coloured(2)), "stderr");
}

void LiveLine::keep(const std::string& line) { keep_finished(base::printable(line)); }

void LiveLine::keep_finished(const std::string& text) {
  show("");
  (void)base::write_all(1, text + "\n", "stdout");
}

}  // namespace flatout::cli
