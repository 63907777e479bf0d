// Words of a command as a shell takes them. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace flatout::base {

// Its bytes as they are: 'two words'.
std::string shell_word(std::string_view word);

// The same for a terminal: what terminal_text() would change is written out, $'caf\303\251', as
// bash, zsh and ksh read it.
std::string shown_shell_word(std::string_view word, bool unicode);

// A line of such words, each for a terminal. One that quotes otherwise still steers none.
std::string shown_shell_line(std::string_view line, bool unicode);

}  // namespace flatout::base
