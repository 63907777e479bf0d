// Who has the cores that the training thread waits for, and what that does to the verdict.
#include "analyse/contention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analyse/analyse.h"
#include "analyse/finding_fixture.h"
#include "analyse/loop_fixture.h"

namespace flatout::analyse {
namespace {

using run::Metric;
using run::Severity;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Cores {
  int cpus = 2;
  int threads = 2;  // of torch
  double delay = 0.35;
  double own = 0.5;
  double others = 0;
};

run::Report report_of(const Loop& loop, const Cores& cores) {
  TimelineBuilder run = run_of(loop);
  run.timeline().info.cpus = cores.cpus;
  run.timeline().processes[TimelineBuilder::kPid].facts.clear();
  run.fact(TimelineBuilder::kPid, run::facts::kEnvironment,
           R"({"torch":"2.13.0","device":"cpu","intraop_threads":)" +
               std::to_string(cores.threads) + "}");
  run.loader(loop.workers).iterator(1, loop.workers);
  run.series(Metric::kProcessCpuRunDelay, TimelineBuilder::kPid, cores.delay);
  run.series(Metric::kProcessCpuCoresUsed, TimelineBuilder::kPid, cores.own);
  run.series(Metric::kHostCpuCoresUsed, run::kHostSource, cores.own + cores.others);
  return analyse(run.timeline());
}

TEST(CpuContention, OfOtherProgramsIsANoteAndNoFaultOfTheProgram) {
  const run::Report report = report_of({.wait = 0.3}, {.others = 1.47});
  EXPECT_EQ(report.verdict.finding, "compute_bound");
  EXPECT_THAT(report.verdict.summary, HasSubstr("nothing in the program"));
  const run::Finding* finding = finding_of(report, "cpu_contention");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cause, run::Cause::kOtherPrograms);
  EXPECT_EQ(finding->severity, Severity::kInfo);
  EXPECT_TRUE(finding->outside);
  EXPECT_THAT(finding->summary, AllOf(HasSubstr("other programs use 1.5 of 2 CPUs"),
                                      HasSubstr("35 %"), Not(HasSubstr("wanted by more"))));
  EXPECT_THAT(report.notes, Contains(HasSubstr("other programs use 1.5 of 2 CPUs")));
}

TEST(CpuContention, OfOtherProgramsNeverHidesWhatCanBeChanged) {
  const run::Report report =
      report_of({.wait = 4, .batch_wall = 3.9, .batch_cpu = 3}, {.delay = 0.6, .others = 1.47});
  EXPECT_EQ(report.verdict.finding, "input_bound");
  EXPECT_GT(finding_of(report, "cpu_contention")->share, finding_of(report, "input_bound")->share);
}

TEST(CpuContention, OfTheRunsOwnThreadsIsItsFault) {
  const run::Report report =
      report_of({.wait = 0.3}, {.threads = 8, .delay = 0.4, .own = 2, .others = 0});
  EXPECT_EQ(report.verdict.finding, "cpu_contention");
  EXPECT_EQ(report.verdict.cause, run::Cause::kOwnThreads);
  EXPECT_THAT(report.verdict.summary, HasSubstr("the run's own threads"));
  EXPECT_EQ(finding_of(report, "cpu_contention")->severity, Severity::kCritical);
  EXPECT_FALSE(finding_of(report, "cpu_contention")->outside);
  EXPECT_EQ(finding_of(report, "compute_bound"), nullptr) << "waiting for a core is no computing";
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST(CpuContention, OfAQuotaNamesTheQuota) {
  TimelineBuilder run = run_of({.wait = 0.3});
  run.series(Metric::kCgroupCpuThrottled, run::kHostSource, 0.3);
  const run::Report report = analyse(run.timeline());
  EXPECT_EQ(report.verdict.finding, "cpu_contention");
  EXPECT_EQ(report.verdict.cause, run::Cause::kCpuQuota);
  EXPECT_THAT(report.verdict.summary, HasSubstr("CPU quota"));
}

TEST(CpuContention, OfAHypervisorIsANote) {
  TimelineBuilder run = run_of({.wait = 0.3});
  run.series(Metric::kHostCpuCoresUsed, run::kHostSource, 1.5);
  run.series(Metric::kHostCpuStolen, run::kHostSource, 0.5);
  const run::Report report = analyse(run.timeline());
  EXPECT_EQ(report.verdict.finding, "compute_bound");
  ASSERT_NE(finding_of(report, "cpu_contention"), nullptr);
  EXPECT_EQ(finding_of(report, "cpu_contention")->cause, run::Cause::kHypervisor);
  EXPECT_THAT(report.notes, Contains(HasSubstr("hypervisor takes 25 %")));
}

TEST(CpuContention, OnAMachineWithMoreCpusOthersCountWhereTheRunLeftRoom) {
  // 60 cores of somebody else's work beside a run that may use 2 and uses both.
  const run::Report report =
      report_of({.wait = 0.3}, {.threads = 8, .delay = 0.4, .own = 2, .others = 60});
  EXPECT_EQ(finding_of(report, "cpu_contention")->cause, run::Cause::kOwnThreads);
}

TEST(SplitCoreWait, ByWhatWouldBeLeftWithoutTheOthers) {
  struct Row {
    const char* name;
    Contention measured;
    int cpus, threads;
    double own, others;
  };
  Contention base;
  base.run_delay = 0.4;
  base.run_cores = 1;
  base.other_cores_here = 1;
  Contention none = base;
  none.other_cores_here = 0;
  Contention full = base;
  full.run_cores = 2;
  full.other_cores_here = 0;
  Contention both = base;  // wants 1.5 + 0.4 + 0.4 of 2, and others have half a core
  both.run_cores = 1.5;
  both.other_cores_here = 0.5;
  Contention unknown = base;
  unknown.other_cores_here.reset();
  const Row rows[] = {{"others", base, 2, 1, 0, 0.4},
                      {"idle machine", none, 2, 1, 0.4, 0},
                      {"own", full, 2, 4, 0.4, 0},
                      {"both", both, 2, 2, 0.15, 0.25},
                      {"unknown", unknown, 2, 1, 0.4, 0}};
  for (const Row& row : rows) {
    const CoreWait wait = split_core_wait(row.measured, row.cpus, row.threads, 1);
    EXPECT_NEAR(wait.own, row.own, 1e-9) << row.name;
    EXPECT_NEAR(wait.others, row.others, 1e-9) << row.name;
    EXPECT_EQ(wait.told_apart, row.measured.other_cores_here.has_value()) << row.name;
  }
}

}  // namespace
}  // namespace flatout::analyse
