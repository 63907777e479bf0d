#include "cli/report_style.h"

#include "cli/terminal.h"

namespace flatout::cli {

report::Style report_style(int fd) {
  const TerminalStyle style = terminal_style(fd);
  return {.columns = style.columns,
          .colour = style.colour,
          .unicode = style.unicode && is_terminal(fd)};
}

report::Style report_table_style(int fd) {
  report::Style style = report_style(fd);
  if (!is_terminal(fd)) style.columns = report::kTableStyle.columns;
  return style;
}

bool is_file(const std::string& out) { return !out.empty() && out != "-"; }

report::Style report_style_of(const std::string& out) {
  return is_file(out) ? report::Style{} : report_style(1);
}

report::Style report_table_style_of(const std::string& out) {
  return is_file(out) ? report::kTableStyle : report_table_style(1);
}

}  // namespace flatout::cli
