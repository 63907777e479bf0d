// One device while it is read: what is asked of it, when, and what becomes of
// an answer that does not come. All readers of this folder work through it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "collect/nvml/driver.h"
#include "run/device.h"
#include "run/sample.h"

namespace flatout::collect::nvml {

// How often a question is asked: of counters nothing is lost in between.
constexpr base::DurationNs kEachRound = 0;
constexpr base::DurationNs kSometimes = base::kSecond;
// A round that comes this much too early for a question asks it all the same.
constexpr base::DurationNs kSlack = 20 * base::kMillisecond;

// One question to the driver, asked again and again.
struct Question {
  Question(std::vector<std::string> gives, base::DurationNs every)
      : names(std::move(gives)), period(every) {}
  std::vector<std::string> names;  // metrics or fields it answers: keys of Device::unavailable
  base::DurationNs period;
  base::TimeNs next_ns = 0;
  bool worked = false;    // once
  bool given_up = false;  // this driver will never answer it
  bool failing = false;   // it worked, and stopped
};

// The driver's timestamps are microseconds of the CPU's wall clock; ours are
// CLOCK_MONOTONIC. The offset is taken anew each round, so a wall clock that is
// set shifts at most what one round reads.
class DriverClock {
 public:
  explicit DriverClock(const base::Clock& clock) : clock_(clock) { update(); }
  void update();
  // Absent when `time_us` belongs to neither clock: further than two minutes away.
  std::optional<base::TimeNs> monotonic(unsigned long long time_us) const;
  unsigned long long now_us() const;
  // Not the round's begin: the driver may have taken its time since.
  base::TimeNs live() const { return clock_.monotonic(); }

 private:
  const base::Clock& clock_;
  base::TimeNs now_ns_ = 0;
  base::DurationNs offset_ns_ = 0;  // wall - monotonic
};

// Metric's name as Device::unavailable has it.
std::string key(run::Metric metric);

class Session {
 public:
  Session(Driver& driver, const DriverClock& clock, Handle handle, run::Device facts)
      : driver_(&driver), clock_(&clock), handle_(handle), facts_(std::move(facts)) {}

  void begin_round(base::TimeNs now, run::SampleSink& out) {
    now_ = now;
    out_ = &out;
  }
  base::TimeNs now() const { return now_; }
  Driver& driver() const { return *driver_; }
  const DriverClock& clock() const { return *clock_; }
  Handle handle() const { return handle_; }
  const run::Device& facts() const { return facts_; }
  bool lost() const { return lost_; }

  // Whether it is time to ask; then sets the next time.
  bool due(Question& question) const;
  // What the driver said. True: the values are there. Else it is reported why (in
  // `unavailable`, and in a line for the user where it worked before).
  bool answered(Question& question, Return code);

  template <typename... Params, typename... Args>
  Return call(const Function<Params...>& function, Args... args) {
    return driver_->call(function, handle_, args...);
  }

  // A value at `t_ns`; dropped unless later than the last one of its metric.
  void add(run::Metric metric, double value, base::TimeNs t_ns);
  void add(run::Metric metric, double value) { add(metric, value, now_); }

  void unavailable(const std::string& name, const std::string& why);
  void available(const std::string& name);
  void change(const run::Device& facts);
  void note(const std::string& line);  // each line once
  std::string label() const;           // "GPU 0 (NVIDIA H200)"

  bool take_changed() { return std::exchange(changed_, false); }
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  void lose(Return code);

  Driver* driver_;
  const DriverClock* clock_;
  Handle handle_;
  run::Device facts_;
  bool changed_ = true;
  bool lost_ = false;
  bool told_failing_ = false;
  base::TimeNs now_ = 0;
  run::SampleSink* out_ = nullptr;
  std::map<run::Metric, base::TimeNs> last_ns_;
  std::vector<std::string> notes_;
  std::set<std::string> told_;
};

}  // namespace flatout::collect::nvml
