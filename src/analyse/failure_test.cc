// A program that failed gets its failure first.
#include "analyse/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "analyse/analyse.h"
#include "analyse/loop_fixture.h"

namespace flatout::analyse {
namespace {

using ::testing::HasSubstr;

// NOLINTBEGIN(bugprone-unchecked-optional-access)

constexpr const char* kError =
    R"({"type":"RuntimeError","message":"shapes differ.","at":"/src/train.py:50"})";

run::Timeline ended(TimelineBuilder run, int exit_code, int signal = 0) {
  run::Timeline& timeline = run.timeline();
  timeline.state = signal != 0      ? run::RunState::kKilled
                   : exit_code != 0 ? run::RunState::kFailed
                                    : run::RunState::kFinished;
  timeline.end =
      run::RunEnd{.t_ns = ns(12'100), .exit_code = exit_code, .signal = signal, .survivors = {}};
  return timeline;
}

TEST(Failure, ComesBeforeWhatMadeTheStepsSlow) {
  TimelineBuilder run = run_of({.wait = 50, .batch_wall = 49, .batch_cpu = 48});
  run.fact(TimelineBuilder::kPid, run::facts::kFailure, kError);
  const run::Report report = analyse(ended(run, 1));
  EXPECT_EQ(report.verdict.finding, "failed");
  EXPECT_EQ(report.verdict.cause, run::Cause::kException);
  EXPECT_EQ(report.verdict.summary,
            "exit code 1 after 12.0 s and 60 steps: RuntimeError: shapes differ "
            "(/src/train.py:50).");
  EXPECT_EQ(report.failure->error, "RuntimeError");
  EXPECT_EQ(report.failure->message, "shapes differ.");
  EXPECT_EQ(report.failure->at, "/src/train.py:50");
  EXPECT_EQ(report.failure->after_steps, 60);
  EXPECT_FALSE(report.failure->rank);
  EXPECT_EQ(report.findings.front().id, "input_bound") << "what was measured stays";
}

TEST(Failure, ComesBeforeNoSteps) {
  TimelineBuilder run;
  run.lane(LaneScript().draw(1, 5).forward(10));
  run::Report report = analyse(ended(run, 3));
  EXPECT_EQ(report.verdict.finding, "failed");
  EXPECT_EQ(report.verdict.cause, run::Cause::kExitCode);
  EXPECT_EQ(report.verdict.summary, "exit code 3 after 12.0 s, before the end of its first step.");
  run::Timeline unseen;
  unseen.info.started_ns = ns(100);
  TimelineBuilder other;
  other.timeline() = unseen;
  report = analyse(ended(other, 2));
  EXPECT_EQ(report.verdict.summary, "exit code 2 after 12.0 s.") << "no torch: no word on steps";
  EXPECT_FALSE(report.failure->after_steps);
}

TEST(Failure, OfASignalThatNobodySends) {
  const TimelineBuilder run = run_of({.wait = 5});
  EXPECT_EQ(analyse(ended(run, 0, SIGSEGV)).verdict.summary,
            "killed by SIGSEGV after 12.0 s and 60 steps.");
  EXPECT_EQ(analyse(ended(run, 0, SIGSEGV)).verdict.cause, run::Cause::kSignal);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    EXPECT_FALSE(analyse(ended(run, 0, signal)).failure);
    EXPECT_NE(analyse(ended(run, 0, signal)).verdict.finding, "failed");
  }
  EXPECT_FALSE(analyse(ended(run, 0)).failure);
}

TEST(Failure, OfTheRankThatFailedFirst) {
  TimelineBuilder run = run_of({.wait = 5});
  for (const int rank : {0, 1}) {
    auto& track = run.process(101 + rank, run::ProcRole::kMain);
    track.proc.rank = rank;
    track.facts.push_back({.t_ns = 10 - rank,
                           .key = std::string(run::facts::kFailure),
                           .json = R"({"type":"E)" + std::to_string(rank) + "\"}"});
  }
  EXPECT_THAT(analyse(ended(run, 1)).verdict.summary, HasSubstr(": rank 1: E1."));
}

TEST(Failure, BrokenFactsSayNothing) {
  for (const char* fact : {"", "[]", "{}", R"({"type":7})"}) {
    TimelineBuilder run = run_of({.wait = 5});
    run.fact(TimelineBuilder::kPid, run::facts::kFailure, fact);
    EXPECT_EQ(analyse(ended(run, 1)).verdict.summary, "exit code 1 after 12.0 s and 60 steps.");
  }
}

TEST(Failure, AStopThatWasAskedForIsNone) {
  TimelineBuilder run = run_of({.wait = 5});
  run.fact(TimelineBuilder::kPid, run::facts::kStopped, R"({"steps":60})");
  run::Timeline timeline = ended(run, 0, SIGINT);
  timeline.state = run::RunState::kFinished;  // as the store reads it
  const run::Report report = analyse(timeline);
  EXPECT_EQ(report.stopped_after, 60);
  EXPECT_FALSE(report.failure);
  EXPECT_NE(report.verdict.finding, "failed");
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace
}  // namespace flatout::analyse
