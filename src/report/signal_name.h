// The name of a signal, as in "SIGKILL".
#pragma once

#include <string>

namespace flatout::report {

// "SIGRTMIN+3" for real-time signals; "SIG77" for a number this system lacks.
std::string signal_name(int signal);

}  // namespace flatout::report
