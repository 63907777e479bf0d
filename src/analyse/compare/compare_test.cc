#include "analyse/compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyse/analyse.h"
#include "analyse/compare/cautions.h"
#include "analyse/loop_fixture.h"
#include "analyse/rule_switch.h"

namespace flatout::analyse {
namespace {

using testing::Contains;
using testing::Field;
using testing::IsEmpty;
using testing::Not;

// A run with all that was made of it.
struct Whole {
  run::Timeline timeline;
  Analysis analysis;
  run::Report report;

  explicit Whole(run::Timeline from)
      : timeline(std::move(from)),
        analysis(measure(timeline)),
        report(report_of(timeline, analysis)) {}
  Analysed view() const { return {&timeline, &analysis, &report}; }
};

Whole whole(const Loop& loop, const std::string& id = "aaaa") {
  TimelineBuilder run = run_of(loop);
  run.timeline().info.id = id;
  run.timeline().info.host = "node1";
  run.timeline().state = run::RunState::kFinished;
  run.timeline().counts.events = 1000;
  return Whole(run.timeline());
}

run::Contrast contrast(const Whole& before, const Whole& after) {
  const Analysed runs[] = {before.view(), after.view()};
  return compare(runs).others.at(0);
}

std::vector<std::string> ids(const std::vector<run::Caution>& cautions) {
  std::vector<std::string> out;
  for (const run::Caution& caution : cautions) out.push_back(caution.id);
  return out;
}

TEST(Compare, ARunAndItselfDifferInNothing) {
  for (const Loop& loop : {Loop{.steps = 200, .wait = 5}, Loop{.steps = 200, .other = 6},
                           Loop{.steps = 60, .workers = 4, .wait = 1, .batch_wall = 30}}) {
    const Whole run = whole(loop);
    const run::Contrast same = contrast(run, run);
    ASSERT_TRUE(same.speedup);
    EXPECT_DOUBLE_EQ(same.speedup->ratio, 1);
    EXPECT_FALSE(same.shown);
    EXPECT_THAT(same.config, IsEmpty());
    EXPECT_THAT(same.environment, IsEmpty());
    for (const run::Figure& figure : same.figures) EXPECT_EQ(figure.before, figure.after);
    for (const run::PhaseChange& phase : same.phases) EXPECT_EQ(phase.before_ms, phase.after_ms);
    for (const run::FindingChange& finding : same.findings) {
      EXPECT_EQ(finding.presence, run::Presence::kStayed);
    }
  }
}

TEST(Compare, StepsScaledByKGiveASpeedupOfOneOverK) {
  for (const double k : {0.25, 0.5, 2.0, 8.0}) {
    const Whole before = whole({.steps = 150, .wait = 4, .compute = 10, .other = 2}, "aaaa");
    const Whole after =
        whole({.steps = 150, .wait = 4 * k, .compute = 10 * k, .other = 2 * k}, "bbbb");
    const run::Contrast found = contrast(before, after);
    EXPECT_NEAR(found.speedup->ratio, 1 / k, 0.001 / k);
    EXPECT_TRUE(found.shown);
    EXPECT_FALSE(found.of_samples);
    double before_ms = 0;
    double after_ms = 0;
    for (const run::PhaseChange& phase : found.phases) {
      before_ms += phase.before_ms.value_or(0);
      after_ms += phase.after_ms.value_or(0);
    }
    EXPECT_NEAR(after_ms, k * before_ms, 0.01 * k) << "phases sum to the step";
  }
}

TEST(Compare, NamesTheFindingThatWentAndTheSettingThatChanged) {
  const Whole before = whole({.steps = 150, .wait = 50, .compute = 10, .batch_wall = 49}, "aaaa");
  const Whole after = whole({.steps = 150, .workers = 8, .compute = 10, .batch_wall = 50}, "bbbb");
  const run::Contrast found = contrast(before, after);
  EXPECT_GT(found.speedup->lo, 1);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].id, "input_bound");
  EXPECT_EQ(found.findings[0].presence, run::Presence::kWent);
  EXPECT_EQ(found.findings[0].before_cause, "single_process_loading");
  EXPECT_FALSE(found.findings[0].after_share);
  EXPECT_THAT(found.config, Contains(Field(&run::FactChange::key, "loader.workers")));
  const run::Contrast back = contrast(after, before);
  EXPECT_EQ(back.findings[0].presence, run::Presence::kCame);
}

TEST(Compare, WithoutStepsSaysWhy) {
  const Whole with = whole({.steps = 150, .wait = 5}, "aaaa");
  const Whole without{[] {
    run::Timeline timeline;
    timeline.info.id = "bbbb";
    return timeline;
  }()};
  const run::Contrast found = contrast(with, without);
  EXPECT_FALSE(found.speedup);
  EXPECT_FALSE(found.shown);
  EXPECT_EQ(found.no_speedup, "bbbb has no steps");
  for (const run::Figure& figure : found.figures) {
    EXPECT_TRUE(figure.name != "steps.median_ms" || !figure.after);
  }
  EXPECT_EQ(contrast(without, without).no_speedup, "bbbb has no steps");
  EXPECT_THAT(contrast(without, without).phases, IsEmpty());
  const Whole few = whole({.steps = 25, .wait = 5}, "cccc");
  EXPECT_EQ(contrast(few, with).no_speedup, "cccc has 15 steady steps, fewer than 20");
}

