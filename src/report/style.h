// How a text view looks: how wide it is, which characters it may use, and colours. Pure.
//
// A part of a line gets a tone by `toned()`, which puts marks around it: control characters, which
// no text of a program still has once `cleaned()` has seen it. `finished()` turns the marks into
// colours, or takes them out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flatout::report {

constexpr std::size_t kFewestColumns = 40;
constexpr char kToneEnds = '\x1f';
constexpr char kNoBreak = '\x01';  // a space at which no line ends

struct Style {
  std::size_t columns = 80;  // fewer than kFewestColumns count as that many
  bool colour = false;       // ANSI sequences: for a terminal alone
  bool unicode = false;      // else printable ASCII
};

// Of tables that go to no terminal: wide enough for a trial of a tune in one line.
constexpr Style kTableStyle = {.columns = 120};

enum class Tone : std::uint8_t {
  kHeading,  // bold
  kLoss,     // what costs time, or failed: bold red
  kGain,     // green
  kCaution,  // yellow
  kQuiet,    // what stands in the background
};

// As base::terminal_text() has it, of `style.unicode`.
std::string cleaned(std::string_view text, const Style& style);
// The same, in ASCII.
std::string to_ascii(std::string_view text);

std::string toned(Tone tone, std::string_view text);
std::string finished(std::string_view line, const Style& style);

// Columns of a terminal that `text` takes; marks take none.
std::size_t width_of(std::string_view text);
// Spaces behind it until it is so wide, or in front of it.
std::string padded(std::string_view text, std::size_t columns);
std::string padded_left(std::string_view text, std::size_t columns);

// At most `columns` wide; what is cut out of the middle is shown as "...", since both ends of a
// path or a name say the most; of 3 columns or fewer the beginning. For names, never for sentences
// or what has tones.
std::string shorten(std::string_view text, std::size_t columns);

bool is_mark(char c);

}  // namespace flatout::report
