// Programs that say through flatout.h what they do.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "analyse/analyse.h"
#include "analyse/analysis.h"
#include "analyse/timeline_builder.h"

namespace flatout::analyse {
namespace {

using run::Phase;

// One lane as libflatout.so writes it.
struct Marks {
  explicit Marks(double start_ms = 500) : lane(start_ms) {}

  Marks& span(Phase phase, double ms) {
    begin(phase);
    lane.idle(ms);
    return end(phase);
  }
  Marks& begin(Phase phase) {
    std::uint32_t flags = run::kMarked;
    if (!evaluates && phase == Phase::kDataWait) flags |= run::kGradEnabled;
    if (!evaluates && phase == Phase::kForward) flags |= run::kGradEnabled | run::kTrainingMode;
    lane.begin(phase, flags);
    evaluates = evaluates || phase == Phase::kEval;
    return *this;
  }
  Marks& end(Phase phase) {
    lane.end(phase);
    if (phase == Phase::kEval) evaluates = false;
    return *this;
  }
  Marks& step_end(std::uint64_t samples = 16) {
    lane.end(Phase::kStep, run::kMarked, 0, samples);
    return *this;
  }
  Marks& compute(double ms) {
    return span(Phase::kForward, 0.3 * ms)
        .span(Phase::kBackward, 0.6 * ms)
        .span(Phase::kOptimizer, 0.1 * ms);
  }
  Marks& other(double ms) {
    lane.idle(ms);
    return *this;
  }

