// How many threads, and what prefetch depth, a cost and a demand ask for, before anything was
// tried.
#pragma once

#include "data/tune/setting.h"
#include "data/tune/window.h"

namespace flatout::data::tune {

// Share of its time that a consumer may wait without counting as an underrun.
inline constexpr double kFed = 0.01;

// Threads that keep every core busy while some of them wait for bytes, or that meet the consumer's
// demand with a tenth to spare, whichever is less; in fractions of a thread. Little's law: as many
// samples are under way as come in a second, times the seconds each takes. 0 where nothing was
// made.
double threads_for(const Figures& figures, const Bounds& bounds);

// Batches that must be open so that so many threads find something to make.
std::size_t ahead_for_threads(int threads, const Bounds& bounds);

// Batches that bridge a slow one: the 99th percentile of the time of one over `used_up_in_s`, and
// the one that the consumer takes meanwhile. At least 2.
std::size_t ahead_for_slow_batches(const Figures& figures, double used_up_in_s);

// The same where so many threads make them: at the consumer's pace, or at theirs where that is
// slower.
std::size_t ahead_rule(const Figures& figures, int threads);

// Share of the threads' time in which they found nothing to make.
double idle_share(const Figures& figures, int threads);

// Within the bounds, and with room for its threads.
Setting bounded(Setting setting, const Bounds& bounds);

}  // namespace flatout::data::tune
