// What all rules share: how a share becomes a severity and a confidence, and
// how numbers are put into evidence and sentences.
#pragma once

#include <span>
#include <string>

#include "analyse/analysis.h"
#include "analyse/stats.h"
#include "run/report.h"

namespace flatout::analyse {

struct Thresholds {
  double warn = 0;
  double critical = 0;
};

// kCritical or kWarn; kInfo below `warn`.
run::Severity severity_of(double share, const Thresholds& thresholds);

// 95 % interval of the phases' share of steady step time: block bootstrap over
// the steps in blocks of at least 10 (long runs: in at most 500 groups).
ConfidenceInterval share_interval(const Analysis& analysis, std::span<const run::Phase> phases);

// How sure a share is that was measured over the steady steps: 0.95 from 20
// steps on, less with fewer (TraceML, too, asks 20 for its higher grade), at most 0.4
// where warm-up could not be told from the steady state; a fifth less where
// records were dropped, two fifths less where `lowest`, the low end of the
// share's interval, is below the threshold.
double confidence_of(const Analysis& analysis, double lowest, double threshold);

// Where in the step host time is lost, which decides who can tell how long the device idles of it.
enum class LostIn : std::uint8_t {
  kPhasesWithoutWork,  // data_wait, h2d, checkpoint, other: there polled events see it idle, too
  kWholeStep,          // in forward, backward and optimizer, too, whose gaps events count as work
};

// What of a share of host time is lost to the device: no more than the share of
// time in which the device does nothing. `share` itself where that is not known,
// and where the CPU is the device. Every finding about the host claims no more.
double at_stake(const Analysis& analysis, double share, LostIn where = LostIn::kPhasesWithoutWork);

// The same of epoch gaps, `ratio` to the steady steps' time: no more than the device idles in
// steps and gaps together, over the steps' time.
double gaps_at_stake(const Analysis& analysis, double ratio);

// "; the GPU idles 12 % of the time" where less is at stake than the host loses, else "".
std::string idle_words(const Analysis& analysis, double host_share, double share);

// The steps run on a CUDA device that is busy 80 % of the time or more.
bool keeps_gpu_busy(const Analysis& analysis);

// Adds how busy the device is, and the tier that says so, to the evidence.
void add_device_busy(const Analysis& analysis, run::Finding& finding);

// The training loader has workers, and each epoch starts them anew.
bool restarts_workers(const Analysis& analysis);

// A figure of the steady window.
run::Evidence steady_evidence(const Analysis& analysis, std::string metric, double value,
                              std::string unit);
run::Evidence share_evidence(const Analysis& analysis, std::string metric, double value,
                             double threshold);

std::string percent(double share);                       // "83 %"
std::string seconds_text(double seconds);                // "1.3 s", "40 ms"
std::string_view device_word(const Analysis& analysis);  // "GPU" or "CPU"

}  // namespace flatout::analyse
