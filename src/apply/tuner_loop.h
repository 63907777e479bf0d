// The tuning loop as a class, over several files: tuner.cc goes from baseline to the
// end (tuner_baseline.cc begins it), tuner_compare.cc holds one change against what stands
// (tuner_plan.cc says in which order; tuner_blocks.cc inside one process, where that can be, and
// tuner_gate.cc its losses there), tuner_leave_out.cc what stands against itself without one knob,
// tuner_batch.cc looks for a batch size, tuner_confirm.cc holds all that was kept against the
// program as it is. Internal to apply/.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apply/arms.h"
#include "apply/batch_search.h"
#include "apply/block_request.h"
#include "apply/proposals.h"
#include "apply/screen.h"
#include "apply/statistics/paired_blocks.h"
#include "apply/statistics/sequential.h"
#include "apply/trial_pace.h"
#include "apply/tuner.h"

namespace flatout::apply {

constexpr std::uint64_t kFewestSteps = 40;
constexpr std::uint64_t kMostSteps = 2000;  // of a trial, that are chosen for it
constexpr int kMostComparisons = 8;         // the error rate is shared over them
constexpr int kConfirmPairs = 2;
// The part of a comparison's error that blocks have; trials have the rest, where blocks had a look
// and left it to them.
constexpr double kShareOfBlocks = 0.5;
// Compiling a large model anew takes minutes, of which no trial of another setting shows anything.
constexpr base::DurationNs kCompilePatienceNs = 600 * base::kSecond;
constexpr const char* kBudgetEnded = "the budget ended before it was known";
constexpr base::DurationNs kConfirmingBlocksNs = 15 * base::kSecond;  // of steps of up to 100 ms

// "num_workers 0 -> 6"
std::string change_words(const run::TuneTrial& row, const Knob& knob);
// Loader workers under these settings; `present` where none says.
int workers_under(const Stack& stack, int present);
// A knob of it compiles when the program starts.
bool compiles(const Stack& stack);
// Why a comparison that ends with `decision` keeps nothing.
std::string not_kept_reason(Decision decision, const run::TuneTrial& row);

class Tuner {
 public:
  Tuner(TrialRunner& runner, const TuneOptions& options, const base::Clock& clock,
        TuneListener& listener)
      : runner_(runner),
        options_(options),
        clock_(clock),
        listener_(listener),
        started_ns_(clock.monotonic()) {}

  base::Result<run::TuneReport> run();

 private:
  struct Verdict {
    std::optional<TrialResult> best;  // the candidate's last good trial
    run::TuneTrial row;
    bool failed = false;  // a trial of the candidate was no measurement
    bool looked = false;  // at an estimate: the comparison spent its share of the error rate
    // The program ended by itself after so many steps, too few to measure; 0 = it did not.
    std::size_t few_steps = 0;
  };

  struct SizeVerdict {
    bool kept = false;
    std::size_t few_steps = 0;  // as in Verdict
  };

  struct Pair {
    std::optional<TrialResult> present;  // absent where earlier trials of what stands serve
    TrialResult candidate;
  };
  // A knob that was screened, and the present rate then.
  struct Screened {
    Proposed proposed;
    ScreenResult found;
    double present_rate = 0;
  };
  enum class PairOrder { kPresentFirst, kCandidateFirst, kCandidateAlone };

