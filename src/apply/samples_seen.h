// Whether two ways of running a program train on the same samples, where their order
// shows nothing because the program shuffles anew in each run. Pure.
//
// What the sampler gave is then compared as a set: by a hash of a whole epoch that does
// not depend on the order; within an epoch by how many samples come again, how their
// numbers are spread (Kolmogorov and Smirnov's distance of the values, chi-square of the
// remainders by sixteen), and how often one follows a smaller one or its predecessor. How far
// each may differ: what sampling alone does about once in a thousand comparisons, and what
// the baselines differ among themselves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace flatout::apply {

struct SamplesSeen {
  double samples = 0;
  double repeats = 0;     // of them, that had come before
  std::string together;   // hash of all of them in whatever order; "" = not known
  double rising = 0;      // how many are larger than the one before
  double successors = 0;  // of these, by one
  std::vector<double> quantiles =
      {};                          // at 0, 1/16, ... 1 of the values; empty = they are no numbers
  std::vector<double> rests = {};  // how many have each remainder by 16; empty = as above
};

// Of one training loader of a trial, in its first epoch.
struct SamplesOfLoader {
  std::map<int, SamplesSeen> first;  // batches -> what so many held
  std::optional<SamplesSeen> epoch;  // absent where it did not end
};

using SamplesByLoader = std::map<int, SamplesOfLoader>;

enum class SameSamples : std::uint8_t { kYes, kNo, kUnknown };

struct SamplesOpinion {
  SameSamples same = SameSamples::kUnknown;
  std::string reason;  // one clause where they are not the same
};

// `baselines`: two or more trials without the knob, whose orders differ.
SamplesOpinion same_samples(std::span<const SamplesByLoader* const> baselines,
                            const SamplesByLoader& candidate);

}  // namespace flatout::apply
