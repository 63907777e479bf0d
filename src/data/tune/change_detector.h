// Tells noise from a figure that is no longer what it was.
#pragma once

#include <algorithm>
#include <cmath>

namespace flatout::data::tune {

// Two sums of what lies above and below the usual (CUSUM; E. S. Page, "Continuous inspection
// schemes", Biometrika 41, 1954). The usual is the mean of the first values. A value counts at most
// kLargest, so that one alone is never enough.
class ChangeDetector {
 public:
  static constexpr int kFirst = 3;         // values that make the usual
  static constexpr double kLargest = 0.3;  // about a third, as values are logarithms
  static constexpr double kAllowed = 0.1;  // a drift of so much is let be
  static constexpr double kAlarm = 0.35;   // two windows of a doubling, three of half as much again

  void restart() { *this = {}; }

  // `error`: the value's own standard error. `strictness` above 1 asks for so much more evidence.
  bool changed(double value, double error, double strictness = 1) {
    if (seen_ < kFirst) {
      ++seen_;
      usual_ += (value - usual_) / seen_;
      return false;
    }
    const double off = std::clamp(value - usual_, -kLargest, kLargest);
    const double noise = std::sqrt(square_);
    square_ += 0.1 * (off * off - square_);
    const double allowed = std::clamp(std::max(noise, 2 * error), kAllowed, 0.8 * kLargest);
    above_ = std::max(0.0, above_ + off - allowed);
    below_ = std::max(0.0, below_ - off - allowed);
    return std::max(above_, below_) > strictness * kAlarm;
  }

 private:
  int seen_ = 0;
  double usual_ = 0;
  double square_ = 0;  // of what is off, moving mean
  double above_ = 0;
  double below_ = 0;
};

}  // namespace flatout::data::tune
