// What others took of the machine while a trial ran, and how far that can have slowed it.
// Pure; any thread.
//
// It is a bound, no correction: rates stay as measured. Pairs of trials that it touched
// differently are made again, and what is left of the difference makes their interval wider.
#pragma once

#include <optional>

#include "run/predictor.h"

namespace flatout::apply {

// Over the steady steps of a trial. Absent = not known.
struct OutsideLoad {
  std::optional<double> cpu_share;     // of the usable cores, used by processes not of the trial
  std::optional<double> device_share;  // of the time, the device worked for others
  std::optional<double> throttled;     // of the time, its clocks were held down by heat
};

// A pair whose trials may differ by that much because of others is made again.
constexpr double kTouched = 0.1;  // of the log rate
// Where one end of an interval is so many times the other, more trials are worth their time.
constexpr double kTooWide = 4;

// Nobody else took anything of the machine, as far as it can be seen, and it can.
bool quiet(const OutsideLoad& load);
// By how much the log rate may be lower than on a quiet machine, >= 0.
double log_slowdown(const OutsideLoad& load);
bool touched(const OutsideLoad& a, const OutsideLoad& b);
bool too_wide(const run::Speedup& speedup);

}  // namespace flatout::apply
