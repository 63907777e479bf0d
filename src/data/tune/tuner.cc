#include "data/tune/tuner.h"

#include <algorithm>
#include <cmath>

#include "data/tune/cost_model.h"
#include "data/tune/gain.h"

namespace flatout::data::tune {
namespace {

constexpr base::DurationNs kSeedWindow = 200 * base::kMillisecond;
constexpr base::DurationNs kWindow = 250 * base::kMillisecond;
// Where batches take long, samples are counted instead of them.
constexpr base::DurationNs kLongWindow = 500 * base::kMillisecond;
constexpr std::size_t kWindowBatches = 8;
constexpr std::uint64_t kWindowSamples = 32;
constexpr std::size_t kFewestSteps = 4;  // of the consumer, before threads are taken away
constexpr base::DurationNs kShortestPause = 50 * base::kMillisecond;
constexpr base::DurationNs kLookAgain = 50 * base::kMillisecond;
constexpr base::DurationNs kSettle = 50 * base::kMillisecond;
constexpr base::DurationNs kLongestSettle = 1500 * base::kMillisecond;
// Too few threads show when the batches that were ready are used up; some are made meanwhile.
constexpr double kDrained = 3;

constexpr double kHungry = 0.05;  // one that waits more is worth a change while resting
constexpr int kHungryWindows = 4;
constexpr double kErrors = 2;  // standard errors that a gain must exceed
constexpr double kBoldStep = 1.5;
constexpr int kMostExtended = 3;
constexpr std::size_t kMostOfRule = 4;  // prefetch depth; more are memory for nothing
constexpr double kGoodError = 0.02;     // of a gain; with a larger one a longer look is worth it
constexpr double kLeastGain = 0.02;
constexpr double kNeverIdle = 0.01;   // threads that idle less always find something to make
constexpr double kSeldomIdle = 0.05;  // what threads make that idle less is what they can make
constexpr double kOftenIdle = 0.25;   // threads that idle more are enough
constexpr double kAllCores = 0.95;    // of the CPUs: no thread can add to that
constexpr double kSomeStep = 0.05;    // of a cycle: a shorter step gains nothing from free cores
constexpr double kUncrowded = 1.05;   // times its CPU time that decoding takes: cores are free
constexpr double kDeadBand = 0.25;    // of threads, within which a model is not worth a change
// Steps in threads, as shares of them: a large one first, whose gain is seen above the noise.
constexpr double kLargeMore = 1;
constexpr double kLargeFewer = 0.5;
constexpr double kSmall = 0.25;

// Since it began to look: the last moment to begin a try, and to go on with one. Afterwards it
// rests.
constexpr base::DurationNs kLastTry = 2200 * base::kMillisecond;
constexpr base::DurationNs kLastLook = 2600 * base::kMillisecond;

constexpr base::DurationNs kBackOff = 60 * base::kSecond;
constexpr int kMostDoublings = 4;    // of the evidence for an alarm
constexpr double kStarvedScale = 2;  // a twentieth of the time is worth a tenth of a cost

// Seconds from one batch to the next.
double cycle_of(const Figures& figures) {
  return figures.rate > 0 ? figures.batch_samples / figures.rate : 0;
}

}  // namespace

Tuner::Tuner(const Bounds& bounds, Setting first, base::TimeNs now, const Work& work)
    : bounds_(bounds),
      setting_(bounded(first, bounds)),
      next_look_(now + kSeedWindow),
      last_given_(now),
      looking_since_(now) {
  window_.open(now, work);
}

void Tuner::resumed(base::TimeNs asked, const Work& work) {
  window_.interrupt();
  const base::DurationNs pause = asked - last_given_;
  if (pause < kShortestPause) return;
  looking_since_ += pause;
  window_.open(asked, work);
  next_look_ = std::max(next_look_, asked + kSeedWindow);
}

// After a change: what was begun before it is to be over, and what was made before used up.
void Tuner::measure_from(base::TimeNs now, const Figures& figures) {
  const double queue_s =
      figures.starved < kFed ? kDrained * static_cast<double>(before_.ahead) * figures.gap : 0;
  const auto over =
      static_cast<base::DurationNs>(std::max(2 * figures.cost.wall, queue_s) * base::kSecond);
  settling_ = true;
  extended_ = 0;
  next_look_ = now + std::clamp(over, kSettle, kLongestSettle);
}

void Tuner::change(base::TimeNs now, const Setting& to, const char* why) {
  if (changes_.size() == kChangesKept) changes_.pop_front();
  changes_.push_back({now, setting_, to, why, looking_});
  ++changes_made_;
  if (to.threads != setting_.threads) window_.forget_slow();
  setting_ = to;
}

bool Tuner::enough(const Figures& figures) const {
  if (phase_ == Phase::kSeeding)
    return figures.made >= static_cast<std::uint64_t>(2 * setting_.threads) ||
           (figures.made > 0 && figures.seconds > 0.3);
  if (figures.batches >= kWindowBatches || figures.made >= 2 * kWindowSamples) return true;
  return figures.seconds >= static_cast<double>(kLongWindow) / base::kSecond &&
         figures.made >= kWindowSamples;
}

Setting Tuner::decide(base::TimeNs now, const Work& work,
                      std::optional<base::TimeNs> waiting_since) {
  if (settling_) {
    settling_ = false;
    window_.open(now, work);
    next_look_ = now + (phase_ == Phase::kSeeding ? kSeedWindow : kWindow);
    return setting_;
  }
  const Figures figures = window_.figures(now, work, waiting_since);
  if (!enough(figures)) {
    next_look_ = now + kLookAgain;
    return setting_;
  }
  const Setting was = setting_;
  next_look_ = now + kWindow;
  switch (phase_) {
    case Phase::kSeeding:
      seed(now, figures);
      break;
    case Phase::kClimbing:
      climb(now, figures);
      break;
    case Phase::kResting:
      watch(now, figures);
      break;
  }
  if (!settling_ && (phase_ == Phase::kResting || setting_ != was)) window_.open(now, work);
  return setting_;
}

// What the costs ask for, from one short window.
void Tuner::seed(base::TimeNs now, const Figures& figures) {
  Setting to = setting_;
  const double wanted = threads_for(figures, bounds_);
  const double off = std::abs(wanted - setting_.threads);
  const bool starved = figures.starved >= kFed || figures.gap <= 0;
  // The first steps of a program take longer than those that follow: one or two tell no demand.
  if (!starved && wanted < setting_.threads && figures.batches < kFewestSteps) {
    next_look_ = now + kLookAgain;
    return;
  }
  const bool near = off <= std::max(0.5, kDeadBand * setting_.threads);
  if (bounds_.tune_threads && wanted > 0 && !near && (starved || wanted < setting_.threads))
    to.threads = static_cast<int>(
        std::ceil(std::min(wanted, static_cast<double>(bounds_.most_threads)) - 0.05));
  if (bounds_.tune_ahead && figures.batch_samples > 0) {
    const std::size_t ahead = ahead_rule(figures, setting_.threads);
    if (ahead > to.ahead || 2 * ahead <= to.ahead) to.ahead = ahead;
  }
  to = bounded(to, bounds_);
  phase_ = Phase::kClimbing;
  turn_to(Try::kDeeper);
  kept_any_ = false;
  has_base_ = false;
  trying_ = Try::kNone;
  if (to != setting_) {
    base_ = figures;
    before_ = setting_;
    has_base_ = true;
    trying_ = Try::kSeed;
    believed_ = true;
    change(now, to,
           starved ? "the cost of a sample and the consumer's demand"
                   : "the consumer does not wait; fewer are enough");
  }
  measure_from(now, figures);
}

Tuner::Verdict Tuner::judge(const Figures& figures, bool last_look) const {
  // Threads that are never idle make as fast as they can: what they made may be the steadier
  // figure.
  const bool as_fast = idle_share(figures, setting_.threads) < kSeldomIdle &&
                       idle_share(base_, before_.threads) < kSeldomIdle;
  Gain gain = gain_of(figures.rate, figures.rate_error, base_.rate, base_.rate_error);
  const Gain of_made =
      gain_of(figures.made_rate, figures.made_error, base_.made_rate, base_.made_error);
  if (as_fast && of_made.error < gain.error) gain = of_made;
  const double doubt = kErrors * gain.error;
  const bool by_rule =
      trying_ == Try::kDeeper && ahead_rule(figures, setting_.threads) >= setting_.ahead;
  if (believed_ || by_rule) {  // the model is believed where it does no harm
    if (figures.starved < kFed) return Verdict::kKeep;
    if (base_.starved < kFed && base_.gap > 0) return Verdict::kReject;  // fewer were not enough
    // So many more threads show what they are worth, or they are not worth it.
    if (setting_.threads > kBoldStep * before_.threads && gain.share < kLeastGain)
      return last_look ? Verdict::kReject : Verdict::kUndecided;
    return gain.share < -doubt ? Verdict::kReject : Verdict::kKeep;
  }
  if (gain.share > std::max(doubt, kLeastGain)) return Verdict::kKeep;
  // The last look takes what is likelier: to be wrong about so little costs little.
  if (last_look && gain.share > std::max(gain.error, kLeastGain)) return Verdict::kKeep;
  if (gain.share < -doubt || last_look) return Verdict::kReject;
  return gain.error > kGoodError || gain.share > 0.5 * doubt ? Verdict::kUndecided
                                                             : Verdict::kReject;
}

void Tuner::climb(base::TimeNs now, const Figures& figures) {
  if (trying_ != Try::kNone && base_.rate > 0) {
    const bool last_look = extended_ >= kMostExtended || now - looking_since_ >= kLastLook;
    switch (judge(figures, last_look)) {
      case Verdict::kUndecided:
        ++extended_;
        return;
      case Verdict::kReject:
        change(now, before_, "what was tried brought nothing");
        if (trying_ == Try::kSeed) {
          trying_ = Try::kNone;
          has_base_ = false;
          return measure_from(now, figures);
        }
        turn_on();
        break;
      case Verdict::kKeep:
        kept_any_ = true;
        has_base_ = false;
        turn_to(trying_ == Try::kFewerThreads ? trying_ : Try::kDeeper);
        break;
    }
  }
  trying_ = Try::kNone;
  if (!has_base_) {
    base_ = figures;
    has_base_ = true;
  }
  try_next(now, figures);
}

void Tuner::try_next(base::TimeNs now, const Figures& figures) {
  static constexpr const char* kWhy[] = {
      "", "the consumer waits: a greater prefetch depth", "the consumer waits: more threads",
      "the consumer waits: fewer threads, which leave it the cores"};
  if (base_.starved < kFed || now - looking_since_ > kLastTry) return rest(now, figures);
  for (; next_ != Try::kNone; turn_on()) {
    const Setting to = candidate(next_);
    if (to == setting_ || !promising(next_)) continue;
    before_ = setting_;
    trying_ = next_;
    believed_ = next_ == Try::kDeeper && idle_share(base_, setting_.threads) >= kSeldomIdle;
    change(now, to, kWhy[static_cast<int>(next_)]);
    return measure_from(now, figures);
  }
  rest(now, figures);
}

void Tuner::turn_to(Try what) {
  next_ = what;
  stride_ = what == Try::kMoreThreads ? kLargeMore : kLargeFewer;
}

// To a smaller step, else to the next thing to try.
void Tuner::turn_on() {
  const bool in_threads = next_ == Try::kMoreThreads || next_ == Try::kFewerThreads;
  if (in_threads && stride_ > kSmall && thread_step() > 1) {
    stride_ = kSmall;
  } else {
    turn_to(static_cast<Try>(static_cast<int>(next_) + 1));
  }
}

int Tuner::thread_step() const {
  return std::max(1, static_cast<int>(std::lround(stride_ * setting_.threads)));
}

// What the rule says, or where it is content twice as many, but not without end.
std::size_t Tuner::deeper() const {
  const std::size_t rule = ahead_rule(base_, setting_.threads);
  if (rule > setting_.ahead) return rule;
  return std::max(setting_.ahead, std::min(2 * setting_.ahead, kMostOfRule * rule));
}

// Whether the figures leave room for a gain.
bool Tuner::promising(Try what) const {
  const Cost& cost = base_.cost;
  if (cost.cpu <= 0 || base_.seconds <= 0) return true;
  const double idle = idle_share(base_, setting_.threads);
  switch (what) {
    case Try::kMoreThreads:
      return idle < kOftenIdle && base_.made_rate * cost.cpu < kAllCores * bounds_.cores;
    case Try::kDeeper:
      return idle >= kNeverIdle;
    case Try::kFewerThreads:
      return cost.compute > kUncrowded * cost.cpu && base_.gap > kSomeStep * cycle_of(base_);
    case Try::kSeed:
    case Try::kNone:
      break;
  }
  return true;
}

Setting Tuner::candidate(Try what) const {
  Setting to = setting_;
  const int step = thread_step();
  switch (what) {
    case Try::kMoreThreads:
      if (bounds_.tune_threads) to.threads += step;
      break;
    case Try::kFewerThreads:
      if (bounds_.tune_threads) to.threads -= step;
      break;
    case Try::kDeeper:
      if (bounds_.tune_ahead) to.ahead = deeper();
      break;
    case Try::kSeed:
    case Try::kNone:
      break;
  }
  return bounded(to, bounds_);
}

void Tuner::rest(base::TimeNs now, const Figures& figures) {
  const int doublings = std::max(alarms_ - 1, 0) + (kept_any_ ? 0 : 1);
  strictness_ = std::ldexp(1, std::min(doublings, kMostDoublings));
  begin_rest(now, figures);
}

void Tuner::begin_rest(base::TimeNs now, const Figures& figures) {
  phase_ = Phase::kResting;
  rested_since_ = now;
  cpu_.restart();
  wall_.restart();
  latency_.restart();
  gap_.restart();
  starved_.restart();
  hungry_windows_ = 0;
  measure_from(now, figures);
}

// What is no longer as it was when the rest began; null where nothing is.
const char* Tuner::difference(const Figures& figures) {
  const char* out = nullptr;
  const auto look = [&](ChangeDetector& at, double value, double error, const char* what) {
    if (at.changed(value, error, strictness_)) out = what;
  };
  const double error = figures.made_error;
  if (figures.cost.cpu > 0)
    look(cpu_, std::log(figures.cost.cpu), error, "a sample costs another CPU time");
  if (figures.cost.wall > 0)
    look(wall_, std::log(figures.cost.wall), error, "a sample takes another time");
  if (figures.cost.wall > 0)
    look(latency_, std::log(0.1 + figures.cost.latency / figures.cost.wall), error,
         "reading has another latency");
  // A gap counts as far as it matters beside the rest of a cycle.
  const double cycle = cycle_of(figures);
  if (figures.gap > 0)
    look(gap_, std::log(figures.gap + 0.1 * cycle), figures.gap_error,
         "the consumer has another step");
  look(starved_, kStarvedScale * figures.starved,
       kStarvedScale * std::max(figures.rate_error, kHungry),
       "the consumer waits more or less than it did");
  return out;
}

// Slow batches are rare: the rule of depth learns of them while it rests, too.
void Tuner::bridge(base::TimeNs now, const Figures& figures) {
  if (!bounds_.tune_ahead || figures.starved < kHungry || now - bridged_at_ < kBackOff) return;
  if (++hungry_windows_ < kHungryWindows) return;
  Setting to = setting_;
  to.ahead = ahead_rule(figures, setting_.threads);
  to = bounded(to, bounds_);
  if (to.ahead <= setting_.ahead) return;
  bridged_at_ = now;
  looking_ = "";
  change(now, to, "a batch is slow now and then: a greater prefetch depth");
  starved_.restart();
  measure_from(now, figures);
}

void Tuner::watch(base::TimeNs now, const Figures& figures) {
  if (now - rested_since_ > kBackOff) {
    alarms_ = 0;
    strictness_ = 1;
  }
  const char* why = difference(figures);
  if (why == nullptr) {
    bridge(now, figures);
    return;
  }
  ++alarms_;
  looking_ = why;
  looking_since_ = now;
  phase_ = Phase::kSeeding;
  measure_from(now, {});
}

}  // namespace flatout::data::tune
