#include "analyse/analyse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>
#include <random>

#include "analyse/loop_fixture.h"
#include "analyse/rules/rule.h"
#include "analyse/timeline_builder.h"

namespace flatout::analyse {
namespace {

// A test that reads an absent figure must fail, and does.
// NOLINTBEGIN(bugprone-unchecked-optional-access)

using run::Metric;
using run::Phase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Analyse, AContendedStepIsNotBlamedOnItsOwnWorkersOnly) {
  TimelineBuilder builder =
      run_of({.workers = 2, .wait = 30, .batch_wall = 78, .batch_cpu = 75, .hand_over = 1});
  builder.series(Metric::kProcessCpuRunDelay, TimelineBuilder::kPid, 0.3);
  EXPECT_EQ(analyse(builder.timeline()).findings.size(), 1U);
  builder.series(Metric::kProcessCpuCoresUsed, TimelineBuilder::kPid, 1);
  builder.series(Metric::kHostCpuCoresUsed, 0, 3.5);
  EXPECT_EQ(analyse(builder.timeline()).findings.size(), 2U);
}

TEST(Analyse, OccasionalSlowStepIsNoFinding) {
  TimelineBuilder builder;
  LaneScript lane;
  for (int i = 0; i < 200; ++i) lane.draw(1, 0.3).train(10).idle(i % 50 == 49 ? 30 : 0.1);
  builder.lane(lane);
  for (const run::Finding& finding : analyse(builder.timeline()).findings) {
    EXPECT_EQ(finding.severity, run::Severity::kInfo) << finding.id;
  }
}

TEST(Analyse, StepsAndIntervalsOfTheReport) {
  const run::Report report =
      analyse(run_of({.steps = 40, .wait = 5, .compute = 10, .epoch = 20, .gap = 100}).timeline());
  ASSERT_TRUE(report.steps.has_value());
  EXPECT_EQ(report.steps->count, 40);
  EXPECT_EQ(report.steps->steady_count, 30);
  EXPECT_NEAR(*report.steps->median_ms, 15, 1e-9);
  EXPECT_NEAR(*report.steps->p95_ms, 15, 1e-9);
  EXPECT_NEAR(*report.steps->samples_per_s, 32 / 0.015, 1e-6);
  EXPECT_NEAR(*report.steps->device_busy, 2.0 / 3, 1e-12);
  EXPECT_NEAR(*report.steps->startup_s, 0.45, 1e-9);
  EXPECT_NEAR(*report.steps->epoch_gap_s, 0.1 + 0.0001, 1e-9);
  EXPECT_EQ(*report.steps->eval_s, 0);
  EXPECT_FALSE(report.steps->phases.contains("h2d"));
  EXPECT_EQ(report.steps->phases_unavailable.at("h2d"), "no accelerator: the CPU is the device");
  EXPECT_EQ(report.steps->phases_unavailable.at("comm"), "torch.distributed was not used");
  EXPECT_EQ(report.steps->phases.at("checkpoint"), 0);
}

TEST(Analyse, DevicePatternOfTheSteps) {
  const auto device = [](const Loop& loop) {
    return *analyse(run_of(loop).timeline()).devices.front().utilization;
  };
  const run::Utilization idle = device({.wait = 50});
  EXPECT_EQ(idle.pattern, "sawtooth");
  EXPECT_NEAR(*idle.period_ms, 60, 1e-9);
  EXPECT_NEAR(*idle.duty, 1.0 / 6, 1e-9);
  EXPECT_NEAR(*idle.p50, 1.0 / 6, 1e-9);
  EXPECT_EQ(device({.wait = 0.3}).pattern, "flat");
  EXPECT_FALSE(device({.wait = 0.3}).period_ms.has_value());
  EXPECT_EQ(device({.steps = 6, .wait = 50}).pattern, "");  // three steady steps
}

TEST(Analyse, LoaderOfTheReport) {
  const run::Report report = analyse(run_of({.workers = 2,
                                             .wait = 30,
                                             .batch_wall = 64,
                                             .batch_cpu = 32,
                                             .collate = 16,
                                             .hand_over = 1})
                                         .timeline());
  ASSERT_TRUE(report.loader.has_value());
  EXPECT_EQ(report.loader->workers, 2);
  EXPECT_EQ(report.loader->built_at, "/src/train.py:41");
  EXPECT_NEAR(*report.loader->sample_ms, 2, 1e-9);
  EXPECT_NEAR(*report.loader->sample_cpu_share, 0.5, 1e-9);
  ASSERT_EQ(report.loader->stages.size(), 3U);
  EXPECT_EQ(report.loader->stages[0].name, "JPEG decode");
  EXPECT_EQ(report.loader->stages[1].name, "collate");
  EXPECT_EQ(report.loader->stages[2].name, "other");
  EXPECT_NEAR(report.loader->stages[2].share, 0.15, 1e-9);
  // Two workers could give 1000/s, but the program waits and gets 32 each 40 ms.
  EXPECT_NEAR(*report.loader->max_samples_per_s, 800, 1e-6);
}

TEST(Analyse, DeliveriesTellWhoWaitedForWhom) {
  const Analysis analysis =
      measure(run_of({.workers = 2, .wait = 30, .batch_wall = 60, .hand_over = 4}).timeline());
  ASSERT_GE(analysis.loader->deliveries.size(), 40U);
  for (const Delivery& delivery : analysis.loader->deliveries) {
    EXPECT_EQ(delivery.transfer_ns, ns(4));
    EXPECT_EQ(delivery.ready_wait_ns, ns(4));
  }
}

run::Timeline without_updates() {
  TimelineBuilder builder;
  builder.loader(0, 1).iterator(1, 0, 1);
  LaneScript lane;
  for (int i = 0; i < 30; ++i) lane.draw(1, 20).forward(5).span(Phase::kBackward, 5).idle(2);
  return builder.lane(lane).timeline();
}

TEST(Analyse, WeightsUpdatedByHandStillMakeSteps) {
  const run::Report report = analyse(without_updates());
  ASSERT_TRUE(report.steps.has_value());
  EXPECT_EQ(report.steps->count, 30);
  EXPECT_FALSE(report.steps->phases.contains("optimizer"));
  EXPECT_THAT(report.steps->phases_unavailable.at("optimizer"), HasSubstr("no torch.optim"));
  // Of 20 steady steps the last ends with its backward.
  EXPECT_NEAR(report.steps->phases.at("other"), 38.0 / 638, 1e-9);
  EXPECT_THAT(report.notes, testing::Contains(HasSubstr("each backward counts as an update")));
}

TEST(Analyse, ACompiledOptimizerStillHasSteps) {
  run::Timeline timeline = without_updates();
  timeline.processes.begin()->second.facts.push_back({0, "optimizer", R"({"class":"SGD"})"});
  const run::Report report = analyse(timeline);
  ASSERT_TRUE(report.steps.has_value());
  EXPECT_EQ(report.steps->count, 30);
  EXPECT_FALSE(report.steps->phases.contains("optimizer"));
  EXPECT_EQ(report.steps->phases_unavailable.at("optimizer"), "the optimizer's step is compiled");
}

// It may have failed there, with nothing compiled.
TEST(Analyse, AProgramThatEndsInItsFirstBackwardIsNotCalledCompiled) {
  TimelineBuilder builder;
  builder.loader(0, 1).iterator(1, 0, 1);
  LaneScript lane;
  lane.draw(1, 20).forward(5).span(Phase::kBackward, 5);
  run::Timeline timeline = builder.lane(lane).timeline();
  timeline.processes.begin()->second.facts.push_back({0, "optimizer", R"({"class":"SGD"})"});
  EXPECT_THAT(analyse(timeline).notes, testing::Not(testing::Contains(HasSubstr("compiled"))));
}

TEST(Analyse, OfTwoTrainingLoadersTheSlowerIsTheOneToFix) {
  TimelineBuilder builder;
  builder.loader(0, 1).loader(3, 2).iterator(1, 0, 1).iterator(2, 0, 2);
  LaneScript lane;
  for (int i = 0; i < 30; ++i) lane.draw(1, 1).draw(2, 30).train(10);
  const run::Report report = analyse(builder.lane(lane).timeline());
  ASSERT_TRUE(report.loader.has_value());
  EXPECT_EQ(report.loader->workers, 3);
}

TEST(Analyse, AnEvaluationLoaderIsNotTheTrainingLoader) {
  TimelineBuilder builder;
  builder.loader(0, 1).loader(4, 2).iterator(1, 0, 1).iterator(2, 0, 2);
  LaneScript lane;
  for (int i = 0; i < 30; ++i) {
    lane.draw(1, 20).train(10);
    if (i % 10 == 9) lane.draw(2, 5, 32, false).eval_forward(5);
  }
  builder.lane(lane);
  const run::Report report = analyse(builder.timeline());
  EXPECT_EQ(report.loader->workers, 0);
  EXPECT_NEAR(*report.steps->eval_s, 0.03, 1e-9);
}

TEST(Analyse, NoStepsSaysWhy) {
  run::Timeline timeline;
  EXPECT_EQ(analyse(timeline).verdict.finding, "no_steps");
  EXPECT_THAT(analyse(timeline).verdict.summary, HasSubstr("PyTorch"));
  EXPECT_FALSE(analyse(timeline).steps.has_value());
  timeline.info.hooks_off = "--no-hooks was given";
  EXPECT_THAT(analyse(timeline).verdict.summary, HasSubstr("--no-hooks was given"));
  TimelineBuilder inference;
  inference.lane(LaneScript().draw(1, 5).eval_forward(10));
  EXPECT_THAT(analyse(inference.timeline()).verdict.summary, HasSubstr("no update of weights"));
}

TEST(Analyse, FewStepsAreSaidToBeFew) {
  const run::Report report = analyse(run_of({.steps = 6, .wait = 50}).timeline());
  EXPECT_EQ(report.steps->steady_count, 3);
  EXPECT_LT(report.verdict.confidence, 0.5);
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("only 6 steps")));
}

