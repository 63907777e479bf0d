#include "trial/tune_trials.h"

#include <unistd.h>

#include <utility>

#include "base/time.h"
#include "trial/data_files.h"
#include "trial/driven_trial.h"
#include "trial/outcome.h"
#include "trial/quiet_machine.h"

namespace flatout::trial {
namespace {

constexpr std::uint64_t kNoEnd = 1'000'000'000'000;  // steps
constexpr base::DurationNs kDrivenAtMostNs = 24 * 3600 * base::kSecond;

}  // namespace

std::string trial_name(const apply::TrialSpec& spec) {
  std::string name;
  for (const auto& setting : spec.knobs) {
    const std::string knob = setting.knob.substr(setting.knob.find('.') + 1);
    name += (name.empty() ? "" : " ") + knob + "=" + setting.value;
  }
  if (spec.seed_shift != 0) {
    name += (name.empty() ? "seed+" : " seed+") + std::to_string(spec.seed_shift);
  }
  return name;
}

TuneTrials::TuneTrials(PlacedTrials& trials, TrialJob common, LossSource losses, bool here)
    : trials_(trials), common_(std::move(common)), losses_(std::move(losses)), here_(here) {
  common_.unbuffered = !losses_.printed.empty();
}

TrialJob TuneTrials::job_of(const apply::TrialSpec& spec) const {
  TrialJob job = common_;
  job.knobs = spec.knobs;
  job.steps = spec.steps;
  job.timeout_ns = spec.timeout_ns;
  job.seed_shift = spec.seed_shift;
  job.data_limit_bytes = spec.data_limit_bytes;
  job.name = trial_name(spec);
  return job;
}

// No trial runs meanwhile: whatever the cores do is the work of others.
void TuneTrials::wait_for_quiet(base::DurationNs at_most) {
  if (!here_) return;
  const long cpus = ::sysconf(_SC_NPROCESSORS_ONLN);
  (void)wait_until_quiet(at_most, static_cast<int>(cpus), host_busy_ns, base::pause_for,
                         [this] { return interrupted(); });
}

base::Result<apply::TrialResult> TuneTrials::run(const apply::TrialSpec& spec) {
  if (auto started = trials_.start(job_of(spec)); !started) {
    return std::unexpected(started.error());
  }
  const auto ended = trials_.wait();
  written_.add(ended.result);
  if (trials_.interrupted()) {
    apply::TrialResult cut_off;
    cut_off.run = ended.result.run;
    cut_off.failure = "interrupted";
    return cut_off;
  }
  if (!was_recorded(ended.result)) {
    return base::fail(base::ErrorCode::kUnavailable,
                      "a trial could not be run: " + ended.result.trouble);
  }
  if (!common_.parent) common_.parent = ended.result.run;
  auto measured =
      read_trial(common_.home, ended.result.run, ended.result.ended, ended.output, "", losses_);
  trials_.forget(ended);
  if (!measured) return std::unexpected(measured.error());
  take_files(ended.result.files, measured->trial, common_.file_cache);
  return std::move(measured->trial);
}

// Its runs end by the tuner's word.
base::Result<std::unique_ptr<apply::DrivenProgram>> TuneTrials::drive(
    const std::vector<run::KnobSetting>& fixed, base::DurationNs timeout_ns) {
  if (!here_) {
    return base::fail(base::ErrorCode::kUnavailable, "its trials run on another machine");
  }
  TrialJob job = job_of({.knobs = fixed, .steps = kNoEnd, .timeout_ns = kDrivenAtMostNs});
  job.name = "in blocks" + (job.name.empty() ? "" : ": " + job.name);
  return drive_trial(trials_, std::move(job), timeout_ns, written_);
}

}  // namespace flatout::trial
