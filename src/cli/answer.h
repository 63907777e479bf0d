// How a verb that was asked for something ends.
#pragma once

#include <string>

#include "base/result.h"

namespace flatout::cli {

// The text to stdout, or what went wrong to stderr as one line. Returns the exit
// status. Main thread.
int answer(const base::Result<std::string>& text);

// The same for a text that holds colours of ours, and of others only what base::terminal_text
// made safe.
int answer_styled(const base::Result<std::string>& text);

}  // namespace flatout::cli