TEST(Analyse, OneStepIsEnoughForAReport) {
  const run::Report report = analyse(run_of({.steps = 1, .wait = 50}).timeline());
  EXPECT_EQ(report.steps->count, 1);
  EXPECT_EQ(report.steps->steady_count, 1);
}

TEST(Analyse, RuledOutIsOnlyWhatWasMeasured) {
  TimelineBuilder builder = run_of({.wait = 50, .batch_wall = 49, .batch_cpu = 48});
  builder.timeline().info.cpu_limit = 2;
  EXPECT_TRUE(analyse(builder.timeline()).verdict.ruled_out.empty());
  builder.series(Metric::kProcessIoDiskWait, TimelineBuilder::kPid, 0);
  builder.series(Metric::kProcessIoDiskRead, TimelineBuilder::kPid, 0);
  builder.series(Metric::kCgroupCpuThrottled, 0, 0);
  builder.series(Metric::kProcessCpuRunDelay, TimelineBuilder::kPid, 0.01);
  builder.timeline().info.memory_bytes = 1000;
  builder.series(Metric::kHostMemoryAvailable, 0, 800);
  EXPECT_THAT(analyse(builder.timeline()).verdict.ruled_out,
              ElementsAre("disk", "memory pressure", "CPU limits", "CPU contention"));
  for (auto& [key, points] : builder.timeline().series) {
    if (key.metric != Metric::kHostMemoryAvailable) continue;
    for (run::Point& point : points.own()) point.value = 50;
  }
  EXPECT_THAT(analyse(builder.timeline()).verdict.ruled_out,
              testing::Not(testing::Contains("memory pressure")));
}

