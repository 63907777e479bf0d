// Compiling costs time when the program starts: whether a training earns it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "apply/tuning_fixture.h"

namespace flatout::apply {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kCompileNs = 20 * base::kSecond;

// Steps of 320 ms, of 160 ms once it is compiled, which takes its time in the first step.
class Compiled final : public TrialRunner {
 public:
  explicit Compiled(base::FakeClock& clock)
      : inner_(clock,
               [this](int, int) { return Behaviour{.samples_per_s = compiled_ ? 200.0 : 100.0}; }) {
    inner_.fetch_draws = false;
    inner_.noise = 0.002;
  }
  base::Result<TrialResult> run(const TrialSpec& spec) override {
    compiled_ = !spec.knobs.empty();
    if (compiled_) least_timeout_ns = std::min(least_timeout_ns, spec.timeout_ns);
    auto out = inner_.run(spec);
    if (!out) return out;
    out->training_steps = training_steps;
    if (compiled_) {
      out->steps.front().own_ns += kCompileNs;
      for (TimedStep& step : out->steps) step.end_ns += kCompileNs;
    }
    return out;
  }
  bool interrupted() const override { return false; }

  std::optional<std::uint64_t> training_steps;
  base::DurationNs least_timeout_ns = INT64_MAX;

 private:
  bool compiled_ = false;
  MadeUpProgram inner_;
};

run::TuneReport tuned(std::optional<std::uint64_t> training_steps) {
  base::FakeClock clock;
  Quiet listener;
  TuneOptions options;
  options.knobs = {"compile.mode"};
  Compiled program(clock);
  program.training_steps = training_steps;
  const auto report = tune(program, options, clock, listener);
  EXPECT_TRUE(report) << report.error().message;
  EXPECT_GE(program.least_timeout_ns, 300 * base::kSecond) << "compiling anew is no hang";
  return report.value_or(run::TuneReport{});
}

TEST(StartUp, OfATrainingOfUnknownLengthItIsSaidWhenCompilingPays) {
  const auto report = tuned({});
  ASSERT_FALSE(report.trials.empty());
  EXPECT_TRUE(report.trials[0].kept);
  // 20 s over 160 ms a step: 125.
  EXPECT_THAT(report.trials[0].reason, HasSubstr("kept: pays off after about 1"));
  EXPECT_THAT(report.notes, Contains(HasSubstr("mode compiles for about 20 s when the program "
                                               "starts, and pays off after about 1")));
}

TEST(StartUp, ALongTrainingKeepsItAndAShortOneDoesNot) {
  const auto longer = tuned(5000);
  ASSERT_FALSE(longer.trials.empty());
  EXPECT_TRUE(longer.trials[0].kept);
  EXPECT_THAT(longer.trials[0].reason, HasSubstr("and the training has 5000"));
  EXPECT_THAT(longer.notes, Not(Contains(HasSubstr("compiles for"))));
  for (const std::uint64_t steps : {0U, 1U, 100U, 125U}) {
    const auto shorter = tuned(steps);
    ASSERT_FALSE(shorter.trials.empty());
    EXPECT_FALSE(shorter.trials[0].kept) << steps;
    EXPECT_THAT(shorter.trials[0].reason,
                HasSubstr("compiles for about 20 s, which pays off after about 1"));
    EXPECT_GT(shorter.trials[0].speedup->ratio, 1.5) << "what was measured stays measured";
    EXPECT_TRUE(shorter.plan.entries.empty());
  }
}

}  // namespace
}  // namespace flatout::apply
