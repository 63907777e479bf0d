#include "trial/tune_trials.h"

#include <unistd.h>

#include <utility>

#include "apply/arms.h"
#include "base/time.h"
#include "trial/data_files.h"
#include "trial/driven_trial.h"
#include "trial/outcome.h"
#include "trial/quiet_machine.h"

namespace flatout::trial {
namespace {

constexpr std::uint64_t kNoEnd = 1'000'000'000'000;  // steps
constexpr base::DurationNs kDrivenAtMostNs = 24 * 3600 * base::kSecond;

apply::TrialResult cut_off(std::string run) {
  apply::TrialResult out;
  out.run = std::move(run);
  out.failure = "interrupted";
  return out;
}

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
  if (trials_.interrupted()) return cut_off(ended.result.run);
  auto result = read(ended.result, ended.output);
  trials_.forget(ended);
  return result;
}

base::Result<apply::TrialResult> TuneTrials::read(const TrialJobResult& said,
                                                  const std::filesystem::path& output) {
  if (!was_recorded(said)) {
    return base::fail(base::ErrorCode::kUnavailable, "a trial could not be run: " + said.trouble);
  }
  if (!common_.parent) common_.parent = said.run;
  auto measured = read_trial(common_.home, said.run, said.ended, output, "", losses_);
  if (!measured) return std::unexpected(measured.error());
  take_files(said.files, measured->trial, common_.file_cache);
  return std::move(measured->trial);
}

// In parts, after each of which the look may be over: how long a step takes shows only then.
apply::BlockResult block_in_parts(apply::DrivenProgram& program, const apply::TrialSpec& spec,
                                  apply::BlockSpec part) {
  constexpr std::uint64_t kPart = 4;
  const base::DurationNs least_ns = part.least_ns;
  part.least_ns = std::min(least_ns, base::kSecond / 2);
  base::DurationNs left_ns = spec.timeout_ns;
  for (apply::BlockResult all;;) {
    part.steps = std::min(kPart, spec.steps);
    part.timeout_ns = left_ns;
    apply::BlockResult block = program.block(part);
    block.steps += all.steps;
    block.block_ns += all.block_ns;
    all = std::move(block);
    left_ns = std::max(base::kSecond, spec.timeout_ns - all.block_ns);
    const bool whole = all.steps >= spec.steps && all.block_ns >= least_ns;
    const bool enough = all.steps >= spec.least_steps && all.block_ns >= spec.most_ns;
    if (whole || enough || all.outcome != apply::BlockOutcome::kMeasured) return all;
  }
}

// One start serves the look and the blocks behind it. Where several processes train, it is an
// ordinary trial.
base::Result<TuneTrials::Look> TuneTrials::look(const apply::TrialSpec& spec,
                                                base::DurationNs least_ns) {
  using apply::BlockOutcome;
  if (here_) {
    auto program = drive_as(job_of(spec), 0);
    if (!program) return std::unexpected(program.error());
    apply::BlockSpec steps;
    steps.knobs = apply::switched_of(
        spec.knobs);  // it starts with all of them; what is not asked for is put back
    steps.steps = spec.steps;
    steps.least_ns = least_ns;
    steps.timeout_ns = spec.timeout_ns;
    steps.with_epochs = true;
    const apply::BlockResult block =
        spec.most_ns > 0 ? block_in_parts(**program, spec, steps) : (*program)->block(steps);
    const std::string run = (*program)->run();
    const auto interrupted = [&] {
      return Look{.trial = cut_off(run), .program = nullptr, .drove_on = false};
    };
    if (block.outcome == BlockOutcome::kInterrupted) return interrupted();
    auto trial = block.outcome == BlockOutcome::kNotSwitched ? (*program)->let_go(spec.timeout_ns)
                                                             : (*program)->recorded();
    if (trials_.interrupted()) return interrupted();
    if (!trial) return std::unexpected(trial.error());
    if (block.outcome != BlockOutcome::kMeasured) program->reset();
    return Look{.trial = std::move(*trial), .program = std::move(*program), .drove_on = false};
  }
  return TrialRunner::look(spec, least_ns);
}

// Its runs end by the tuner's word.
base::Result<std::unique_ptr<apply::DrivenProgram>> TuneTrials::drive(
    const std::vector<run::KnobSetting>& fixed, base::DurationNs timeout_ns) {
  if (!here_) {
    return base::fail(base::ErrorCode::kUnavailable, "its trials run on another machine");
  }
  TrialJob job = job_of({.knobs = fixed, .steps = kNoEnd});
  job.name = "in blocks" + (job.name.empty() ? "" : ": " + job.name);
  return drive_as(std::move(job), timeout_ns);
}

base::Result<std::unique_ptr<apply::DrivenProgram>> TuneTrials::drive_as(
    TrialJob job, base::DurationNs start_ns) {
  job.timeout_ns = kDrivenAtMostNs;
  return drive_trial(trials_, std::move(job), start_ns, written_,
                     [this](const TrialJobResult& said, const std::filesystem::path& output) {
                       return read(said, output);
                     });
}

}  // namespace flatout::trial
