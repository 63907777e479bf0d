#include "trial/driven_trial.h"

#include <utility>

#include "trial/control_page.h"

namespace flatout::trial {
namespace {

using apply::BlockOutcome;
using apply::BlockResult;

constexpr base::DurationNs kPagePeriod = base::kSecond / 1000;
constexpr base::DurationNs kEndPeriod = base::kSecond / 5;  // that is a system call
// The step that runs is finished first; then the recorder ends what is left, and writes.
constexpr base::DurationNs kEndPatience = 20 * base::kSecond;

class DrivenTrial final : public apply::DrivenProgram {
 public:
  DrivenTrial(PlacedTrials& trials, ControlPage page, base::DurationNs start_ns,
              WrittenPaths& written)
      : trials_(trials), written_(written), page_(std::move(page)), start_ns_(start_ns) {}
  ~DrivenTrial() override;
  DrivenTrial(const DrivenTrial&) = delete;
  DrivenTrial& operator=(const DrivenTrial&) = delete;

  BlockResult block(const apply::BlockSpec& spec) override;
  std::string run() const override { return page_.run(); }

 private:
  bool ended();
  void note(const PlacedTrials::Ended& end);

  PlacedTrials& trials_;
  WrittenPaths& written_;
  ControlPage page_;
  const base::DurationNs start_ns_;
  const base::SystemClock clock_;
  bool running_ = true;
  bool stuck_ = false;  // it did not answer: it will not end by itself
};

void DrivenTrial::note(const PlacedTrials::Ended& end) {
  running_ = false;
  written_.add(end.result);
  trials_.forget(end);
}

bool DrivenTrial::ended() {
  if (!running_) return true;
  const auto end = trials_.ended_within(0);
  if (end) note(*end);
  return !running_;
}

BlockResult DrivenTrial::block(const apply::BlockSpec& spec) {
  if (ended()) return {.outcome = BlockOutcome::kProgramEnded, .why = "the program has ended"};
  if (!page_.ask(spec)) {
    return {.outcome = BlockOutcome::kNotSwitched, .why = "the settings have too much text"};
  }
  const bool begun = page_.steps_closed() > 0;
  const base::TimeNs until = clock_.monotonic() + spec.timeout_ns + (begun ? 0 : start_ns_);
  base::TimeNs look_ns = 0;
  while (!page_.answered()) {
    base::pause_for(kPagePeriod);
    const base::TimeNs now = clock_.monotonic();
    if (now < look_ns) continue;
    look_ns = now + kEndPeriod;
    if (trials_.interrupted()) return {.outcome = BlockOutcome::kInterrupted};
    if (page_.has_ranks()) {
      return {.outcome = BlockOutcome::kNotSwitched, .why = "several processes of it train"};
    }
    if (ended()) return {.outcome = BlockOutcome::kProgramEnded, .why = "the program has ended"};
    if (now < until) continue;
    stuck_ = true;
    return {.outcome = BlockOutcome::kTimeout, .why = "it did not come to the block's end"};
  }
  // A rank that was switched alone is no measurement.
  if (page_.has_ranks()) {
    return {.outcome = BlockOutcome::kNotSwitched, .why = "several processes of it train"};
  }
  return page_.result();
}

DrivenTrial::~DrivenTrial() {
  if (!running_) return;
  page_.ask_to_end();
  const base::TimeNs until = clock_.monotonic() + (stuck_ ? 0 : kEndPatience);
  while (!ended()) {
    // Once: it has its grace, and is killed after it.
    if (trials_.interrupted() || clock_.monotonic() >= until) trials_.stop();
    base::pause_for(kEndPeriod / 10);
  }
}

}  // namespace

base::Result<std::unique_ptr<apply::DrivenProgram>> drive_trial(PlacedTrials& trials, TrialJob job,
                                                                base::DurationNs start_ns,
                                                                WrittenPaths& written) {
  job.driven = true;
  const auto handle = trials.start(std::move(job));
  if (!handle) return std::unexpected(handle.error());
  auto page = ControlPage::open(control_file(trials.output(*handle)));
  if (page) {
    return std::make_unique<DrivenTrial>(trials, std::move(*page), start_ns, written);
  }
  trials.stop();
  (void)trials.wait();
  return std::unexpected(page.error());
}

}  // namespace flatout::trial
