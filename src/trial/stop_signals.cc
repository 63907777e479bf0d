#include "trial/stop_signals.h"

#include <array>

namespace flatout::trial {
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

StopSignals::~StopSignals() { hand_back(); }

bool StopSignals::asked() const { return asked_to_end != 0; }

// There is one at a time, so what it keeps is kept once.
// NOLINTNEXTLINE(readability-convert-member-functions-to-static)
void StopSignals::hand_back() const {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &given[i], nullptr);
}

}  // namespace flatout::trial