TEST(Analyse, ARuleCanBeSwitchedOff) {
  const run::Timeline timeline = run_of({.wait = 50, .batch_wall = 49}).timeline();
  const run::Report report = analyse(timeline, {.rules_off = {"input_bound"}});
  EXPECT_EQ(report.verdict.finding, "unexplained");
  EXPECT_TRUE(report.findings.empty());
}

TEST(Analyse, SeveralRanksAreNoted) {
  TimelineBuilder builder = run_of({.wait = 5});
  LaneScript second;
  for (int i = 0; i < 100; ++i) second.draw(1, 1).train(3);
  builder.process(101, run::ProcRole::kMain).proc.rank = 1;
  builder.timeline().processes[TimelineBuilder::kPid].proc.rank = 0;
  builder.lane(second, 101);
  const run::Report report = analyse(builder.timeline());
  EXPECT_EQ(report.steps->count, 60);
  EXPECT_THAT(report.notes, testing::Contains(HasSubstr("rank 0")));
}

TEST(Analyse, BrokenFactsAreSkipped) {
  TimelineBuilder builder = run_of({.wait = 50, .batch_wall = 49});
  for (const char* text : {"", "{", "[1]", "null", R"({"workers":"two","loader":-5})",
                           R"({"worker_pids":7,"iterator":1e300})"}) {
    for (auto key :
         {run::facts::kLoader, run::facts::kIterator, run::facts::kEnvironment,
          run::facts::kDevices, run::facts::kModel, run::facts::kProblem, run::facts::kCaptures}) {
      builder.fact(TimelineBuilder::kPid, key, text);
    }
  }
  EXPECT_EQ(analyse(builder.timeline()).verdict.finding, "input_bound");
}

