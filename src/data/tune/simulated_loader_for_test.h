// A loading engine on virtual time: threads that make samples of scripted costs on shared cores, a
// queue of batches, a consumer with a step. The rules are those of feed/: a free thread takes a
// sample of the oldest open batch, batches are handed over in order, and as many are open as
// `ahead` says.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "data/tune/simulated_cores_for_test.h"
#include "data/tune/tuner.h"

namespace flatout::data::tune {

// How the machine and the program are until `until_s`. Times are of a core that is not shared.
struct Regime {
  double until_s = 1e9;
  double cores = 4;
  double hogs = 0;         // threads of others that never sleep
  double cpu_ms = 8;       // of a sample
  double read_ms = 0;      // waiting for its bytes
  double tail = 0;         // share of reads that take ten times as long
  double step_ms = 0;      // of the consumer, on its device
  double step_cpu_ms = 0;  // and on cores
  int step_threads = 1;    // with so many threads, which wait for each other
  double spin_ms = 0;      // all but one of which keep wanting a core behind it, for so long
  double slice_ms = 0;     // a thread has a core for so long; 0: cores are shared evenly
  double jitter = 0.2;     // of all costs, uniform around 1
};

class SimulatedLoader {
 public:
  SimulatedLoader(std::vector<Regime> script, std::size_t batch, Setting setting,
                  std::uint32_t seed)
      : script_(std::move(script)), batch_(batch), seed_(seed), setting_(setting) {
    ask();
  }

  // Runs until `until_s`; `tuner` may be null.
  void run(double until_s, Tuner* tuner) {
    while (now_s_ < until_s) {
      hire();
      share_cores();
      double dt = std::min(until_s, regime().until_s) - now_s_;
      for (std::size_t i = 0; i < hands_.size(); ++i) dt = std::min(dt, end_of(i));
      dt = std::min({dt, end_of_step(), cores_.next_end_s() - now_s_});
      if (spin_until_s_ > now_s_) dt = std::min(dt, spin_until_s_ - now_s_);
      if (waiting_ && tuner != nullptr) dt = std::min(dt, 0.05);
      advance(std::max(dt, 0.0));
      step(tuner);
    }
  }

  std::uint64_t samples() const { return samples_; }     // handed over
  double last_given_s() const { return last_given_s_; }  // when the last of them was
  std::size_t most_open() const { return most_open_; }

 private:
  static constexpr double kDone = 1e-12;

  struct Open {
    std::size_t claimed = 0;
    std::size_t made = 0;
    double begun_s = 0;
    double whole_s = 0;
  };
  struct Hand {  // a thread
    Open* batch = nullptr;
    bool reading = false;
    double left_s = 0;
    double cpu_s = 0;    // behind the read
    double begun_s = 0;  // what it does now
    double claimed_s = 0;
  };
  struct Consumer {
    double left_s = 0;            // on the device
    std::vector<double> parts{};  // of its threads, seconds left on a core; empty: none yet
  };
  // Numbers of threads: those of others, the step's, the loader's.
  static constexpr int kStep = 1000;
  static constexpr int kHands = 2000;

  const Regime& regime() {
    while (at_ + 1 < script_.size() && now_s_ >= script_[at_].until_s) ++at_;
    return script_[at_];
  }

  // A draw in [0, 1) that belongs to (seed, what, number) and to no setting.
  double draw(std::uint64_t what, std::uint64_t number) const {
    std::uint64_t x = (number * 4 + what) * 0x9E3779B97F4A7C15U + seed_ * 0xD1B54A32D192ED03U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;  // splitmix64 (Steele, Lea, Flood 2014)
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
  }
  double around(double ms, double unit) {
    return ms / 1e3 * (1 + regime().jitter * (2 * unit - 1));
  }

  void share_cores() {
    wanting_.clear();
    for (int i = 0; i < static_cast<int>(regime().hogs); ++i) wanting_.push_back(i);
    const bool computing = !waiting_ && !consumer_.parts.empty();
    const bool spinning = now_s_ < spin_until_s_;
    for (int i = 0; i < regime().step_threads; ++i) {
      // One that is done waits for the others, on its core.
      if (computing || (spinning && i > 0)) wanting_.push_back(kStep + i);
    }
    for (std::size_t i = 0; i < hands_.size(); ++i) {
      if (hands_[i].batch != nullptr && !hands_[i].reading)
        wanting_.push_back(kHands + static_cast<int>(i));
    }
    cores_.share(wanting_, regime().cores, regime().slice_ms / 1e3, now_s_);
  }

  double speed_of_hand(std::size_t i) const { return cores_.speed(kHands + static_cast<int>(i)); }
  double speed_of_part(std::size_t i) const { return cores_.speed(kStep + static_cast<int>(i)); }

  static double time_for(double left_s, double speed) { return speed > 0 ? left_s / speed : 1e9; }

  // Until the thread is done with what it does now.
  double end_of(std::size_t i) const {
    const Hand& hand = hands_[i];
    if (hand.batch == nullptr) return 1e9;
    return hand.reading ? hand.left_s : time_for(hand.left_s, speed_of_hand(i));
  }

