#include "trial/live_tuning.h"

#include <algorithm>
#include <csignal>
#include <exception>
#include <utility>

#include "base/time.h"
#include "store/run_reader.h"
#include "trial/control_page.h"
#include "trial/result.h"

namespace flatout::trial {
namespace {

using apply::BlockOutcome;
using apply::BlockResult;

constexpr base::DurationNs kLivePagePeriod = base::kSecond / 1000;
constexpr base::DurationNs kStepsPeriod = base::kSecond / 5;
// Before anything is switched: start-up is over, and what promises a gain can be seen.
constexpr std::uint64_t kEnoughSteps = 60;
constexpr base::DurationNs kPatience = 900 * base::kSecond;  // evaluation, a checkpoint
constexpr base::DurationNs kEnoughNs = 10 * base::kSecond;

// The program, which the recorder started and ends with.
class LiveProgram final : public apply::DrivenProgram {
 public:
  LiveProgram(ControlPage& page, const std::atomic<bool>& ended) : page_(page), ended_(ended) {}

  BlockResult block(const apply::BlockSpec& spec) override {
    if (!page_.ask(spec)) {
      return {.outcome = BlockOutcome::kNotSwitched, .why = "the settings have too much text"};
    }
    const base::TimeNs until =
        base::read_clock_ns(CLOCK_MONOTONIC) + std::max(spec.timeout_ns, kPatience);
    while (!page_.answered()) {
      if (ended_) return {.outcome = BlockOutcome::kProgramEnded, .why = "the program has ended"};
      if (page_.has_ranks()) {
        return {.outcome = BlockOutcome::kNotSwitched, .why = "several processes of it train"};
      }
      // The wait for settings that stay lasts as long as the program runs, or others might stay.
      if (!spec.stays && base::read_clock_ns(CLOCK_MONOTONIC) >= until) {
        return {.outcome = BlockOutcome::kTimeout, .why = "the program takes no steps any more"};
      }
      base::pause_for(kLivePagePeriod);
    }
    return page_.result();
  }
  bool rest() override { return false; }
  base::Result<apply::TrialResult> recorded() override { return not_a_trial(); }
  base::Result<apply::TrialResult> let_go(base::DurationNs) override { return not_a_trial(); }
  std::string run() const override { return page_.run(); }

 private:
  static base::Result<apply::TrialResult> not_a_trial() {
    return base::fail(base::ErrorCode::kUnavailable, "the training that counts is no trial");
  }

  ControlPage& page_;
  const std::atomic<bool>& ended_;
};

// "" once enough was seen, else why it never will be.
std::string wait_for_steps(const ControlPage& page, const std::atomic<bool>& ended) {
  std::optional<base::TimeNs> first_ns;
  while (!ended) {
    if (page.has_ranks()) return "several processes of it train";
    const base::TimeNs now = base::read_clock_ns(CLOCK_MONOTONIC);
    if (!first_ns && page.steps_closed() > 0) first_ns = now;
    if (first_ns && now - *first_ns >= kEnoughNs && page.steps_closed() >= kEnoughSteps) return "";
    base::pause_for(kStepsPeriod);
  }
  return "the program ended before enough of its steps were seen";
}

void block_all_signals(sigset_t& before) {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
}

}  // namespace

base::Result<std::unique_ptr<LiveTuning>> LiveTuning::make(std::filesystem::path page,
                                                           std::filesystem::path run_folder,
                                                           apply::LiveTuneOptions options) {
  if (auto made = make_control_page(page); !made) return std::unexpected(made.error());
  return std::unique_ptr<LiveTuning>(
      new LiveTuning(std::move(page), std::move(run_folder), std::move(options)));
}

std::vector<std::string> LiveTuning::variables() const {
  return {"FLATOUT_CONTROL=" + page_.native(), "FLATOUT_CONTROL_WITHIN=1"};
}

void LiveTuning::begin() {
  sigset_t before;
  block_all_signals(before);  // the thread begins with them blocked
  try {
    thread_ = std::thread([this] { search_and_leave(); });
  } catch (const std::exception& problem) {
    why_not_ = problem.what();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Whatever goes wrong, what the program was started under is in force at the end.
void LiveTuning::search_and_leave() {
  auto page = ControlPage::open(page_);
  if (!page) {
    why_not_ = page.error().message;
    return;
  }
  try {
    search(*page);
  } catch (const std::exception& problem) {
    why_not_ = problem.what();
    LiveProgram program(*page, ended_);
    (void)program.block({.knobs = options_.present, .stays = true});
  }
  page->ask_to_let_go();
}

void LiveTuning::program_ended() {
  ended_ = true;
  if (thread_.joinable()) thread_.join();
  std::error_code ignored;
  std::filesystem::remove(page_, ignored);
}

std::vector<run::TuneTrial> LiveTuning::take_rows() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(rows_, {});
}

void LiveTuning::search(ControlPage& page) {
  page.say_run(run_folder_.filename());
  why_not_ = wait_for_steps(page, ended_);
  if (!why_not_.empty()) return;
  const auto timeline = store::read_run(run_folder_, store::viewpoint_here());
  if (!timeline) {
    why_not_ = timeline.error().message;
    return;
  }
  const apply::TrialResult so_far = trial_result(*timeline);
  LiveProgram program(page, ended_);
  const base::SystemClock clock;
  result_ = apply::tune_live(program, so_far, options_, clock, [this](const auto& row) {
    const std::scoped_lock lock(mutex_);
    rows_.push_back(row);
  });
}

}  // namespace flatout::trial