TEST(Analyse, WhatCapturesKeptFromBeingTimedIsANote) {
  TimelineBuilder builder = run_of({.wait = 50, .batch_wall = 49});
  EXPECT_THAT(analyse(builder.timeline()).notes,
              testing::Not(testing::Contains(HasSubstr("graph"))));
  builder.fact(TimelineBuilder::kPid, run::facts::kCaptures, R"({"boundaries":9,"copies":0})");
  builder.fact(TimelineBuilder::kPid, run::facts::kCaptures, R"({"boundaries":62,"copies":30})");
  EXPECT_THAT(analyse(builder.timeline()).notes,
              testing::Contains("62 boundaries of phases and 30 copies were not timed on the "
                                "device, because a CUDA graph was being captured"));
}

TEST(Analyse, WithoutStepsAProblemThatWasReportedIsTheReason) {
  run::Timeline timeline;
  timeline.processes[7].facts.push_back({.t_ns = 1,
                                         .key = std::string(run::facts::kProblem),
                                         .json = R"({"problem":"torch: no hooks"})"});
  EXPECT_EQ(analyse(timeline).verdict.summary, "no step was seen: torch: no hooks.");
  timeline.processes.clear();
  EXPECT_TRUE(analyse(timeline).verdict.summary.contains("no process of the run used PyTorch"));
}

TEST(AnalyseProperty, OtherLanesChangeNothing) {
  std::mt19937_64 random(5);
  const Loop loop = {.wait = 8, .other = 1, .batch_wall = 7, .batch_cpu = 5};
  const run::Report before = analyse(run_of(loop).timeline());
  for (int round = 0; round < 50; ++round) {
    TimelineBuilder builder = run_of(loop);
    LaneScript noise(400, 1);
    for (int i = 0; i < 100; ++i) {
      noise.idle(static_cast<double>(random() % 10));
      noise.span(static_cast<Phase>(1 + random() % 9 % 4), 3);  // no updates: not a step lane
    }
    builder.lane(noise);
    std::ranges::shuffle(builder.timeline().processes[TimelineBuilder::kPid].lanes, random);
    const run::Report after = analyse(builder.timeline());
    ASSERT_EQ(after.steps->phases, before.steps->phases);
    ASSERT_EQ(after.steps->median_ms, before.steps->median_ms);
    ASSERT_EQ(after.verdict.summary, before.verdict.summary);
  }
}