  // Until something of the consumer's step is done.
  double end_of_step() const {
    if (waiting_) return 1e9;
    if (consumer_.parts.empty()) return consumer_.left_s;
    double end_s = 1e9;
    for (std::size_t i = 0; i < consumer_.parts.size(); ++i) {
      if (consumer_.parts[i] > kDone)
        end_s = std::min(end_s, time_for(consumer_.parts[i], speed_of_part(i)));
    }
    return end_s;
  }

  void hire() {
    while (open_.size() < setting_.ahead) open_.emplace_back();
    most_open_ = std::max(most_open_, open_.size());
    if (hands_.size() < static_cast<std::size_t>(setting_.threads))
      hands_.resize(static_cast<std::size_t>(setting_.threads));
    for (std::size_t i = 0; i < static_cast<std::size_t>(setting_.threads); ++i) {
      if (hands_[i].batch != nullptr) continue;
      const auto open =
          std::ranges::find_if(open_, [&](const Open& one) { return one.claimed < batch_; });
      if (open == open_.end()) return;
      if (open->claimed++ == 0) open->begun_s = now_s_;
      const std::uint64_t number = begun_++;
      const double slow = draw(0, number) < regime().tail ? 10 : 1;
      const double read_s = around(slow * regime().read_ms, draw(1, number));
      const double cpu_s = around(regime().cpu_ms, draw(2, number));
      hands_[i] = {&*open, read_s > 0, read_s > 0 ? read_s : cpu_s, cpu_s, now_s_, now_s_};
    }
  }

  void advance(double dt) {
    for (std::size_t i = 0; i < hands_.size(); ++i) {
      Hand& hand = hands_[i];
      if (hand.batch == nullptr) continue;
      const double worked_s = hand.reading ? dt : dt * speed_of_hand(i);
      hand.left_s -= worked_s;
      if (!hand.reading) cpu_s_ += worked_s;
    }
    if (!waiting_ && consumer_.parts.empty()) consumer_.left_s -= dt;
    if (!waiting_)
      for (std::size_t i = 0; i < consumer_.parts.size(); ++i)
        consumer_.parts[i] -= dt * speed_of_part(i);
    now_s_ += dt;
  }

  void step(Tuner* tuner) {
    for (Hand& hand : hands_) {
      if (hand.batch == nullptr || hand.left_s > kDone) continue;
      if (hand.reading) {
        read_s_ += now_s_ - hand.begun_s;
        hand.reading = false;
        hand.left_s = hand.cpu_s;
        hand.begun_s = now_s_;
        continue;
      }
      compute_s_ += now_s_ - hand.begun_s;
      squares_s2_ += (now_s_ - hand.claimed_s) * (now_s_ - hand.claimed_s);
      ++made_;
      if (++hand.batch->made == batch_) hand.batch->whole_s = now_s_;
      hand.batch = nullptr;
    }
    if (!waiting_) compute_or_ask();
    if (waiting_ && open_.front().made == batch_) give(tuner);
    if (tuner != nullptr && tuner->due(ns(now_s_))) {
      const std::optional<base::TimeNs> since =
          waiting_ ? std::optional(ns(asked_s_)) : std::nullopt;
      setting_ = tuner->decide(
          ns(now_s_),
          {made_, ns(read_s_), ns(compute_s_), ns(cpu_s_), ns(compute_s_ - cpu_s_), squares_s2_},
          since);
    }
  }

  void compute_or_ask() {
    const auto left = [](double one) { return one > kDone; };
    if (consumer_.parts.empty() ? left(consumer_.left_s)
                                : std::ranges::any_of(consumer_.parts, left))
      return;
    if (consumer_.parts.empty() && regime().step_cpu_ms > 0) {
      consumer_.parts.assign(static_cast<std::size_t>(regime().step_threads),
                             around(regime().step_cpu_ms, draw(3, given_)));
      return;
    }
    if (!consumer_.parts.empty()) spin_until_s_ = now_s_ + regime().spin_ms / 1e3;
    ask();
  }

  void ask() {
    waiting_ = true;
    asked_s_ = now_s_;
  }

  void give(Tuner* tuner) {
    const Open whole = open_.front();
    open_.pop_front();  // a deque: what others point to stays where it is
    waiting_ = false;
    ++given_;
    samples_ += batch_;
    last_given_s_ = now_s_;
    consumer_ = {around(regime().step_ms, draw(3, given_))};
    if (tuner != nullptr)
      tuner->delivered({ns(asked_s_), ns(now_s_), ns(whole.whole_s - whole.begun_s), batch_});
  }

  static base::DurationNs ns(double s) { return static_cast<base::DurationNs>(s * 1e9); }

  std::vector<Regime> script_;
  std::size_t at_ = 0;
  std::size_t batch_;
  std::uint32_t seed_;
  Setting setting_;
  double now_s_ = 0;
  std::deque<Open> open_;
  std::vector<Hand> hands_;
  Consumer consumer_;
  SimulatedCores cores_;
  std::vector<int> wanting_;
  double spin_until_s_ = 0;
  bool waiting_ = false;
  double asked_s_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t given_ = 0;
  std::uint64_t samples_ = 0;
  std::size_t most_open_ = 0;
  double read_s_ = 0;
  double compute_s_ = 0;
  double cpu_s_ = 0;
  double squares_s2_ = 0;
  double last_given_s_ = 0;
};

}  // namespace flatout::data::tune
