// Finds the number of threads and the prefetch depth that the consumer needs, and finds it again
// when something changes. Nothing but logic: its caller owns the clock, the threads and the
// batches.
//
// Demand is measured where it arises, at the consumer: as long as it does not wait, nothing is
// added. A cost model gives the first setting; from there one change at a time is tried and kept
// where the rate of samples handed over rises by more than two standard errors. That rate is the
// program's own, its steps included, so a thread that takes a core away from the consumer is not
// kept. Then it rests, and only evidence that costs, latency or demand are others makes it look
// again.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "data/tune/change_detector.h"
#include "data/tune/setting.h"
#include "data/tune/window.h"

namespace flatout::data::tune {

enum class Phase : std::uint8_t { kSeeding, kClimbing, kResting };

// Of one thread, the consumer's. Never throws but for want of memory.
class Tuner {
 public:
  static constexpr std::size_t kChangesKept = 64;

  // `work`: totals so far.
  Tuner(const Bounds& bounds, Setting first, base::TimeNs now, const Work& work = {});

  void delivered(const Delivery& delivery) {
    window_.add(delivery);
    last_given_ = delivery.given;
  }

  // The consumer asks again, or for the first time, after it did something else, as between epochs:
  // that was no step, and of the time to look for a setting it took nothing.
  void resumed(base::TimeNs asked, const Work& work);

  // Whether decide() has something to say; costs a comparison. To be asked after each delivery, and
  // every kLookWhileWaiting while the consumer waits.
  static constexpr base::DurationNs kLookWhileWaiting = 50 * base::kMillisecond;
  bool due(base::TimeNs now) const { return now >= next_look_; }

  // The setting from now on. `work`: totals so far; `waiting_since`: where the consumer waits now.
  Setting decide(base::TimeNs now, const Work& work, std::optional<base::TimeNs> waiting_since);

  const Bounds& bounds() const { return bounds_; }
  const Setting& setting() const { return setting_; }
  Phase phase() const { return phase_; }
  const std::deque<Change>& changes() const { return changes_; }  // the last of them
  std::uint64_t changes_made() const { return changes_made_; }

 private:
  enum class Try : std::uint8_t { kSeed, kDeeper, kMoreThreads, kFewerThreads, kNone };
  enum class Verdict : std::uint8_t { kKeep, kReject, kUndecided };

  bool enough(const Figures& figures) const;
  void measure_from(base::TimeNs now, const Figures& figures);
  void change(base::TimeNs now, const Setting& to, const char* why);
  void seed(base::TimeNs now, const Figures& figures);
  void climb(base::TimeNs now, const Figures& figures);
  Verdict judge(const Figures& figures, bool last_look) const;
  void try_next(base::TimeNs now, const Figures& figures);
  void turn_to(Try what);
  void turn_on();
  int thread_step() const;
  std::size_t deeper() const;
  bool promising(Try what) const;
  Setting candidate(Try what) const;
  void rest(base::TimeNs now, const Figures& figures);
  void begin_rest(base::TimeNs now, const Figures& figures);
  void bridge(base::TimeNs now, const Figures& figures);
  void watch(base::TimeNs now, const Figures& figures);
  const char* difference(const Figures& figures);

  Bounds bounds_;
  Setting setting_;
  Phase phase_ = Phase::kSeeding;
  Window window_;
  base::TimeNs next_look_;
  bool settling_ = false;  // a change was just made: the window is not opened yet

  base::TimeNs last_given_;  // a batch; before the first one: when it was made
  base::TimeNs looking_since_;
  // While climbing.
  Figures base_;    // of the setting that tries are held against
  Setting before_;  // that setting
  bool has_base_ = false;
  Try trying_ = Try::kNone;
  Try next_ = Try::kDeeper;
  bool believed_ = false;  // a model's word: kept where it does no harm
  int extended_ = 0;       // windows by which a try was prolonged
  double stride_ = 0;      // of the next step in threads, as a share of them
  const char* looking_ = "";
  bool kept_any_ = false;

  // While resting.
  ChangeDetector cpu_;
  ChangeDetector wall_;
  ChangeDetector latency_;
  ChangeDetector gap_;
  ChangeDetector starved_;
  // Alarms since it last rested for a minute: a program that is never twice the same for long would
  // be looked at all the time, so from the second on each asks for twice the evidence.
  int alarms_ = 0;
  double strictness_ = 1;
  base::TimeNs rested_since_ = 0;
  int hungry_windows_ = 0;
  base::TimeNs bridged_at_ = -3600 * base::kSecond;

  std::deque<Change> changes_;
  std::uint64_t changes_made_ = 0;
};

}  // namespace flatout::data::tune
