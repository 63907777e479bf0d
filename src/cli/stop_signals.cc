#include "cli/stop_signals.h"

#include <array>

namespace flatout::cli {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t asked_to_end = 0;
std::array<struct sigaction, kSignals.size()> given;

void note_end(int) { asked_to_end = 1; }

}  // namespace

StopSignals::StopSignals() {
  asked_to_end = 0;
  struct sigaction action{};
  action.sa_handler = note_end;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &given[i]);
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &given[i], nullptr);
}

bool StopSignals::asked() const { return asked_to_end != 0; }

}  // namespace flatout::cli
