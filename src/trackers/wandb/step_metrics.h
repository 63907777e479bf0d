// At which step a value stands whose name has a `step_metric` (define_metric). As flatout.track
// does it (python/flatout/track/_steps.py). One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flatout::trackers::wandb {

class StepMetrics {
 public:
  // `name` may end with a star. Without `sync` the metric counts only where it stands in the same
  // row. For what is logged from now on.
  void define(std::string name, std::string metric, bool sync);
  bool empty() const { return !any_; }

  // The numbers of a row, before its steps are asked for.
  void begin_row() { ++row_; }
  void take(const std::string& name, double value);

  // `own` where the name has no such metric, or what that says is no step.
  std::int64_t step_of(std::string_view name, std::int64_t own) const;

 private:
  struct Rule {
    std::string name;
    std::string metric;  // "" = none
    bool sync = false;
  };
  struct Latest {
    double value = 0;
    std::int64_t row = 0;
  };
  const Rule* rule_of(std::string_view name) const;

  std::vector<Rule> rules_;
  std::map<std::string, Latest, std::less<>> latest_;  // of the metrics that count steps
  std::int64_t row_ = 0;
  bool any_ = false;
};

}  // namespace flatout::trackers::wandb
