// Pairs of trials that others touched differently are made again, once they leave the
// machine alone; how far that goes, and what is said of it.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "apply/tuner_loop.h"
#include "base/counted.h"

namespace flatout::apply {

using base::Result;

namespace {

constexpr int kMostRepeats = 2;  // of a pair; what is touched then, too, widens the interval
constexpr base::DurationNs kLongestWait = 60 * base::kSecond;
constexpr int kPartOfBudget = 20;  // that one wait may take

}  // namespace

// More pairs are the only remedy for noise, where there is time.
int Tuner::most_looks() const {
  const bool restless = !arms_.quiet(stack_) || arms_.spread(stack_).value_or(0) > kRestlessSpread;
  return restless ? kRestlessLooks : kMostLooks;
}

// Longer waits than trials are no bargain.
void Tuner::wait_for_quiet() {
  base::DurationNs most = std::min(kLongestWait, trial_ns_);
  if (const auto left = left_ns()) most = std::min(most, *left / kPartOfBudget);
  if (!runner_.interrupted() && most > 0) runner_.wait_for_quiet(most);
}

// Whether two trials are to be made again, once it is quiet.
bool Tuner::made_again(const OutsideLoad& a, const OutsideLoad& b, int& repeats) {
  const bool one_quiet = quiet(a) || quiet(b);
  // Where others stay, repeating takes the time that more pairs need.
  if (one_quiet) {
    never_clear_ = false;
  } else if (repeats > 0) {
    never_clear_ = true;
  }
  if (!touched(a, b)) return false;
  if (never_clear_ || repeats == kMostRepeats || !enough_time(2)) {
    ++touched_pairs_;
    return false;
  }
  ++repeats;
  ++repeated_pairs_;
  wait_for_quiet();
  return true;
}

// False where the user wants it to end.
Result<bool> Tuner::run_present(const std::string& what, Pair& pair) {
  auto again = trial(stack_, "what was kept, beside " + what, {});
  if (!again) return std::unexpected(again.error());
  pair.present = std::move(*again);
  return !runner_.interrupted();
}

// Nothing where time is up or the user wants it to end.
Result<std::optional<Tuner::Pair>> Tuner::run_pair(const Stack& candidate, const std::string& what,
                                                   const std::optional<run::Speedup>& predicted,
                                                   PairOrder order) {
  for (int repeats = 0;;) {
    Pair pair;
    if (order != PairOrder::kCandidateAlone && !enough_time(2)) return std::nullopt;
    if (order == PairOrder::kPresentFirst) {
      const auto ran = run_present(what, pair);
      if (!ran) return std::unexpected(ran.error());
      if (!*ran) return std::nullopt;
      if (!pair.present->failure.empty()) return pair;
    }
    auto tried = trial(candidate, what, predicted);
    if (!tried) return std::unexpected(tried.error());
    if (runner_.interrupted()) return std::nullopt;
    pair.candidate = std::move(*tried);
    if (!pair.candidate.failure.empty()) return pair;
    if (order == PairOrder::kCandidateFirst) {
      const auto ran = run_present(what, pair);
      if (!ran) return std::unexpected(ran.error());
      if (!*ran) return std::nullopt;
      if (!pair.present->failure.empty()) return pair;
    }
    const OutsideLoad& beside = pair.present ? pair.present->outside : now_.outside;
    if (!made_again(beside, pair.candidate.outside, repeats)) return pair;
    if (order == PairOrder::kCandidateAlone) order = PairOrder::kPresentFirst;
  }
}

void Tuner::note_outside_load() {
  if (repeated_pairs_ == 0 && touched_pairs_ == 0) return;
  if (out_.trials.empty() && !out_.final) {
    out_.notes.emplace_back("others used this machine while the program was measured as it is");
    return;
  }
  std::string note = "others used this machine during the trials:";
  if (repeated_pairs_ > 0) {
    note += " " + base::counted(repeated_pairs_, "pair of trials was", "pairs of trials were") +
            " made again";
  }
  if (touched_pairs_ > 0) {
    note += repeated_pairs_ > 0 ? ", and " : " ";
    note += base::counted(touched_pairs_, "pair", "pairs") + " could not be kept clear of it, so " +
            (touched_pairs_ == 1 ? "its interval is" : "their intervals are") + " wider";
  }
  out_.notes.push_back(std::move(note));
}

}  // namespace flatout::apply