  // tuner_baseline.cc, these ten
  base::Result<void> measure_baseline();
  base::Result<TrialResult> first_look();
  base::Result<void> measure_baseline_alone();
  base::Result<void> need_baseline_of_trials();
  void describe_baseline();
  void note_later_baseline();
  base::DurationNs share_of_budget() const;
  int look_workers(const Stack& stack) const;
  void hurry(TrialSpec& spec) const;
  void note_warmer_baseline();
  base::Result<std::optional<Pair>> run_pair(const Stack& candidate, const std::string& what,
                                             const std::optional<run::Speedup>& predicted,
                                             PairOrder order);  // tuner_pairs.cc, these five
  base::Result<bool> run_present(const std::string& what, Pair& pair);
  bool made_again(const OutsideLoad& a, const OutsideLoad& b, int& repeats);
  void wait_for_quiet();
  int most_looks() const;  // of a comparison that begins now
  void note_outside_load();
  void choose_steps(const TrialResult& scout);
  void plan_time(const TrialResult& scout);
  bool short_of_time(base::DurationNs trial_ns) const;  // holds few trials of that length
  void note_cold_start(const TrialResult& scout);
  // Whether one trial of the candidate beside one of the program as it is promises enough
  // for another of the latter.
  base::Result<bool> worth_a_second_look(const Stack& candidate, const std::string& what,
                                         run::TuneTrial& row);
  base::Result<bool> improve();
  bool name_the_rest(const std::string& why);
  void note_the_end_of_time();
  void take_own_knobs();
  ProposalLimits limits() const;
  base::Result<bool> screen_values(Proposed& proposed, std::optional<Screened> earlier);
  std::optional<Screened> next_of_those_that_wait();
  bool waits_for_others(const ScreenResult& found) const;
  std::uint64_t screen_steps() const;
  base::Result<std::optional<ScreenTrial>> try_value(const Proposed& proposed,
                                                     const std::string& value);
  base::Result<void> screen_again(const Proposed& proposed, ScreenResult& found);
  void settle(const Screened& screened, const std::string& otherwise);
  void note_screen(const Screened& screened);
  base::Result<Verdict> compare_with(const Proposed& proposed, double false_keep);
  // tuner_blocks.cc, these eleven
  base::Result<std::optional<Verdict>> compare_in_blocks(const Proposed& proposed,
                                                         double false_keep, bool& looked);
  bool fits_blocks(const Knob& knob) const;
  bool blocks_are_likely() const;
  DrivenProgram* driven(const Stack& stack);
  base::Result<TrialResult> look_under(const Stack& stack, const std::string& what,
                                       const std::optional<run::Speedup>& predicted);
  void no_more_blocks(const std::string& why);
  std::optional<BlockResult> measured_block(const Stack& stack, const BlockNeeds& needs,
                                            bool first);
  // `pairs`: of `present` and `candidate`; kContinue where it is left open, or a block was none.
  Decision compare_blocks(const Stack& present, const Stack& candidate, const BlockNeeds& needs,
                          PairedBlocks& pairs, std::string& reason);
  base::DurationNs pair_of_blocks_ns() const;
  base::DurationNs least_blocks_ns() const;  // that a comparison takes
  bool time_for_blocks() const;
  bool time_for_a_pair() const;
  bool can_confirm_in_blocks() const;
  std::optional<run::TuneFinal> confirm_in_blocks();
  base::Result<bool> try_what_blocks_kept(const Stack& candidate, const std::string& what,
                                          Verdict& verdict);
  base::Result<void> hold_to_its_loss(const Knob& knob, const Stack& candidate, run::TuneTrial& row,
                                      const std::optional<GateOpinion>& of_runs = {});
  base::Result<void> judge_its_loss(const Knob& knob, const Stack& candidate, run::TuneTrial& row,
                                    const std::optional<GateOpinion>& of_runs);
  int trials_to_proof(KnobChanges changes) const;
  void carry_unproved(const Knob& knob, run::TuneTrial& row);
  std::optional<double> rate_times(const Stack& stack, double ratio) const;
  void take_opinion(const Knob& knob, const GateOpinion& opinion, run::TuneTrial& row);
  // tuner_gate.cc, these five
  std::optional<TrainingSeen> run_from_state(const Stack& stack, TrainingRun run);
  std::optional<GateOpinion> with_same_batches(const Stack& present, const Stack& candidate);
  std::optional<GateOpinion> with_fresh_batches(const Stack& present, const Stack& candidate);
  base::DurationNs gate_ns(bool draws) const;
  std::optional<GateOpinion> gate_in_blocks(const Stack& present, const Stack& candidate,
                                            KnobChanges changes);
  // False, with the reason in verdict.row, where the trial shows nothing of the candidate.
  bool is_measurement_of(const Stack& candidate, const TrialResult& tried, Verdict& verdict);
  base::Result<void> try_other_seeds();
  base::Result<void> try_present_again();
  KnobChanges effective(const Knob& knob) const;
  KnobChanges changes_of_stack() const;  // of all that was kept, the gravest
  void weigh_start_up(const Knob& knob, const Stack& candidate,
                      const std::optional<std::uint64_t>& training_steps, run::TuneTrial& row);
  void judge_final(const Arms& fresh, run::TuneFinal& final) const;
  void keep(const Proposed& proposed, Verdict verdict);
  base::Result<void> leave_out_again();
  base::Result<void> leave_out(const std::string& knob, const std::string& later, double error);
  void take_out(const std::string& knob, const std::string& later, const Estimate& having_it,
                TrialResult without_it);
  bool changes_training(const Stack& stack) const;
  // Three trials of `stack` with three seeds, in training_seeds_.
  base::Result<void> try_training_seeds(const Stack& stack, std::uint64_t steps);
  base::Result<void> hold_training_to_its_loss(const Stack& candidate, run::TuneTrial& row);
  base::Result<bool> search_batch_size();  // tuner_batch.cc, these four
  base::Result<std::optional<BatchTrial>> try_batch(std::int64_t size, std::uint64_t steps,
                                                    bool device);
  base::Result<bool> compare_batch(const Knob& knob, const BatchSearch& found);
  base::Result<SizeVerdict> compare_size(const Knob& knob, const BatchSearch& found,
                                         std::int64_t size);
  base::Result<void> confirm();  // tuner_confirm.cc, these four
  bool failed_among_others(const std::vector<TrialResult>& pair, int& failures);
  std::optional<run::Speedup> gain_of_kept() const;
  bool leaves_open(const run::Speedup& final) const;
  void note_open_final(const run::Speedup& gain);
  void judge_plan();
  base::Result<TrialResult> trial(const Stack& stack, const std::string& what,
                                  const std::optional<run::Speedup>& predicted,
                                  std::uint64_t seed_shift = 0, std::uint64_t steps = 0);
  // Its timeout, where it has none, is that of a trial of the usual length.
  base::Result<TrialResult> start(TrialSpec spec, const std::string& what,
                                  const std::optional<run::Speedup>& predicted = {});
  std::uint64_t enough_steps(const Stack& stack) const;
  std::uint64_t enough_steps(const Stack& stack, const TrialPace& pace) const;
  // tuner_epochs.cc, these four
  std::uint64_t with_epochs(std::uint64_t steps, const TrialPace& pace) const;
  bool worth_seeing_again(std::uint64_t steps, const TrialPace& pace) const;
  std::uint64_t confirming_steps(const Stack& side) const;
  void note_epochs();
  bool enough_time(int trials) const;
  // One trial of what was kept, and one of the program as it is, which most often is the slowest.
  base::DurationNs confirming_pair_ns() const;
  base::DurationNs confirming_ns() const;  // of all that confirms what was kept
  void expect_as_long_as(base::DurationNs wall_ns);
  base::DurationNs trial_timeout_ns() const;
  base::DurationNs trial_timeout_ns(const Stack& stack, std::uint64_t steps) const;
  std::optional<base::DurationNs> left_ns() const;
  void finish();
  base::DurationNs likely_ns(const Proposed& proposed) const;  // tuner_plan.cc, these three
  TunePlan plan() const;
  bool worth_its_time(const Proposed& proposed) const;

