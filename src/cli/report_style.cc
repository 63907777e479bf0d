#include "cli/report_style.h"

#include "cli/terminal.h"
#include "report/tune_text.h"

namespace flatout::cli {

report::Style report_style(int fd) {
  const TerminalStyle style = terminal_style(fd);
  return {.columns = style.columns, .colour = style.colour, .unicode = style.unicode};
}

report::Style report_table_style(int fd) {
  report::Style style = report_style(fd);
  if (!is_terminal(fd)) style.columns = report::kTableStyle.columns;
  return style;
}

}  // namespace flatout::cli
