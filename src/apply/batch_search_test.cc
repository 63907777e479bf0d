#include "apply/batch_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace flatout::apply {
namespace {

// A program of which peak memory and time of a step are known.
struct Machine {
  double a_bytes = 100e6, b_bytes = 1e5;
  double alpha_s = 10e-3, beta_s = 1e-4;
  double limit_bytes = 1e12;
  double noise = 0;
  std::int64_t oom_at = 1'000'000'000'000;  // of a kind that no line shows
  std::uint32_t seed = 1;
  std::optional<int> trials_left = std::nullopt;
  std::vector<BatchTrial> seen = {};
  std::mt19937 random{1};

  double peak(std::int64_t size) const { return a_bytes + b_bytes * static_cast<double>(size); }
  double step_s(std::int64_t size) const { return alpha_s + beta_s * static_cast<double>(size); }
  double rate(std::int64_t size) const { return static_cast<double>(size) / step_s(size); }
  double off() { return std::exp(noise * std::normal_distribution<double>(0, 1)(random)); }

  BatchTrial trial(std::int64_t size) {
    BatchTrial out{.size = size};
    if (peak(size) > limit_bytes || size >= oom_at) {
      out.outcome = BatchTrial::Outcome::kOutOfMemory;
      out.reason = "exit status 1 (MemoryError)";
    } else {
      out.peak_bytes = a_bytes + b_bytes * static_cast<double>(size) * off();
      out.step_s = step_s(size) * off();
    }
    seen.push_back(out);
    return out;
  }

  BatchSearch search(std::int64_t present, std::optional<std::int64_t> most = {}) {
    random.seed(seed);
    BatchSearchInput input;
    input.present = trial(present);
    input.limit_bytes = limit_bytes;
    input.most = most;
    auto found = search_batch(
        input,
        [&](std::int64_t size, std::uint64_t steps) -> base::Result<std::optional<BatchTrial>> {
          EXPECT_GE(steps, kVerifySteps);
          EXPECT_GT(size, 0);
          if (trials_left && (*trials_left)-- <= 0) return std::optional<BatchTrial>{};
          BatchTrial done = trial(size);
          if (steps < 7) done.step_s.reset();
          return std::optional(done);
        });
    EXPECT_TRUE(found.has_value());
    return found.value_or(BatchSearch{});
  }
};

TEST(FitLineTest, FindsALine) {
  const auto line = fit_line({{1, 12}, {2, 14}, {4, 18}}, false);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->at_zero, 10, 1e-9);
  EXPECT_NEAR(line->per_sample, 2, 1e-9);
  EXPECT_NEAR(line->deviation, 0, 1e-9);
  EXPECT_GT(fit_line({{1, 12}, {2, 15}, {4, 18}}, false)->deviation, 0.5);
  EXPECT_FALSE(fit_line({{1, 12}}, false));
  EXPECT_FALSE(fit_line({{3, 12}, {3, 13}}, true)) << "two of one size";
}

TEST(BatchSearchTest, FindsTheKneeAndTheMaximum) {
  Machine machine;
  machine.limit_bytes = 10e9;
  const BatchSearch found = machine.search(8);
  ASSERT_TRUE(found.peak_bytes && found.step_s && found.maximum);
  EXPECT_NEAR(found.peak_bytes->per_sample, 1e5, 1);
  EXPECT_EQ(found.knee, 1904) << "19 * 10 ms / 0.1 ms, a multiple of 8 at or above";
  EXPECT_EQ(found.maximum, 1024 * 8) << "no larger ones are looked for";
  machine.limit_bytes = 600e6;
  const BatchSearch less = machine.search(8);
  EXPECT_EQ(less.maximum, 4696) << "(600 MB - 5 % - 100 MB) / 0.1 MB";
  EXPECT_TRUE(less.maximum_tried);
}

TEST(BatchSearchTest, TheKneeMustFit) {
  Machine machine;
  machine.limit_bytes = 150e6;
  const BatchSearch found = machine.search(8);
  EXPECT_EQ(found.maximum, 424);
  EXPECT_EQ(found.knee, 424) << "no plateau before: the largest that fits";
}

TEST(BatchSearchTest, AProgramAtItsKneeIsLeftAlone) {
  Machine machine;
  machine.alpha_s = 1e-3;
  const BatchSearch found = machine.search(256);
  EXPECT_FALSE(found.knee);
  EXPECT_NE(found.why_no_knee.find("256 is at the knee"), std::string::npos);
}

TEST(BatchSearchTest, NoLargerThanTheDataset) {
  Machine machine;
  const BatchSearch found = machine.search(8, 100);
  EXPECT_EQ(found.maximum, 96);
  EXPECT_EQ(found.knee, 96);
  EXPECT_FALSE(machine.search(8, 15).why_no_knee.empty());
}

