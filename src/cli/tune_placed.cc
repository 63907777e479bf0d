#include "cli/tune_placed.h"

#include <algorithm>
#include <utility>

#include "cli/trial_outcome.h"
#include "cli/tune_trials.h"

namespace flatout::cli {

PlacedTuneTrials::PlacedTuneTrials(PlacedTrials& trials, TrialJob common, LossSource losses)
    : trials_(trials), common_(std::move(common)), losses_(std::move(losses)) {
  common_.unbuffered = !losses_.printed.empty();
}

base::Result<apply::TrialResult> PlacedTuneTrials::run(const apply::TrialSpec& spec) {
  TrialJob job = common_;
  job.knobs = spec.knobs;
  job.steps = spec.steps;
  job.timeout_ns = spec.timeout_ns;
  job.seed_shift = spec.seed_shift;
  job.data_limit_bytes = spec.data_limit_bytes;
  job.name = trial_name(spec);
  if (auto started = trials_.start(std::move(job)); !started) {
    return std::unexpected(started.error());
  }
  const auto ended = trials_.wait();
  if (trials_.interrupted()) {
    apply::TrialResult cut_off;
    cut_off.failure = "interrupted";
    return cut_off;
  }
  for (const auto& path : ended.result.written) {
    if (std::ranges::find(written_, path) == written_.end()) written_.push_back(path);
  }
  for (const auto& path : ended.result.lasting) {
    if (std::ranges::find(lasting_, path) == lasting_.end()) lasting_.push_back(path);
  }
  const bool nothing =
      ended.result.run.empty() || (ended.result.ended.empty() && !ended.result.trouble.empty());
  if (nothing) {
    return base::fail(base::ErrorCode::kUnavailable,
                      "a trial could not be run: " + ended.result.trouble);
  }
  if (!common_.parent) common_.parent = ended.result.run;
  auto measured =
      read_trial(common_.home, ended.result.run, ended.result.ended, ended.output, "", losses_);
  if (!measured) return std::unexpected(measured.error());
  take_files(ended.result.files, measured->trial, common_.file_cache);
  return std::move(measured->trial);
}

}  // namespace flatout::cli
