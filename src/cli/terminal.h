// Where verbs print: how wide it is, and whether colour and other characters than ASCII are for
// it. What --color said holds for the whole command. Main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flatout::cli {

enum class Colour : std::uint8_t { kAuto, kAlways, kNever };

// Of --color, before anything is printed.
void choose_colour(Colour colour);

// Whether what goes to `fd` shall have colour and bold: as --color says; with auto where it is a
// terminal, TERM is neither unset nor "dumb", and NO_COLOR is unset or empty.
bool coloured(int fd);

// Columns of the terminal behind `fd`, else $COLUMNS, else 80.
std::size_t columns_of(int fd);
bool is_terminal(int fd);
// Whether both are one terminal, also where one of them is /dev/tty.
bool same_terminal(int a, int b);
// Whether the locale's characters are UTF-8.
bool shows_unicode();

// How what goes to `fd` shall look. Whoever lays out a report or a table asks here, and nowhere
// else.
struct TerminalStyle {
  std::size_t columns = 0;  // 0 for tables: lines are not cut
  bool unicode = false;     // else printable ASCII
  bool colour = false;
};
TerminalStyle terminal_style(int fd);
// The same for a table: where `fd` is no terminal, no cell is cut, so that programs can read it.
TerminalStyle table_style(int fd);

enum class Ink : std::uint8_t { kPlain, kBold, kDim, kRed, kGreen, kYellow, kCyan };
// `text` between the sequences for it; just `text` where not `on`.
std::string inked(Ink ink, std::string_view text, bool on);

}  // namespace flatout::cli
