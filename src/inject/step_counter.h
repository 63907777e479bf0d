// Counts closed steps while the program runs, for --stop-after. The full
// definition of a step is analyse/steps.h's, which sees the whole run; this one
// decides at once and so learns which loaders train from what follows their
// draws. Both agree from the second draw of a training loader on.
//
// A loader trains when, after one of its draws, the program runs a training
// forward with gradients, a backward or an update before a forward without
// gradients. A step closes, after at least one update, at the next draw from a
// loader that trains; while no loader trains, at the next training forward. In
// a program that built no optimizer each backward is taken for an update, as
// the analysis does for weights that are updated by hand.
#pragma once

#include <cstdint>

namespace flatout::inject {

class StepCounter {
 public:
  // Each returns true when it closed a step. From the first mark on only marks
  // close steps, as in the analysis.
  bool mark() {
    marked_ = true;
    ++closed_;
    return true;
  }
  bool draw(std::uint32_t loader, bool grad_enabled) {
    const bool closed = grad_enabled && trains(loader) && close();
    last_ = loader;
    if (grad_enabled) add(pending_, pending_count_, loader);
    return closed;
  }
  bool forward(bool grad_enabled, bool training) {
    if (!grad_enabled) {
      pending_count_ = 0;
      return false;
    }
    if (!training) return false;
    const bool without_loader = training_count_ == 0 && pending_count_ == 0;
    confirm();
    return without_loader && close();
  }
  void backward() {
    confirm();
    feed();
    if (!optimizer_) ++updates_;
  }
  void optimizer_built() { optimizer_ = true; }
  void update() {
    confirm();
    feed();
    optimizer_ = true;
    ++updates_;
  }
  std::uint64_t closed() const { return closed_; }

  // A backward or an update followed a draw of this loader before the next draw
  // of any. Unlike trains(), a forward without gradients in between (a teacher's)
  // does not speak against it.
  bool fed_training(std::uint32_t loader) const { return holds(fed_, fed_count_, loader); }
  bool training_seen() const { return training_seen_; }

 private:
  static constexpr int kMaxLoaders = 16;

  bool close() {
    if (updates_ == 0 || marked_) return false;
    updates_ = 0;
    ++closed_;
    return true;
  }
  static bool holds(const std::uint32_t* set, int count, std::uint32_t value) {
    for (int i = 0; i < count; ++i) {
      if (set[i] == value) return true;
    }
    return false;
  }
  static void add(std::uint32_t* set, int& count, std::uint32_t value) {
    if (holds(set, count, value)) return;
    if (count < kMaxLoaders) {
      set[count++] = value;
    } else {
      set[value % kMaxLoaders] = value;  // programs with more loaders forget some
    }
  }
  bool trains(std::uint32_t loader) const { return holds(training_, training_count_, loader); }
  void feed() {
    training_seen_ = true;
    if (last_ != 0) add(fed_, fed_count_, last_);
  }
  void confirm() {
    for (int i = 0; i < pending_count_; ++i) add(training_, training_count_, pending_[i]);
    pending_count_ = 0;
  }

  std::uint32_t pending_[kMaxLoaders] = {};
  std::uint32_t training_[kMaxLoaders] = {};
  std::uint32_t fed_[kMaxLoaders] = {};
  std::uint32_t last_ = 0;  // loader of the last draw; 0 = none yet
  int fed_count_ = 0;
  bool training_seen_ = false;
  int pending_count_ = 0;
  int training_count_ = 0;
  bool marked_ = false;
  bool optimizer_ = false;
  std::uint64_t updates_ = 0;
  std::uint64_t closed_ = 0;
};

}  // namespace flatout::inject
