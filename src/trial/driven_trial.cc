#include "trial/driven_trial.h"

#include <optional>
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
constexpr base::DurationNs kRestPatience = 60 * base::kSecond;
// Its folder is written, and how fast its pictures can be read is measured.
constexpr base::DurationNs kRecordingPatience = 120 * base::kSecond;

class DrivenTrial final : public apply::DrivenProgram {
 public:
  DrivenTrial(PlacedTrials& trials, TrialHandle handle, ControlPage page, base::DurationNs start_ns,
              WrittenPaths& written, ReadRecording read)
      : trials_(trials),
        handle_(handle),
        written_(written),
        page_(std::move(page)),
        start_ns_(start_ns),
        read_(std::move(read)) {}
  ~DrivenTrial() override;
  DrivenTrial(const DrivenTrial&) = delete;
  DrivenTrial& operator=(const DrivenTrial&) = delete;

  BlockResult block(const apply::BlockSpec& spec) override;
  bool rest() override;
  base::Result<apply::TrialResult> recorded() override;
  base::Result<apply::TrialResult> let_go(base::DurationNs at_most) override;
  std::string run() const override { return page_.run(); }

 private:
  bool ended();
  void end();
  // Until `done`, which is asked each millisecond; nothing once it is, else why it is waited for no
  // more.
  template <typename Done>
  std::optional<BlockResult> waited(base::DurationNs patience, const Done& done);

  PlacedTrials& trials_;
  const TrialHandle handle_;
  WrittenPaths& written_;
  ControlPage page_;
  const base::DurationNs start_ns_;
  const ReadRecording read_;
  const base::SystemClock clock_;
  std::optional<PlacedTrials::Ended> end_;
  bool stuck_ = false;  // it did not answer: it will not end by itself
};

bool DrivenTrial::ended() {
  if (end_) return true;
  end_ = trials_.ended_within(0);
  if (end_) written_.add(end_->result);
  return end_.has_value();
}

template <typename Done>
std::optional<BlockResult> DrivenTrial::waited(base::DurationNs patience, const Done& done) {
  const bool begun = page_.steps_closed() > 0;
  const base::TimeNs until = clock_.monotonic() + patience + (begun ? 0 : start_ns_);
  base::TimeNs look_ns = 0;
  while (!done()) {
    base::pause_for(kPagePeriod);
    if (page_.has_ranks()) break;  // before one of them is steps ahead of the others
    const base::TimeNs now = clock_.monotonic();
    if (now < look_ns) continue;
    look_ns = now + kEndPeriod;
    if (trials_.interrupted()) return BlockResult{.outcome = BlockOutcome::kInterrupted};
    if (ended()) {
      return BlockResult{.outcome = BlockOutcome::kProgramEnded, .why = "the program has ended"};
    }
    if (now < until) continue;
    stuck_ = true;
    return BlockResult{.outcome = BlockOutcome::kTimeout, .why = "it did not come so far in time"};
  }
  // A rank that was switched alone is no measurement.
  if (!page_.has_ranks()) return std::nullopt;
  stuck_ = true;  // the others do not hear that they are to end
  return BlockResult{.outcome = BlockOutcome::kNotSwitched, .why = "several processes of it train"};
}

BlockResult DrivenTrial::block(const apply::BlockSpec& spec) {
  if (ended()) return {.outcome = BlockOutcome::kProgramEnded, .why = "the program has ended"};
  if (!page_.ask(spec)) {
    return {.outcome = BlockOutcome::kNotSwitched, .why = "the settings have too much text"};
  }
  if (auto cut = waited(spec.timeout_ns, [&] { return page_.answered(); })) return std::move(*cut);
  return page_.result();
}

bool DrivenTrial::rest() {
  if (ended()) return false;
  page_.ask_to_rest();
  return !waited(kRestPatience, [&] { return page_.answered(); });
}

base::Result<apply::TrialResult> DrivenTrial::recorded() {
  if (!stuck_ && rest()) {
    page_.ask_for_the_recording();
    if (!waited(kRecordingPatience, [&] { return page_.recording_ended(); })) {
      return read_(trials_.result_so_far(handle_), trials_.output(handle_));
    }
  }
  if (stuck_) {
    end();
    end_->result.ended = "timeout";
  }
  if (ended()) return read_(end_->result, end_->output);
  return base::fail(base::ErrorCode::kUnavailable, "the program did not come to rest");
}

base::Result<apply::TrialResult> DrivenTrial::let_go(base::DurationNs at_most) {
  if (!ended()) page_.ask_to_let_go();
  const base::TimeNs until = clock_.monotonic() + at_most;
  while (!ended() && !trials_.interrupted()) {
    if (clock_.monotonic() >= until) {
      stuck_ = true;
      end();
      end_->result.ended = "timeout";
      break;
    }
    base::pause_for(kEndPeriod);
  }
  if (!ended()) return base::fail(base::ErrorCode::kUnavailable, "it was interrupted");
  return read_(end_->result, end_->output);
}

DrivenTrial::~DrivenTrial() {
  end();
  trials_.forget(*end_);
}

void DrivenTrial::end() {
  if (!ended()) page_.ask_to_end();
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
                                                                WrittenPaths& written,
                                                                ReadRecording read) {
  job.driven = true;
  const auto handle = trials.start(std::move(job));
  if (!handle) return std::unexpected(handle.error());
  auto page = ControlPage::open(control_file(trials.output(*handle)));
  if (page) {
    return std::make_unique<DrivenTrial>(trials, *handle, std::move(*page), start_ns, written,
                                         std::move(read));
  }
  trials.stop();
  (void)trials.wait();
  return std::unexpected(page.error());
}

}  // namespace flatout::trial