TEST(Compare, OtherBatchSizeComparesSamples) {
  const Whole before = whole({.steps = 150, .wait = 5}, "aaaa");
  TimelineBuilder builder = run_of({.steps = 150, .wait = 5});
  for (run::PhaseEvent& event : builder.timeline().processes[TimelineBuilder::kPid].phases.own()) {
    if (event.value == 32) event.value = 64;
  }
  const Whole after(builder.timeline());
  const run::Contrast found = contrast(before, after);
  EXPECT_TRUE(found.of_samples);
  EXPECT_NEAR(found.speedup->ratio, 2, 0.01);
  EXPECT_THAT(ids(found.cautions), Contains("other_batch_size"));
}

TEST(Compare, WarnsOfWhatIsUnfair) {
  const Whole before = whole({.steps = 300, .wait = 5}, "aaaa");
  EXPECT_THAT(ids(contrast(before, whole({.steps = 300, .wait = 4}, "bbbb")).cautions), IsEmpty());
  struct Case {
    const char* caution;
    void (*change)(run::Timeline&);
  };
  const Case cases[] = {
      {"other_machine", [](run::Timeline& t) { t.info.host = "node2"; }},
      {"other_cpus", [](run::Timeline& t) { t.info.cpus = 8; }},
      {"other_cpus", [](run::Timeline& t) { t.info.cpu_limit = 2.5; }},
      {"other_devices", [](run::Timeline& t) { t.devices[0].name = "A100"; }},
      {"still_running", [](run::Timeline& t) { t.state = run::RunState::kRunning; }},
      {"lost", [](run::Timeline& t) { t.state = run::RunState::kLost; }},
      {"dropped_events", [](run::Timeline& t) { t.counts.dropped = 100; }},
  };
  for (const Case& c : cases) {
    run::Timeline changed = whole({.steps = 300, .wait = 5}, "bbbb").timeline;
    c.change(changed);
    EXPECT_THAT(ids(contrast(before, Whole(changed)).cautions), Contains(c.caution));
  }
  EXPECT_THAT(ids(contrast(before, whole({.steps = 60, .wait = 5}, "bbbb")).cautions),
              Contains("few_steps"));
}

TEST(Compare, ADeviceThatOneRunNeverStatedIsNoOtherKind) {
  run::Contrast one;
  one.config = {{"torch.device", "\"cuda\"", ""}, {"model.device", "", "\"cpu\""}};
  const run::Report report;
  EXPECT_THAT(ids(cautions(report, report, one)), Not(Contains("other_device_kind")));
  one.config = {{"torch.device", "\"cuda\"", "\"cpu\""}};
  EXPECT_THAT(ids(cautions(report, report, one)), Contains("other_device_kind"));
}

// A run beside which other programs use so many cores of 4.
Whole loaded(double wait, double others, const std::string& id) {
  TimelineBuilder builder(TimelineBuilder(run_of({.steps = 300, .wait = wait})));
  builder.timeline().info.id = id;
  builder.timeline().state = run::RunState::kFinished;
  builder.series(run::Metric::kProcessCpuCoresUsed, TimelineBuilder::kPid, 1);
  builder.series(run::Metric::kHostCpuCoresUsed, run::kHostSource, 1 + others);
  return Whole(builder.timeline());
}

TEST(Compare, WarnsWhereOutsideLoadMayExplainTheDifference) {
  const auto warned = [](const Whole& before, const Whole& after) {
    const auto found = ids(contrast(before, after).cautions);
    return std::ranges::find(found, "other_load") != found.end();
  };
  const Whole quiet = loaded(5, 0.1, "aaaa");
  EXPECT_TRUE(warned(quiet, loaded(9, 1.5, "bbbb"))) << "slower beside others";
  EXPECT_TRUE(warned(loaded(9, 1.5, "bbbb"), quiet)) << "faster without them";
  EXPECT_FALSE(warned(quiet, loaded(9, 0.2, "bbbb"))) << "as quiet";
  EXPECT_FALSE(warned(quiet, loaded(1, 1.5, "bbbb"))) << "faster in spite of them";
  EXPECT_FALSE(warned(quiet, loaded(50, 0.6, "bbbb"))) << "four times slower for half a core";
  EXPECT_THAT(contrast(quiet, loaded(9, 1.5, "bbbb")).cautions.front().text,
              testing::HasSubstr("0.1 cores beside aaaa and 1.5 beside bbbb"));
}

