// Advice on what is not the input: epochs, the host, checkpoints, the cores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/advise.h"
#include "advise/advise_fixture.h"

namespace flatout::advise {
namespace {

using run::LoaderSetting;
using run::Report;
using testing::IsEmpty;
using testing::SizeIs;

TEST(EpochGap, PersistentWorkers) {
  Report report = report_with("epoch_gap", 0.25);
  report.loader->workers = 2;
  report.loader->persistent_workers = false;
  const auto advice = ask(report, silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].knob, "dataloader.persistent_workers");
  EXPECT_EQ(advice[0].from, "false");
  EXPECT_EQ(advice[0].to, "true");
  EXPECT_EQ(how_text(advice[0]), "DataLoader(..., persistent_workers=True): at most this");
  EXPECT_NEAR(advice[0].predicted->hi, 1.25, 1e-9);  // a gap of 0.25 a step
}

TEST(EpochGap, WithoutWorkersTheStartIsTheProgramsOwn) {
  const auto advice = ask(report_with("epoch_gap", 0.25), silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].knob, "dataset.start_cost");
  EXPECT_EQ(advice[0].to, "");
}

TEST(HostBound, TheCoresBoundTheGain) {
  struct Row {
    int cpus;
    double share;
    double ratio;
  };
  for (const Row& row :
       {Row{2, 0.8, 1 / 0.8}, Row{2, 0.3, 1 / 0.7}, Row{9, 0.8, 1 / 0.2}, Row{0, 0.5, 2}}) {
    Report report = report_with("host_bound", row.share);
    report.host.cpus = row.cpus;
    const auto advice = ask(report, silent());
    ASSERT_THAT(advice, SizeIs(1));
    ASSERT_TRUE(advice[0].predicted);
    EXPECT_NEAR(advice[0].predicted->ratio, row.ratio, 1e-9);
  }
  Report one_cpu = report_with("host_bound", 0.8);
  one_cpu.host.cpus = 1;
  const auto advice = ask(one_cpu, silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_FALSE(advice[0].predicted);
}

// Keras, Lightning: the loop is a framework's, and batches come from a DataLoader already.
TEST(HostBound, WithALoaderNoBatchBuildingIsAssumed) {
  Report report = report_with("host_bound", 0.5);
  report.findings.front().cause = run::Cause::kPythonInLoop;
  report.loader.emplace();
  const auto advice = ask(report, silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].knob, "loop.python");
  EXPECT_FALSE(advice[0].predicted);
}

TEST(HostBound, OfATraceNothingIsPredicted) {
  Report report = report_with("host_bound", 0.5);
  report.run.trace_file = "trace.json";
  const auto advice = ask(report, silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].knob, "loop.python");
  EXPECT_FALSE(advice[0].predicted);
}

TEST(CheckpointStall, ABound) {
  const auto advice = ask(report_with("checkpoint_stall", 0.2), silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_NEAR(advice[0].predicted->hi, 1.25, 1e-9);
  EXPECT_EQ(advice[0].predicted->lo, 1);
}

TEST(CpuContention, FewerWorkersFewerThreadsOrMoreCpus) {
  Report report = report_with("cpu_contention", 0.3);
  report.loader->workers = 4;
  report.loader->sample_cpu_share = 1.0;
  report.host.intraop_threads = 2;
  const FormulaPredictor fewer([](const LoaderSetting& to) { return to.workers == 1 ? 1.2 : 0.9; });
  auto advice = ask(report, fewer);
  ASSERT_THAT(advice, SizeIs(2));
  EXPECT_EQ(advice[0].from, "4");
  EXPECT_EQ(advice[0].to, "1");
  EXPECT_EQ(advice[1].knob, "torch.num_threads");
  EXPECT_EQ(advice[1].from, "2");
  EXPECT_EQ(advice[1].to, "1");
  EXPECT_FALSE(advice[1].predicted);

  report.loader->workers = 0;
  report.host.intraop_threads = 1;
  advice = ask(report, silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].knob, "host.cpus");
}

TEST(CpuContention, NamesTheQuotaAndSaysNothingOfOtherPrograms) {
  Report report = report_with("cpu_contention", 0.3);
  report.loader->workers = 0;
  report.host.intraop_threads = 1;
  report.findings[0].cause = run::Cause::kCpuQuota;
  auto advice = ask(report, silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(how_text(advice[0]), "raise or remove the container's CPU limit");
  report.host.intraop_threads = 2;
  report.findings[0].cause = run::Cause::kOtherPrograms;
  report.findings[0].outside = true;
  EXPECT_THAT(ask(report, silent()), IsEmpty()) << "whatever its severity";
}

}  // namespace
}  // namespace flatout::advise
