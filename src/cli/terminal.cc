#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/ascii.h"
#include "base/number_text.h"

namespace flatout::cli {
namespace {

constexpr std::size_t kColumnsUnknown = 80;
constexpr std::size_t kMostColumns = 10'000;

Colour chosen_colour = Colour::kAuto;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

void choose_colour(Colour colour) { chosen_colour = colour; }

bool coloured(int fd) {
  if (chosen_colour != Colour::kAuto) return chosen_colour == Colour::kAlways;
  const std::string_view term = variable("TERM");
  return is_terminal(fd) && !term.empty() && term != "dumb" && variable("NO_COLOR").empty();
}

TerminalStyle terminal_style(int fd) {
  return {.columns = columns_of(fd), .unicode = shows_unicode(), .colour = coloured(fd)};
}

TerminalStyle table_style(int fd) {
  TerminalStyle style = terminal_style(fd);
  if (!is_terminal(fd)) style.columns = 0;
  return style;
}

bool same_terminal(int a, int b) {
  unsigned device_a = 0;
  unsigned device_b = 0;
  return ::ioctl(a, TIOCGDEV, &device_a) == 0 && ::ioctl(b, TIOCGDEV, &device_b) == 0 &&
         device_a == device_b;
}

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

std::size_t columns_of(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::size_t columns = base::parse_number<std::size_t>(variable("COLUMNS")).value_or(0);
  return columns > 0 ? std::min(columns, kMostColumns) : kColumnsUnknown;
}

// As setlocale(3) would choose; this program sets no locale of its own.
bool shows_unicode() {
  std::string_view said;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    said = variable(name);
    if (!said.empty()) break;
  }
  const std::string low = base::lowered(said);
  return low.find("utf-8") != std::string::npos || low.find("utf8") != std::string::npos;
}

std::string inked(Ink ink, std::string_view text, bool on) {
  constexpr std::string_view kBegin[] = {"", "1", "2", "31", "32", "33", "36"};
  if (!on || ink == Ink::kPlain || text.empty()) return std::string(text);
  return "\x1b[" + std::string(kBegin[static_cast<std::size_t>(ink)]) + "m" + std::string(text) +
         "\x1b[0m";
}

}  // namespace flatout::cli
