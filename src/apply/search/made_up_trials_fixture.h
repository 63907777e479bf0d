// A program that is made up, on slots and a clock of its own: each trial takes as long as its
// rate says, and whichever is done first is reported first. For tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apply/search/searcher.h"

namespace flatout::apply {

struct SearchBehaviour {
  double samples_per_s = 100;
  std::string failure = {};
};

class MadeUpTrials final : public SearchRunner {
 public:
  MadeUpTrials(base::FakeClock& clock, int slots,
               std::function<SearchBehaviour(const SearchPoint&, std::int64_t steps)> behave)
      : clock_(clock), slots_(slots), behave_(std::move(behave)) {}

  int slots() const override { return slots_; }
  bool interrupted() const override { return interrupt_after && told_ >= *interrupt_after; }

  base::Result<void> start(const SearchTrial& trial) override {
    EXPECT_LT(static_cast<int>(running_.size()), slots_);
    const SearchBehaviour behaviour = behave_(*trial.point, trial.steps);
    names.push_back(trial.name);
    timeouts.push_back(trial.timeout_ns);
    TrialResult result;
    result.run = "run" + std::to_string(names.size());
    result.failure = behaviour.failure;
    std::int64_t t_ns = 0;
    for (std::int64_t i = 0; i < trial.steps; ++i) {
      const auto own =
          static_cast<std::int64_t>((i % 2 == 0 ? 0.98e9 : 1.02e9) * 10 / behaviour.samples_per_s);
      t_ns += own;
      result.steps.push_back({.end_ns = t_ns, .own_ns = own, .samples = 10});
    }
    result.wall_ns = t_ns;
    running_.emplace(clock_.monotonic() + t_ns, EndedTrial{trial.ticket, {std::move(result), {}}});
    most_at_once = std::max(most_at_once, running_.size());
    return {};
  }

  base::Result<EndedTrial> wait() override {
    auto first = running_.extract(running_.begin());
    clock_.advance(std::max<base::DurationNs>(0, first.key() - clock_.monotonic()));
    ++told_;
    return std::move(first.mapped());
  }

  std::vector<std::string> names;
  std::vector<base::DurationNs> timeouts;
  std::size_t most_at_once = 0;
  std::optional<int> interrupt_after;

 private:
  base::FakeClock& clock_;
  int slots_;
  std::function<SearchBehaviour(const SearchPoint&, std::int64_t)> behave_;
  std::multimap<base::TimeNs, EndedTrial> running_;
  int told_ = 0;
};

struct Silent final : SearchListener {
  void baseline(const run::SearchReport&) override {}
  void begins(const run::SearchReport&, const run::SearchPointReport&, int) override {}
  void ended(const run::SearchReport&, const run::SearchPointReport&) override {}
  void confirming(const run::SearchPointReport&, int, int) override {}
};

}  // namespace flatout::apply
