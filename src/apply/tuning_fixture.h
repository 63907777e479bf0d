// A tune of a made-up program, with a listener that keeps what it was given. For tests.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "apply/made_up_program_fixture.h"
#include "apply/tuner.h"

namespace flatout::apply {

class Quiet final : public TuneListener {
 public:
  void trial_begins(const std::string& what, const std::optional<run::Speedup>&,
                    std::optional<base::DurationNs>) override {
    begun.push_back(what);
  }
  void too_short(base::DurationNs needed, base::DurationNs, base::DurationNs) override {
    needed_ns = needed;
    begun_when_too_short = begun.size();
  }
  void planned(const TunePlan& plan) override { plans.push_back(plan); }
  void baseline(const run::TuneReport&) override {}
  void decided(const run::TuneTrial& trial) override { rows.push_back(trial); }
  std::vector<std::string> begun;
  base::DurationNs needed_ns = 0;
  std::size_t begun_when_too_short = 0;
  std::vector<TunePlan> plans;
  std::vector<run::TuneTrial> rows;
};

struct Tuning {
  base::FakeClock clock;
  Quiet listener;
  TuneOptions options;
  run::TuneReport of(MadeUpProgram& program) {
    const auto report = tune(program, options, clock, listener);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(run::TuneReport{});
  }
};

}  // namespace flatout::apply
