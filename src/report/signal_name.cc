#include "report/signal_name.h"

#include <csignal>
#include <cstring>

namespace flatout::report {

std::string signal_name(int signal) {
  if (signal >= SIGRTMIN && signal <= SIGRTMAX) {
    const int offset = signal - SIGRTMIN;
    return offset == 0 ? "SIGRTMIN" : "SIGRTMIN+" + std::to_string(offset);
  }
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "SIG" + std::to_string(signal) : std::string("SIG") + name;
}

}  // namespace flatout::report