  TrialRunner& runner_;
  const TuneOptions& options_;
  const base::Clock& clock_;
  TuneListener& listener_;
  base::TimeNs started_ns_;

  run::TuneReport out_;
  Arms arms_;
  Stack stack_;                            // what was kept
  TrialResult now_;                        // a trial under it
  TrialPace as_it_is_;                     // of the last trial of the program as it is
  std::optional<bool> fetch_draws_;        // as the program is
  bool stream_ = false;                    // its dataset is iterable
  std::vector<LossEvidence> other_seeds_;  // trials of what stood when they were needed
  Stack gate_base_;  // whose losses a different random stream is held to: the last that changed
                     // training
  struct {
    Stack stack;
    std::uint64_t steps = 0;
    std::vector<LossEvidence> evidence;  // the first with the program's own seeds
  } training_seeds_;
  std::vector<std::string> batch_runs_;     // trials of the search for a batch size
  std::optional<double> batch_step_ratio_;  // a step of the size that it found, over the present
  Tried tried_;
  TooMuch too_much_;
  // In blocks of steps inside one process, while it runs.
  struct {
    std::unique_ptr<DrivenProgram> program;
    Stack fixed;                    // what it was started under
    std::optional<Stack> in_force;  // what it was switched to last
    int starts = 0;                 // of programs, so far
    bool rested = false;            // since the last block: what was queued meanwhile comes at once
    std::vector<double> present_step_s = {};  // of what stands, in the latest comparison
    bool given_up = false;                    // for good
    std::uint32_t random = 1;
  } blocks_;
  std::deque<Knob> own_knobs_;     // of the user and of the program; Proposed points into it
  std::vector<Screened> waiting_;  // for their turn; see tuner_screen.cc
  bool losses_missed_ = false;     // said already
  std::optional<double> printed_baseline_;
  std::optional<double> standing_rate_;  // of what was kept, samples/s, as its row says
  bool look_drove_on_ = false;           // in the earlier tune that it was taken over from
  bool gone_ = false;                    // the driven program, in a run of the gate
  bool look_is_baseline_ = false;  // no trial of the program as it is was made yet, but for it
  KeepBudget budget_{kMostComparisons};
  int repeated_pairs_ = 0;        // since others touched one of their trials more
  int touched_pairs_ = 0;         // that count although they were touched
  bool never_clear_ = false;      // others were there in both trials of a pair that was made again
  bool confirming_ = false;       // the search is over
  bool final_cut_short_ = false;  // by the budget
  // Why a trial of the program as it is gave no rate in the last comparison; "" = each gave one.
  std::string unmeasured_;
  base::DurationNs trial_ns_ = 0;    // that one may take: the longest of the last ones
  base::DurationNs longest_ns_ = 0;  // after the first, of those that trained
  std::deque<base::DurationNs> last_ns_;
  std::uint64_t steps_ = kFewestSteps;
  std::int64_t step_ns_ = 0;  // median of the first trial; 0 = not known
};

}  // namespace flatout::apply
