// Text of somebody else in columns of a terminal. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flatout::base {

// One line that steers no terminal: a control character (also one that turns the direction of
// writing, or is not to be seen) becomes a space, a byte that is no UTF-8 a '?'. Without `unicode`,
// any other character than printable ASCII becomes one '?'.
std::string terminal_text(std::string_view text, bool unicode);

// Where the character at `at`, before the end, ends; a byte that is no UTF-8 counts as one.
std::size_t next_character(std::string_view text, std::size_t at);

// Columns that a line of UTF-8 takes: 2 for a wide character, 0 for what joins the one before.
std::size_t display_width(std::string_view text);

// At most `columns` columns; what is cut out of the middle is shown as "...", since both ends
// of a path or a name say the most. Never half a character.
std::string shorten_to(std::string_view text, std::size_t columns);

// `text` and as many spaces as it lacks to `columns`.
std::string padded_to(std::string text, std::size_t columns);

}  // namespace flatout::base