TEST(BatchSearchTest, ARefusalOfTheKnobEndsIt) {
  BatchSearchInput input;
  input.present = {.size = 4, .peak_bytes = 1e6, .step_s = 0.01};
  const auto found = search_batch(input, [](std::int64_t size, std::uint64_t) {
    return base::Result<std::optional<BatchTrial>>(BatchTrial{
        .size = size, .outcome = BatchTrial::Outcome::kRefused, .reason = "its own sampler"});
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->refusal, "its own sampler");
  EXPECT_FALSE(found->knee);
}

TEST(BatchSearchTest, AnErrorOfTheTrialsIsHandedOn) {
  BatchSearchInput input;
  input.present = {.size = 4};
  EXPECT_FALSE(search_batch(input, [](std::int64_t, std::uint64_t) {
    return base::Result<std::optional<BatchTrial>>(base::fail(base::ErrorCode::kIo, "no store"));
  }));
}

// Wherever memory ends against the line: it recovers, and what it names was seen to train.
TEST(BatchSearchTest, RecoversFromAnOutOfMemoryTrialAtAnySize) {
  for (std::int64_t oom_at = 9; oom_at < 3000; oom_at += 1 + oom_at / 13) {
    Machine machine;
    machine.limit_bytes = 300e6;
    machine.oom_at = oom_at;
    const BatchSearch found = machine.search(8);
    ASSERT_TRUE(found.maximum);
    EXPECT_LT(*found.maximum, oom_at);
    EXPECT_LE(machine.peak(*found.maximum), machine.limit_bytes);
    EXPECT_GE(*found.maximum, std::min<std::int64_t>(oom_at, 1848) * 6 / 10) << oom_at;
    EXPECT_LE(found.trials.size(), 14U);
    if (found.knee) {
      EXPECT_LE(*found.knee, *found.maximum);
      EXPECT_GT(*found.knee, 8);
    }
  }
}

TEST(BatchSearchTest, EndsWhereverTimeIsOver) {
  for (int left = 0; left < 12; ++left) {
    Machine machine;
    machine.limit_bytes = 600e6;
    machine.trials_left = left;
    const BatchSearch found = machine.search(8);
    EXPECT_LE(found.trials.size(), static_cast<std::size_t>(left) + 1);
    EXPECT_TRUE(found.knee || !found.why_no_knee.empty()) << left;
    EXPECT_LE(machine.peak(found.knee.value_or(8)), machine.limit_bytes);
  }
}

TEST(BatchSearchTest, LongStepsAreNotTriedAtTheMaximum) {
  Machine machine;
  machine.alpha_s = 1e-2;
  machine.beta_s = 1e-2;
  const BatchSearch found = machine.search(8);
  EXPECT_FALSE(found.maximum_tried);
  const auto largest = std::ranges::max(machine.seen, {}, &BatchTrial::size).size;
  EXPECT_LT(machine.step_s(largest), 10) << "no trial of more than half a minute";
}

// Property: over machines of all kinds, with noise of a few per cent.
TEST(BatchSearchTest, TheKneeIsNearTheTruthAndTheMaximumFits) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto between = [&](double lo, double hi) {
    return lo * std::pow(hi / lo, uniform(random));
  };
  int good = 0;
  constexpr int kMachines = 400;
  for (int i = 0; i < kMachines; ++i) {
    Machine machine;
    machine.seed = static_cast<std::uint32_t>(i);
    machine.a_bytes = between(1e8, 2e9);
    machine.b_bytes = between(1e3, 5e6);
    machine.alpha_s = between(1e-3, 1e-1);
    machine.beta_s = machine.alpha_s / between(1, 300);
    const auto present = static_cast<std::int64_t>(between(1, 64));
    machine.limit_bytes = machine.peak(present) * 1.2 + machine.b_bytes * between(100, 1e4);
    machine.noise = 0.01;
    const BatchSearch found = machine.search(present);
    ASSERT_TRUE(found.maximum) << i;
    EXPECT_LE(machine.peak(*found.maximum), machine.limit_bytes) << i;
    const std::int64_t chosen = found.knee.value_or(present);
    const double plateau = 1 / machine.beta_s;
    const double at_most = machine.rate(std::max(*found.maximum, present));
    const bool fast = machine.rate(chosen) >= 0.9 * std::min(plateau, at_most);
    const double knee = 19 * machine.alpha_s / machine.beta_s;
    const bool no_larger_than_needed =
        static_cast<double>(chosen) <= std::max(2 * knee + 8, 1.2 * static_cast<double>(present));
    good += fast && no_larger_than_needed ? 1 : 0;
  }
  EXPECT_GE(good, kMachines * 95 / 100);
}

}  // namespace
}  // namespace flatout::apply