// A run whose training thread was kept from a core so much of the time by others.
Whole starved(double wait, double delay, const std::string& id) {
  TimelineBuilder builder(TimelineBuilder(run_of({.steps = 300, .wait = wait})));
  builder.timeline().info.id = id;
  builder.timeline().info.cpus = 2;
  builder.timeline().state = run::RunState::kFinished;
  builder.series(run::Metric::kProcessCpuRunDelay, TimelineBuilder::kPid, delay);
  builder.series(run::Metric::kProcessCpuCoresUsed, TimelineBuilder::kPid, 0.3);
  builder.series(run::Metric::kHostCpuCoresUsed, run::kHostSource, 2);
  return Whole(builder.timeline());
}

TEST(Compare, ClaimsNoDifferenceThatABusyMachineAloneMayExplain) {
  const auto busy = [](const run::Contrast& found) {
    const auto said = ids(found.cautions);
    return found.loaded && std::ranges::find(said, "busy_machine") != said.end();
  };
  const Whole before = starved(5, 0.70, "aaaa");
  const run::Contrast slower = contrast(before, starved(9, 0.76, "bbbb"));
  EXPECT_TRUE(slower.speedup && slower.speedup->hi < 1) << "by the steps alone";
  EXPECT_FALSE(slower.shown);
  EXPECT_TRUE(busy(slower));
  EXPECT_THAT(slower.cautions.front().text,
              testing::AllOf(testing::HasSubstr("70 % of the time of aaaa and 76 % of the time of "
                                                "bbbb, which alone may explain the difference"),
                             testing::HasSubstr("idle machine")));
  EXPECT_FALSE(contrast(starved(9, 0.76, "bbbb"), before).shown) << "nor faster";
  const run::Contrast much = contrast(before, starved(300, 0.76, "bbbb"));
  EXPECT_TRUE(much.shown) << "that is more than waits explain";
  EXPECT_TRUE(busy(much));
  EXPECT_TRUE(busy(contrast(starved(5, 0.01, "aaaa"), starved(9, 0.3, "bbbb")))) << "one is enough";
  const run::Contrast quiet = contrast(starved(5, 0.01, "aaaa"), starved(9, 0.02, "bbbb"));
  EXPECT_TRUE(quiet.shown);
  EXPECT_FALSE(busy(quiet));
}

TEST(Compare, TimeThatMovedBetweenEpochsIsNoSpeedOfTheLoop) {
  const Whole before = whole({.steps = 300, .wait = 30, .epoch = 6, .gap = 1}, "aaaa");
  const Whole after = whole({.steps = 300, .wait = 0.1, .epoch = 6, .gap = 240}, "bbbb");
  const run::Contrast moved = contrast(before, after);
  EXPECT_GT(moved.speedup->lo, 3) << "of the steps";
  ASSERT_TRUE(moved.by_clock);
  EXPECT_NEAR(*moved.by_clock, 0.8, 0.05);
  EXPECT_THAT(ids(moved.cautions), Contains("other_epoch_gaps"));
  EXPECT_THAT(moved.cautions.front().text, testing::HasSubstr("x slower by the clock"));
  const run::Contrast back = contrast(after, before);
  EXPECT_LT(back.speedup->hi, 1);
  EXPECT_NEAR(*back.by_clock * *moved.by_clock, 1, 1e-6);
  EXPECT_THAT(back.cautions.front().text, testing::HasSubstr("the loop is x1."));
  // One gap among few steps, or as many gaps as before, changes nothing.
  EXPECT_FALSE(contrast(whole({.steps = 60}, "aaaa"), whole({.steps = 60}, "bbbb")).by_clock);
  const Loop even = {.steps = 300, .wait = 5, .epoch = 50, .gap = 5};
  EXPECT_THAT(ids(contrast(whole(even, "aaaa"), whole(even, "bbbb")).cautions),
              Not(Contains("other_epoch_gaps")));
}

TEST(Compare, FirstOfSeveralIsTheBaselineOfAll) {
  const Whole a = whole({.steps = 150, .wait = 5}, "aaaa");
  const Whole b = whole({.steps = 150, .wait = 10}, "bbbb");
  const Whole c = whole({.steps = 150, .wait = 1}, "cccc");
  const Analysed runs[] = {a.view(), b.view(), c.view()};
  const run::Comparison found = compare(runs);
  EXPECT_EQ(found.baseline.id, "aaaa");
  ASSERT_EQ(found.others.size(), 2U);
  EXPECT_LT(found.others[0].speedup->hi, 1);
  EXPECT_GT(found.others[1].speedup->lo, 1);
  EXPECT_THAT(compare({}).others, IsEmpty());
}

TEST(RuleSwitch, KnowsItsIds) {
  EXPECT_THAT(rule_ids(), Contains("input_bound"));
  EXPECT_EQ(parse_rules_off("").value().size(), 0U);
  EXPECT_EQ(parse_rules_off(" input_bound , epoch_gap,").value(),
            (std::set<std::string>{"epoch_gap", "input_bound"}));
  const auto unknown = parse_rules_off("input_bound,nonsense");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, testing::HasSubstr("no rule 'nonsense'"));
  for (const std::string& id : rule_ids()) {
    EXPECT_THAT(unknown.error().message, testing::HasSubstr(id));
  }
}

}  // namespace
}  // namespace flatout::analyse
