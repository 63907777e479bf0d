// What `tune` says while it works: a row a decision on stdout, and on a terminal
// one live line on stderr. Main thread.
#pragma once

#include <optional>
#include <string>

#include "apply/tuner.h"
#include "cli/live_line.h"
#include "cli/time_left.h"

namespace flatout::cli {

class TuneVoice final : public apply::TuneListener {
 public:
  // `place`: "in a throwaway overlay of this folder". `price`: of the device, an hour.
  TuneVoice(std::string place, std::optional<double> price);

  // Before the first trial; `earlier`: the tune that is gone on with.
  void begin(const std::optional<std::string>& earlier = {});
  void line(const std::string& text);
  void finished(const std::string& text);  // as report::finished() gives it

  void trial_begins(const std::string& what, const std::optional<run::Speedup>& predicted,
                    std::optional<base::DurationNs> left_ns) override;
  void planned(const apply::TunePlan& plan) override;
  void too_short(base::DurationNs needed_ns, base::DurationNs trial_ns,
                 base::DurationNs start_up_ns) override;
  void baseline(const run::TuneReport& so_far) override;
  void decided(const run::TuneTrial& trial) override;

 private:
  std::string place_;
  std::optional<double> price_;
  LiveLine live_;
  int trials_ = 0;  // begun
  int before_ = 0;  // of them before the plan
  std::optional<apply::TunePlan> plan_;
  bool too_short_ = false;  // the budget, for one comparison
  TimeLeft left_;
};

}  // namespace flatout::cli