  LaneScript lane;
  bool evaluates = false;
};

// A process that only marks: no facts of Python or PyTorch.
run::Timeline program(const Marks& marks) {
  TimelineBuilder builder;
  builder.timeline().processes.clear();
  builder.process(TimelineBuilder::kPid, run::ProcRole::kMain);
  builder.fact(TimelineBuilder::kPid, run::facts::kMarks, R"({"abi":1})");
  return builder.lane(marks.lane).timeline();
}

TEST(Marks, StepsGoFromMarkToMark) {
  Marks marks;
  for (int step = 0; step < 40; ++step) {
    marks.span(Phase::kDataWait, 30).compute(10).other(5).step_end(32);
  }
  const Analysis analysis = measure(program(marks));
  ASSERT_EQ(analysis.cut.steps.size(), 40U);
  for (const Step& step : analysis.cut.steps) {
    EXPECT_EQ(step.own_ns, ns(45));
    EXPECT_EQ(step.phase_ns(Phase::kDataWait), ns(30));
    EXPECT_EQ(step.phase_ns(Phase::kBackward), ns(6));
    EXPECT_EQ(step.phase_ns(Phase::kOther), ns(5));
    EXPECT_EQ(step.samples, 32);
  }
  const run::Report report = analyse(program(marks));
  EXPECT_EQ(report.verdict.finding, "input_bound");
  EXPECT_NE(report.verdict.summary.find("own reader"), std::string::npos);
  EXPECT_EQ(report.steps->phases_unavailable.at("comm"), "not marked by the program");
  EXPECT_NEAR(report.steps->phases.at("data_wait"), 30.0 / 45, 1e-3);
}

TEST(Marks, AReaderIsSaidToWaitOnlyWhereItsThreadHadACore) {
  Marks marks;
  for (int step = 0; step < 40; ++step) marks.span(Phase::kDataWait, 30).compute(10).step_end();
  const auto summary = [&](std::optional<double> run_delay) {
    TimelineBuilder builder;
    builder.timeline() = program(marks);
    builder.series(run::Metric::kProcessCpuCoresUsed, TimelineBuilder::kPid, 0.2);
    if (run_delay) {
      builder.series(run::Metric::kProcessCpuRunDelay, TimelineBuilder::kPid, *run_delay);
    }
    const run::Report report = analyse(builder.timeline());
    for (const run::Finding& finding : report.findings) {
      if (finding.id == "input_bound") return finding.summary;
    }
    return std::string();
  };
  EXPECT_NE(summary(0.01).find("it waits rather than computes"), std::string::npos);
  for (const std::optional<double> delay : {std::optional(0.7), std::optional<double>()}) {
    EXPECT_NE(summary(delay).find("own reader"), std::string::npos);
    EXPECT_EQ(summary(delay).find("rather than"), std::string::npos);
  }
}

TEST(Marks, WithoutMarkedEndsADrawAfterAnUpdateClosesTheStep) {
  Marks marks;
  for (int step = 0; step < 20; ++step) {
    marks.span(Phase::kDataWait, 3);
    if (step % 2 == 1)
      marks.compute(10);  // two draws an update
    else
      marks.span(Phase::kForward, 1).span(Phase::kBackward, 1);
  }
  const Analysis analysis = measure(program(marks));
  ASSERT_EQ(analysis.cut.steps.size(), 10U);
  EXPECT_EQ(analysis.cut.steps[3].draws, 2);
  EXPECT_EQ(analysis.cut.steps[3].phase_ns(Phase::kDataWait), ns(6));
}

TEST(Marks, AMarkClosesAStepWithoutAnyUpdateOrDraw) {
  Marks marks;
  for (int step = 0; step < 30; ++step) marks.other(20).step_end();
  const run::Report report = analyse(program(marks));
  ASSERT_TRUE(report.steps);
  EXPECT_EQ(report.steps->count, 29) << "nothing shows when the first began";
  EXPECT_EQ(report.verdict.finding, "unexplained");
  EXPECT_NE(report.verdict.summary.find("flatout_phase_begin"), std::string::npos);
  EXPECT_FALSE(report.devices.front().utilization) << "compute was not marked";
  EXPECT_TRUE(report.findings.empty());
}

TEST(Marks, ReaderAndStepEndAreEnough) {
  Marks marks;
  for (int step = 0; step < 30; ++step) marks.span(Phase::kDataWait, 15).other(5).step_end();
  const run::Report report = analyse(program(marks));
  EXPECT_EQ(report.verdict.finding, "input_bound");
  EXPECT_NEAR(report.steps->phases.at("data_wait"), 0.75, 1e-3);
  EXPECT_TRUE(report.steps->phases_unavailable.contains("forward"));
  EXPECT_EQ(report.steps->eval_s, 0) << "draws before a mark are training";
}

TEST(Marks, EvaluationBelongsToNoStep) {
  Marks marks;
  for (int step = 0; step < 24; ++step) {
    if (step % 8 == 4) {
      marks.begin(Phase::kEval);
      for (int i = 0; i < 5; ++i) marks.span(Phase::kDataWait, 4).span(Phase::kForward, 6);
      marks.end(Phase::kEval);
    }
    marks.span(Phase::kDataWait, 0.5).compute(9.5).step_end();
  }
  const Analysis analysis = measure(program(marks));
  ASSERT_EQ(analysis.cut.steps.size(), 24U);
  for (const Step& step : analysis.cut.steps)
    EXPECT_NEAR(static_cast<double>(step.own_ns), 10e6, 10);
  const run::Report report = analyse(program(marks));
  EXPECT_NEAR(*report.steps->eval_s, 0.15, 1e-6);
  EXPECT_EQ(report.verdict.finding, "eval_share") << "150 of 390 ms";
}

TEST(Marks, EvaluationWithoutStepMarksDoesNotTrain) {
  Marks marks;
  for (int step = 0; step < 12; ++step) {
    marks.span(Phase::kDataWait, 1).compute(9);
    marks.begin(Phase::kEval).span(Phase::kDataWait, 5).span(Phase::kForward, 5).end(Phase::kEval);
  }
  const Analysis analysis = measure(program(marks));
  ASSERT_EQ(analysis.cut.steps.size(), 12U);
  for (const Step& step : analysis.cut.steps)
    EXPECT_NEAR(static_cast<double>(step.own_ns), 10e6, 10);
}

TEST(Marks, PhasesAloneAreNoSteps) {
  Marks marks;
  for (int i = 0; i < 20; ++i) marks.span(Phase::kDataWait, 5).span(Phase::kForward, 5);
  const run::Report report = analyse(program(marks));
  EXPECT_EQ(report.verdict.finding, "no_steps");
  EXPECT_NE(report.verdict.summary.find("flatout_step_end"), std::string::npos);
}

TEST(Marks, CodeOutsideOfThemIsNotCalledPython) {
  Marks marks;
  for (int step = 0; step < 30; ++step) marks.compute(5).other(20).step_end();
  const run::Report report = analyse(program(marks));
  EXPECT_EQ(report.verdict.finding, "host_bound");
  EXPECT_EQ(report.verdict.cause, run::Cause::kNone);
  EXPECT_EQ(report.verdict.summary.find("Python"), std::string::npos);
}

// A C extension that marks inside of what the hooks see anyway.
TEST(Marks, BesideHooksNothingCountsTwice) {
  TimelineBuilder builder;
  builder.loader(0).iterator(1, 0);
  LaneScript lane(500);
  lane.build(1, 5);
  constexpr std::uint32_t kTrains = run::kMarked | run::kGradEnabled | run::kTrainingMode;
  for (int step = 0; step < 30; ++step) {
    lane.begin(Phase::kDataWait, run::kGradEnabled, 1).idle(1);
    lane.begin(Phase::kDataWait, run::kMarked | run::kGradEnabled).idle(3).end(Phase::kDataWait);
    lane.idle(1).end(Phase::kDataWait, 0, 1, 8);
    lane.begin(Phase::kForward, run::kGradEnabled | run::kTrainingMode).idle(2);
    lane.begin(Phase::kForward, kTrains).idle(4).end(Phase::kForward);
    lane.idle(2).end(Phase::kForward);
    lane.span(Phase::kBackward, 4).span(Phase::kOptimizer, 1);
    lane.end(Phase::kStep, run::kMarked, 0, 8);
  }
  const Analysis analysis = measure(builder.lane(lane).timeline());
  ASSERT_EQ(analysis.cut.steps.size(), 30U);
  EXPECT_FALSE(analysis.marks_only);
  for (const Step& step : analysis.cut.steps) {
    EXPECT_EQ(step.phase_ns(Phase::kDataWait), ns(5));
    EXPECT_EQ(step.phase_ns(Phase::kForward), ns(8));
    EXPECT_EQ(step.samples, 8);
  }
}

// flatout's loading engine, asked inside of what the program marks as its wait for data.
TEST(Marks, AWaitIsADrawFromTheLoaderThatIsAskedInside) {
  constexpr std::uint32_t kTrain = 1U << 16;
  constexpr std::uint32_t kValid = kTrain + 1;
  Marks marks;
  LaneScript& lane = marks.lane;
  const auto draw = [&](std::uint32_t loader) {
    lane.begin(Phase::kDataWait, run::kMarked | run::kGradEnabled).idle(1);
    lane.begin(Phase::kDataWait, run::kGradEnabled, loader).idle(3);
    lane.end(Phase::kDataWait, 0, loader, 8).idle(1).end(Phase::kDataWait);
  };
  for (int step = 0; step < 30; ++step) {
    draw(kTrain);
    marks.compute(5).step_end();
  }
  lane.begin(Phase::kEval, run::kMarked);
  for (int batch = 0; batch < 5; ++batch) draw(kValid);
  lane.end(Phase::kEval);
  const Analysis analysis = measure(program(marks));
  ASSERT_EQ(analysis.cut.steps.size(), 30U);
  EXPECT_EQ(analysis.cut.training_iterators, (std::set<std::uint32_t>{kTrain}));
  for (const Step& step : analysis.cut.steps) EXPECT_EQ(step.phase_ns(Phase::kDataWait), ns(5));
}

TEST(Marks, TheThreadThatEndsStepsIsTheStepThread) {
  Marks marks;
  for (int step = 0; step < 20; ++step) marks.span(Phase::kDataWait, 5).compute(5).step_end();
  run::Timeline timeline = program(marks);
  LaneScript reader(500, 1);
  for (int i = 0; i < 100; ++i) reader.span(Phase::kOptimizer, 1, run::kMarked);
  auto& track = timeline.processes.at(TimelineBuilder::kPid);
  for (const run::PhaseEvent& event : reader.events()) track.phases.push_back(event);
  std::ranges::stable_sort(track.phases.own(), {}, &run::PhaseEvent::t_ns);
  const Analysis analysis = measure(timeline);
  EXPECT_EQ(analysis.lane, 0);
  EXPECT_EQ(analysis.cut.steps.size(), 20U);
}

}  // namespace
}  // namespace flatout::analyse