// Series of every metric, in any order of time, of devices that may not exist.
void add_random_devices(run::Timeline& timeline, std::mt19937_64& random) {
  for (int index = 0; index < static_cast<int>(random() % 3); ++index) {
    run::Device& device = timeline.devices[index];
    device.index = index;
    device.vendor = random() % 2 == 0 ? "nvidia" : "amd";
    if (random() % 3 != 0) device.visible_index = static_cast<int>(random() % 3);
    if (random() % 2 == 0) device.capability = random() % 2 == 0 ? "9.0" : "?";
    device.memory_total_bytes = static_cast<std::int64_t>(random() % 3) - 1;
    device.sm_clock_max_mhz = static_cast<double>(random() % 3);
    device.pcie_generation_max = static_cast<int>(random() % 40) - 5;
    device.pcie_width_max = static_cast<int>(random() % 3) - 1;
    device.temperature_max_operating_c = 80;
  }
  for (const run::MetricInfo& info : run::all_metrics()) {
    for (int source = -3; source <= 0; ++source) {
      auto& points = timeline.series[{info.metric, source}];
      for (std::uint64_t n = random() % 30; n > 0; --n) {
        const double values[] = {0, 1, 0.5, -1, 1e300, std::nan("")};
        points.push_back(
            {static_cast<std::int64_t>(random() % 1'000'000'000), values[random() % 6]});
      }
      std::ranges::sort(points.own(), {}, &run::Point::t_ns);  // as every Timeline has them
    }
  }
  for (const char* device : {"cuda", "cuda:1", "cpu", "cuda:x"}) {
    if (random() % 3 == 0) {
      timeline.processes[TimelineBuilder::kPid].facts.push_back(
          {0, "model", std::string(R"({"dtypes":{"float32":3},"device":")") + device + R"("})"});
    }
  }
}

TEST(AnalyseProperty, AnythingGivesAReportWhosePhasesSumToOne) {
  std::mt19937_64 random(6);
  int with_steps = 0;
  for (int round = 0; round < 300; ++round) {
    TimelineBuilder builder;
    builder.loader(static_cast<int>(random() % 3)).iterator(1, static_cast<int>(random() % 3));
    for (pid_t pid : {TimelineBuilder::kPid, pid_t{200}}) {
      auto& track = builder.timeline().processes[pid];
      std::int64_t t = 0;
      for (int i = 0; i < 200; ++i) {
        t += static_cast<std::int64_t>(random() % 5'000'000);
        track.phases.push_back({.t_ns = t,
                                .value = random() % 3,
                                .flags = static_cast<std::uint32_t>(random() % 32),
                                .id = static_cast<std::uint32_t>(random() % 3),
                                .lane = static_cast<std::uint16_t>(random() % 2),
                                .phase = static_cast<Phase>(random() % 11),
                                .begin = random() % 2 == 0});
        run::Batch batch;
        batch.begin_ns = static_cast<std::int64_t>(random() % 1'000'000'000) - 5;
        batch.end_ns = static_cast<std::int64_t>(random() % 1'000'000'000);
        batch.cpu_ns = static_cast<std::int64_t>(random() % 1'000'000);
        batch.samples = static_cast<std::uint32_t>(random() % 5);
        batch.iterator = static_cast<std::uint32_t>(random() % 3);
        batch.sequence = static_cast<std::uint32_t>(random() % 100);
        track.batches.push_back(batch);
      }
      builder.timeline().last_ns = t;
    }
    add_random_devices(builder.timeline(), random);
    const run::Report report = analyse(builder.timeline());
    if (!report.steps) continue;
    ++with_steps;
    double sum = 0;
    for (const auto& [name, share] : report.steps->phases) {
      ASSERT_GE(share, 0);
      sum += share;
    }
    ASSERT_TRUE(sum == 0 || std::abs(sum - 1) < 1e-9) << sum;
    for (const run::Finding& finding : report.findings) {
      ASSERT_TRUE(finding.share >= 0 && finding.share <= 1) << finding.id << finding.share;
      ASSERT_FALSE(finding.tier.empty()) << finding.id;
    }
    for (const run::DeviceReport& device : report.devices) {
      if (!device.utilization) continue;
      ASSERT_TRUE(device.utilization->mean >= 0 && device.utilization->mean <= 1);
    }
  }
  EXPECT_GT(with_steps, 100);
}

TEST(Rules, EveryRuleHasAPage) {
  for (const Rule& rule : all_rules()) {
    const auto page = std::filesystem::path(FLATOUT_SOURCE_DIR) / "docs/findings" /
                      (std::string(rule.id) + ".md");
    EXPECT_TRUE(std::filesystem::exists(page)) << page;
  }
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace
}  // namespace flatout::analyse
